"""One gate in front of every surface (A7 A8 A9 A13 A17 A20 A24)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.model.authority import Sensitivity, Sink
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.packet import MemoryState
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.policy.authority import capture_origin
from memfs.services.propose import submit
from tests.contract.surfaces import SURFACES, UNTYPED, Target
from tests.support.memory import AGENT, ANA, SteppedClock, memory_of, new_project, workspace_of

TOOL = Actor(Principal.parse("tool:web"), Channel.TOOL)
GUEST = Actor(Principal.parse("user:guest"), Channel.TOOL)
READERS = (AGENT, TOOL, GUEST)
QUESTION = "heron quarterly ledger"
WORDS = ("vermilion-heron-title", "cobalt-heron-body", "saffron-heron-tag", "umber-heron-field")


def hidden_record(**changes: object) -> Record:
    """Returns a record with a word of its own in each field."""
    record = Record(
        kind="note",
        title=f"Heron quarterly ledger {WORDS[0]}",
        body=f"The heron quarterly ledger says {WORDS[1]}.\n",
        tags=(WORDS[2],),
        unknown={"remark": WORDS[3]},
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def stored_target(project: Path, record: Record) -> Target:
    """Has the owner state a record, past review where it has to wait; returns what must hide."""
    with workspace_of(project) as workspace:
        origin = capture_origin(ANA, record.body)
        result = submit(workspace, Submission(draft=record, origin=origin), ANA)
    with memory_of(project) as memory:
        reference = result.target
        if reference.startswith("cand_"):
            reference = memory.accept([reference])[0].target
        with workspace_of(project) as workspace:
            entries = [
                entry.path
                for entry in workspace.store.snapshot().entries("records/")
                if reference in workspace.store.read_blob(entry.blob).decode()
            ]
    return Target(reference=reference, path=entries[0], words=WORDS, question=QUESTION)


def leaks(project: Path, actor: Actor, target: Target) -> Iterator[str]:
    """Yields each surface that gives a reader anything of what must not come out."""
    secret = (*target.words, target.reference, target.path)
    for name, surface in SURFACES.items():
        with memory_of(project, actor) as memory:
            text = surface(memory, target)
        # An error may repeat what the reader typed, and nothing else.
        if name not in UNTYPED:
            for typed in (target.path, target.reference, target.candidate or target.reference):
                text = text.replace(typed, "")
        for word in secret:
            if word in text:
                yield f"{name}: {word}"


CLOSED: Mapping[str, Mapping[str, object]] = {
    "confidential": {"sensitivity": Sensitivity.CONFIDENTIAL},
    "secret": {"sensitivity": Sensitivity.SECRET},
    "another task": {"scope": Scope.parse("task:audit")},
    "another agent": {"scope": Scope.parse("agent:reviewer")},
    "a session": {"scope": Scope.parse("session:s1")},
    "a team": {"scope": Scope.parse("team:core")},
    "a class": {"record_class": "clinical"},
    "people only": {"sinks": frozenset({Sink.PERSON})},
    "expired": {"expires": SteppedClock().now() - timedelta(days=1)},
    "not yet valid": {"valid_from": SteppedClock().now() + timedelta(days=900)},
}


@pytest.mark.invariant("A7", "A8", "A9", "A13", "A20")
@pytest.mark.parametrize("why", sorted(CLOSED))
def test_what_is_closed_comes_out_of_no_surface(tmp_path: Path, why: str) -> None:
    project = new_project(tmp_path)
    target = stored_target(project, hidden_record(**CLOSED[why]))
    with memory_of(project) as memory:
        memory.remember("The heron quarterly ledger is kept by Ana", kind="note")
        memory.sleep()
    found = [leak for actor in READERS for leak in leaks(project, actor, target)]
    assert found == []


@pytest.mark.invariant("A13")
def test_what_waits_or_was_rejected_is_served_nowhere(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    body = f"The heron quarterly ledger says {WORDS[1]}.\n"
    with memory_of(project, AGENT) as memory:
        first = memory.propose(body, kind="fact", subject="ledger", title=WORDS[0])
    for state in ("waiting", "rejected"):
        target = Target(reference=first.target, path="records/x.md", words=WORDS, question=QUESTION)
        assert list(leaks(project, TOOL, target)) == [], state
        with memory_of(project) as memory:
            assert memory.search(QUESTION) == ()
            assert memory.list_records() == ()
            if state == "waiting":
                memory.reject([first.target])


@pytest.mark.invariant("A7", "A9")
def test_what_may_not_be_seen_changes_no_count_score_or_order(tmp_path: Path) -> None:
    """Timing and counts are surfaces too: an answer is the same with and without it."""
    answers = []
    for number, has_hidden in enumerate((False, True)):
        project = new_project(tmp_path, f"project{number}")
        with memory_of(project) as memory:
            # A second that ends between two notes would make one of them the newer.
            memory.workspace = replace(memory.workspace, clock=SteppedClock())
            for note in ("heron ledger one", "heron ledger two", "a quarterly walk"):
                memory.remember(f"Ana wrote about the {note}", kind="note")
        if has_hidden:
            stored_target(project, hidden_record(sensitivity=Sensitivity.SECRET))
        with memory_of(project, AGENT) as memory:
            hits = memory.search(QUESTION, limit=50)
            packet = memory.recall(QUESTION)
            answers.append(
                (
                    [hit.stored.record.body for hit in hits],
                    [hit.score for hit in hits],
                    len(packet.left_out),
                    packet.state,
                    memory.status().data.get("records"),
                )
            )
    assert answers[0][0] == answers[1][0]
    assert answers[0][2:4] == answers[1][2:4]


@pytest.mark.invariant("A7")
def test_denied_and_missing_look_alike(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = stored_target(project, hidden_record(record_class="clinical"))
    missing = replace(target, reference="mem_01kb8x3v6yq4m9t2r7w5z1c0zz", path="records/none.md")
    for actor, name in itertools.product(READERS, ("show", "show by path", "history", "diff")):
        with memory_of(project, actor) as memory:
            denied = SURFACES[name](memory, target)
            absent = SURFACES[name](memory, missing)
        assert denied.replace(target.reference, "ID").replace(target.path, "PATH") == (
            absent.replace(missing.reference, "ID").replace(missing.path, "PATH")
        )


@pytest.mark.invariant("A17")
def test_a_packet_is_bounded_cites_and_abstains(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        for number in range(30):
            memory.remember(f"Heron fact {number}: the ledger page {number} is blue", kind="note")
        small = memory.recall("heron ledger page", budget=200, limit=30)
        nothing = memory.recall("volcanic basalt temperature")
    assert small.tokens <= 200
    assert len(small.text.encode()) <= 800
    assert all(card.hit.stored.record.reference in small.text for card in small.cards)
    assert nothing.cards == ()
    assert nothing.state is MemoryState.EMPTY


@pytest.mark.invariant("A20")
@pytest.mark.parametrize("sink", [Sink.AGENT, Sink.REMOTE, Sink.EXPORT])
def test_an_item_goes_only_where_its_sinks_name(tmp_path: Path, sink: Sink) -> None:
    project = new_project(tmp_path)
    stored_target(project, hidden_record(sinks=frozenset({Sink.PERSON})))
    from memfs.model.query import Query
    from memfs.services.recall import search

    with workspace_of(project) as workspace:
        found = search(workspace, Query(text=QUESTION, actor=ANA, sink=sink))
        assert found.hits == ()
        found = search(workspace, Query(text=QUESTION, actor=ANA, sink=Sink.PERSON))
        assert len(found.hits) == 1


@pytest.mark.invariant("A24")
def test_a_damaged_index_changes_speed_and_no_decision(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = stored_target(project, hidden_record(record_class="clinical"))
    with memory_of(project) as memory:
        memory.remember("The heron quarterly ledger is kept by Ana", kind="note")
        cache = memory.workspace.cache_dir
    with memory_of(project, AGENT) as memory:
        before = [hit.stored.record.id for hit in memory.search(QUESTION)]
    for path in sorted(cache.rglob("*")):
        if path.is_file():
            path.write_bytes(b"\0" * 64)
    with memory_of(project, AGENT) as memory:
        after = [hit.stored.record.id for hit in memory.search(QUESTION)]
    assert after == before
    assert target.reference not in after
    assert len(after) == 1
