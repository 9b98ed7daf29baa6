"""Forgetting what was learned and deleting where it came from are two things (A63)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.origin import Channel
from memfs.model.result import ResultStatus
from tests.support.memory import AGENT, ANA, as_actor, memory_of, new_project
from tests.support.review import said, tree_of
from tests.support.withdrawal import status_of

WORDS = "We deploy on Tuesdays. The staging host is kestrel."
CLAIM = "The staging host is kestrel."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def capture(project: Path, words: str = WORDS, source: str = "session:abc#1") -> str:
    with memory_of(project, as_actor(ANA, Channel.PROMPT_HOOK)) as memory:
        result = memory.capture(words, source=source)
    assert result.status is ResultStatus.DONE, result
    evidence = result.data["evidence"]
    assert isinstance(evidence, list)
    return str(evidence[0])


def learn(project: Path, evidence: str, **fields: str) -> str:
    with memory_of(project, AGENT) as memory:
        result = memory.propose(
            CLAIM,
            quote=CLAIM,
            evidence=evidence,
            kind="fact",
            subject=fields.get("subject", "staging-host"),
        )
    if result.status is ResultStatus.WAITING:
        with memory_of(project) as memory:
            (result,) = memory.accept([result.target])
    assert result.status is ResultStatus.DONE, result
    return result.target


def test_a_forgotten_memory_keeps_its_source_and_is_not_learned_from_it_again(
    project: Path,
) -> None:
    source = capture(project)
    claim = learn(project, source)
    with memory_of(project) as memory:
        result = memory.forget([claim])
        assert "source stays" in str(result.data["details"]["what"])  # type: ignore[index,call-overload]
        assert status_of(memory, source) == "active"
    with memory_of(project, AGENT) as memory:
        for text in (CLAIM, "Staging is a machine called kestrel."):
            again = memory.propose(
                text, quote=CLAIM, evidence=source, kind="fact", subject="staging-host"
            )
            assert [item.code for item in again.reasons] == ["tombstone.matches"]
        other = memory.propose(
            "We deploy on Tuesdays.",
            quote="We deploy on Tuesdays.",
            evidence=source,
            kind="fact",
            subject="deploy-day",
        )
        assert "tombstone.matches" not in [item.code for item in other.reasons]


def test_a_deleted_source_takes_its_words_and_what_was_learned_from_it_alone(
    project: Path,
) -> None:
    source = capture(project)
    claim = learn(project, source)
    assert tree_of(project, "excerpts") != []
    with memory_of(project) as memory:
        reach = memory.reach([source])
        assert reach.is_source
        assert claim in {stored.record.id for stored in reach.descendants}
        result = memory.forget([source])
        assert "source deleted" in str(result.data["details"]["what"])  # type: ignore[index,call-overload]
        assert status_of(memory, claim) == "repair_pending"
        assert status_of(memory, source) == "gone"
    assert tree_of(project, "excerpts") == []
    assert said(project) == []
    with memory_of(project, as_actor(ANA, Channel.PROMPT_HOOK)) as memory:
        again = memory.capture(WORDS, source="session:abc#1")
    assert [item.code for item in again.reasons] == ["tombstone.matches"]


def test_a_source_beside_another_that_says_the_same_can_go(project: Path) -> None:
    first = capture(project)
    second = capture(project, f"Mind this: all good. {CLAIM}", "session:def#9")
    claim = learn(project, first)
    from tests.support.withdrawal import derive

    with memory_of(project) as memory:
        both = derive(memory, CLAIM, evidence=[first, second], kind="note")
        result = memory.forget([first])
        assert result.data["restored"] == [f"{both}@2"]
        assert status_of(memory, claim) == "repair_pending"
