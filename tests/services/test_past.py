"""Two times: what was true at a moment, and what memory knew at a moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.errors import MemfsError
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result
from memfs.model.status import Status
from tests.support.memory import (
    AGENT,
    ANA,
    START,
    SteppedClock,
    memory_of,
    new_project,
    workspace_of,
)

BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)
JUNE, JULY, AUGUST = ("2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-08-01T00:00:00Z")
BEFORE_JUNE, BEFORE_JULY = ("2026-05-31T23:59:59Z", "2026-06-30T23:59:59Z")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def say(project: Path, text: str, actor: Actor = ANA, **options: str) -> Result:
    with memory_of(project, actor) as memory:
        return memory.remember(text, **{"kind": "fact", "subject": "tool", **options})  # type: ignore[arg-type]


def told(memory: Memory, valid_at: str = "", as_of: str = "") -> list[set[str]]:
    """Returns what recall, search and list say; they have to agree."""
    packet = memory.recall("build with", valid_at=valid_at, as_of=as_of)
    return [
        {card.hit.stored.record.body.strip() for card in packet.cards},
        {
            hit.stored.record.body.strip()
            for hit in memory.search("build with", valid_at=valid_at, as_of=as_of)
        },
        {
            stored.record.body.strip()
            for stored in memory.list_records(valid_at=valid_at, as_of=as_of)
        },
    ]


def said(project: Path, valid_at: str = "", as_of: str = "", actor: Actor = ANA) -> set[str]:
    with memory_of(project, actor) as memory:
        first, *others = told(memory, valid_at, as_of)
    assert others == [first, first]
    return first


@pytest.mark.parametrize("actor", [ANA, AGENT])
def test_a_later_validity_leaves_the_time_before_to_what_it_replaces(
    project: Path, actor: Actor
) -> None:
    old = say(project, "We build with make").target
    new = say(project, "We build with ninja", valid_from=JUNE).target
    assert said(project, BEFORE_JUNE, actor=actor) == {"We build with make"}
    assert said(project, JUNE, actor=actor) == {"We build with ninja"}
    assert said(project, actor=actor) == {"We build with ninja"}
    with memory_of(project) as memory:
        record = memory.show(f"{old}@1").record
        assert (record.status, record.superseded_by) == (Status.SUPERSEDED, new)
        assert record.valid_until is None
        assert memory.show(old, valid_at=BEFORE_JUNE).record.id == old
        assert memory.show(old, valid_at=JUNE).record.id == new
        assert memory.show(new, valid_at=BEFORE_JUNE).record.id == old


def test_what_begins_in_the_future_is_not_true_yet(project: Path) -> None:
    say(project, "We build with make")
    say(project, "We build with ninja", valid_from="2099-01-01")
    assert said(project) == {"We build with make"}
    assert said(project, "2099-01-01") == {"We build with ninja"}


def test_a_line_of_changes_answers_for_each_of_its_times(project: Path) -> None:
    say(project, "We build with make")
    say(project, "We build with ninja", valid_from=JUNE)
    say(project, "We build with bazel", valid_from=AUGUST)
    assert said(project, BEFORE_JUNE) == {"We build with make"}
    assert said(project, JULY) == {"We build with ninja"}
    assert said(project, AUGUST) == {"We build with bazel"}
    say(project, "We build with waf", valid_from=JULY)
    assert said(project, BEFORE_JULY) == {"We build with ninja"}
    assert said(project, AUGUST) == {"We build with waf"}
    say(project, "We build with meson")
    for moment in (BEFORE_JUNE, JULY, AUGUST):
        assert said(project, moment) == {"We build with meson"}


def test_a_statement_without_a_start_replaces_at_every_time(project: Path) -> None:
    say(project, "We build with make")
    say(project, "We build with ninja")
    assert said(project, BEFORE_JUNE) == {"We build with ninja"}


def test_validity_is_half_open_on_every_surface(project: Path) -> None:
    say(project, "We build with make", valid_from=JUNE, valid_until=JULY)
    assert said(project, BEFORE_JUNE) == set()
    assert said(project, JUNE) == {"We build with make"}
    assert said(project, BEFORE_JULY) == {"We build with make"}
    assert said(project, JULY) == set()
    assert said(project) == set()


def test_an_exception_for_a_while_stands_beside_the_rule_and_is_marked(project: Path) -> None:
    say(project, "We build with make")
    say(project, "We build with ninja", valid_from=JUNE, valid_until=JULY)
    assert said(project, BEFORE_JUNE) == {"We build with make"}
    assert said(project, JUNE) == {"We build with make", "We build with ninja"}
    assert said(project) == {"We build with make"}
    with memory_of(project) as memory:
        (now,) = memory.recall("build").cards
        (*then,) = memory.recall("build", valid_at=JUNE).cards
    assert "CONFLICT" not in now.text
    assert ["CONFLICT" in card.text for card in then] == [True, True]


def test_a_correction_can_say_since_when_and_is_told_by_the_past_as_it_was(project: Path) -> None:
    with workspace_of(project, clock=SteppedClock(START)) as workspace:
        memory = Memory(workspace, ANA)
        name = memory.remember("We build with make", kind="fact", subject="tool").target
    with workspace_of(project, clock=SteppedClock(START + timedelta(days=1))) as workspace:
        memory = Memory(workspace, ANA)
        memory.correct(name, "We build with ninja", valid_from=JUNE)
        assert told(memory) == [{"We build with ninja"}] * 3
        assert told(memory, BEFORE_JUNE) == [set()] * 3
        earlier = f"{START + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
        assert told(memory, as_of=earlier) == [{"We build with make"}] * 3
        assert memory.show(name, as_of=earlier).record.version == 1


@pytest.mark.parametrize("verb", ["retract", "forget"])
def test_what_is_withdrawn_now_is_withdrawn_from_the_past_as_well(project: Path, verb: str) -> None:
    with workspace_of(project, clock=SteppedClock(START)) as workspace:
        memory = Memory(workspace, ANA)
        name = memory.remember("We build with make", kind="fact", subject="tool").target
        Memory(workspace, BEN).remember("We build with ninja", kind="fact", subject="tool")
    later = START + timedelta(days=1)
    with workspace_of(project, clock=SteppedClock(later)) as workspace:
        memory = Memory(workspace, ANA)
        earlier = f"{START + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
        assert told(memory, as_of=earlier) == [{"We build with make", "We build with ninja"}] * 3
        getattr(memory, verb)((name,) if verb == "forget" else name)
        assert told(memory, as_of=earlier) == [{"We build with ninja"}] * 3
        (card,) = memory.recall("build with", as_of=earlier).cards
        assert name not in card.text
        assert memory.list_records(as_of=earlier)[0].record.conflicts == ()
        with pytest.raises(MemfsError):
            memory.show(name, as_of=earlier)


def test_a_replaced_record_that_is_taken_back_answers_for_no_time(project: Path) -> None:
    old = say(project, "We build with make").target
    say(project, "We build with ninja", valid_from=JUNE)
    with memory_of(project) as memory:
        memory.retract(f"{old}@1")
    assert said(project, BEFORE_JUNE) == set()


def test_before_the_store_memory_knew_nothing(project: Path) -> None:
    say(project, "We build with make")
    assert said(project, as_of="2000-01-01") == set()
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.show("abcdef", as_of="2000-01-01")
    assert caught.value.code == "conflict.unknown-record"


def test_another_person_s_older_time_does_not_contradict_the_newer_one(project: Path) -> None:
    say(project, "We build with make", BEN, valid_until=JUNE)
    say(project, "We build with ninja", valid_from=JUNE)
    with memory_of(project) as memory:
        assert memory.conflicts() == ()
    assert said(project, BEFORE_JUNE) == {"We build with make"}


def test_what_expires_is_not_served_and_contradicts_nothing_any_more(project: Path) -> None:
    say(project, "We build with make")
    with workspace_of(project, clock=SteppedClock(datetime(2026, 12, 1, tzinfo=UTC))) as workspace:
        memory = Memory(workspace, BEN)
        name = memory.remember("We build with ninja", kind="fact", subject="tool").target
        assert len(memory.conflicts()) == 1

        def with_end(content: bytes, _: str) -> bytes:
            return content.replace(b"kind: fact\n", b"kind: fact\nexpires: 2026-12-02\n")

        memory.edit(name, with_end)
    with workspace_of(project, clock=SteppedClock(datetime(2026, 12, 3, tzinfo=UTC))) as workspace:
        memory = Memory(workspace, ANA)
        assert told(memory) == [{"We build with make"}] * 3
        assert memory.conflicts() == ()
        (card,) = memory.recall("build with").cards
    assert "CONFLICT" not in card.text
