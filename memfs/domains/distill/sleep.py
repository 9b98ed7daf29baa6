"""Sleep: going over memory at rest, pass by pass, one sleep at a time (O36-O41).

*Light* groups what says the same, *deep* puts forward what proved its worth and makes the core
anew, *rem* lets a model reflect on it where one is configured. Each pass is whole by itself: what
it proposed is in the ledger or in the inbox before it is noted as ended, and a pass that is begun
again proposes nothing twice. What a sleep reads counts as nobody's recall.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never

from memfs.domains.distill.deep import NOTHING_PROMOTED, Promotion, promote
from memfs.domains.distill.light import Alike, Group
from memfs.domains.distill.rem import NOTHING_REFLECTED, Reflect, Reflected, reflect_on
from memfs.domains.distill.sleep_state import (
    SleepState,
    note_nightly,
    read_state,
    sleeping,
    write_state,
)
from memfs.domains.distill.staging import light_pass, staged_groups
from memfs.model.instants import format_instant
from memfs.services.ports import Workspace
from memfs.services.receipts import write_account
from memfs.services.signals import uses_of


class SleepPass(StrEnum):
    """The passes, in their order."""

    LIGHT = "light"
    DEEP = "deep"
    REM = "rem"


ALL_PASSES: Final = tuple(SleepPass)
RECEIPT: Final = "sleep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slept:
    """What one sleep did.

    Attributes:
        passes: The passes that ended, in order.
        groups: What the light pass grouped.
        promotion: What the deep pass put forward.
        is_core_written: Whether the core says something else than before.
        reflected: What the model reflected; why not, where none did.
        receipt: Id of the receipt; empty where nothing was proposed.
    """

    passes: tuple[SleepPass, ...] = ()
    groups: tuple[Group, ...] = ()
    promotion: Promotion = NOTHING_PROMOTED
    is_core_written: bool = False
    reflected: Reflected = NOTHING_REFLECTED
    receipt: str = ""

    @property
    def exact(self) -> int:
        """Groups whose members say the very same."""
        return sum(group.alike is Alike.EXACT for group in self.groups)


def sleep(
    workspace: Workspace,
    passes: Sequence[SleepPass],
    *,
    refresh_core: Callable[[], bool],
    reflect: Reflect | None = None,
    is_wanted: Callable[[], bool] | None = None,
) -> Slept | None:
    """Goes over memory.

    Args:
        workspace: The store.
        passes: Which passes, in their order; all of them are the nightly one.
        refresh_core: Makes the core anew and tells whether it says something else now.
        reflect: Asks a model; ``None`` where none is configured.
        is_wanted: Asked once nobody else sleeps; without it, a sleep is wanted.

    Returns:
        What was done; ``None`` where it was not wanted any more.

    Raises:
        SleepRunningError: Another process sleeps.
    """
    with sleeping(workspace):
        if is_wanted is not None and not is_wanted():
            return None
        now = workspace.clock.now()
        if tuple(passes) == ALL_PASSES:
            # Noted first: a pass that kills its process must not be begun again every minute.
            note_nightly(workspace, now)
        slept = Slept()
        for name in passes:
            slept = _one_pass(workspace, slept, name, now, refresh_core, reflect)
        return _with_receipt(workspace, slept)


def _one_pass(
    workspace: Workspace,
    slept: Slept,
    name: SleepPass,
    now: datetime,
    refresh_core: Callable[[], bool],
    reflect: Reflect | None,
) -> Slept:
    state, snapshot = read_state(workspace), workspace.store.snapshot()
    match name:
        case SleepPass.LIGHT:
            groups = light_pass(workspace, snapshot, uses_of(workspace), now)
            slept = replace(slept, groups=groups)
        case SleepPass.DEEP:
            groups = slept.groups or staged_groups(workspace)
            known = frozenset(state.put_forward)
            promotion = promote(workspace, snapshot, uses_of(workspace), groups, known, now)
            state = state.with_put_forward(promotion.names)
            slept = replace(slept, promotion=promotion, is_core_written=refresh_core())
        case SleepPass.REM:
            slept = replace(slept, reflected=reflect_on(workspace, snapshot, reflect, now))
        case _:
            assert_never(name)
    _note(workspace, state, name)
    return replace(slept, passes=(*slept.passes, name))


def _note(workspace: Workspace, state: SleepState, name: SleepPass) -> None:
    write_state(workspace, state.with_ended(str(name), workspace.clock.now()))


def _with_receipt(workspace: Workspace, slept: Slept) -> Slept:
    """Writes down what was proposed; a night in which nothing was leaves no trace in the ledger."""
    proposed = (*slept.promotion.results, *slept.reflected.results)
    if not proposed:
        return slept
    at = format_instant(workspace.clock.now())
    receipt = write_account(
        workspace,
        operation=RECEIPT,
        key="\0".join((at, *(result.target for result in proposed))),
        details={
            "records": list(slept.promotion.names),
            "passes": [str(name) for name in slept.passes],
            "groups": len(slept.groups),
            "weighed": slept.promotion.weighed,
            "put_forward": len(slept.promotion.results),
            "admitted": len(slept.promotion.admitted),
            "reflections": len(slept.reflected.results),
        },
    )
    return replace(slept, receipt=receipt.id)
