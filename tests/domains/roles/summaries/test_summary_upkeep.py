"""Summaries in a real store: made in one commit, withdrawn with what they cover, never believed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memfs.app.container import Memory
from memfs.domains.roles.packets.picture import Looking, pictures
from memfs.domains.roles.summaries import summary_upkeep
from memfs.domains.roles.summaries.freshness import current_digests
from memfs.errors import UsageError
from memfs.model.digests import blob_id
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.role import memory_hash
from memfs.services.reading import UnknownRecordError
from tests.support.memory import git, memory_of, new_project, store_root
from tests.support.review import is_clean
from tests.support.roles import REASON, WHOLE, proposal, whole

PLAIN: dict[str, Any] = {**WHOLE, "anchors": ["anchor:missing"], "topic": None, "confidence": 0.9}
CLAIMS = ("Ana deploys on Fridays", "Ana writes short reviews")
TARGET = "person:ana"


def agent(name: str) -> Actor:
    """Returns an agent of a name."""
    return Actor(Principal.parse(f"agent:{name}"), Channel.AGENT)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a project whose store the tests of this module share; each has a role of its own."""
    return new_project(tmp_path_factory.mktemp("summaries"))


@pytest.fixture
def memory(project: Path, request: pytest.FixtureRequest) -> Iterator[Memory]:
    """Opens the store as a role of its own."""
    name = str(request.node.name).removeprefix("test_").replace("_", "-")[:40].strip("-")
    with memory_of(project, agent(name)) as memory:
        yield memory


@pytest.fixture
def person(project: Path) -> Iterator[Memory]:
    with memory_of(project) as memory:
        yield memory


def remember(memory: Memory, *claims: str, role: str = "", **members: Any) -> tuple[str, ...]:
    """Has the role remember claims about one target, and returns their ids."""
    texts = [whole("RecordShortTermMemory", **{**PLAIN, **members, "claim": c}) for c in claims]
    results = [item.result for item in memory.apply_operations(role, texts)]
    assert [item.status for item in results] == [ResultStatus.DONE] * len(claims), results
    return tuple(item.target.partition("@")[0] for item in results)


def summary_of(result: Result) -> dict[str, Any]:
    """Returns the one summary that an answer tells of."""
    summaries: Any = result.data["summaries"]
    (summary,) = summaries
    return dict(summary)


def seen(memory: Memory, role: str = "") -> tuple[Record, ...]:
    """Returns the summaries that may be seen."""
    looking = Looking.of(memory.workspace, memory.actor)
    (picture,) = pictures(looking, role or memory.actor.principal.name)
    return picture.summaries


def cards(memory: Memory) -> list[str]:
    """Returns the ids of what the role's own packet tells."""
    return [card.record.id for card in memory.role_context(budget=64).cards]


def test_summaries_are_made_in_one_commit_and_once(project: Path, memory: Memory) -> None:
    names = remember(memory, *CLAIMS)
    before = git(store_root(project), "rev-parse", "HEAD").strip()
    made = memory.summarize_role()
    assert made.status is ResultStatus.DONE, made.message
    told = summary_of(made)
    assert (told["covers"], told["supports"], told["stands"]) == (sorted(names), 1, True)
    assert (told["evidence"], told["remembered"], told["anchor_missing"]) == ([], [], True)
    files = git(store_root(project), "diff", "--name-only", before, "HEAD").split()
    assert [name.split("/")[0] for name in sorted(files)] == ["receipts", "roles"]
    assert "/summaries/" in files[-1]
    assert memory.summarize_role().status is ResultStatus.NOTHING
    assert git(store_root(project), "rev-list", "--count", f"{before}..HEAD").strip() == "1"
    assert is_clean(project)


def test_a_summary_stands_in_a_packet_until_a_memory_learns_more(memory: Memory) -> None:
    names = remember(memory, *CLAIMS, topic="deploys now")
    assert len(names) == 2
    first, second = names[0], remember(memory, "Ana likes tea", topic=None)[0]
    third = remember(memory, "Ana walks home", topic=None)[0]
    made = memory.summarize_role()
    (summary,) = seen(memory)
    assert first == names[1]
    assert cards(memory)[0] in (summary.id, first)
    assert summary.id in cards(memory)
    more = memory.apply_operation(
        "",
        whole("RecordShortTermMemory", **{**PLAIN, "claim": "Ana likes tea", "tags": ["tea"],
              "anchors": [f"memory:{third}"]}),
    )  # fmt: skip
    assert more.target.partition("@")[0] == second
    told = [card for card in cards(memory) if card in (summary.id, second, third)]
    assert sorted(told) == sorted([second, third])
    again = memory.summarize_role()
    assert (again.data["changed"], made.data["made"]) == ([f"{summary.id}@2"], [f"{summary.id}@1"])
    assert summary.id in cards(memory)


def test_a_summary_is_withdrawn_with_a_memory_and_made_anew_without_it(
    memory: Memory, person: Memory
) -> None:
    names = remember(memory, *CLAIMS, "Ana keeps a marmoset")
    before = summary_of(memory.summarize_role())["id"]
    assert "marmoset" in seen(memory)[0].body
    assert person.forget([names[2]]).status is ResultStatus.DONE
    assert seen(memory) == ()
    with pytest.raises(UnknownRecordError):
        memory.show(before)
    assert sorted(cards(memory)) == sorted(names[:2])
    after = summary_of(memory.summarize_role())
    assert (after["id"] != before, after["covers"]) == (True, sorted(names[:2]))
    assert "marmoset" not in str(seen(memory))
    assert memory.summarize_role().status is ResultStatus.NOTHING


def test_what_is_private_from_the_role_is_in_no_summary_of_it(
    project: Path, memory: Memory, person: Memory
) -> None:
    role = memory.actor.principal.name
    names = remember(memory, *CLAIMS, "Ana is paid by the hour")
    before = summary_of(memory.summarize_role())["id"]
    path = store_root(project) / person.show(names[2]).path
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("---\n", "---\nsensitivity: confidential\n", 1), encoding="utf-8")
    person.reconcile()
    waiting = [item.id for item in person.candidates() if item.record_id == names[2]]
    assert person.accept(waiting)[0].status is ResultStatus.DONE
    assert seen(memory) == ()
    for asker in (person, memory):
        told = summary_of(asker.summarize_role(role))
        assert (told["covers"], told["id"] != before) == (sorted(names[:2]), True)
        assert "hour" not in str([item.body for item in seen(person, role)])


def test_another_agent_makes_and_sees_no_summary_of_a_role(project: Path, memory: Memory) -> None:
    remember(memory, *CLAIMS)
    role = memory.actor.principal.name
    (summary,) = summary_of(memory.summarize_role())["id"].split()
    with memory_of(project, agent("other")) as other:
        refused = other.summarize_role(role)
        assert [why.code for why in refused.reasons] == ["role.other-role"]
        assert refused.data["summaries"] == []
        assert seen(other, role) == ()
        with pytest.raises(UnknownRecordError):
            other.show(summary)


def test_a_person_has_a_role_summarised_and_it_is_worth_no_more(person: Memory) -> None:
    remember(person, *CLAIMS, role="asked")
    made = person.summarize_role("asked")
    (summary,) = seen(person, "asked")
    assert str(summary.authority) == "none" or summary.authority == 0
    assert summary.origin is not None
    assert str(summary.origin.principal) == "agent:asked"
    receipt = person.show(str(made.data["receipt"])).record
    details: Any = receipt.fields["details"]
    assert details == {"role": "asked", "asked_by": "ana@example.org", "made": 1} or (
        details["asked_by"] == str(person.actor.principal)
    )
    with pytest.raises(UsageError):
        person.summarize_role()
    with pytest.raises(UsageError):
        person.summarize_role("../asked")


def test_other_words_are_taken_only_where_nothing_is_lost(memory: Memory) -> None:
    remember(memory, *CLAIMS)
    memory.summarize_role()
    lossy = b'{"target": "person:ana", "claim": "Ana may deploy whenever she likes"}\n'
    refused = memory.summarize_role(wordings=lossy)
    codes = [item["code"] for item in refused.data["refused"]]  # type: ignore[union-attr,call-overload,index]
    assert (refused.status, codes) == (ResultStatus.REFUSED, ["role.summary-lossy"])
    title = seen(memory)[0].title
    fitting = f'{{"target": "person:ana", "claim": "{title}!"}}'.encode()
    taken = memory.summarize_role(wordings=fitting)
    assert taken.status is ResultStatus.DONE
    assert seen(memory)[0].title == f"{title}!"
    assert summary_of(taken)["stands"] is True
    assert memory.summarize_role().status is ResultStatus.NOTHING
    for text in (b"[]", b"{", b'{"target": 1}', b'{"claim": "x"}', b'{"target": "a", "role": "b"}'):
        assert memory.summarize_role(wordings=text).status is ResultStatus.REFUSED


def test_a_key_makes_a_repetition_harmless_and_a_held_summary_is_left_alone(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(memory, *CLAIMS)
    made = summary_of(memory.summarize_role(key="once"))["id"]
    remember(memory, "Ana likes tea")
    assert memory.summarize_role(key="once").status is ResultStatus.NOTHING
    monkeypatch.setattr(summary_upkeep, "is_held", lambda _snapshot, _stored: True)
    beside = memory.summarize_role()
    assert beside.status is ResultStatus.DONE
    assert (beside.data["changed"], summary_of(beside)["id"] != made) == ([], True)


def test_a_summary_that_was_edited_by_hand_is_believed_in_nothing(
    project: Path, memory: Memory, person: Memory
) -> None:
    names = remember(memory, *CLAIMS, confidence=0.3)
    made = summary_of(memory.summarize_role())["id"]
    path = store_root(project) / person.show(made).path
    text = path.read_text(encoding="utf-8")
    forged = text.replace("supports: 1", "supports: 9").replace("confidence: 0.3", "confidence: 1")
    assert forged != text
    path.write_text(forged, encoding="utf-8")
    person.reconcile()
    waiting = [item.id for item in person.candidates() if item.record_id == made]
    assert person.accept(waiting)[0].status is ResultStatus.DONE
    assert seen(memory)[0].fields["supports"] == 9
    assert sorted(cards(memory)) == sorted(names)
    told = {str(item.code) for item in memory.role_context(budget=64).cautions}
    assert {"lost", "low-confidence"} <= told
    assert memory.summarize_role().data["changed"] == [f"{made}@3"]
    assert seen(memory)[0].fields["supports"] == 1


def test_nothing_is_summarised_where_the_role_may_write_nothing(
    project: Path, memory: Memory, person: Memory
) -> None:
    remember(memory, *CLAIMS)
    scope = f"agent:{memory.actor.principal.name}"
    person.pollute(scope, cause="looked odd")
    refused = memory.summarize_role()
    assert [why.code for why in refused.reasons] == ["namespace.polluted"]
    person.clear(scope)
    assert memory.summarize_role().status is ResultStatus.DONE


def test_a_sleep_leaves_summaries_of_what_it_leaves_in_its_one_commit(
    project: Path, memory: Memory
) -> None:
    names = remember(memory, *CLAIMS)
    anatomy = {**PLAIN, "implication": "ask first"}
    script = "\n".join(
        whole("ApplyMemoryDistillation", **{**anatomy, "claim": claim, "sources": [name]})
        for claim, name in zip(CLAIMS, names, strict=True)
    )
    before = git(store_root(project), "rev-parse", "HEAD").strip()
    slept = memory.sleep_role(script=script.encode())
    assert slept.status is ResultStatus.DONE, slept.message
    assert git(store_root(project), "rev-list", "--count", f"{before}..HEAD").strip() == "1"
    (summary,) = seen(memory)
    assert set(summary.derived_from).isdisjoint(names)
    assert summary.fields["supports"] == 2
    assert memory.summarize_role().status is ResultStatus.NOTHING
    receipt = str(slept.data["receipt"])
    with memory_of(project) as person:
        details: Any = person.show(receipt).record.fields["details"]
    assert details["summaries"] == {"made": 1}


def test_sources_are_looked_at_as_whoever_asks_may_see_them(
    project: Path, memory: Memory, person: Memory
) -> None:
    (name,) = remember(memory, "Ana deploys on Mondays")
    fact = person.remember("The port is 5432", kind="fact", subject="db-port").target
    (project / "notes.md").write_text("one\n")
    (project / "test_it.py").write_text("def test_so(): ...\n")
    anchors = [
        "file:notes.md", "file:gone.md", "test:test_it.py::test_so", f"memory:{name}",
        f"claim:{fact.partition('@')[0]}", "claim:mem_nonsense", "commit:0123456789", "nonsense",
    ]  # fmt: skip
    workspace = memory.workspace
    snapshot = workspace.store.snapshot()
    found = current_digests(workspace, snapshot, anchors, memory.actor)
    (record,) = [item for item in _memories(memory) if item.id == name]
    assert found["file:notes.md"] == blob_id(b"one\n")
    assert found["test:test_it.py::test_so"] == blob_id(b"def test_so(): ...\n")
    assert found[f"memory:{name}"] == memory_hash(record)
    assert found[anchors[4]] is not None
    assert (found["file:gone.md"], found["claim:mem_nonsense"]) == (None, None)
    assert found.keys() == set(anchors) - {"commit:0123456789", "nonsense"}
    other = current_digests(workspace, snapshot, anchors, agent("other"))
    assert (other[f"memory:{name}"], other["file:notes.md"]) == (None, blob_id(b"one\n"))
    nowhere = current_digests(replace(workspace, project_dir=None), snapshot, anchors, memory.actor)
    assert nowhere["file:notes.md"] is None


def test_a_changed_file_makes_a_reader_get_the_memories_and_a_warning(
    project: Path, memory: Memory
) -> None:
    (project / "seen.md").write_text("one\n")
    remember(memory, CLAIMS[0])
    digest = blob_id(b"one\n")
    (name,) = remember(
        memory, CLAIMS[1], anchors=["file:seen.md"], source_hashes=[f"file:seen.md={digest}"]
    )
    memory.summarize_role()
    (summary,) = seen(memory)
    assert cards(memory) == [summary.id]
    (project / "seen.md").write_text("two\n")
    packet = memory.role_context(budget=64)
    assert summary.id not in [card.record.id for card in packet.cards]
    assert [card.is_stale for card in packet.cards if card.record.id == name] == [True]
    assert "stale" in {str(item.code) for item in packet.cautions}
    told = summary_of(memory.summarize_role())
    assert (told["fresh"], told["stands"]) == (False, False)
    (project / "seen.md").unlink()
    (project / "seen.md").symlink_to(project / "elsewhere.md")
    (project / "elsewhere.md").write_text("one\n")
    assert summary_of(memory.summarize_role())["fresh"] is False


def test_a_memory_that_is_over_is_in_no_summary(memory: Memory) -> None:
    names = remember(memory, *CLAIMS)
    made = summary_of(memory.summarize_role())["id"]
    memory.apply_operation("", proposal("PruneShortTermMemory", memories=[names[1]], **REASON))
    assert cards(memory) == [names[0]]
    assert memory.summarize_role().data["retired"] == [f"{made}@2"]
    assert [item.fields["lifecycle"] for item in seen(memory)] == ["retired"]
    assert memory.summarize_role().status is ResultStatus.NOTHING


def _memories(memory: Memory) -> tuple[Record, ...]:
    looking = Looking.of(memory.workspace, memory.actor)
    (picture,) = pictures(looking, memory.actor.principal.name)
    return tuple(picture.view.memories.values())
