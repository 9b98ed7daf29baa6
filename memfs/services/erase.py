"""Erasing: the same barrier and tombstone as forgetting, then the bytes, then a search for them.

Order: decide → find every version → barrier and tombstone in one commit → inbox, working tree,
caches, journal → with ``history`` the Git history → every managed place is searched → receipt.
Whatever remains is said, with its place, and the answer is then no (C2). An erasure that was
cut short can be repeated: what is gone already is no obstacle.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from memfs.errors import UsageError
from memfs.model.decision import Decision
from memfs.model.ids import TRANSACTION_PREFIX
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_erase
from memfs.services.backups import drop_backups
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.erasure_report import Outcome, details_of, report
from memfs.services.erasure_scan import Needles, beyond_reach, scan
from memfs.services.forget import removal
from memfs.services.jobs import JOBS_FOLDER
from memfs.services.note_words import scrub_notes
from memfs.services.ports import Workspace
from memfs.services.proposals import NAMED_RECORDS
from memfs.services.queue import drop_jobs
from memfs.services.receipts import write_receipt
from memfs.services.sealing import destroy_keys
from memfs.services.served_records import read_path
from memfs.services.session_places import sweep_sessions
from memfs.services.signals import forget_use
from memfs.services.sought import Sought, look_for
from memfs.store.layout import PROJECTIONS, UNTRACKED_FOLDERS, VIEWS_FOLDER, hold_path
from memfs.store.leavings import drop_words
from memfs.store.purge import Purged
from memfs.store.purge_checks import check_possible
from memfs.store.rewriting import filter_command
from memfs.store.scrubbing import drop_empty_folders, scrub_working
from memfs.store.snapshot import Snapshot

ACTION = "erase"
RECEIPT = "erasure"
"""What the receipt is of: the bytes. The withdrawal that came first has one of its own."""
INBOX = UNTRACKED_FOLDERS[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseWish:
    """What a person asks for.

    Attributes:
        references: Records.
        texts: Further words, wherever they stand.
        is_history: Rewrite the Git history as well.
        is_dry_run: Only tell what would be done.
    """

    references: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    is_history: bool = False
    is_dry_run: bool = False


def erase(workspace: Workspace, wish: EraseWish, actor: Actor) -> Result:
    """Erases records, and searches every managed place for what is left of them.

    Raises:
        UsageError: Nothing was named, or a text is too short.
        UnknownRecordError: A reference names nothing, now or in the history.
        PurgeUnavailableError: The history is to be rewritten and git-filter-repo is missing.
        PurgeBlockedError: The history cannot be rewritten now; nothing was done.
        GitError: Git failed; what was not done is done by repeating the command.
    """
    decision = decide_erase(actor, workspace.settings)
    if not decision.is_admitted:
        return _refused(workspace, wish, decision)
    if not (wish.references or wish.texts):
        raise UsageError("expected a record or --text, got neither")
    if not (wish.references or wish.is_history):
        raise UsageError("expected --history with --text alone: only a history says it then")
    if wish.is_history:
        # Asked before anything is done, so that a no leaves nothing half done.
        filter_command()
        check_possible(workspace.store.git_dir)
    sought = look_for(workspace, wish.references, actor, wish.texts)
    if wish.is_dry_run:
        return _foreseen(workspace, wish, sought)
    handed_out = beyond_reach(workspace, sought.identifiers)
    transaction = _barrier(workspace, sought, actor, decision)
    with workspace.store.exclusive():
        outcome = _carry_out(workspace, sought, wish, handed_out)
    details = details_of(workspace, sought, outcome)
    receipt = write_receipt(
        workspace,
        operation=RECEIPT,
        transaction=transaction,
        targets=sought.identifiers,
        details=details,
    )
    return _result(workspace, sought, outcome, transaction, receipt.id)


def _barrier(workspace: Workspace, sought: Sought, actor: Actor, decision: Decision) -> str:
    """Withdraws what still stands, in one commit; returns the transaction of the erasure."""
    names = {stored.path for stored in sought.standing}

    def decide_on(snapshot: Snapshot) -> Decided[tuple[StoredRecord, ...]]:
        found = [read_path(workspace, snapshot, path) for path in sorted(names)]
        standing = tuple(stored for stored in found if stored is not None)
        if not standing:
            return Decided(())
        changes: dict[str, FileChange] = {}
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            for stored in standing:
                for change in removal(workspace, snapshot, catalogue, stored, decision):
                    changes[change.path] = change
                held = snapshot.raw_entry(hold_path(stored.path))
                if held is not None:
                    changes[hold_path(stored.path)] = FileChange(
                        path=hold_path(stored.path),
                        content=None,
                        expected=held.blob,
                        decision=decision,
                    )
        return Decided(standing, _plan(workspace, snapshot, standing, actor, changes))

    committed = commit_decided(workspace, decide_on)
    if committed.commit is None:
        return workspace.ids.new_id(TRANSACTION_PREFIX)
    return committed.commit.transaction


def _plan(
    workspace: Workspace,
    snapshot: Snapshot,
    standing: tuple[StoredRecord, ...],
    actor: Actor,
    changes: Mapping[str, FileChange],
) -> Plan:
    return Plan(
        transaction=workspace.ids.new_id(TRANSACTION_PREFIX),
        operation=OperationKind.ERASE,
        subject=standing[0].record.id + (f" (+{len(standing) - 1})" if len(standing) > 1 else ""),
        actor=actor,
        at=workspace.clock.now(),
        changes=tuple(changes.values()),
        base=snapshot.commit,
        records=tuple(stored.record.reference for stored in standing[:NAMED_RECORDS]),
    )


def _carry_out(
    workspace: Workspace, sought: Sought, wish: EraseWish, handed_out: dict[str, list[str]]
) -> Outcome:
    """Removes the bytes and searches for them; the caller holds the store's lock."""
    store = workspace.store
    keys = destroy_keys(workspace, sought.identifiers)
    dropped = _clear_inbox(workspace, sought)
    drop_jobs(workspace, sought.needles.is_in)
    scrub_notes(workspace, sought.wish)
    sweep_sessions(workspace)
    for view in (*PROJECTIONS, *store.list_untracked(VIEWS_FOLDER)):
        store.remove_untracked(view)
    tip = store.snapshot(store.main_head())
    scrubbed = scrub_working(store.root, tip, sought.wish)
    drop_words(store.git_dir)
    forget_use(workspace, sought.identifiers)
    clear_caches(workspace)
    backups = drop_backups(workspace)
    purged = store.purge(sought.wish) if wish.is_history else None
    if purged is not None:
        _follow_blobs(workspace, purged)
    for path in sought.copies.paths:
        drop_empty_folders(store.root, path.decode("utf-8", "replace").partition("/")[0])
    return Outcome(
        places=scan(workspace, sought.needles),
        purged=purged,
        candidates=dropped,
        working=len(scrubbed.removed) + len(scrubbed.replaced),
        unreadable=len(scrubbed.closed),
        keys=keys,
        backups=backups,
        beyond=handed_out,
    )


def _clear_inbox(workspace: Workspace, sought: Sought) -> int:
    """Removes candidates that carry the words or the id of what is erased."""
    needles = Needles((*sought.forms, *(name.encode("ascii") for name in sought.identifiers)))
    dropped = 0
    for path in workspace.store.list_untracked(INBOX):
        is_found = needles.is_in(path.encode()) or needles.is_in_file(workspace.store.root / path)
        if is_found:
            workspace.store.remove_untracked(path)
            dropped += 1
    return dropped


def clear_caches(workspace: Workspace) -> None:
    """Removes what the cache folder holds of the ledger; all of it comes back from there."""
    if not workspace.cache_dir.is_dir() or workspace.cache_dir.is_symlink():
        return
    for place in workspace.cache_dir.iterdir():
        if place.name == JOBS_FOLDER:  # names ids, and work that has still to be done
            continue
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)


def _follow_blobs(workspace: Workspace, purged: Purged) -> None:
    """Lets candidates that stand on a rewritten file stand on what it says now."""
    if not purged.blobs:
        return
    for path in workspace.store.list_untracked(INBOX):
        before = workspace.store.read_working(path)
        if before is None:
            continue
        after = before
        for old, new in purged.blobs.items():
            after = after.replace(old.encode("ascii"), new.encode("ascii"))
        if after != before:
            workspace.store.write_untracked(path, after)


def _refused(workspace: Workspace, wish: EraseWish, decision: Decision) -> Result:
    return Result(
        action=ACTION,
        target=", ".join(wish.references),
        status=ResultStatus.REFUSED,
        message=decision.reasons[0].message,
        store=str(workspace.store.root),
        reasons=decision.reasons,
    )


def _foreseen(workspace: Workspace, wish: EraseWish, sought: Sought) -> Result:
    places = scan(workspace, sought.needles)
    versions = len(sought.copies.blobs)
    lines = [f"{place.name}: found in {place.found} of {place.looked_at}" for place in places]
    return Result(
        action=ACTION,
        target=_target(sought),
        status=ResultStatus.NOTHING,
        message=f"would erase {versions} versions"
        + ("" if wish.is_history else "; without --history they stay in the Git history"),
        store=str(workspace.store.root),
        data={
            "versions": versions,
            "phrases": len(sought.phrases),
            "shared": sought.shared,
            "preview": [*lines],
        },
    )


def _target(sought: Sought) -> str:
    return sought.identifiers[0] if len(sought.identifiers) == 1 else ""


def _result(
    workspace: Workspace,
    sought: Sought,
    outcome: Outcome,
    transaction: str,
    receipt: str,
) -> Result:
    lines = report(sought, outcome)
    left = outcome.remaining
    named: Sequence[str] = [f"{place.name}: {place.found}" for place in left]
    return Result(
        action=ACTION,
        target=_target(sought),
        status=ResultStatus.PROBLEMS if left else ResultStatus.DONE,
        message="something remains: " + "; ".join(named) if left else lines[0],
        operation=transaction,
        store=str(workspace.store.root),
        data={
            "receipt": receipt,
            "preview": list(lines if left else lines[1:]),
            "remaining": [place.name for place in left],
            "history": outcome.purged is not None,
        },
    )
