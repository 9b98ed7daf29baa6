"""The state of an issue is that of its last event, in whatever order the events are given."""

from __future__ import annotations

import random
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from memfs.formats.issue_log import encode_events, parse_log
from memfs.model.issue import EventKind, IssueEvent, IssueState
from memfs.model.issue_fold import fold, in_order
from tests.support.issues import MORNING, event, events

STATES = {
    EventKind.OPENED: IssueState.OPEN,
    EventKind.REOPENED: IssueState.OPEN,
    EventKind.RESOLVED: IssueState.RESOLVED,
    EventKind.WONTFIX: IssueState.WONTFIX,
}


def brute_force(some: list[IssueEvent]) -> IssueState:
    """Walks through all events in the order of time, one after the other."""
    state = IssueState.UNKNOWN
    waiting = list(some)
    while waiting:
        earliest = waiting[0]
        for item in waiting[1:]:
            if (item.at, item.id) < (earliest.at, earliest.id):
                earliest = item
        waiting.remove(earliest)
        state = STATES.get(earliest.kind, state)
    return state


def test_ten_thousand_events_fold_as_brute_force_folds_them() -> None:
    chance = random.Random(20261130)
    kinds = tuple(EventKind)
    logs: dict[int, list[IssueEvent]] = {}
    for number in range(10_000):
        at = MORNING + timedelta(seconds=chance.randrange(2_000))
        made = event(number, chance.choice(kinds), at=at)
        logs.setdefault(chance.randrange(200), []).append(made)
    for some in logs.values():
        chance.shuffle(some)

        folded = fold(parse_log(encode_events(some)).events)

        assert folded.state is brute_force(some)
    states = {fold(some).state for some in logs.values()}
    assert states == {IssueState.OPEN, IssueState.RESOLVED, IssueState.WONTFIX}


def test_ten_thousand_events_of_one_issue_fold_at_once() -> None:
    chance = random.Random(7)
    kinds = (*EventKind, EventKind.NOTED)
    some = [event(number, chance.choice(kinds)) for number in range(10_000)]
    last = next(item for item in reversed(some) if item.kind in STATES)
    chance.shuffle(some)

    assert fold(some).state is STATES[last.kind]
    assert fold(some).changed == last.at


@given(st.lists(events(), max_size=8, unique_by=lambda item: item.id), st.randoms())
def test_the_order_in_which_events_are_given_changes_nothing(
    some: list[IssueEvent], chance: random.Random
) -> None:
    shuffled = list(some)
    chance.shuffle(shuffled)

    assert fold(shuffled) == fold(some)
    assert in_order(shuffled) == in_order(some)


def test_a_note_changes_no_state_and_no_event_gives_none() -> None:
    assert fold(()).state is IssueState.UNKNOWN
    assert fold((event(1),)).state is IssueState.UNKNOWN
    opened = event(1, EventKind.OPENED)
    assert fold((opened, event(2))).changed == opened.at


def test_it_names_who_opened_it_first_and_who_changed_it_last() -> None:
    some = (
        event(3, EventKind.RESOLVED, by="user:ana"),
        event(1, EventKind.OPENED, by="agent:builder"),
        event(2, EventKind.OPENED, by="agent:scout"),
    )

    folded = fold(some)

    assert (folded.opened_by, folded.changed_by) == ("agent:builder", "user:ana")
