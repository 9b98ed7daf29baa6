"""Which runs may begin: a program leaves only so many open behind it (A83, O56)."""

from __future__ import annotations

from typing import Final

from memfs.model.decision import Reason
from memfs.model.origin import Actor
from memfs.policy.reasons import reason

MOST_GOING_ON: Final = 500
"""Runs of one program that go on at once, and that no process watches."""


def check_dispatch(actor: Actor, *, going_on: int) -> Reason | None:
    """Returns why a run that no process watches is not dispatched; ``None`` where it is.

    Args:
        actor: Who dispatches it.
        going_on: Runs of the same principal that are dispatched and not ended.
    """
    if actor.is_person or going_on < MOST_GOING_ON:
        return None
    return reason("bounds.dispatched")
