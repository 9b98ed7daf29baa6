"""The action gate: nothing that was remembered permits anything (A2, A58).

Where the arguments of a consequential call come from memory, the call needs approval that a
person gave just now, in words that name it. Approval is evidence of a live prompt or terminal,
never a record: whatever its authority, its confidence or its wording, a stored item says what
may be believed and nothing of what may be done. An allowance is for the host's own permission
check to use; it replaces none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from memfs.model.authority import Authority
from memfs.model.decision import Reason
from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.frozen import frozen
from memfs.model.origin import Channel, OriginClass
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.model.text import normalise_text
from memfs.policy.reasons import reason

FRESH: Final = timedelta(minutes=10)
"""How long after it was given an approval counts."""
ACTION_AUTHORITY: Final = Authority.NONE
"""What every stored item may permit."""
_LIVE: Final = frozenset({Channel.PROMPT_HOOK, Channel.TERMINAL, Channel.EDITOR, Channel.PAGE})


@frozen
class Approval:
    """What is offered as approval.

    Attributes:
        envelope: The evidence, from the ledger.
        words: What its excerpts say.
    """

    envelope: Record
    words: tuple[str, ...] = ()


@frozen
class ActionDecision:
    """Whether memory may flow into a call; ``allowed`` only ever by fresh approval.

    Attributes:
        allowed: Whether the host may go on to its own check.
        reasons: Why not; empty when allowed.
        authority: What the memory itself permits: never anything.
    """

    allowed: bool
    reasons: tuple[Reason, ...] = ()
    authority: Authority = ACTION_AUTHORITY


def may_act(
    influences: Sequence[Record], action: str, *, approval: Approval | None, now: datetime
) -> ActionDecision:
    """Decides whether a call may use arguments that ``influences`` had a part in.

    Args:
        influences: The records that the arguments come from.
        action: The call in words, as a person would be asked about it.
        approval: What the person just said; ``None`` for nothing.
        now: The present.
    """
    faults = tuple(reason(code) for code in _faults(influences, action, approval, now))
    return ActionDecision(allowed=not faults, reasons=faults)


def _faults(
    influences: Sequence[Record], action: str, approval: Approval | None, now: datetime
) -> list[str]:
    if not influences:
        return ["action.no-memory"]
    if approval is None:
        return ["action.no-approval"]
    envelope, faults = approval.envelope, []
    if envelope.kind != EVIDENCE_KIND or envelope.status is not Status.ACTIVE:
        return ["action.not-evidence"]
    if not _is_live(envelope) or _is_remembered(envelope, influences):
        faults.append("action.not-a-person")
    if envelope.observed is None or not timedelta(0) <= now - envelope.observed <= FRESH:
        faults.append("action.not-fresh")
    asked = normalise_text(action)
    if not asked or not any(asked in normalise_text(words) for words in approval.words):
        faults.append("action.not-named")
    return faults


def _is_live(envelope: Record) -> bool:
    origin = envelope.origin
    return (
        origin is not None
        and origin.origin_class is OriginClass.USER_STATED
        and origin.principal.is_person
        and origin.channel in _LIVE
        and not origin.speaker
    )


def _is_remembered(envelope: Record, influences: Sequence[Record]) -> bool:
    """Whether the approval came out of memory, or is what the memory itself rests on."""
    if envelope.derived_from or envelope.taint:
        return True
    rested_on = {name for record in influences for name in (*record.evidence, *record.derived_from)}
    return any(name.partition("@")[0] == envelope.id for name in rested_on)
