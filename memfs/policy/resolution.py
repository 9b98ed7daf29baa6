"""How an open conflict ends: a person chooses, or a check holds for one side alone (A15).

Likeness, age and number of supporters resolve nothing. A newer statement of one who stated a
side is decided at admission (``memfs.policy.comparison``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memfs.model.conflict import Conflict
from memfs.model.decision import Reason
from memfs.policy.reasons import reason
from memfs.policy.verification import Verification


def check_resolution(conflict: Conflict, kept: Collection[str]) -> tuple[Reason, ...]:
    """Returns why ``kept`` does not resolve ``conflict``; empty when it does.

    Args:
        conflict: The set.
        kept: Ids of the members that are to stay.
    """
    if not conflict.is_open:
        return (reason("conflict.over"),)
    members = frozenset(conflict.member_ids)
    strangers = sorted(set(kept) - members)
    if strangers:
        return tuple(reason("conflict.not-a-side", name) for name in strangers)
    if not kept:
        return (reason("conflict.nothing-kept"),)
    if members <= set(kept):
        return (reason("conflict.nothing-decided"),)
    return ()


def verified_side(checks: Mapping[str, Verification | None]) -> str | None:
    """Returns the one side that a deterministic check holds for and that it fails for no other.

    ``None`` where it holds for none or several, and where a side could not be checked at all:
    what was not looked at is not refuted.

    Args:
        checks: What the check said of each side, by id; ``None`` for a side it cannot check.
    """
    if any(check is None for check in checks.values()):
        return None
    holding = [name for name, check in checks.items() if check is not None and check.holds]
    return holding[0] if len(holding) == 1 else None
