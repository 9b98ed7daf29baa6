"""How intentions move: along the rows of the table, and asked about once an occurrence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random

import pytest

from memfs.model.intention import (
    EventSource,
    EventTrigger,
    Intention,
    IntentionState,
    Occurrence,
    StateSource,
    StateTrigger,
    TimeTrigger,
    Trigger,
)
from memfs.model.origin import Actor, Channel, Principal
from memfs.policy.intention_moves import (
    ROWS,
    TABLE,
    Action,
    Move,
    answered,
    check_done,
    check_live,
    check_row,
    has_more_after,
    next_move,
)
from memfs.policy.recurrence import occurrences_of

START = datetime(2027, 3, 1, 8, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ONCE = TimeTrigger(at=START)
DAILY = TimeTrigger(local=datetime(2027, 3, 1, 8), zone="UTC", rrule="FREQ=DAILY;COUNT=3")
THREE_RUNS = EventTrigger(of=EventSource.RUN, most=3)
FILE = StateTrigger(of=StateSource.PATH, what="docs/plan.md", holds="present")


def intention(trigger: Trigger = ONCE, **changes: object) -> Intention:
    made = Intention(
        id="intent_01m8kbyj80000000000007hncv",
        state=IntentionState.PENDING,
        trigger=trigger,
        created=START - DAY,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def moved(item: Intention, now: datetime, *, is_free: bool = True) -> Move:
    assert isinstance(item.trigger, TimeTrigger)
    move = next_move(item, occurrences_of(item.trigger), now, is_free=is_free)
    assert move is not None
    return move


def looked(item: Intention, now: datetime, *, is_free: bool = True) -> Intention:
    return moved(item, now, is_free=is_free).after


def test_nothing_leaves_a_state_that_is_over_and_every_open_one_can_end() -> None:
    assert {row.state for row in TABLE} == {state for state in IntentionState if state.is_open}
    assert len(ROWS) == len(TABLE)
    for state in IntentionState:
        ends = {row.to for row in TABLE if row.state is state and not row.to.is_open}
        assert (len(ends) >= 4) is state.is_open


@pytest.mark.parametrize(("state", "action"), list(product(IntentionState, Action)))
def test_a_move_that_no_row_allows_is_refused_with_the_row_named(
    state: IntentionState, action: Action
) -> None:
    denial = check_row(state, action)
    if (state, action) in ROWS:
        assert denial is None
    else:
        assert denial is not None
        assert denial.code == "intention.illegal-move"
        assert f"({state}.{action})" in denial.message


@pytest.mark.parametrize(
    ("who", "channel", "is_live"),
    [
        ("user:ana", Channel.TERMINAL, True),
        ("user:ana", Channel.FORM, True),
        ("user:ana", Channel.EDITOR, True),
        ("user:ana", Channel.SCRIPTED, False),
        ("user:ana", Channel.PROMPT_HOOK, False),
        ("user:ana", Channel.WORKSPACE, False),
        ("user:ana", Channel.IMPORT, False),
        ("agent:builder", Channel.AGENT, False),
        ("agent:builder", Channel.TERMINAL, False),
        ("tool:mail", Channel.TOOL, False),
    ],
)
def test_only_a_person_who_is_there_states_an_intention(
    who: str, channel: Channel, is_live: bool
) -> None:
    assert (check_live(Actor(Principal.parse(who), channel)) is None) is is_live


def test_a_time_is_asked_about_once_and_then_waits_for_an_answer() -> None:
    assert next_move(intention(), occurrences_of(ONCE), START - HOUR, is_free=True) is None
    due = looked(intention(), START)
    assert (due.state, due.occurrence, due.asked) == (IntentionState.DUE, "2027-03-01T08:00:00Z", 1)
    for now in (START, START + DAY, START - DAY, START + 999 * DAY):
        assert next_move(due, occurrences_of(ONCE), now, is_free=True) is None
    done = answered(due, Action.DONE).after
    assert done.state is IntentionState.COMPLETED
    assert next_move(done, occurrences_of(ONCE), START + DAY, is_free=True) is None


def test_of_what_was_slept_over_the_newest_is_asked_about_and_the_others_are_counted() -> None:
    due = looked(intention(DAILY), START + 2 * DAY)
    assert (due.occurrence, due.missed) == ("2027-03-03T08:00:00", 2)
    assert not has_more_after(due, occurrences_of(DAILY))
    assert answered(due, Action.DONE, has_more=False).after.state is IntentionState.COMPLETED


def test_what_repeats_asks_again_after_an_answer_and_without_one() -> None:
    due = looked(intention(DAILY), START)
    again = answered(due, Action.DONE, has_more=has_more_after(due, occurrences_of(DAILY))).after
    assert again.state is IntentionState.PENDING
    second = looked(again, START + DAY)
    third = looked(second, START + 2 * DAY)
    assert (third.occurrence, third.asked, third.missed) == ("2027-03-03T08:00:00", 3, 1)


def test_what_was_not_asked_about_in_its_window_goes_by() -> None:
    narrow = intention(DAILY, window=HOUR)
    late = looked(narrow, START + HOUR)
    assert (late.state, late.missed, late.asked) == (IntentionState.PENDING, 1, 0)
    due = looked(late, START + DAY + HOUR - timedelta(seconds=1))
    gone = looked(due, START + DAY + HOUR)
    assert (gone.state, gone.missed, gone.occurrence) == (IntentionState.PENDING, 2, "")
    over = looked(gone, START + 3 * DAY)
    assert (over.state, over.missed, over.asked) == (IntentionState.EXPIRED, 3, 1)


def test_what_ends_is_asked_about_no_more_whatever_it_stands_at() -> None:
    ending = intention(DAILY, ends=START + DAY)
    assert looked(ending, START + DAY).state is IntentionState.EXPIRED
    due = looked(ending, START)
    assert looked(due, START + DAY).state is IntentionState.EXPIRED


def test_what_comes_after_something_waits_for_it() -> None:
    blocked = looked(intention(DAILY, window=DAY), START, is_free=False)
    assert (blocked.state, blocked.asked) == (IntentionState.BLOCKED, 0)
    assert next_move(blocked, occurrences_of(DAILY), START + HOUR, is_free=False) is None
    assert looked(blocked, START + HOUR).state is IntentionState.DUE
    # Its own occurrence is over by then; it waits with the next.
    assert looked(blocked, START + DAY, is_free=False).missed == 1
    assert looked(blocked, START + 3 * DAY, is_free=False).state is IntentionState.EXPIRED


def test_what_is_put_off_is_asked_about_again_and_once() -> None:
    due = looked(intention(window=HOUR), START)
    later = answered(due, Action.SNOOZE, until=START + DAY).after
    assert next_move(later, occurrences_of(ONCE), START + HOUR, is_free=True) is None
    again = moved(later, START + DAY)
    assert (again.after.state, again.after.due_at) == (IntentionState.DUE, START + DAY)
    assert again.key != moved(intention(window=HOUR), START).key
    assert next_move(again.after, occurrences_of(ONCE), START + DAY, is_free=True) is None
    slept_over = looked(later, START + DAY + HOUR)
    assert slept_over.state is IntentionState.EXPIRED
    assert answered(later, Action.DONE).after.state is IntentionState.COMPLETED


def test_of_events_no_more_are_asked_about_than_was_said() -> None:
    runs = [Occurrence(key=f"run_{n}", at=START + n * HOUR) for n in range(5)]
    due = next_move(intention(THREE_RUNS), runs[:1], START, is_free=True)
    assert due is not None
    rest = next_move(due.after, runs, START + 9 * HOUR, is_free=True)
    assert rest is not None
    assert (rest.after.occurrence, rest.after.asked, rest.after.missed) == ("run_2", 2, 2)
    assert next_move(rest.after, runs, START + 9 * HOUR, is_free=True) is None
    assert not has_more_after(rest.after, runs)


def test_an_event_that_is_learned_of_late_is_asked_about_too() -> None:
    first, older = Occurrence(key="run_b", at=START), Occurrence(key="run_a", at=START - HOUR)
    due = next_move(intention(THREE_RUNS), [first], START, is_free=True)
    assert due is not None
    late = next_move(due.after, [older, first], START + HOUR, is_free=True)
    assert late is not None
    assert late.after.occurrence == "run_a"


def test_a_state_is_asked_about_once_however_often_it_comes_back() -> None:
    seen = [Occurrence(key="path:docs/plan.md:present", at=START)]
    assert next_move(intention(FILE), [], START, is_free=True) is None
    due = next_move(intention(FILE), seen, START, is_free=True)
    assert due is not None
    assert next_move(due.after, [], START, is_free=True) is None
    assert next_move(due.after, seen, START + DAY, is_free=True) is None


def test_what_repeats_is_done_only_when_it_asks() -> None:
    assert check_done(intention()) is None
    denial = check_done(intention(DAILY))
    assert denial is not None
    assert denial.code == "intention.not-due"


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_done_every_move_is_a_row_and_no_occurrence_is_asked_about_twice(
    seed: int,
) -> None:
    random = Random(seed)
    trigger = random.choice((ONCE, DAILY, THREE_RUNS, FILE))
    item = intention(
        trigger,
        window=random.choice((None, HOUR, DAY)),
        ends=random.choice((None, START + 2 * DAY)),
    )
    now, keys = START - DAY, set[str]()
    runs = [Occurrence(key=f"run_{n}", at=START + n * 7 * HOUR) for n in range(9)]
    for _ in range(80):
        now += random.choice((-HOUR, HOUR, 7 * HOUR, DAY))
        if isinstance(trigger, TimeTrigger):
            sighted: tuple[Occurrence, ...] = occurrences_of(trigger)
        elif isinstance(trigger, EventTrigger):
            sighted = tuple(run for run in runs if run.at <= now)
        else:
            sighted = (Occurrence(key="path", at=now),) if random.random() < 0.5 else ()
        action = random.choice((*Action, *[Action.ASK] * 6))
        before = item
        if action.is_answer:
            if check_row(item.state, action) is not None:
                continue
            if action is Action.DONE and check_done(item) is not None:
                continue
            until = now + random.choice((HOUR, DAY))
            has_more = item.is_repeating and has_more_after(item, sighted)
            move: Move | None = answered(item, action, has_more=has_more, until=until)
        else:
            move = next_move(item, sighted, now, is_free=random.random() < 0.7)
        if move is None:
            continue
        item = move.after
        assert (move.row.state, move.row.action) in ROWS
        assert move.row.state is before.state
        assert item.state in (move.row.to, move.row.again, before.state)
        assert item.asked - before.asked == (1 if move.key else 0)
        assert bool(move.key) is (item.state is IntentionState.DUE and item != before)
        if move.key and move.key not in keys:
            keys.add(move.key)
        elif move.key:
            # Put off to the very moment it was put off to before: the ledger takes it once.
            assert "snoozed:" in item.occurrence
            item = before
    if not item.state.is_open:
        assert next_move(item, (), now + 999 * DAY, is_free=True) is None
