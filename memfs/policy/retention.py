"""When candidates lapse, records expire and a person should look again; pure of clocks."""

from __future__ import annotations

from datetime import datetime, timedelta

from memfs.model.candidate import Candidate
from memfs.model.kinds import KindSpec
from memfs.model.record import Record
from memfs.model.settings import InboxSettings
from memfs.model.status import Status


def candidate_expiry(created: datetime, inbox: InboxSettings) -> datetime:
    """Returns when a candidate made at ``created`` lapses."""
    return created + timedelta(days=inbox.expire_days)


def is_candidate_expired(candidate: Candidate, now: datetime) -> bool:
    """Tells whether a candidate has lapsed; one without an expiry never does."""
    return candidate.expires is not None and candidate.expires <= now


def review_date(kind: KindSpec, now: datetime) -> datetime | None:
    """Returns when a person should look again at a record of ``kind`` admitted now."""
    if kind.review_after_days is None:
        return None
    return now + timedelta(days=kind.review_after_days)


def is_record_expired(record: Record, now: datetime) -> bool:
    """Tells whether the expiry of a record has passed, whatever its status says."""
    return record.expires is not None and record.expires <= now


def is_due_for_expiry(record: Record, now: datetime) -> bool:
    """Tells whether an active record should be marked as expired."""
    return record.status is Status.ACTIVE and is_record_expired(record, now)


def is_due_for_review(record: Record, now: datetime) -> bool:
    """Tells whether a person was asked to look at an active record again by now."""
    return (
        record.status is Status.ACTIVE
        and record.review_after is not None
        and record.review_after <= now
    )
