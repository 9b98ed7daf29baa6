"""What a rest of a role has to account for, and by which figures the rules settle (E36-E39).

Every short-term memory that was open has to be distilled, incubated, taken in by another, or let
go with a reason; a nap and a rumination may keep some. A sleep that leaves one over, or does
nothing while there are some, fails. Pure.

The figures are memfs' own choice; no measurement stands behind them but that a scripted
conversation settles as a reader would settle it. Each says what it is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import Because, Lifecycle, Profile, lifecycle_of, profile_of
from memfs.model.role_sleep import Account, Rest, Tally
from memfs.policy.reasons import reason
from memfs.policy.role_lifecycle import is_open

DISTIL_TIMES: Final = 3
"""What was met so often is learned for good: twice may be chance."""
DISTIL_SALIENCE: Final = 0.7
"""What matters so much is learned for good though it was met once."""
DISTIL_CONFIDENCE: Final = 0.3
"""What is surer than this can be learned; what is less sure ripens first."""
INCUBATE_SALIENCE: Final = 0.4
"""A tension that matters less is no thread of its own."""
STALE_DAYS: Final = 14
"""A memory that neither mattered nor came again for so long has expired; two working weeks."""
MOST_PROPOSALS: Final = 20_000
"""Proposals of one rest; what comes behind them is rejected unread."""
MOST_TOLD: Final = 50
"""Rejected proposals that a receipt tells one by one; the others are counted by code."""


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
