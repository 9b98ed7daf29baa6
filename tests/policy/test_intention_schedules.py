"""A thousand schedules come to exactly what they have to: nothing twice, nothing too much."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

from memfs.model.intention import Intention, IntentionState, TimeTrigger
from memfs.model.record import Record
from memfs.policy.intention_moves import Action, answered, next_move
from memfs.policy.intention_triggers import intention_fields, intention_from
from memfs.policy.recurrence import occurrences_of
from tests.support.schedules import Schedule, schedules

SEED, COUNT = 70, 1_000


def stated(schedule: Schedule) -> Intention:
    trigger = TimeTrigger(local=schedule.local, zone=schedule.zone, rrule=schedule.rrule)
    return Intention(
        id=f"intent_{schedule.number:026}",
        state=IntentionState.PENDING,
        trigger=trigger,
        created=schedule.times[0][1] - timedelta(days=60),
        window=schedule.window,
        ends=schedule.ends,
    )


def reopened(intention: Intention) -> Intention:
    """Returns an intention as the next process reads it from its file."""
    fields = intention_fields(intention)
    record = Record(kind="intention", id=intention.id, observed=intention.created, fields=fields)
    return intention_from(record)


def asked(schedule: Schedule) -> list[tuple[int, str]]:
    """Returns what is asked about, in order; every look is made by two processes at once."""
    intention = stated(schedule)
    assert isinstance(intention.trigger, TimeTrigger)
    times = occurrences_of(intention.trigger)
    assert [(item.key, item.at) for item in times] == list(schedule.times)
    looking = intention
    keys: set[str] = set()
    found: list[tuple[int, str]] = []
    for number, now in enumerate(schedule.looks):
        is_stopped = schedule.stopped_at is not None and now >= schedule.stopped_at
        if is_stopped and intention.state.is_open:
            action = Action.CANCEL if schedule.number % 2 else Action.REPLACE
            intention = answered(intention, action).after
        # Read from its file by whoever looks, as it was left there.
        looking = intention = reopened(intention) if intention is not looking else looking
        for _ in range(2):
            is_free = schedule.free_at is None or now >= schedule.free_at
            move = next_move(looking, times, now, is_free=is_free)
            if move is None or (move.key and move.key in keys):
                continue
            intention = move.after
            if move.key:
                keys.add(move.key)
                found.append((schedule.number, move.after.occurrence))
        if intention.state is IntentionState.DUE and (number + schedule.number) % 3 == 0:
            has_more = any(item.key > intention.last for item in times)
            intention = answered(intention, Action.DONE, has_more=has_more).after
    return found


def test_a_thousand_schedules_ask_exactly_what_they_have_to() -> None:
    made = schedules(SEED, COUNT)
    expected = frozenset().union(*(schedule.expected for schedule in made))
    found = [item for schedule in made for item in asked(schedule)]

    right = len(expected & frozenset(found))
    precision, recall = right / len(frozenset(found)), right / len(expected)
    f1 = 2 * precision * recall / (precision + recall)
    print(f"{COUNT} schedules, {len(expected)} to be asked, {len(found)} asked, set-F1 {f1:.3f}")
    assert (f1, len(found) - len(frozenset(found))) == (1.0, 0)
    assert len(expected) > COUNT


def test_the_schedules_hold_every_trap() -> None:
    made = schedules(SEED, COUNT)
    moments = [(schedule, shown, at) for schedule in made for shown, at in schedule.times]
    assert len({schedule.zone for schedule in made}) == 10
    assert sum(not schedule.rrule for schedule in made) > 100
    assert sum(not schedule.expected for schedule in made) > 50
    assert sum(len(schedule.looks) > 5 for schedule in made) > 800
    for name in ("window", "ends", "free_at", "stopped_at"):
        assert sum(getattr(schedule, name) is not None for schedule in made) > 100
    assert sum(any(b < a for a, b in zip(s.looks, s.looks[1:], strict=False)) for s in made) > 100
    assert sum(len(schedule.expected) < len(schedule.times) for schedule in made) > 200
    skipped = sum(
        at.astimezone(ZoneInfo(schedule.zone)).replace(tzinfo=None).isoformat() != shown
        for schedule, shown, at in moments
    )
    twice = sum(
        (at + timedelta(hours=step))
        .astimezone(ZoneInfo(schedule.zone))
        .replace(tzinfo=None)
        .isoformat()
        == shown
        for schedule, shown, at in moments
        for step in (0.5, 1)
    )
    print(f"{skipped} times are jumped over by their clock, {twice} are shown twice")
    assert min(skipped, twice) > 5


def test_the_same_seed_gives_the_same_schedules() -> None:
    make = schedules.__wrapped__
    assert make(1, 20) == make(1, 20) != make(2, 20)
