"""The one gate: what a reader may not see leaves no trace on any surface."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfs.app.container import Memory
from memfs.app.opening import memberships_from, open_workspace
from memfs.cli.values import record_value
from memfs.errors import MemfsError
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from memfs.model.scope import Scope, ScopeKind
from memfs.services.correct import SeenInPartError
from memfs.services.gate import access_request
from tests.support.memory import AGENT, memory_of, new_project

TEAM = "team:ward"
HIDDEN = ("zzsecretzz", "qqdiagnosisqq", "xxaddressxx", "wwtagww", "vvsubjectvv", "uutitleuu")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one open note and one record of a class, opened to an agent in part."""
    made = new_project(tmp_path_factory.mktemp("gate"))
    with memory_of(made) as ana:
        ana.remember("The office opens at nine", kind="fact")
        ana.remember(
            "zzsecretzz in the body",
            kind="fact",
            title="uutitleuu",
            subject="vvsubjectvv",
            tags=("wwtagww",),
            scope=TEAM,
            record_class="clinical",
            fields={
                "name": "Ada Lovelace",
                "diagnosis": "qqdiagnosisqq",
                "home": {"address": ["xxaddressxx"]},
            },
        )
        assert [item.status for item in ana.accept(None)] == [ResultStatus.DONE]
        ana.grant("agent:reader", scopes=[TEAM], record_classes=["clinical"], shown_fields=["name"])
    return made


READER = Actor(Principal.parse("agent:reader"), Channel.AGENT)


@pytest.fixture
def reader(project: Path) -> Iterator[Memory]:
    """Sees the name of the record."""
    with memory_of(project, READER) as memory:
        yield memory


@pytest.fixture
def stranger(project: Path) -> Iterator[Memory]:
    """Sees nothing of the record."""
    with memory_of(project, AGENT) as memory:
        yield memory


def hidden_id(project: Path) -> str:
    with memory_of(project) as ana:
        return next(r.record.id for r in ana.list_records() if r.record.record_class)


def everything(memory: Memory, words: str) -> str:
    """Returns all that the surfaces of a program answer to these words."""
    parts = []
    for hit in memory.search(words, limit=50):
        parts.append(repr(hit) + json.dumps(record_value(hit.stored)))
    packet = memory.recall(words)
    parts += [packet.text, repr(packet)]
    listed = memory.list_records()
    parts += [json.dumps(record_value(item)) for item in listed]
    parts += [repr(memory.show(item.record.id)) for item in listed]
    for ask in (memory.show, memory.history, memory.diff, memory.candidate):
        try:
            parts.append(repr(ask(words)))
        except MemfsError as error:
            parts.append(f"{error} {error.hint}".replace(repr(words), ""))
    parts += [repr(memory.status()), repr(memory.grants()), repr(memory.candidates())]
    return "\n".join(parts)


def test_of_a_record_that_is_opened_in_part_the_rest_is_nowhere(reader: Memory) -> None:
    for words in ("office", "Ada Lovelace", *HIDDEN, "diagnosis address home"):
        answer = everything(reader, words)
        for hidden in HIDDEN:
            assert hidden not in answer.replace(f"'{words}'", ""), (words, hidden)


def test_what_is_shown_is_found_and_comes_through(reader: Memory) -> None:
    (hit,) = reader.search("Lovelace")
    assert hit.stored.record.unknown == {"name": "Ada Lovelace"}
    assert "name: Ada Lovelace" in reader.recall("Lovelace").text
    assert "Ada Lovelace" in everything(reader, "office")


def test_a_hidden_word_matches_nothing_and_changes_no_score(
    reader: Memory, stranger: Memory
) -> None:
    for memory in (reader, stranger):
        for hidden in HIDDEN:
            assert memory.search(hidden) == ()
            plain = [(hit.score, hit.stored.record.id) for hit in memory.search("office nine")]
            beside = memory.search(f"office nine {hidden}")
            unknown = memory.search("office nine kkunknownkk")
            assert [hit.stored.record.id for hit in beside] == [item[1] for item in plain]
            assert [hit.score for hit in beside] == [hit.score for hit in unknown]
            packet = memory.recall(hidden)
            assert (packet.left_out, packet.reason) == ((), memory.recall("kkunknownkk").reason)


def test_the_beginning_of_a_hidden_word_is_as_unknown_as_any(stranger: Memory) -> None:
    for hidden in HIDDEN:
        assert stranger.search(hidden[:5]) == stranger.search("kkunk") == ()


def test_hidden_labels_cannot_be_asked_for(reader: Memory) -> None:
    for text in ("Lovelace", ""):
        assert reader.search(text, tags=("wwtagww",)) == ()
        assert reader.search(text, subject="vvsubjectvv") == ()
    assert reader.list_records(tags=("wwtagww",)) == ()


def test_denied_and_nonexistent_are_the_same(project: Path, stranger: Memory) -> None:
    there, nowhere = hidden_id(project), "mem_01kb8x3v6yq4m9t2r7w5000001"
    for ask in (stranger.show, stranger.history, stranger.diff):
        told = []
        for reference in (there, nowhere, f"{there}@1", f"{nowhere}@1"):
            with pytest.raises(MemfsError) as caught:
                ask(reference)
            plain = str(caught.value).replace(reference, "ID")
            told.append((type(caught.value), caught.value.code, plain, caught.value.hint))
        assert len(set(told)) == 1
    with pytest.raises(MemfsError) as denied:
        stranger.correct(there, "x")
    with pytest.raises(MemfsError) as missing:
        stranger.correct(nowhere, "x")
    assert str(denied.value).replace(there, "ID") == str(missing.value).replace(nowhere, "ID")


def test_a_path_that_is_made_of_a_hidden_title_confirms_nothing(
    project: Path, reader: Memory
) -> None:
    with memory_of(project) as ana:
        path = next(r.path for r in ana.list_records() if r.record.record_class)
    assert "uutitleuu" in path
    with pytest.raises(MemfsError):
        reader.show(path)
    seen = reader.show(hidden_id(project))
    assert (seen.path, seen.blob) == ("", "")


def test_nobody_rewrites_a_record_of_which_they_see_a_part(project: Path, reader: Memory) -> None:
    with pytest.raises(SeenInPartError):
        reader.correct(hidden_id(project), "all is well")


def test_a_guess_is_not_confirmed_by_proposing_it(reader: Memory, stranger: Memory) -> None:
    """The very words of a hidden record wait like any others."""
    for memory in (reader, stranger):
        answers = [
            memory.propose(text, kind="fact", title="uutitleuu", subject="vvsubjectvv", scope=TEAM)
            for text in ("zzsecretzz in the body", "kkunknownkk in the body")
        ]
        guessed, other = ((item.status, item.reasons) for item in answers)
        assert guessed == other
        assert guessed[0] is ResultStatus.WAITING


def test_the_status_counts_what_may_be_read(reader: Memory, stranger: Memory) -> None:
    assert stranger.status().data["records"] == {"fact": 1}
    assert stranger.status().data["index"]["records"] == 1  # type: ignore[index,call-overload]
    assert reader.status().data["records"] == {"fact": 2}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    words=st.lists(
        st.sampled_from((*HIDDEN, "office", "Ada", "ward", "diagnosis", "#")), max_size=4
    )
)
def test_no_question_at_all_brings_out_a_hidden_word(reader: Memory, words: list[str]) -> None:
    text = " ".join(words)
    found = [json.dumps(record_value(hit.stored)) for hit in reader.search(text, limit=20)]
    answer = "\n".join((*found, repr(reader.recall(text))))
    assert not any(hidden in answer for hidden in HIDDEN)


# Whom the host says that it runs ---------------------------------------------------------


def test_the_environment_names_the_private_scopes_of_a_process() -> None:
    env = {"MEMFS_SESSION_ID": "s1", "MEMFS_RUN_ID": "r1", "MEMFS_THREAD_ID": "not a name!"}
    assert memberships_from(env) == {Scope(ScopeKind.SESSION, "s1"), Scope(ScopeKind.TASK, "r1")}
    assert memberships_from({}) == frozenset()


def test_a_private_scope_is_open_in_it_alone(project: Path) -> None:
    for session, expected in (("s1", 1), ("s2", 0)):
        with memory_of(project) as ana:
            ana.remember("Only here: the lamp is blue", kind="fact", scope="session:s1")
        env = {"MEMFS_SESSION_ID": session}
        workspace = open_workspace(start=project, env=env)
        with Memory(workspace, AGENT) as agent:
            assert len(agent.search("lamp")) == expected


def test_the_gate_takes_the_purpose_that_the_host_says(project: Path) -> None:
    with memory_of(project) as ana:
        workspace = replace(ana.workspace, purpose="audit")
        assert access_request(workspace, AGENT).purpose == "audit"
        assert access_request(workspace, AGENT, purpose="own").purpose == "own"
