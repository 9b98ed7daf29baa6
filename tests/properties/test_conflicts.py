"""Conflict sets over any claims: the brute-force sets, whatever the order; no cycle."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.model.conflict import Conflict
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope, ScopeKind
from memfs.model.status import Status
from memfs.policy.conflict_sets import (
    NAMED_SIDES,
    conflict_groups,
    continued,
    contradictions,
    key_of,
)
from memfs.policy.conflicts import is_answering, replaced_from
from memfs.policy.invariants import check_invariants
from tests.support.policy import HOST, NOW, PROJECT, identifier, origin_of, stored, submit, view

DAYS = [datetime(2026, 6, day, tzinfo=UTC) for day in range(1, 8)]
PEOPLE = tuple(
    Actor(Principal.parse(f"user:{name}"), Channel.TERMINAL) for name in ("ana", "ben", "cy")
)


@st.composite
def claims(draw: st.DrawFn) -> Record:
    """Draws a claim of one of few subjects, kinds, scopes, words and times."""
    start = draw(st.none() | st.sampled_from(DAYS[:-1]))
    ends = [day for day in DAYS if start is None or day > start]
    return Record(
        kind=draw(st.sampled_from(["fact", "note", "preference"])),
        subject=draw(st.sampled_from(["port", "PORT", "owner", ""])),
        scope=draw(st.sampled_from([None, PROJECT, Scope(ScopeKind.AGENT, "a")])),
        body=draw(st.sampled_from(["On 80.", "on  80.", "On 81.", "On 82."])),
        valid_from=start,
        valid_until=draw(st.none() | st.sampled_from(ends)),
        superseded_from=draw(st.none() | st.sampled_from(DAYS)),
        expires=draw(st.sampled_from([None, None, NOW, NOW + timedelta(days=1)])),
        status=draw(st.sampled_from([Status.ACTIVE] * 4 + [Status.SUPERSEDED, Status.RETRACTED])),
    )


def numbered(drawn: Sequence[Record]) -> list[Record]:
    return [replace(record, id=identifier(number)) for number, record in enumerate(drawn, start=1)]


def instants_of(record: Record) -> set[datetime]:
    """Returns the days on which a record answers, with one before and one after all of them."""
    if record.status is Status.RETRACTED or (record.expires and record.expires <= NOW):
        return set()
    if record.status is Status.SUPERSEDED and record.superseded_from is None:
        return set()
    days = [DAYS[0] - timedelta(days=1), *DAYS]
    ends = [record.valid_until]
    if record.status is Status.SUPERSEDED:
        ends.append(record.superseded_from)
    return {
        day
        for day in days
        if (record.valid_from is None or record.valid_from <= day)
        and all(end is None or day < end for end in ends)
    }


def brute_force(records: Sequence[Record]) -> dict[str, set[str]]:
    """Returns who contradicts whom, by looking at every pair on every day."""
    found: dict[str, set[str]] = {record.id: set() for record in records}
    for left, right in itertools.permutations(records, 2):
        same_key = (
            left.kind == right.kind != "note"
            and (left.scope or PROJECT) == (right.scope or PROJECT)
            and left.subject.lower() == right.subject.lower() != ""
        )
        same_words = left.body.lower().split() == right.body.lower().split()
        if same_key and not same_words and instants_of(left) & instants_of(right):
            found[left.id].add(right.id)
    return found


def computed(records: Sequence[Record]) -> dict[str, tuple[str, ...]]:
    """Returns the marks as memfs computes them, key by key."""
    marks: dict[str, tuple[str, ...]] = {}
    keys = {key_of(record, registry=REGISTRY, project=PROJECT) for record in records}
    for key in keys - {None}:
        of_key = [
            item for item in records if key_of(item, registry=REGISTRY, project=PROJECT) == key
        ]
        marks.update(contradictions(of_key, registry=REGISTRY, project=PROJECT, now=NOW))
    return marks


@given(st.lists(claims(), max_size=9))
def test_marks_and_sets_are_those_of_brute_force(drawn: list[Record]) -> None:
    records = numbered(drawn)
    expected, marks = brute_force(records), computed(records)
    assert {name: set(marks.get(name, ())) for name in expected} == expected
    reached = {frozenset(reach(name, expected)) for name, others in expected.items() if others}
    assert {frozenset(group) for group in conflict_groups(marks)} == reached


def reach(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    found = {start}
    while True:
        more = found.union(*(edges[name] for name in found))
        if more == found:
            return found
        found = more


@given(st.lists(claims(), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_records_changes_no_mark(drawn: list[Record], chance: random.Random) -> None:
    records = numbered(drawn)
    shuffled = records.copy()
    chance.shuffle(shuffled)
    assert computed(shuffled) == computed(records)


@given(st.lists(claims(), max_size=8))
def test_an_open_set_goes_on_and_never_twice(drawn: list[Record]) -> None:
    groups = conflict_groups(computed(numbered(drawn)))
    standing = [
        Conflict(id=identifier(number, "cfl"), about_kind="fact", members=group)
        for number, group in enumerate(groups)
    ]
    assert list(continued(groups, standing)) == standing
    merged = [(tuple(sorted(itertools.chain(*groups))))] if groups else []
    kept = continued(merged, standing)
    largest_first = sorted(standing, key=lambda item: (-len(item.members), item.id))
    assert [item for item in kept if item] == largest_first[: len(merged)]


@dataclass
class Ledger:
    """What admission makes of one statement after another, kept as services keep it."""

    records: dict[str, StoredRecord]

    def state(self, actor: Actor, draft: Record) -> None:
        held = tuple(self.records.values())
        decision = submit(draft, actor, ledger=view(same_subject=held, same_content=held))
        if not decision.is_admitted:
            return
        number = len(self.records) + 1
        new = stored(
            number,
            actor,
            **{
                name: getattr(draft, name)
                for name in ("kind", "body", "subject", "valid_from", "valid_until", "observed")
            },
            supersedes=decision.supersedes,
        )
        for name in decision.supersedes:
            old = self.records[name]
            gone = replace(
                old.record,
                status=Status.SUPERSEDED,
                superseded_by=new.record.id,
                superseded_from=replaced_from(new.record, old.record),
            )
            self.records[name] = replace(old, record=gone)
        self.records[new.record.id] = new

    def marked(self) -> set[tuple[str, str]]:
        """Returns who says what and is contradicted, without ids, which follow the order."""
        records = [item.record for item in self.records.values()]
        marks = computed(records)
        return {
            (str(record.origin and record.origin.principal), record.body)
            for record in records
            if marks.get(record.id)
        }


STATEMENTS = st.lists(
    st.tuples(
        st.sampled_from([*PEOPLE, HOST]),
        st.sampled_from(["On 80.", "On 81.", "On 82."]),
        st.none() | st.sampled_from(DAYS[:3]),
        st.none() | st.sampled_from(DAYS[4:]),
    ),
    max_size=8,
)


def said(statement: tuple[Actor, str, datetime | None, datetime | None]) -> tuple[Actor, Record]:
    actor, body, start, end = statement
    draft = Record(
        kind="fact",
        subject="port",
        body=body,
        scope=PROJECT,
        valid_from=start,
        valid_until=end,
        observed=NOW,
        origin=origin_of(actor, body),
    )
    return actor, draft


@given(STATEMENTS)
def test_supersession_never_runs_in_a_circle_and_one_speaks_with_one_voice(
    statements: list[tuple[Actor, str, datetime | None, datetime | None]],
) -> None:
    ledger = Ledger({})
    for statement in statements:
        ledger.state(*said(statement))
    problems = check_invariants(tuple(ledger.records.values()))
    assert [item for item in problems if item.code == "invariant.supersession-cycle"] == []
    records = [item.record for item in ledger.records.values()]
    for day in [DAYS[0] - timedelta(days=1), *DAYS]:
        for person in PEOPLE:
            answers = [
                record
                for record in records
                if record.origin
                and record.origin.principal == person.principal
                and record.valid_until is None
                and is_answering(record, NOW)
                and day in instants_of(record)
            ]
            assert len({record.body for record in answers}) <= 1


@given(
    st.permutations(list(enumerate(PEOPLE))),
    st.lists(st.sampled_from(["On 80.", "On 81."]), min_size=3, max_size=3),
    st.lists(st.none() | st.sampled_from(DAYS[:3]), min_size=3, max_size=3),
)
def test_the_order_in_which_persons_speak_changes_nobody_s_mark(
    order: list[tuple[int, Actor]], bodies: list[str], starts: list[datetime | None]
) -> None:
    def after(speakers: Sequence[tuple[int, Actor]]) -> set[tuple[str, str]]:
        ledger = Ledger({})
        for number, actor in speakers:
            # Each says it in their own words: what only repeats another is nobody's side.
            body = f"{bodies[number]} So says {actor.principal.name}."
            ledger.state(*said((actor, body, starts[number], None)))
        return ledger.marked()

    assert after(order) == after(list(enumerate(PEOPLE)))


@pytest.mark.parametrize("kind", ["note", "reference", "warning"])
def test_kinds_with_many_values_have_no_key(kind: str) -> None:
    record = Record(kind=kind, subject="port", body="x")
    assert key_of(record, registry=REGISTRY, project=PROJECT) is None


def test_of_a_flood_a_record_names_the_oldest_and_the_set_names_all() -> None:
    flood = numbered([Record(kind="fact", subject="s", body=f"{number}.") for number in range(60)])
    marks = computed(flood)
    assert marks[flood[-1].id] == tuple(record.id for record in flood[:NAMED_SIDES])
    assert conflict_groups(marks) == (tuple(record.id for record in flood),)
