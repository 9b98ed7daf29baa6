"""What a candidate says, read for a decision: the record, its origin, what it is about.

The proposed text is decoded strictly. What the file says of its own origin is believed only
where it claims little, since anybody with the account can write to the inbox.
"""

from __future__ import annotations

from dataclasses import replace

from memfs.errors import DataError, StoreError
from memfs.formats.issue_log import with_events_since
from memfs.formats.record_codec import decode_record, read_record
from memfs.index.catalogue import Catalogue
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Candidate, CandidateAction, Submission
from memfs.model.digests import blob_id
from memfs.model.origin import Actor, Origin, Principal
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record, StoredRecord
from memfs.policy.accounts import BELIEVED, believed_account
from memfs.policy.authority import capture_origin
from memfs.policy.log_text import is_log
from memfs.policy.publication import is_published
from memfs.services.catalogue import read_entries
from memfs.services.inbox import candidate_path
from memfs.services.ports import Workspace
from memfs.services.served_records import read_path
from memfs.store.snapshot import Snapshot


class CandidateUnreadableError(DataError):
    """The proposed text is no valid record; all problems are listed."""

    code = "candidate.invalid"

    def __init__(self, message: str, problems: tuple[Problem, ...], *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.problems = problems


def decoded_proposal(workspace: Workspace, candidate: Candidate) -> Record:
    """Decodes the proposed text strictly.

    Raises:
        CandidateUnreadableError: It is not a valid record; every problem is attached.
    """
    decoded = decode_record(
        candidate.content, path=candidate.path, registry=workspace.registry, draft=True
    )
    errors = tuple(item for item in decoded.problems if item.severity is Severity.ERROR)
    if decoded.record is None or errors:
        raise CandidateUnreadableError(
            f"expected a valid record in {candidate_path(candidate)}, got {len(errors)} problems",
            errors,
            hint="mend the text with: memfs review edit",
        )
    return decoded.record


def acceptance_origin(candidate: Candidate, actor: Actor, *, is_confirmed: bool) -> Origin:
    """Returns the origin that the accepted record carries.

    The inbox is a folder that anybody with the account can write to. What a candidate says
    of itself is therefore believed only where it claims little: imported, said by an agent,
    read elsewhere. Everything else is the statement of the person who accepts it, or, where
    nobody does, a hand edit.
    """
    text = candidate.content.decode("utf-8", errors="replace")
    if not is_confirmed:
        return capture_origin(actor, text, source=f"working:{candidate.path}")
    if candidate.origin.origin_class in BELIEVED:
        return candidate.origin
    stated = capture_origin(actor, text)
    if not is_published(candidate.origin):
        return stated
    # Where a published claim comes from stays said: it claims less than a statement of one's own.
    return replace(stated, source=candidate.origin.source, digest=candidate.origin.digest)


def acceptance_submission(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    candidate: Candidate,
    actor: Actor,
    *,
    is_confirmed: bool = True,
) -> Submission:
    """Makes the submission of a candidate that proposes a record.

    Args:
        workspace: The store.
        snapshot: The served records that the decision is made on.
        catalogue: Open at ``snapshot``.
        candidate: What waits.
        actor: Who accepts it.
        is_confirmed: A person accepted this very text.

    Raises:
        CandidateUnreadableError: It is not valid, or takes the id of another record.
    """
    record = decoded_proposal(workspace, candidate)
    if is_confirmed and record.sensitivity is Sensitivity.SEALED:
        from memfs.services.sealing import opened  # hardly any record is

        # Judged as what it says; the accepted record is sealed again.
        record = opened(workspace, record)
    target = record_behind(workspace, snapshot, catalogue, candidate)
    is_revision = candidate.action is not CandidateAction.ADD and (
        target is not None or bool(candidate.record_id)
    )
    if not is_revision:
        _check_id(catalogue, candidate, record)
    base = candidate.theirs or candidate.base
    if is_revision and target is not None and is_log(record.kind):
        record, base = _grown(workspace, snapshot, candidate, record, target), target.blob
    return Submission(
        draft=record,
        origin=acceptance_origin(candidate, actor, is_confirmed=is_confirmed),
        action=CandidateAction.REVISE if is_revision else CandidateAction.ADD,
        target=(target.record.id if target else candidate.record_id) if is_revision else "",
        quotes=candidate.quotes,
        key=f"accept:{candidate.id}:{blob_id(candidate.content)}",
        is_confirmed=is_confirmed,
        base=base,
    )


def opener_of(workspace: Workspace, candidate: Candidate) -> Origin | None:
    """Returns who opened a log, as its file says; ``None`` where that is not believed.

    A log that comes from another clone keeps its opener, so that its file is the same in both.
    """
    said = decoded_proposal(workspace, candidate).origin
    return said if said is not None and said.origin_class in BELIEVED else None


def account_from(workspace: Workspace, candidate: Candidate, acceptor: Principal) -> Record | None:
    """Returns an account of work as its file says it; ``None`` where that is not believed."""
    return believed_account(decoded_proposal(workspace, candidate), acceptor)


def _grown(
    workspace: Workspace,
    snapshot: Snapshot,
    candidate: Candidate,
    record: Record,
    target: StoredRecord,
) -> Record:
    """Returns an edited log with what was added to it here since: nobody's words are lost."""
    try:
        content = snapshot.read_blob(candidate.base)
        base = read_record(content, path=candidate.path, registry=workspace.registry).body
    except (DataError, StoreError):
        # What it started from is not known: everything that stands here counts.
        base = ""
    return replace(record, body=with_events_since(record.body, base, target.record.body))


def record_behind(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, candidate: Candidate
) -> StoredRecord | None:
    """Finds the record that a candidate is about, wherever its file stands now."""
    if candidate.record_id and candidate.action is not CandidateAction.ADD:
        found = read_entries(workspace, snapshot, catalogue.by_id(candidate.record_id))
        if found:
            return found[0]
    stored = read_path(workspace, snapshot, candidate.path)
    if stored is not None and candidate.record_id not in ("", stored.record.id):
        return None
    return stored


def _check_id(catalogue: Catalogue, candidate: Candidate, record: Record) -> None:
    """Two files are never one record: a copy has to become a record of its own first."""
    if not record.id:
        return
    is_new = candidate.action is CandidateAction.ADD
    known = catalogue.by_id(record.id)
    taken = [item.path for item in known if is_new or item.path != candidate.path]
    if taken:
        problem = Problem(
            candidate.path,
            0,
            0,
            "record.duplicate-id",
            f"expected an id of its own, got that of {taken[0]}",
            "remove the line 'id' to make it a record of its own",
        )
        raise CandidateUnreadableError(problem.message, (problem,), hint=problem.hint)
