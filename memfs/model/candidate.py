"""Submissions and candidates: what asks to enter, and what waits in the inbox (A33)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from memfs.model.decision import Reason
from memfs.model.evidence import Check, Quote
from memfs.model.frozen import frozen
from memfs.model.origin import Origin
from memfs.model.record import Record


class CandidateAction(StrEnum):
    """What accepting a candidate would do."""

    ADD = "add"
    REVISE = "revise"
    FORGET = "forget"
    SETTINGS = "settings"
    CONFLICT = "conflict"


class CandidateState(StrEnum):
    """The life of a candidate; none of these is ever served as memory."""

    PROPOSED = "proposed"
    QUARANTINED = "quarantined"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"


@frozen
class Submission:
    """A request to admit one claim, before any decision.

    Attributes:
        draft: The record as proposed; id, authority and observed time may be missing.
        origin: Set by the entry point from its channel.
        action: ``add`` for a new claim, ``revise`` for a new version of ``target``.
        target: Id of the record that is revised or forgotten; empty for ``add``.
        quotes: Quotes that are said to stand in evidence.
        checks: What the claim names to be looked up; nothing of it is ever run.
        key: Idempotency key of the caller; empty for none.
        is_confirmed: A person accepted this very text in review.
        wants_review: The proposer asks for a second pair of eyes: it waits although policy
            would admit it.
        base: Blob id of the version that the caller started from; a revision of anything
            else is refused as stale (O45). Empty when the caller did not read one.
        text: The person's own bytes of the file, kept but for the keys that memfs owns;
            ``None`` to edit the ledger's bytes.
        is_typed: It is part of a typed operation on role memory that was decided on (E19); no
            entry point sets it.
    """

    draft: Record
    origin: Origin
    action: CandidateAction = CandidateAction.ADD
    target: str = ""
    quotes: tuple[Quote, ...] = ()
    checks: tuple[Check, ...] = ()
    key: str = ""
    is_confirmed: bool = False
    wants_review: bool = False
    base: str = ""
    text: bytes | None = None
    is_typed: bool = False


@frozen
class Candidate:
    """One entry of the inbox.

    Attributes:
        id: ``cand_…``.
        action: What accepting would do.
        state: Where it stands.
        path: Store-relative path that accepting would write or remove.
        content: The proposed bytes of that file, exactly; empty for ``forget``.
        base: Blob id in the ledger that the proposal started from; empty for a new file.
        theirs: For ``conflict``: blob id of the ledger version that also changed.
        record_id: Id of the record concerned; may be empty for a new one.
        title: One line for lists.
        kind: Kind of the proposed record.
        origin: Where it came from.
        reasons: Why it waits.
        created: When it was made.
        expires: When it lapses.
        batch: Import batch it belongs to; empty for none.
        key: What a repetition is recognised by: a newer candidate with this key replaces it.
        quotes: Quotes from evidence.
        is_working_file: The proposal is what stands in the working file at ``path``.
    """

    id: str
    action: CandidateAction
    state: CandidateState = CandidateState.QUARANTINED
    path: str
    content: bytes
    base: str = ""
    theirs: str = ""
    record_id: str = ""
    title: str = ""
    kind: str = ""
    origin: Origin
    reasons: tuple[Reason, ...] = ()
    created: datetime
    expires: datetime | None = None
    batch: str = ""
    key: str = ""
    quotes: tuple[Quote, ...] = ()
    is_working_file: bool = False
