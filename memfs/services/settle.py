"""Settles commits that memfs did not make: repairs what was clobbered, holds the rest.

``main`` may run ahead of the ledger because a person committed by hand, pulled, merged or
restored. Before anything else is written, one operation on top of ``main``

* puts back what such a commit dropped or reverted only because Git's index was stale (the
  working file still has our version; a real ``git rm`` or merge would have changed it), and
* places a hold on every other record that differs, so that readers are served what was
  admitted while the person's text stays where it is and waits in the inbox.

Nothing is reverted behind anyone's back and nothing unreviewed is served.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from memfs.errors import ConflictError, DataError
from memfs.formats.hold_codec import encode_hold
from memfs.formats.record_codec import RecordError, decode_record, read_record
from memfs.model.candidate import Candidate, CandidateAction
from memfs.model.decision import Decision, Reason
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.hold import Hold
from memfs.model.ids import CANDIDATE_PREFIX, TRANSACTION_PREFIX, CommitId
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import SYSTEM_ACTOR, Channel, Origin, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.policy.administration import decide_hold, decide_release, decide_repair
from memfs.policy.authority import origin_class
from memfs.policy.reasons import reason
from memfs.services.graves import Graves
from memfs.services.inbox import put_candidate, read_inbox
from memfs.services.ports import Workspace
from memfs.services.proposals import NAMED_RECORDS, title_from
from memfs.store.layout import (
    SETTINGS_PATH,
    hold_path,
    is_envelope_path,
    is_record_path,
    is_reserved_path,
)
from memfs.store.preconditions import ForeignCommitsError, LedgerMovedError, PreconditionError
from memfs.store.snapshot import Snapshot, TreeChange

_ATTEMPTS: Final = 20
WORKSPACE_PRINCIPAL: Final = Principal(PrincipalKind.TOOL, "workspace")


class ContendedError(ConflictError):
    """The ledger kept moving under a decision; nothing was written."""

    code = "conflict.contended"


@frozen
class Settlement:
    """What was found between the ledger and ``main``.

    Attributes:
        repaired: Paths put back.
        held: Paths whose admitted version is served until someone decides.
    """

    repaired: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


def settle(workspace: Workspace) -> Settlement:
    """Brings the ledger up to ``main``; does nothing when they are the same.

    Raises:
        ContendedError: Other writers and a person kept both moving at every attempt.
    """
    repaired: list[str] = []
    held: list[str] = []
    moved: Exception | None = None
    for _ in range(_ATTEMPTS):
        ledger, tip = workspace.store.ledger_head(), workspace.store.main_head()
        if ledger is None or tip is None or ledger == tip:
            return Settlement(repaired=tuple(repaired), held=tuple(held))
        try:
            with workspace.store.exclusive():
                done = _settle_once(workspace)
        except (ForeignCommitsError, LedgerMovedError, PreconditionError) as error:
            moved = error
            continue
        repaired.extend(done.repaired)
        held.extend(done.held)
    ledger, tip = workspace.store.ledger_head(), workspace.store.main_head()
    if ledger is None or tip is None or is_beside_memory(workspace, ledger, tip):
        return Settlement(repaired=tuple(repaired), held=tuple(held))
    raise ContendedError(
        "commits made by hand kept arriving while they were being settled",
        hint="wait for the other writer to finish and run the command again",
    ) from moved


def is_beside_memory(workspace: Workspace, ledger: CommitId, tip: CommitId) -> bool:
    """Whether ``tip`` differs from the ledger only in files that are no memory."""
    store = workspace.store
    changes = store.snapshot(tip).raw_changes_since(store.snapshot(ledger))
    return not any(is_reserved_path(change.path) or _is_memory(change.path) for change in changes)


def _is_memory(path: str) -> bool:
    return is_record_path(path) or path == SETTINGS_PATH


def _settle_once(workspace: Workspace) -> Settlement:
    store = workspace.store
    ledger, tip = store.ledger_head(), store.main_head()
    if ledger is None or tip is None or ledger == tip:
        return Settlement()
    admitted, found = store.snapshot(ledger), store.snapshot(tip)
    changes: list[FileChange] = []
    repaired: list[str] = []
    held: list[str] = []
    differing = tuple(found.raw_changes_since(admitted))
    # A hold is decided with the record that it holds, wherever both of them differ.
    settled = {hold_path(change.path) for change in differing if _is_memory(change.path)}
    settled |= _moved(workspace, admitted, differing)
    graves = Graves(workspace, admitted, found, differing)
    changes.extend(graves.barriers())
    for change in differing:
        if change.path in settled or graves.is_arriving(change):
            continue
        if graves.is_barred(change):
            changes.append(graves.removal(change))
            repaired.append(change.path)
        elif _is_kept(change) or _is_clobbered(workspace, change):
            changes.append(_repair(workspace, change))
            repaired.append(change.path)
        elif _is_memory(change.path):
            is_gone = graves.is_withdrawn(change)
            changes.extend(_hold(workspace, admitted, found, change, is_gone=is_gone))
            held.append(change.path)
    plan = _plan(workspace, ledger, tip, tuple(changes), len(repaired), len(held))
    names = graves.names
    store.commit(replace(plan, records=names if len(names) <= NAMED_RECORDS else ()))
    return Settlement(repaired=tuple(repaired), held=tuple(held))


def _plan(
    workspace: Workspace,
    ledger: CommitId,
    tip: CommitId,
    changes: tuple[FileChange, ...],
    repaired: int,
    held: int,
) -> Plan:
    words = [f"hold {held}" if held else "", f"put back {repaired}" if repaired else ""]
    subject = " and ".join(word for word in words if word) or "nothing of it is a record"
    return Plan(
        transaction=workspace.ids.new_id(TRANSACTION_PREFIX),
        operation=OperationKind.HOLD if held or not repaired else OperationKind.REPAIR,
        subject=f"commits made outside memfs: {subject}",
        actor=SYSTEM_ACTOR,
        at=workspace.clock.now(),
        changes=changes,
        base=ledger,
        settles=tip,
    )


def _is_kept(change: TreeChange) -> bool:
    """Whether nobody decides about a file by hand: steering files, and envelopes that stand."""
    is_envelope = change.old is not None and is_envelope_path(change.path)
    return is_reserved_path(change.path) or is_envelope


def _is_clobbered(workspace: Workspace, change: TreeChange) -> bool:
    """Whether a stale index, not a person, changed this path.

    Git writes the working file on a real removal, checkout or merge, and a person who edits
    a file leaves other bytes there. Bytes that are exactly the ledger's while the commit
    says otherwise, and says something that the ledger had before, can only come from an
    index that was read before our last operation and written after it.
    """
    if change.old is None or not is_record_path(change.path):
        return False
    if _working_digest(workspace, change.path) != change.old:
        return False
    if change.new is None:
        return True
    return change.new in _earlier_blobs(workspace, change.path)


def _working_digest(workspace: Workspace, path: str) -> str | None:
    """Returns the digest of a working file; a link or a special file has none of ours."""
    try:
        return workspace.store.working_digest(path)
    except DataError:
        return None


def _earlier_blobs(workspace: Workspace, path: str) -> frozenset[str]:
    store = workspace.store
    blobs = set()
    for commit in store.history(path):
        entry = store.snapshot(CommitId(commit.id)).raw_entry(path)
        if commit.is_operation and entry is not None:
            blobs.add(entry.blob)
    return frozenset(blobs)


def _moved(
    workspace: Workspace, admitted: Snapshot, changes: tuple[TreeChange, ...]
) -> frozenset[str]:
    """Returns both paths of each record file that was moved and says what it said.

    A pair has to be unmistakable; the ledger then follows, and nothing of it is reviewed.
    """
    old: dict[str, list[str]] = {}
    new: dict[str, list[str]] = {}
    for change in changes:
        if not is_record_path(change.path):
            continue
        if change.new is None and change.old is not None:
            served = admitted.entry(change.path)
            is_served = served is not None and served.blob == change.old
            if is_served and not _is_clobbered(workspace, change):
                old.setdefault(change.old, []).append(change.path)
        elif change.old is None and change.new is not None:
            new.setdefault(change.new, []).append(change.path)
    pairs = ((paths, new.get(blob, [])) for blob, paths in old.items())
    return frozenset(
        path for gone, come in pairs if len(gone) == len(come) == 1 for path in (*gone, *come)
    )


def refile_holds(workspace: Workspace) -> tuple[Candidate, ...]:
    """Files again what is held and waits nowhere: its candidate lapsed or was deleted.

    Without one, nobody could decide on it; a clone of the store comes without an inbox.
    """
    snapshot = workspace.store.snapshot()
    holds = snapshot.holds()
    if not holds:
        return ()
    standing = {item.key for item in read_inbox(workspace).candidates}
    lost = [hold for path, hold in sorted(holds.items()) if f"path:{path}" not in standing]
    tips = {hold.path: snapshot.raw_entry(hold.path) for hold in lost}
    filed = (
        _filed(workspace, hold.path, hold.admitted, tip.blob if tip else None)
        for hold in lost
        for tip in (tips[hold.path],)
    )
    return tuple(candidate for candidate in filed if candidate is not None)


def _repair(workspace: Workspace, change: TreeChange) -> FileChange:
    content = workspace.store.read_blob(change.old) if change.old is not None else None
    return FileChange(
        path=change.path,
        content=content,
        expected=change.new,
        decision=decide_repair(workspace.settings),
    )


def _hold(
    workspace: Workspace,
    admitted: Snapshot,
    found: Snapshot,
    change: TreeChange,
    *,
    is_gone: bool = False,
) -> tuple[FileChange, ...]:
    """Places, renews or lifts the hold on one path.

    Where the commits brought a tombstone of the record, nothing of it is served meanwhile.
    """
    path = change.path
    served = admitted.entry(path)
    blob = served.blob if served else ""
    standing = found.raw_entry(hold_path(path))
    if (change.new or "") == blob and not is_gone:
        if standing is None:
            return ()
        lifted = decide_release(SYSTEM_ACTOR, workspace.settings)
        return (_hold_change(path, None, standing.blob, lifted),)
    candidate = _filed(workspace, path, blob, change.new)
    hold = Hold(
        path=path,
        admitted="" if is_gone else blob,
        found=change.new or "",
        candidate=candidate.id if candidate else "",
    )
    placed = decide_hold(workspace.settings)
    return (_hold_change(path, encode_hold(hold), standing.blob if standing else None, placed),)


def _filed(workspace: Workspace, path: str, admitted: str, found: str | None) -> Candidate | None:
    """Files the foreign version of a path for review.

    A text that cannot be proposed at all (no UTF-8, too large) is held all the same and
    named by ``check``; the file itself is what the person mends.
    """
    try:
        return put_candidate(workspace, foreign_candidate(workspace, path, admitted, found))
    except DataError:
        return None


def _hold_change(
    path: str, content: bytes | None, expected: str | None, decision: Decision
) -> FileChange:
    return FileChange(path=hold_path(path), content=content, expected=expected, decision=decision)


def foreign_candidate(
    workspace: Workspace, path: str, admitted: str, found: str | None
) -> Candidate:
    """Makes the inbox entry for what a foreign commit did to one path."""
    content = workspace.store.read_blob(found) if found else b""
    return outside_candidate(
        workspace,
        path=path,
        base=admitted,
        content=content,
        is_removed=found is None,
        why=reason("edit.foreign-commit"),
    )


def outside_candidate(
    workspace: Workspace,
    *,
    path: str,
    base: str,
    content: bytes,
    is_removed: bool,
    why: Reason,
    theirs: str = "",
    is_working_file: bool = False,
) -> Candidate:
    """Makes the inbox entry of a change that was found outside memfs."""
    now = workspace.clock.now()
    action = _action(path, base=base, theirs=theirs, is_removed=is_removed)
    source = content if content else workspace.store.read_blob(base) if base else b""
    candidate = Candidate(
        id=workspace.ids.new_id(CANDIDATE_PREFIX),
        action=action,
        path=path,
        content=content,
        base=base,
        theirs=theirs,
        title=path.rsplit("/", 1)[-1],
        origin=Origin(
            origin_class=origin_class(Channel.WORKSPACE),
            principal=WORKSPACE_PRINCIPAL,
            channel=Channel.WORKSPACE,
            source=f"{'working' if is_working_file else 'commit'}:{path}",
            digest=content_digest("edit", content),
        ),
        reasons=(why,),
        created=now,
        expires=now + timedelta(days=workspace.settings.inbox.expire_days),
        key=f"path:{path}",
        is_working_file=is_working_file,
    )
    return _described(workspace, candidate, source)


def _action(path: str, *, base: str, theirs: str, is_removed: bool) -> CandidateAction:
    if path == SETTINGS_PATH:
        return CandidateAction.SETTINGS
    if theirs:
        return CandidateAction.CONFLICT
    if is_removed:
        return CandidateAction.FORGET
    return CandidateAction.REVISE if base else CandidateAction.ADD


def _described(workspace: Workspace, candidate: Candidate, source: bytes) -> Candidate:
    """Adds the id, kind and title that the text itself tells, when it can be read."""
    if candidate.path == SETTINGS_PATH:
        return replace(candidate, title="settings")
    record = _told_by(workspace, candidate.path, source)
    if record is None:
        return candidate
    title = record.title or title_from(record.body) or candidate.title
    return replace(
        candidate,
        record_id=record.id,
        kind=record.kind,
        title=record.id if record.sensitivity.is_opaque else title,
    )


def _told_by(workspace: Workspace, path: str, source: bytes) -> Record | None:
    """Reads a record, or the draft that a person wrote with little more than a body."""
    try:
        return read_record(source, path=path, registry=workspace.registry)
    except RecordError:
        return decode_record(source, path=path, registry=workspace.registry, draft=True).record
