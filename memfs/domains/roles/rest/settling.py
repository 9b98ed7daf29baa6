"""The moves that no typed operation makes: what time and repetition alone do to memories.

A thread cools when its theme rests or nothing supported it for long; a pressure that cooled
presses again when its time is over; a candidate is put off while it is not ready, and up again
when it is. Nothing is said, made or lost by it: a state changes, and when. Settling twice is
settling once. Pure; a nap and a sleep commit it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Final

from memfs.domains.roles.shaping import Planner, without_cooling
from memfs.domains.roles.view import Planned, RoleView
from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.model.role import Lifecycle, Profile, lifecycle_of, profile_of
from memfs.policy.role_readiness import ReadinessVerdict, decide_every
from memfs.policy.role_ripening import (
    NO_THEME,
    QUIET_DAYS,
    pressure_rests_until,
    ripeness_of,
    theme_key,
    themes_of,
)

WOKEN: Final = "pressure-woken"
QUIET: Final = "thread-quiet"
RESTING: Final = "thread-resting"
PUT_OFF: Final = "candidate-put-off"
PUT_UP: Final = "candidate-put-up"
MOVES: Final[Mapping[str, str]] = {
    WOKEN: "a pressure presses again: its time of cooling is over",
    QUIET: "a thread cools: nothing supported it for long",
    RESTING: "a thread cools: its theme was said enough for a while",
    PUT_OFF: "a candidate is put off: it is held, or nothing is to be said",
    PUT_UP: "a candidate is put up again: it may be drafted",
}
"""Every move that settling makes, by the name under which a receipt counts it."""


def settle(view: RoleView) -> Planned:
    """Plans every move that is due; what it changes are states and times, and no word.

    What a commit made by hand waits on is left alone. The details name, for each of
    :data:`MOVES` that was made, the ids. Where nothing is due the plan says so by ``is_nothing``,
    without a reason.
    """
    changed: dict[str, Record] = {}
    moves: dict[str, list[str]] = {}
    for step in (_woken, _cooled, _readied):
        for name, record in step(view.after(Planned(changed=tuple(changed.values())))):
            changed[record.id] = record
            moves.setdefault(name, []).append(record.id)
    if not changed:
        return Planned(is_nothing=True)
    return Planned(
        changed=tuple(changed.values()), details={name: sorted(ids) for name, ids in moves.items()}
    )


def _planner(view: RoleView) -> Planner:
    return Planner(view=view, new_id=_no_id)


def _no_id(prefix: str) -> str:
    raise AssertionError(f"settling makes nothing, and no {prefix}")


def _open_in(view: RoleView, profile: Profile, *states: Lifecycle) -> Iterator[Record]:
    for name in sorted(view.memories):
        record = view.memories[name]
        is_meant = profile_of(record) is profile and lifecycle_of(record) in states
        if is_meant and name not in view.held:
            yield record


def _woken(view: RoleView) -> Iterator[tuple[str, Record]]:
    planner = _planner(view)
    for record in _open_in(view, Profile.AGENCY_PRESSURE, Lifecycle.COOLING):
        if pressure_rests_until(record, view.now) is None:
            yield WOKEN, planner.moved(without_cooling(record), Lifecycle.ACTIVE)


def _cooled(view: RoleView) -> Iterator[tuple[str, Record]]:
    planner = _planner(view)
    themes = themes_of(view.memories.values(), view.now)
    for thread in _open_in(view, Profile.INCUBATION, Lifecycle.ACTIVE, Lifecycle.DEEPENING):
        ripeness = ripeness_of(thread, view.memories)
        theme = themes.get(theme_key(thread), NO_THEME)
        if ripeness.last is not None and view.now - ripeness.last >= timedelta(days=QUIET_DAYS):
            yield QUIET, planner.moved(without_cooling(thread), Lifecycle.COOLING)
        elif theme.resting_until is not None and not ripeness.is_ripe:
            # What is ripe is not put to rest by its own support: it is to be promoted.
            until = format_instant(theme.resting_until)
            yield RESTING, planner.moved(thread, Lifecycle.COOLING, cooling_until=until)


def _readied(view: RoleView) -> Iterator[tuple[str, Record]]:
    planner = _planner(view)
    decided = decide_every(view.memories, view.now)
    for name in sorted(decided.keys() - view.held):
        candidate = view.memories[name]
        is_up = decided[name].verdict is ReadinessVerdict.DRAFT
        wanted = Lifecycle.QUEUED if is_up else Lifecycle.DEFERRED
        if lifecycle_of(candidate) is not wanted:
            yield (PUT_UP if is_up else PUT_OFF), planner.moved(candidate, wanted)
