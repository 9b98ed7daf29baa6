"""Corrections: a new version of the same claim in the same file."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memfs.errors import AccessError
from memfs.formats.record_codec import decode_record
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.origin import Actor, Origin
from memfs.model.problem import Severity
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result
from memfs.policy.log_text import is_log
from memfs.services.acceptance import CandidateUnreadableError
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import title_from
from memfs.services.propose import submit
from memfs.services.reading import find_record
from memfs.services.sealing import opened
from memfs.services.served_records import read_path


class SeenInPartError(AccessError):
    """Nobody rewrites a record of which they see a part."""

    code = "access.seen-in-part"


class LogError(AccessError):
    """A log is added to and never said anew."""

    code = "access.log"


def target_of(workspace: Workspace, reference: str, actor: Actor) -> StoredRecord:
    """Returns the active record that a correction names, as the ledger has it.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
        SeenInPartError: The actor sees a part of it, and would write over the rest.
    """
    snapshot = workspace.store.snapshot()
    seen = find_record(workspace, snapshot, reference, access_request(workspace, actor))
    # What was handed out may lack links that the actor may not follow; a new version keeps them.
    stored = read_path(workspace, snapshot, seen.path) if seen.path else None
    if stored is None:
        raise SeenInPartError(
            f"expected a record that is seen whole, got a part of {seen.record.id}",
            hint="propose a claim of its own",
        )
    return stored


def correct(
    workspace: Workspace,
    reference: str,
    text: str,
    actor: Actor,
    origin: Origin,
    *,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    event_time: datetime | None = None,
) -> Result:
    """Replaces what a record says with ``text``, and its times with those that are given.

    The title follows the text when it was taken from the text before. The previous wording
    stays readable in the history of the same file.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        SealBrokenError: It is sealed, and its key is not here.
        LogError: It is an issue.
    """
    stored = target_of(workspace, reference, actor)
    if is_log(stored.record.kind):
        raise LogError(
            f"expected a record that says one thing, got the log of {stored.record.id}",
            hint="add to it: memfs issue note, resolve, reopen",
        )
    record = opened(workspace, stored.record)
    body = text if text.endswith("\n") else f"{text}\n"
    is_derived = record.title == title_from(record.body)
    title = title_from(text) if is_derived else record.title
    record = replace(
        record,
        body=body,
        title=title,
        valid_from=valid_from or record.valid_from,
        valid_until=valid_until or record.valid_until,
        event_time=event_time or record.event_time,
    )
    return revise(workspace, stored, record, actor, origin)


def revise(
    workspace: Workspace,
    stored: StoredRecord,
    record: Record,
    actor: Actor,
    origin: Origin,
    *,
    text: bytes | None = None,
) -> Result:
    """Submits ``record`` as the next version of ``stored``.

    Raises:
        StaleBaseError: The record changed since ``stored`` was read.
    """
    # What is said anew is looked at anew in its time; what is not changed keeps its date.
    review_after = None if record != stored.record else record.review_after
    submission = Submission(
        draft=replace(record, observed=workspace.clock.now(), review_after=review_after),
        origin=origin,
        action=CandidateAction.REVISE,
        target=stored.record.id,
        base=stored.blob,
        text=text,
    )
    return submit(workspace, submission, actor, action="correct")


def edited(
    workspace: Workspace, stored: StoredRecord, content: bytes, actor: Actor, origin: Origin
) -> Result:
    """Submits the file that a person saved in their editor as the next version of ``stored``.

    Raises:
        CandidateUnreadableError: The text is not a valid record; nothing is changed.
        StaleBaseError: The record changed while the editor was open.
    """
    decoded = decode_record(content, path=stored.path, registry=workspace.registry, draft=True)
    errors = tuple(item for item in decoded.problems if item.severity is Severity.ERROR)
    if decoded.record is None or errors:
        raise CandidateUnreadableError(
            f"expected a valid record, got {len(errors)} problems",
            errors,
            hint="nothing was changed; edit again",
        )
    return revise(workspace, stored, decoded.record, actor, origin, text=content)
