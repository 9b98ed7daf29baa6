"""When a role rests next, on the clock of the place where it is (E53).

Nights are those of ``services.nightly``: one a local day, caught up after downtime, whatever is
done to the clock on the wall. The time of day is that of the store's nightly pass.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from memfs.domains.roles.rest.rest_state import last_rests
from memfs.domains.roles.view import RoleView
from memfs.policy.role_schedule import Schedule, schedule_from, short_term_pressure
from memfs.services.nightly import due_since, is_from_wrong_clock, next_slot
from memfs.services.ports import Workspace

SLEEP_AT = "03:00"
"""Time of day of the nightly sleep where no setting says another."""


def schedule_of(
    last_sleep: datetime | None,
    last_nap: datetime | None,
    pressure: float,
    now: datetime,
    zone: tzinfo | None = None,
    *,
    at: str = SLEEP_AT,
    began: datetime | None = None,
) -> Schedule:
    """Says whether a role is awake, drowsy or asleep, and when its next nap and sleep are.

    Args:
        last_sleep: When it slept last, ``None`` for never. One from a clock that went wrong says
            nothing, as if there were none.
        last_nap: When it napped last, ``None`` for never.
        pressure: How much presses it to rest, 0 to 1: ``role_schedule.short_term_pressure``.
        now: The present, aware.
        zone: The zone whose days count; ``None`` for the machine's own.
        at: Time of day of the nightly sleep as ``HH:MM``.
        began: When it remembered anything first: it counts as rested then, and no night before
            that counts where it never slept. One from a clock that went wrong says nothing, too.

    Raises:
        ValueError: ``at`` is no time of day.
    """
    slept, napped, began = (
        None if mark is not None and is_from_wrong_clock(mark, now) else mark
        for mark in (last_sleep, last_nap, began)
    )
    return schedule_from(
        last_sleep=slept,
        last_nap=napped,
        pressure=pressure,
        now=now,
        due_night=due_since(slept or began, now, at, zone),
        next_night=next_slot(now, at, zone),
        began=began,
    )


def schedule_for(workspace: Workspace, view: RoleView, zone: tzinfo | None = None) -> Schedule:
    """Says when a role of a store rests next: by what it remembers, and when it rested last.

    Args:
        workspace: The store.
        view: What the role remembers.
        zone: The zone whose days count; ``None`` for the machine's own.
    """
    last = last_rests(workspace, view.role)
    records = tuple(view.memories.values())
    return schedule_of(
        last.sleep,
        last.nap,
        short_term_pressure(records),
        view.now,
        zone,
        at=workspace.settings.sleep.deep_at,
        began=min((item.observed for item in records if item.observed), default=view.now),
    )
