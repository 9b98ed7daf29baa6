"""The timeline answers with exactly the events that are asked for, whoever told them and when."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.timeline.events import EventView
from memfs.domains.timeline.lines import own_id
from memfs.errors import MemfsError, UsageError
from memfs.model.instants import parse_instant
from memfs.model.origin import Principal
from memfs.model.result import Result, ResultStatus
from tests.support.events import Line, many, written
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, store_root

AT = "2026-03-{:02}T12:00:00Z"


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, list[Line]]]:
    """A store with many events, told by an import, and what was told."""
    folder = tmp_path_factory.mktemp("crowd")
    lines = many(160)
    project = new_project(folder)
    with memory_of(project) as memory:
        memory.import_path(written(folder / "timeline.jsonl", lines), accept=True)
        yield memory, lines


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("told"))


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    with memory_of(project) as memory:
        yield memory


def titles(events: tuple[EventView, ...]) -> list[str]:
    return [event.title for event in events]


def told(memory: Memory, text: str, **options: object) -> Result:
    return memory.record_event(text, **options)  # type: ignore[arg-type]


def ids_of(events: tuple[EventView, ...]) -> list[str]:
    return [event.id for event in events]


def expected(lines: list[Line], is_wanted: Callable[[Line], bool]) -> list[str]:
    """What a reader who looks at every line finds, newest first."""
    found = [
        (moment(line, "event_time"), own_id(str(line["id"]))) for line in lines if is_wanted(line)
    ]
    return [name for _, name in sorted(found, reverse=True)]


def happened_within(start: datetime, end: datetime, line: Line) -> bool:
    return start <= moment(line, "event_time") < end


def moment(line: Line, name: str) -> datetime:
    return parse_instant(str(line[name]))


def test_a_range_is_exactly_the_events_inside_whatever_month_and_zone(
    crowd: tuple[Memory, list[Line]],
) -> None:
    memory, lines = crowd
    chosen = random.Random(3)
    moments = sorted(moment(line, "event_time") for line in lines)
    for _ in range(12):
        start, end = sorted(chosen.sample(moments, 2))
        start -= timedelta(microseconds=chosen.choice((0, 0, 1)))
        end += timedelta(microseconds=chosen.choice((0, 0, 1)))
        found = memory.timeline(since=start.isoformat(), until=end.isoformat())
        assert ids_of(found) == expected(lines, partial(happened_within, start, end))


def test_when_it_happened_and_when_it_was_learned_are_asked_for_apart(
    crowd: tuple[Memory, list[Line]],
) -> None:
    memory, lines = crowd
    start, end = datetime(2025, 6, 1, tzinfo=UTC), datetime(2025, 9, 1, tzinfo=UTC)
    a, b = start.isoformat(), end.isoformat()

    def within(line: Line, name: str) -> bool:
        return start <= moment(line, name) < end

    happened = memory.timeline(since=a, until=b)
    learned = memory.timeline(learned_since=a, learned_until=b)
    both = memory.timeline(since=a, until=b, learned_since=a, learned_until=b)
    assert ids_of(happened) == expected(lines, lambda it: within(it, "event_time"))
    assert ids_of(learned) == expected(lines, lambda it: within(it, "ingestion_time"))
    assert set(ids_of(both)) == set(ids_of(happened)) & set(ids_of(learned))
    assert len({*map(tuple, (ids_of(happened), ids_of(learned), ids_of(both)))}) == 3
    by_id = {own_id(str(line["id"])): line for line in lines}
    for event in happened:
        assert event.at == moment(by_id[event.id], "event_time")
        assert event.learned == moment(by_id[event.id], "ingestion_time")


def test_filters_hold_together_and_a_limit_keeps_the_newest(
    crowd: tuple[Memory, list[Line]],
) -> None:
    memory, lines = crowd
    wanted = expected(
        lines,
        lambda it: (
            it["kind"] in ("work", "decision")
            and "Harbour" in str(it["entities"])
            and it["session"] == "s1"
        ),
    )
    asked = {"kinds": ("work", "decision"), "entity": "harbour", "session": "s1"}
    assert wanted
    assert ids_of(memory.timeline(**asked)) == wanted  # type: ignore[arg-type]
    every = ids_of(memory.timeline())
    assert len(every) == len(lines)
    for limit in (1, 7, 50, 1000):
        assert ids_of(memory.timeline(limit=limit)) == every[:limit]


def test_only_four_sorts_of_events_are_taken(memory: Memory) -> None:
    for sort in ("work", "decision", "learning", "event"):
        assert told(memory, f"One {sort} for the record", kind=sort, at=AT.format(1)).status is (
            ResultStatus.DONE
        )
    for sort in ("party", "Work", "work,decision"):
        with pytest.raises(UsageError):
            told(memory, "Something else", kind=sort, at=AT.format(1))
    with pytest.raises(UsageError) as caught:
        memory.timeline(kinds=("party",))
    assert "work, decision, learning, event" in caught.value.message


def test_an_event_says_from_where_it_is_known(project: Path, memory: Memory) -> None:
    (project / "a.txt").write_text("a")
    git(project, "add", "a.txt")
    git(project, "-c", "user.name=Ana", "-c", "user.email=a@example.invalid", "commit", "-qm", "a")
    commit = git(project, "rev-parse", "HEAD").strip()
    made = int(git(project, "log", "-1", "--format=%ct"))
    told(memory, "Laid the first file", commit="HEAD", session="ses-1", turns=("3", "n-4"))
    event = memory.timeline(commit=commit[:10])[0]
    assert (event.project, event.session, event.turns) == ("datasync", "ses-1", ("3", "n-4"))
    assert event.commit == commit
    assert event.at == datetime.fromtimestamp(made, UTC)
    assert event.learned > event.at - timedelta(days=1)
    with pytest.raises(UsageError):
        told(memory, "Something", commit="no-such-commit")
    with pytest.raises(UsageError):
        told(memory, "Something", commit="--upload-pack=x")


def test_the_same_words_at_another_time_are_another_event(memory: Memory) -> None:
    first = told(memory, "Deployed the gate", at=AT.format(3), entities=("gate",))
    again = told(memory, "Deployed the  gate", at="2026-03-03T13:00:00+01:00", entities=("gate",))
    later = told(memory, "Deployed the gate", at=AT.format(4), entities=("gate",))
    other = told(memory, "Deployed the gate", at=AT.format(3), session="ses-9", entities=("gate",))
    assert (again.status, again.target) == (ResultStatus.DUPLICATE, first.target)
    assert (later.status, other.status) == (ResultStatus.DONE, ResultStatus.DONE)
    assert len(memory.timeline(entity="gate")) == 3
    hits = memory.search("deployed gate", kinds=("event",))
    assert len({hit.stored.record.id for hit in hits}) == 3


def test_what_is_told_of_a_fact_anew_marks_the_older_event_and_keeps_it(memory: Memory) -> None:
    first = told(memory, "Chose Redis", kind="decision", subject="turn:7", at=AT.format(5))
    second = told(memory, "Chose Valkey", kind="decision", subject="turn:7", at=AT.format(6))
    third = told(memory, "Chose neither", kind="decision", replaces=(second.target,))
    assert titles(memory.timeline(kinds=("decision",), since=AT.format(5))) == ["Chose neither"]
    every = memory.timeline(kinds=("decision",), since=AT.format(5), is_all=True)
    marks = {event.id: event.superseded_by for event in every}
    assert marks == {first.target: second.target, second.target: third.target, third.target: ""}
    assert {event.id: event.title for event in every}[first.target] == "Chose Redis"
    assert first.operation != second.operation
    # Nobody else's event is replaced by naming it, and what is replaced cannot be replaced again.
    with pytest.raises(MemfsError) as caught:
        told(memory, "Chose again", replaces=(first.target,))
    assert caught.value.code == "conflict.unknown-record"


def test_another_person_replaces_no_event_unasked(project: Path, memory: Memory) -> None:
    own = told(memory, "Ana opened the gate", subject="gate:1", at=AT.format(8))
    with memory_of(project, replace(ANA, principal=Principal.parse("user:ben"))) as other:
        beside = other.record_event("Ben opened the gate", subject="gate:1", at=AT.format(8))
        named = other.record_event("Ben closed it", replaces=(own.target,), at=AT.format(8))
    assert beside.status is ResultStatus.DONE
    assert beside.reasons[0].code == "conflict.contradiction"
    assert named.status is ResultStatus.WAITING
    found = memory.timeline(since=AT.format(8), until=AT.format(9))
    assert sorted(titles(found)) == ["Ana opened the gate", "Ben opened the gate"]
    assert {side.record.id for side in memory.sides_against(memory.show(own.target))} == {
        beside.target
    }


def test_what_an_agent_tells_waits_and_is_shown_to_nobody(project: Path, memory: Memory) -> None:
    with memory_of(project, AGENT) as agent:
        waiting = agent.record_event("The agent cleaned up", kind="work", at=AT.format(10))
        assert agent.timeline(since=AT.format(10), until=AT.format(11)) == ()
    assert waiting.status is ResultStatus.WAITING
    assert memory.timeline(since=AT.format(10), until=AT.format(11)) == ()
    memory.accept([waiting.target])
    assert titles(memory.timeline(since=AT.format(10), until=AT.format(11))) == [
        "The agent cleaned up"
    ]


def test_an_event_in_a_persons_own_words_is_taken_from_an_agent(
    project: Path, memory: Memory
) -> None:
    words = "We moved the queue to Nord today."
    said = memory.capture(words)
    day = {"kind": "work", "at": AT.format(12), "evidence": said.target}
    with memory_of(project, AGENT) as agent:
        own = agent.record_event(f"{words} It was hard.", quote=words, **day)  # type: ignore[arg-type]
        result = agent.record_event(words, quote=words, **day)  # type: ignore[arg-type]
        again = agent.record_event(words, quote=words, subject="q", **day)  # type: ignore[arg-type]
    event = memory.timeline(since=AT.format(12), until=AT.format(13))[-1]
    assert own.status is ResultStatus.WAITING
    assert (result.status, result.data["rule"]) == (ResultStatus.DONE, "abstract.quoted")
    assert again.status is ResultStatus.DONE
    assert event.title == words
    assert said.target in event.stored.record.evidence
    # It rests on what was said: with that it goes.
    memory.retract(said.target)
    assert memory.timeline(since=AT.format(12), until=AT.format(13)) == ()


def test_what_has_not_happened_is_no_event(memory: Memory) -> None:
    with pytest.raises(UsageError) as caught:
        told(memory, "The launch", at="2999-01-01")
    assert "later than now" in caught.value.message
    for text in ("", "   ", "x" * 5000):
        with pytest.raises(UsageError):
            told(memory, text)


def test_an_event_is_found_by_every_name_of_what_it_is_about(project: Path, memory: Memory) -> None:
    named = told(memory, "Painted it", entities=("Quay 4",), at=AT.format(13))
    quay = memory.add_entity("Quay Four", aliases=("Quay 4", "the long quay"))
    by_id = told(memory, "Swept it", entities=(quay.target,), at=AT.format(14))
    by_alias = told(memory, "Lit it", entities=("THE LONG QUAY",), at=AT.format(15))
    in_words = told(memory, "Closed the long quay, for now", at=AT.format(16))
    told(memory, "Closed the longest quay", at=AT.format(17))
    wanted = [item.target for item in (in_words, by_alias, by_id, named)]
    for name in ("Quay Four", "quay 4", "The  long-quay", quay.target):
        assert ids_of(memory.timeline(entity=name)) == wanted
    assert memory.timeline(entity="Quay") == ()
    assert memory.timeline(entity=quay.target)[1].names == ("Quay Four",)
    memory.alias(quay.target, ("Pier",))
    assert ids_of(memory.timeline(entity="pier")) == wanted
    with memory_of(project, AGENT) as agent:
        assert ids_of(agent.timeline(entity="pier")) == wanted


def test_a_hidden_entity_ties_no_names_together(project: Path, memory: Memory) -> None:
    told(memory, "Bluebird took off", entities=("Bluebird",), at=AT.format(18))
    plane = memory.add_entity("Bluebird", aliases=("Project X",), sensitivity="confidential")
    if plane.status is ResultStatus.WAITING:
        plane = memory.accept([plane.target])[0]
    later = told(memory, "Bluebird landed", entities=("Project X",), at=AT.format(19))
    assert len(memory.timeline(entity="project x")) == 2
    with memory_of(project, AGENT) as agent:
        assert agent.timeline(entity="project x") == ()
        assert titles(agent.timeline(entity="bluebird")) == ["Bluebird took off"]
        shown = agent.timeline(since=AT.format(19), until=AT.format(20))[0]
        assert (shown.id, shown.entities, shown.names) == (later.target, (), ())


def test_the_past_knows_what_memory_knew_then(memory: Memory) -> None:
    before = memory.timeline(since=AT.format(21))
    told(memory, "Found the leak", kind="learning", at=AT.format(21))
    assert len(memory.timeline(since=AT.format(21))) == len(before) + 1
    assert memory.timeline(since=AT.format(21), as_of="2026-01-01") == ()
    assert titles(memory.timeline(as_of="now", entity="quay four"))
    assert memory.timeline(valid_at=AT.format(21), since=AT.format(21))[0].title == "Found the leak"
    assert memory.timeline(valid_at=AT.format(20), since=AT.format(21)) == ()


def test_a_withdrawn_event_is_gone_everywhere_and_does_not_come_back(memory: Memory) -> None:
    gone = told(memory, "Burned the plans", subject="fire:1", at=AT.format(23))
    memory.forget([gone.target])
    assert memory.timeline(since=AT.format(23), until=AT.format(24), is_all=True) == ()
    assert memory.timeline(since=AT.format(23), until=AT.format(24), as_of="now") == ()
    again = told(memory, "Burned the plans", subject="fire:1", at=AT.format(23))
    assert (again.status, again.reasons[0].code) == (ResultStatus.REFUSED, "tombstone.matches")
    later = told(memory, "Burned the plans", subject="fire:2", at=AT.format(24))
    assert later.status is ResultStatus.DONE
    back = told(memory, "Sold the plans", at=AT.format(25))
    memory.retract(back.target)
    assert memory.timeline(since=AT.format(25), until=AT.format(26), is_all=True) == ()


def test_a_confidential_event_is_for_people(project: Path, memory: Memory) -> None:
    waiting = told(memory, "Met the bank", sensitivity="confidential", at=AT.format(27))
    memory.accept([waiting.target])
    day = {"since": AT.format(27), "until": AT.format(28)}
    assert titles(memory.timeline(**day)) == ["Met the bank"]  # type: ignore[arg-type]
    with memory_of(project, AGENT) as agent:
        assert agent.timeline(**day) == ()  # type: ignore[arg-type]


def test_what_is_hidden_of_an_event_selects_nothing(project: Path, memory: Memory) -> None:
    waiting = told(
        memory, "Signed with the bank", kind="decision", at=AT.format(29), session="s-secret",
        entities=("Bank of Nord",), sensitivity="confidential",
    )  # fmt: skip
    secret = memory.accept([waiting.target])[0].target
    granted = memory.grant(
        "agent:builder", scopes=["project:datasync"], kinds=["event"], clearance="confidential",
        shown_fields=["title"],
    )  # fmt: skip
    assert granted.status is ResultStatus.DONE
    with memory_of(project, AGENT) as agent:
        seen = [event for event in agent.timeline() if event.id == secret]
        assert [(event.title, event.session, event.names) for event in seen] == [
            ("Signed with the bank", "", ())
        ]
        assert seen[0].at != datetime(2026, 3, 29, 12, tzinfo=UTC)
        for asked in (
            {"since": AT.format(29), "until": AT.format(30)},
            {"entity": "Bank of Nord"},
            {"kinds": ("decision",)},
            {"session": "s-secret"},
        ):
            found = agent.timeline(**asked)
            assert secret not in ids_of(found)


def test_a_hand_made_event_waits_and_one_that_stands_is_not_rewritten(
    project: Path, memory: Memory
) -> None:
    kept = told(memory, "Paved the yard", at=AT.format(30))
    path = store_root(project) / str(kept.data["path"])
    path.write_text(path.read_text(encoding="utf-8").replace("Paved", "Dug"), encoding="utf-8")
    new = path.with_name("by-hand.json")
    new.write_text('{"kind": "event", "title": "Swept the yard", "event_kind": "work"}\n')
    with memory_of(project) as other:
        waiting = {item.title: item.id for item in other.candidates()}
        assert other.timeline(since=AT.format(30), until=AT.format(31))[0].title == "Paved the yard"
        refused = other.accept([waiting["Dug the yard"]])[0]
        assert (refused.status, refused.reasons[0].code) == (
            ResultStatus.REFUSED,
            "target.append-only",
        )
        taken = other.accept([waiting["Swept the yard"]])[0]
        event = next(item for item in other.timeline() if item.id == taken.target)
        assert (event.title, event.at) == ("Swept the yard", event.learned)
        with pytest.raises(MemfsError):
            other.timeline(since="then")


def test_a_packet_and_a_page_say_all_that_was_said_of_an_event(
    project: Path, memory: Memory
) -> None:
    words = "The slipway was closed for the whole of the winter, since " + "ice lay on it, " * 12
    text = f"{words}and the vermilion winch had to be sent away."
    event = told(memory, text, at=AT.format(31), session="ses-4")
    assert len(memory.show(event.target).record.title) < len(text)
    with memory_of(project, AGENT) as agent:
        packet = agent.recall("why was the slipway closed in winter").text
        assert "vermilion winch" in packet
        assert "happened 2026-03-31T12:00:00Z" in packet
        found = agent.search("vermilion winch", kinds=("event",))
        assert [hit.stored.record.id for hit in found] == [event.target]


def test_the_answer_to_a_refused_event_repeats_none_of_its_words(memory: Memory) -> None:
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    refused = memory.record_event(f"Deployed with {secret}")
    assert refused.status is ResultStatus.REFUSED
    assert secret not in str(refused)
