"""Status moves, expiry and review dates."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memfs.app.registry import REGISTRY
from memfs.model.candidate import Candidate, CandidateAction, CandidateState
from memfs.model.settings import InboxSettings
from memfs.model.status import Status
from memfs.policy.retention import (
    candidate_expiry,
    is_candidate_expired,
    is_due_for_expiry,
    is_due_for_review,
    is_record_expired,
    review_date,
)
from memfs.policy.transitions import (
    CANDIDATE_MOVES,
    RECORD_MOVES,
    check_candidate_move,
    check_move,
)
from tests.support.policy import AGENT, NOW, claim, origin_of

DAY = timedelta(days=1)


@pytest.mark.parametrize("old", list(Status))
@pytest.mark.parametrize("new", list(Status))
def test_records_move_only_along_the_table(old: Status, new: Status) -> None:
    denial = check_move(old, new)
    assert (denial is None) is (old is new or new in RECORD_MOVES[old])
    assert denial is None or denial.code == "transition.illegal"


def test_a_tombstone_is_final_and_every_state_can_reach_it() -> None:
    assert RECORD_MOVES[Status.DELETED] == frozenset()
    for status in Status:
        assert status is Status.DELETED or Status.DELETED in RECORD_MOVES[status]


@pytest.mark.parametrize("old", list(CandidateState))
@pytest.mark.parametrize("new", list(CandidateState))
def test_candidates_move_only_along_the_table(old: CandidateState, new: CandidateState) -> None:
    denial = check_candidate_move(old, new)
    assert (denial is None) is (old is new or new in CANDIDATE_MOVES[old])


def test_a_decided_candidate_is_decided() -> None:
    for state in (CandidateState.APPROVED, CandidateState.REJECTED, CandidateState.EXPIRED):
        assert CANDIDATE_MOVES[state] == frozenset()


def candidate(**fields: object) -> Candidate:
    return Candidate(
        id="cand_x",
        action=CandidateAction.ADD,
        path="records/a.md",
        content=b"",
        origin=origin_of(AGENT),
        created=NOW,
        **fields,  # type: ignore[arg-type]
    )


def test_a_candidate_lapses_after_the_days_of_the_settings() -> None:
    expires = candidate_expiry(NOW, InboxSettings(expire_days=30))
    assert expires == NOW + 30 * DAY
    waiting = candidate(expires=expires)
    assert not is_candidate_expired(waiting, NOW + 29 * DAY)
    assert is_candidate_expired(waiting, NOW + 30 * DAY)
    assert not is_candidate_expired(candidate(), NOW + 3000 * DAY)


def test_records_expire_and_come_up_for_review_only_while_active() -> None:
    record = claim(expires=NOW, review_after=NOW)
    assert is_record_expired(record, NOW)
    assert is_due_for_expiry(record, NOW)
    assert is_due_for_review(record, NOW)
    gone = claim(status=Status.RETRACTED, expires=NOW, review_after=NOW)
    assert not is_due_for_expiry(gone, NOW)
    assert not is_due_for_review(gone, NOW)
    assert not is_record_expired(claim(), NOW)


def test_the_review_date_follows_the_kind() -> None:
    fact, preference = REGISTRY.get("fact"), REGISTRY.get("preference")
    assert fact is not None
    assert preference is not None
    assert review_date(fact, NOW) == NOW + 180 * DAY
    assert review_date(preference, NOW) is None
