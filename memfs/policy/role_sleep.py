"""What a rest of a role has to account for, and by which figures the rules settle (E36-E39).

Every short-term memory that was open has to be distilled, incubated, taken in by another, or let
go with a reason; a nap and a rumination may keep some. A sleep that leaves one over, or does
nothing while there are some, fails. Pure.

The figures are memfs' own choice; no measurement stands behind them but that a scripted
conversation settles as a reader would settle it. :data:`THRESHOLDS` says of each what it is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import Because, Lifecycle, Profile, lifecycle_of, profile_of
from memfs.model.role_sleep import Account, Rest, Tally
from memfs.policy.reasons import reason
from memfs.policy.role_lifecycle import is_open
from memfs.policy.thresholds import Threshold

DISTIL_TIMES: Final = 3
DISTIL_SALIENCE: Final = 0.7
DISTIL_CONFIDENCE: Final = 0.3
INCUBATE_SALIENCE: Final = 0.4
STALE_DAYS: Final = 14
MOST_PROPOSALS: Final = 20_000
MOST_TOLD: Final = 50

THRESHOLDS: Final[tuple[Threshold, ...]] = (
    Threshold(
        name="times", value=DISTIL_TIMES, says="met so often it is learned; twice may be chance"
    ),
    Threshold(
        name="salience", value=DISTIL_SALIENCE, says="it matters so much that once is enough"
    ),
    Threshold(
        name="confidence", value=DISTIL_CONFIDENCE, says="what is less sure is not learned yet"
    ),
    Threshold(
        name="worth a thread", value=INCUBATE_SALIENCE, says="what matters less begins no thread"
    ),
    Threshold(
        name="stale days", value=STALE_DAYS, says="days in which nothing came of it; then it went"
    ),
    Threshold(
        name="proposals", value=MOST_PROPOSALS, says="proposals of one rest; others are not read"
    ),
    Threshold(name="told", value=MOST_TOLD, says="rejections that a receipt tells one by one"),
)


class Fate(StrEnum):
    """What the rules propose for memories that say the same."""

    DISTIL = "distil"
    INCUBATE = "incubate"
    PRUNE = "prune"


@frozen
class Seen:
    """What the rules know of memories that say the same.

    Attributes:
        times: How often it was met.
        salience: How much the one that matters most matters.
        confidence: How sure the surest is.
        days: Days since anything came of any of them.
        is_asked: A question is open.
        is_known: It is remembered for good already.
        is_refuted: It was remembered for good, and put aside as wrong, and not said since.
        has_thread: A thread of the same ripens.
    """

    times: int
    salience: float
    confidence: float
    days: float = 0.0
    is_asked: bool = False
    is_known: bool = False
    is_refuted: bool = False
    has_thread: bool = False


@frozen
class FateRow:
    """One row of the table by which the rules settle; the first that holds decides.

    Attributes:
        name: What the guide calls it.
        says: When it holds, and what is done then, in a line.
        holds: Whether it does.
        fate: What is proposed.
        because: Why something is let go, where it is.
    """

    name: str
    says: str
    holds: Callable[[Seen], bool]
    fate: Fate
    because: Because = Because.STATED


def _is_sure(seen: Seen) -> bool:
    return seen.confidence >= DISTIL_CONFIDENCE and not seen.is_asked


FATES: Final[tuple[FateRow, ...]] = (
    FateRow(
        name="refuted",
        says="it was put aside as wrong, and nobody said it since",
        holds=lambda seen: seen.is_refuted,
        fate=Fate.PRUNE,
        because=Because.CONTRADICTED,
    ),
    FateRow(
        name="known",
        says="it is remembered for good already, and deepens that",
        holds=lambda seen: seen.is_known,
        fate=Fate.DISTIL,
    ),
    FateRow(
        name="asked",
        says="a question is open, and matters, came again, or ripens already",
        holds=lambda seen: (
            seen.is_asked
            and (seen.salience >= INCUBATE_SALIENCE or seen.times > 1 or seen.has_thread)
        ),
        fate=Fate.INCUBATE,
    ),
    FateRow(
        name="repeated",
        says="it was met often enough, and is sure enough",
        holds=lambda seen: _is_sure(seen) and seen.times >= DISTIL_TIMES,
        fate=Fate.DISTIL,
    ),
    FateRow(
        name="salient",
        says="it matters enough, and is sure enough",
        holds=lambda seen: _is_sure(seen) and seen.salience >= DISTIL_SALIENCE,
        fate=Fate.DISTIL,
    ),
    FateRow(
        name="expired",
        says="nothing came of it for long, and it matters no more than others",
        holds=lambda seen: seen.days >= STALE_DAYS and seen.times < DISTIL_TIMES,
        fate=Fate.PRUNE,
        because=Because.EXPIRED,
    ),
    FateRow(
        name="unsettled",
        says="a tension matters, came again, or ripens already",
        holds=lambda seen: (
            not seen.is_asked
            and (seen.salience >= INCUBATE_SALIENCE or seen.times > 1 or seen.has_thread)
        ),
        fate=Fate.INCUBATE,
    ),
    FateRow(
        name="low-value",
        says="anything else",
        holds=lambda _: True,
        fate=Fate.PRUNE,
        because=Because.LOW_VALUE,
    ),
)
"""The table of the rules."""


def fate_of(seen: Seen) -> FateRow:
    """Returns the row that decides: the first that holds, and the last holds always."""
    return next(row for row in FATES if row.holds(seen))


def open_short_term(memories: Iterable[Record]) -> Mapping[str, Record]:
    """Returns the short-term memories that are open, by id, sorted."""
    found = (item for item in memories if profile_of(item) is Profile.CONVERSATION)
    return MappingProxyType(
        {item.id: item for item in sorted(found, key=lambda item: item.id) if is_open(item)}
    )


def account_for(opened: Iterable[str], after: Mapping[str, Record], rest: Rest) -> Account:
    """Returns what became of each short-term memory.

    Args:
        opened: Ids of all that were open when the rest began, and of all that it made.
        after: What the role would remember behind it.
        rest: What leaves a memory open may keep it, unless it is a sleep.
    """
    names = tuple(sorted(set(opened)))
    found: dict[str, list[str]] = {}
    because: Counter[str] = Counter()
    for name in names:
        place, why = _place_of(after.get(name))
        if place == "residue" and rest is not Rest.SLEEP and name in after:
            place = "kept"
        found.setdefault(place, []).append(name)
        if why:
            because[why] += 1
    lists = {place: tuple(ids) for place, ids in found.items()}
    told = MappingProxyType(dict(sorted(because.items())))
    return Account(opened=names, because=told, **lists)


def _place_of(record: Record | None) -> tuple[str, str]:
    """Returns the list that a memory belongs to, and why it was let go, where it was."""
    if record is None or profile_of(record) is not Profile.CONVERSATION:
        return "residue", ""
    match lifecycle_of(record):
        case Lifecycle.DISTILLED:
            return "distilled", ""
        case Lifecycle.INCUBATED:
            return "incubated", ""
        case Lifecycle.PRUNED:
            why = text_field(record, "because")
            if why == Because.CLUSTERED:
                return "clustered", ""
            # Let go without a reason is not accounted for, whoever proposed it.
            return ("pruned", why) if why else ("residue", "")
        case _:
            return "residue", ""


def check_rest(rest: Rest, account: Account, tally: Tally) -> Reason | None:
    """Returns why a rest may not be written, or ``None``: a sleep accounts for everything."""
    if rest is not Rest.SLEEP or not account.residue:
        return None
    if not tally.applied:
        return reason("role.sleep-no-op", f"{len(account.opened)} open")
    return reason(
        "role.sleep-residue", f"{len(account.residue)} of {len(account.opened)} not accounted for"
    )
