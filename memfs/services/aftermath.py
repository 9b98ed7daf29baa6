"""What follows a barrier, in this order: purge, repair, canary, receipt (A60).

The barrier is in the ledger before anything here begins, and nothing here is needed for it to
hold: killed at any point, the withdrawn stays withdrawn. A note beside the caches names the work
that was begun; whoever finds one that nobody works on any more finishes it, and doing it twice
does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress

from memfs.errors import DataError, MemfsError
from memfs.formats.record_codec import decode_record
from memfs.model.candidate import Candidate
from memfs.model.frozen import frozen
from memfs.model.ids import CommitId, split_version
from memfs.model.operation import Commit
from memfs.model.record import StoredRecord
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue
from memfs.policy.withdrawal import is_retracted
from memfs.services.barrier import Aftermath, Withdrawal
from memfs.services.canary import ask_everywhere, check_nothing_found
from memfs.services.catalogue import fingerprint_of, open_catalogue
from memfs.services.core_note import CORE_PATH, forget_places, read_core_note
from memfs.services.guard import note_forgotten
from memfs.services.guard_retracted import note_retracted
from memfs.services.in_step import INDEX_PATH, projection_stamp
from memfs.services.inbox import read_inbox, remove_candidate
from memfs.services.jobs import end_job, left_behind
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection, write_projection
from memfs.services.receipts import write_receipt
from memfs.services.reindex import ensure_fresh, purge_index
from memfs.services.repair import Repaired, repair
from memfs.services.served_records import read_path, read_records
from memfs.services.signals import forget_use
from memfs.services.vectors import drop_vectors
from memfs.services.withdrawal_receipt import Purged, details_of
from memfs.store.layout import PROJECTIONS, VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

RECENT = 1000
"""A withdrawal that nobody ended is looked for among so many of the newest commits."""


def follow_up(workspace: Workspace, withdrawal: Withdrawal, commit: str) -> Aftermath:
    """Purges what was derived, repairs what is supported, asks everywhere, writes the receipt.

    Args:
        workspace: The store.
        withdrawal: What was taken back, as it stood.
        commit: The commit that set the barrier.

    Raises:
        CanaryError: Something of it can still be read; the barrier stands.
    """
    parents = workspace.store.commit_info(CommitId(commit)).parents
    parent = parents[0] if parents else ""
    if withdrawal.removed:
        ids = [stored.record.id for stored in withdrawal.removed]
        note_forgotten(workspace, ids, commit=commit, before=parent)
    if withdrawal.retracted:
        ids = [stored.record.id for stored in withdrawal.retracted]
        note_retracted(workspace, ids, commit=commit)
    purged = purge(workspace, withdrawal)
    before = {stored.record.id: stored for stored in (*withdrawal.roots, *withdrawal.withheld)}
    withheld = frozenset(stored.record.id for stored in withdrawal.withheld)
    repaired, trouble = Repaired(withheld=tuple(sorted(withheld))), ""
    if withheld:
        try:
            repaired = repair(workspace, before=before, only=withheld)
        except MemfsError as error:
            trouble = error.code
        purge_derived(workspace)
    still = frozenset(repaired.withheld)
    report = ask_everywhere(
        workspace,
        gone=(
            *withdrawal.removed,
            *(stored for stored in withdrawal.withheld if stored.record.id in still),
        ),
        retracted=withdrawal.retracted,
        replaced=withdrawal.replaced,
        before=parent,
    )
    check_nothing_found(report)
    details = details_of(workspace, withdrawal, repaired, report, purged=purged)
    receipt = write_receipt(
        workspace,
        operation=withdrawal.operation,
        transaction=withdrawal.transaction,
        targets=tuple(stored.record.reference for stored in withdrawal.roots),
        details=details,
    )
    if not trouble:
        end_job(workspace, withdrawal.transaction)
    return Aftermath(
        receipt=receipt.id,
        restored=repaired.restored,
        withheld=repaired.withheld,
        details=details,
        trouble=trouble,
    )


# Purging -----------------------------------------------------------------------------------


def purge(workspace: Workspace, withdrawal: Withdrawal) -> Purged:
    """Takes what was withdrawn out of everything that was made from it (A39)."""
    is_purged = purge_index(workspace) if withdrawal.removed else False
    purge_derived(workspace)
    gone = [*withdrawal.roots, *withdrawal.withheld]
    _purge_projections(workspace, gone)
    is_dropped = drop_vectors(workspace, (stored.record.id for stored in gone))
    if withdrawal.removed:
        _purge_inbox(workspace, withdrawal)
        names = frozenset(stored.record.id for stored in withdrawal.removed)
        # How it was used and that it was chosen is kept by its id, and by its file's name.
        forget_use(workspace, names)
        forget_places(workspace, names)
    return Purged(index=is_purged, vectors=is_dropped)


def purge_derived(workspace: Workspace) -> None:
    """Brings index and catalogue to the ledger's head and leaves nothing older in them."""
    ensure_fresh(workspace)
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        catalogue.purge()


def _purge_projections(workspace: Workspace, gone: Sequence[StoredRecord]) -> None:
    """Removes generated views, which come back by themselves; out of one that a person is
    editing only the withdrawn lines are taken.
    """
    core = read_core_note(workspace)
    written = {
        INDEX_PATH: projection_stamp(workspace).digest,
        CORE_PATH: core.digest if core is not None else "",
    }
    marks = tuple(f"{stored.record.id}@" for stored in gone)
    for path in PROJECTIONS:
        text = read_projection(workspace, path)
        if text is None or not any(mark in text for mark in marks):
            continue
        try:
            if workspace.store.working_digest(path) == written.get(path):
                workspace.store.remove_untracked(path)
                continue
            lines = text.splitlines(keepends=True)
            kept = (line for line in lines if not any(mark in line for mark in marks))
            write_projection(workspace, path, "".join(kept))
        except DataError:
            continue
    ids = tuple(stored.record.id for stored in gone)
    for path in workspace.store.list_untracked(VIEWS_FOLDER):
        text = read_projection(workspace, path)
        if text is not None and any(name in text for name in ids):
            workspace.store.remove_untracked(path)


def _purge_inbox(workspace: Workspace, withdrawal: Withdrawal) -> None:
    """Removes proposals that say what was forgotten, or were made of it.

    A person's own file is left to them.
    """
    removed = withdrawal.removed
    sought = _Sought(
        ids=frozenset(stored.record.id for stored in removed),
        made_of=_made_of(withdrawal),
        words=frozenset(normalise_text(stored.record.body) for stored in removed) - {""},
        marks=frozenset(fingerprint_of(stored.record) for stored in removed),
    )
    for candidate in read_inbox(workspace).candidates:
        if not candidate.is_working_file and _carries(workspace, candidate, sought):
            remove_candidate(workspace, candidate)


@frozen
class _Sought:
    """What a proposal may not carry: ids, ids of what it was made of, words, fingerprints."""

    ids: frozenset[str]
    made_of: frozenset[str]
    words: frozenset[str]
    marks: frozenset[str]


def _made_of(withdrawal: Withdrawal) -> frozenset[str]:
    """Returns the ids of what was forgotten and of what was derived from it, however far.

    What only cites it may stand on something else, and what is made of that as well.
    """
    gone = {stored.record.id for stored in withdrawal.removed}
    derived = {
        stored.record.id: {split_version(name)[0] for name in stored.record.derived_from}
        for stored in withdrawal.withheld
    }
    while more := {name for name, inputs in derived.items() if inputs & gone} - gone:
        gone |= more
    return frozenset(gone)


def _carries(workspace: Workspace, candidate: Candidate, sought: _Sought) -> bool:
    is_about = candidate.record_id in sought.ids
    if is_about or any(quote.evidence_id in sought.ids for quote in candidate.quotes):
        return True
    decoded = decode_record(
        candidate.content, path=candidate.path, registry=workspace.registry, draft=True
    )
    record = decoded.record
    if record is None:
        return False
    inputs = {split_version(name)[0] for name in record.derived_from}
    return (
        not inputs.isdisjoint(sought.made_of)
        or normalise_text(record.body) in sought.words
        or fingerprint_of(record) in sought.marks
    )


# What a killed process left -------------------------------------------------------------


def resume(workspace: Workspace, *, everything: bool = False) -> tuple[str, ...]:
    """Finishes what a killed process left behind; returns the references served again.

    What was taken back is read from the commit before the barrier, so that the end is the same
    as if nothing had happened. Doing it twice does no harm.

    Args:
        workspace: The store.
        everything: Look at everything behind a barrier, whatever the notes say.
    """
    restored: list[str] = []
    for path, note in left_behind(workspace):
        transaction = str(note.get("transaction", ""))
        commit = _commit_of(workspace, transaction)
        if commit is not None and commit.parents:
            withdrawal = _reconstructed(workspace, note, commit)
            restored.extend(follow_up(workspace, withdrawal, commit.id).restored)
        with suppress(OSError):
            path.unlink(missing_ok=True)
    if everything:
        purge_derived(workspace)
        restored.extend(repair(workspace).restored)
    return tuple(restored)


def _commit_of(workspace: Workspace, transaction: str) -> Commit | None:
    recent = workspace.store.commits(limit=RECENT)
    return next((commit for commit in recent if commit.transaction == transaction), None)


def _reconstructed(
    workspace: Workspace, note: Mapping[str, JsonValue], commit: Commit
) -> Withdrawal:
    """Returns a withdrawal whose process is gone, from its note and the commit before it."""
    earlier = workspace.store.snapshot(CommitId(commit.parents[0]))
    roots = _as_they_stood(workspace, earlier, note.get("roots"))
    now = workspace.store.snapshot(CommitId(commit.id))
    removed, retracted, replaced = [], [], []
    for stored in roots:
        present = read_path(workspace, now, stored.path)
        if present is None:
            removed.append(stored)
        elif is_retracted(present.record):
            retracted.append(stored)
        else:
            replaced.append(stored)
    return Withdrawal(
        operation=str(note.get("operation", "")),
        transaction=commit.transaction,
        removed=tuple(removed),
        retracted=tuple(retracted),
        replaced=tuple(replaced),
        withheld=_as_they_stood(workspace, earlier, note.get("withheld")),
    )


def _as_they_stood(
    workspace: Workspace, snapshot: Snapshot, names: JsonValue
) -> tuple[StoredRecord, ...]:
    wanted = {split_version(str(name))[0] for name in names} if isinstance(names, list) else set()
    places = [(entry.path, entry.blob) for name in wanted for entry in snapshot.find_suffix(name)]
    read = read_records(workspace, snapshot, places)
    found = {stored.record.id: stored for stored in read if stored.record.id in wanted}
    return tuple(found[name] for name in sorted(found))
