"""``core.md`` as text: never above its size, whole lines, a pointer each, the same bytes."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memfs.domains.distill.core import Core, composed, is_pristine, ranked
from memfs.model.authority import Authority
from memfs.model.record import Record, StoredRecord
from memfs.policy.lasting import Use
from memfs.services.marked_lines import read_line

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
LETTERS = "ab cd`[]<>*_\\()%é字𐍈"


def fact(number: int, title: str, **fields: object) -> StoredRecord:
    record = Record(
        kind="fact",
        id=f"mem_01kb8x3v6yq4m9t2r7w5z{number:05}",
        title=title,
        authority=Authority.USER,
        observed=NOW,
    )
    record = replace(record, **fields)  # type: ignore[arg-type]
    return StoredRecord(record=record, path=f"records/fact/2026-11/f {number}.md", blob="0" * 40)


def event(number: int, title: str, days: float, importance: int = 5) -> StoredRecord:
    return fact(
        number, title, kind="event", event_time=NOW - timedelta(days=days), importance=importance
    )


def core_of(
    records: list[StoredRecord],
    uses: dict[str, Use] | None = None,
    groups: dict[str, str] | None = None,
    most_bytes: int = 2048,
) -> Core:
    choice = ranked(records, uses or {}, half_life_days=30, groups=groups or {})
    return composed(choice, most_bytes=most_bytes)


def titles(records: tuple[StoredRecord, ...]) -> list[str]:
    return [stored.record.title for stored in records]


@pytest.mark.parametrize("seed", range(8))
def test_a_core_never_takes_more_than_its_bytes_and_cuts_between_lines(seed: int) -> None:
    chance = random.Random(seed)
    most = chance.choice((256, 300, 777, 2048))
    records = [
        (event(number, title, number) if number % 3 == 0 else fact(number, title))
        for number in range(chance.randint(0, 60))
        for title in ("".join(chance.choices(LETTERS, k=chance.randint(1, 300))),)
    ]

    core = core_of(records, most_bytes=most)

    assert len(core.text.encode()) <= most
    assert core.text.endswith("\n")
    assert is_pristine(core.text)
    told = [line for line in core.text.splitlines() if line.startswith("- ")]
    inside = [*core.facts, *core.events]
    assert len(told) == len(inside)
    assert core.left == len(records) - len(inside)
    last = core.text.splitlines()[-1]
    assert last == (
        f"Left out: {core.left} more; ask with memfs recall or list."
        if core.left
        else "Nothing was left out."
    )


def test_every_line_points_to_its_record_and_to_its_file() -> None:
    core = core_of([fact(1, "Ships on Monday [not Friday]"), event(2, "Moved to Go", 1)])

    lines = [line for line in core.text.splitlines() if line.startswith("- ")]
    assert [re.search(r"\]\((.*)\) <!--", line)[1] for line in lines] == [  # type: ignore[index]
        "records/fact/2026-11/f%201.md",
        "records/fact/2026-11/f%202.md",
    ]
    read = [read_line(line) for line in lines]
    assert [(it.text, it.record_id, it.version) for it in read if it] == [
        ("Ships on Monday [not Friday]", fact(1, "").record.id, 1),
        ("2026-11-29 Moved to Go", fact(2, "").record.id, 1),
    ]


def test_facts_stand_by_frequency_times_confidence() -> None:
    asked = fact(1, "asked for", authority=Authority.WORKSPACE)
    sure = fact(2, "sure")
    unsure = fact(3, "unsure", confidence=0.3)
    uses = {asked.record.id: Use(recalls=7, queries=2, nearness=7, last=NOW)}

    core = core_of([unsure, sure, asked], uses)

    assert titles(core.facts) == ["asked for", "sure", "unsure"]


def test_events_stand_by_recency_times_importance() -> None:
    core = core_of([event(1, "old", 60), event(2, "old and weighty", 60, 10), event(3, "new", 0)])

    assert titles(core.events) == ["new", "old and weighty", "old"]


def test_the_same_records_give_the_same_bytes_in_any_order() -> None:
    records = [fact(number, f"fact {number}") for number in range(30)]
    records += [event(40 + number, f"event {number}", number % 4) for number in range(12)]
    texts = set()
    for seed in range(5):
        random.Random(seed).shuffle(records)
        texts.add(core_of(records).text)
    assert len(texts) == 1


def test_facts_leave_room_for_events_and_take_what_events_leave() -> None:
    many = [fact(number, f"a fact of some length, number {number}") for number in range(40)]
    events = [event(50 + number, f"something happened {number}", number) for number in range(20)]

    both, alone = core_of([*many, *events]), core_of(many)
    few = core_of([*many, events[0]])

    assert both.facts
    assert len(both.events) >= 3
    assert len(alone.facts) > len(few.facts) > len(both.facts)


def test_what_says_the_same_stands_once() -> None:
    one, other = fact(1, "Ships on Monday", importance=3), fact(2, "Ships on Monday")

    core = core_of([one, other], groups={one.record.id: "g", other.record.id: "g"})

    assert titles(core.facts) == ["Ships on Monday"]
    assert core.facts[0].record.id == other.record.id
    assert core.left == 1


def test_a_core_of_nothing_says_so() -> None:
    core = core_of([])
    assert core.text.splitlines()[1:] == ["Nothing was left out."]
    assert is_pristine(core.text)
    assert not is_pristine(core.text.replace("Nothing", "Something"))
