"""Legal moves of records and candidates (A34, A33).

A state machine as data: whatever is not listed is refused. A tombstone is final, and
nothing brings a rejected candidate back; a new one has to be made.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.model.candidate import CandidateState
from memfs.model.decision import Reason
from memfs.model.status import Status
from memfs.policy.reasons import reason

RECORD_MOVES: Final[Mapping[Status, frozenset[Status]]] = MappingProxyType(
    {
        Status.ACTIVE: frozenset(
            {
                Status.SUPERSEDED,
                Status.RETRACTED,
                Status.EXPIRED,
                Status.REPAIR_PENDING,
                Status.DELETED,
            }
        ),
        Status.SUPERSEDED: frozenset(
            {Status.ACTIVE, Status.RETRACTED, Status.REPAIR_PENDING, Status.DELETED}
        ),
        Status.RETRACTED: frozenset({Status.ACTIVE, Status.REPAIR_PENDING, Status.DELETED}),
        Status.EXPIRED: frozenset(
            {Status.ACTIVE, Status.RETRACTED, Status.REPAIR_PENDING, Status.DELETED}
        ),
        Status.REPAIR_PENDING: frozenset(
            {
                Status.ACTIVE,
                Status.SUPERSEDED,
                Status.RETRACTED,
                Status.EXPIRED,
                Status.DELETED,
            }
        ),
        Status.DELETED: frozenset(),
    }
)

CANDIDATE_MOVES: Final[Mapping[CandidateState, frozenset[CandidateState]]] = MappingProxyType(
    {
        CandidateState.PROPOSED: frozenset(
            {
                CandidateState.QUARANTINED,
                CandidateState.APPROVED,
                CandidateState.REJECTED,
                CandidateState.EXPIRED,
            }
        ),
        CandidateState.QUARANTINED: frozenset(
            {CandidateState.APPROVED, CandidateState.REJECTED, CandidateState.EXPIRED}
        ),
        CandidateState.APPROVED: frozenset(),
        CandidateState.REJECTED: frozenset(),
        CandidateState.EXPIRED: frozenset(),
    }
)


def check_move(old: Status, new: Status) -> Reason | None:
    """Returns why a record may not move from ``old`` to ``new``, or ``None`` when it may.

    Staying is always allowed.
    """
    if old is new or new in RECORD_MOVES[old]:
        return None
    return reason("transition.illegal", f"{old} to {new}")


def check_candidate_move(old: CandidateState, new: CandidateState) -> Reason | None:
    """Returns why a candidate may not move from ``old`` to ``new``, or ``None``."""
    if old is new or new in CANDIDATE_MOVES[old]:
        return None
    return reason("transition.illegal", f"{old} to {new}")
