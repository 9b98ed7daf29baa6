"""What a migration brought in, taken back when it steps back and served again when it goes on.

Both ways go through the usual verbs: what came in is retracted in one commit, with the barrier
around what rests on it, and is restored in one commit, compared with what stands by then. Only
what the step back itself retracted is restored: what a person forgot or retracted meanwhile, or
changed since it came in, is none of its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Final

from memfs.errors import GitError
from memfs.model.ids import CommitId
from memfs.model.migration import Migration
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.status import Status
from memfs.policy.administration import decide_restore, decide_retract
from memfs.policy.withdrawal import is_retracted, is_standing
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.guard_retracted import note_restored
from memfs.services.inbox import read_inbox, remove_candidate
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, is_held, plan_from
from memfs.services.repair import repair
from memfs.services.restore import decided_anew
from memfs.services.served_records import read_records
from memfs.services.withdraw import moved_to
from memfs.store.git import run_git
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot, TreeChange

_FIRST: Final = 1
_KEY: Final = "migration-back:"


def imported_records(
    workspace: Workspace, snapshot: Snapshot, migration: Migration
) -> Iterator[StoredRecord]:
    """Yields what the migration recorded and what still stands as it came in."""
    came: dict[str, str] = {}
    for commit in _commits(workspace, migration):
        for path, blob in _brought_in(workspace, commit, migration):
            came.setdefault(path, blob)
    for stored in _standing_at(workspace, snapshot, came):
        if _is_as_it_came(workspace, stored, came[stored.path]):
            yield stored


def digests_of(workspace: Workspace, migration: Migration) -> frozenset[str]:
    """Returns the digests of all that the migration ever recorded, as it came in.

    Of what a person has put in other words since, nothing else tells where it came from.
    """
    found: set[str] = set()
    for commit in _commits(workspace, migration):
        if commit.operation != OperationKind.IMPORT or f"({migration.name})" not in commit.subject:
            continue
        places = list(_added(workspace, commit))
        after = workspace.store.snapshot(CommitId(commit.id))
        for stored in read_records(workspace, after, places):
            if stored.record.origin is not None:
                found.add(stored.record.origin.digest)
    return frozenset(found - {""})


def take_back(workspace: Workspace, migration: Migration, actor: Actor) -> int:
    """Retracts what the migration recorded, in one commit; returns how much that was."""

    def decide_on(snapshot: Snapshot) -> Decided[int]:
        drafts: list[Draft] = []
        for stored in imported_records(workspace, snapshot, migration):
            decision = decide_retract(actor, stored.record, workspace.settings)
            if decision.is_admitted and not is_held(snapshot, stored):
                drafts.append(moved_to(workspace, snapshot, stored, Status.RETRACTED, decision))
        if not drafts:
            return Decided(0)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RETRACT,
            actor=actor,
            drafts=tuple(drafts),
            subject=f"{len(drafts)} records ({migration.name})",
            key=f"{_KEY}{migration.name}:{migration.trips}:{drafts[0].record.id}",
        )
        return Decided(len(drafts), plan)

    return commit_decided(workspace, decide_on).outcome


def bring_again(
    workspace: Workspace, migration: Migration, actor: Actor, digests: frozenset[str]
) -> int:
    """Serves again what steps back took back, of this migration or of one before it.

    Nothing comes back that is forgotten, that stands again already, or that could not be
    admitted beside what stands now.

    Args:
        workspace: The store.
        migration: The one that goes on.
        actor: The person.
        digests: Of all that the source says now; nothing else comes back.

    Returns:
        How much came back.
    """

    def decide_on(snapshot: Snapshot) -> Decided[tuple[StoredRecord, ...]]:
        drafts: dict[str, Draft] = {}
        back: list[StoredRecord] = []
        for stored in _taken_back(workspace, snapshot):
            if stored.record.origin is None or stored.record.origin.digest not in digests:
                continue
            decision = decide_restore(actor, stored.record, workspace.settings)
            if decision.is_admitted:
                decision = decided_anew(workspace, snapshot, stored, decision, actor)
            if decision.is_admitted and not is_held(snapshot, stored):
                draft = moved_to(workspace, snapshot, stored, Status.ACTIVE, decision)
                if drafts.setdefault(stored.path, draft) is draft:
                    back.append(stored)
        if not drafts:
            return Decided(())
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RESTORE,
            actor=actor,
            drafts=tuple(drafts.values()),
            subject=f"{len(drafts)} records ({migration.name})",
        )
        return Decided(tuple(back), plan)

    restored = commit_decided(workspace, decide_on).outcome
    if restored:
        names = [stored.record.id for stored in restored]
        note_restored(workspace, names)
        with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
            rows = catalogue.descendants(names)
        repair(workspace, only=frozenset({*names, *(row.id for row in rows)}))
    return len(restored)


def take_out_waiting(workspace: Workspace, migration: Migration) -> int:
    """Takes what the migration proposed out of the inbox; returns how much that was."""
    waiting = [item for item in read_inbox(workspace).waiting if item.batch == migration.name]
    for candidate in waiting:
        remove_candidate(workspace, candidate)
    return len(waiting)


def waiting_of(workspace: Workspace, migration: Migration) -> int:
    """Returns how much of what the migration proposed still waits."""
    return sum(item.batch == migration.name for item in read_inbox(workspace).waiting)


def _taken_back(workspace: Workspace, snapshot: Snapshot) -> Iterator[StoredRecord]:
    """Yields what steps back retracted and nobody has touched since."""
    store, head = workspace.store, workspace.store.ledger_head() or ""
    options = ("--fixed-strings", f"--grep={_KEY}")
    names = run_git(store.git_dir, None, "rev-list", *options, head, "--").decode("ascii").split()
    for name in names:
        commit = store.commit_info(CommitId(name))
        changed = dict(_changed(workspace, commit)) if commit.key.startswith(_KEY) else {}
        for stored in _standing_at(workspace, snapshot, changed):
            if stored.blob == changed[stored.path] and is_retracted(stored.record):
                yield stored


def _brought_in(
    workspace: Workspace, commit: Commit, migration: Migration
) -> Iterator[tuple[str, str]]:
    """Yields path and blob of what a commit recorded, or served again, for a migration."""
    if f"({migration.name})" not in commit.subject:
        return
    if commit.operation == OperationKind.IMPORT:
        yield from _added(workspace, commit)
    elif commit.operation == OperationKind.RESTORE:
        # What stands beside it gained a mark in the same commit, and was not brought in by it.
        before = workspace.store.snapshot(CommitId(commit.parents[0]))
        changed = dict(_changed(workspace, commit))
        for stored in _standing_at(workspace, before, changed):
            if is_retracted(stored.record):
                yield stored.path, changed[stored.path]


def _standing_at(
    workspace: Workspace, snapshot: Snapshot, paths: Iterable[str]
) -> Iterator[StoredRecord]:
    """Yields the records that stand at ``paths``, in no particular order."""
    entries = ((path, snapshot.entry(path)) for path in paths)
    places = [(path, entry.blob) for path, entry in entries if entry is not None]
    return read_records(workspace, snapshot, places)


def _is_as_it_came(workspace: Workspace, stored: StoredRecord, blob: str) -> bool:
    kind = workspace.registry.get(stored.record.kind)
    if kind is None or not kind.is_statement or not is_standing(stored.record):
        return False
    return stored.blob == blob or stored.record.version == _FIRST


def _added(workspace: Workspace, commit: Commit) -> Iterator[tuple[str, str]]:
    for change in _changes(workspace, commit):
        if change.old is None and change.new is not None and is_record_path(change.path):
            yield change.path, change.new


def _changed(workspace: Workspace, commit: Commit) -> Iterator[tuple[str, str]]:
    for change in _changes(workspace, commit):
        if change.old is not None and change.new is not None and is_record_path(change.path):
            yield change.path, change.new


def _changes(workspace: Workspace, commit: Commit) -> Iterator[TreeChange]:
    parent = CommitId(commit.parents[0]) if commit.parents else CommitId("")
    after = workspace.store.snapshot(CommitId(commit.id))
    return after.raw_changes_since(workspace.store.snapshot(parent))


def _commits(workspace: Workspace, migration: Migration) -> tuple[Commit, ...]:
    """Returns the ledger's commits since anything was imported, newest first.

    Where the history was rewritten meanwhile, by an erasure, all of them.
    """
    store, head = workspace.store, workspace.store.ledger_head()
    if head is None or not migration.base:
        return ()
    try:
        names = run_git(store.git_dir, None, "rev-list", head, f"^{migration.base}", "--")
    except GitError:
        return store.commits()
    return tuple(store.commit_info(CommitId(name)) for name in names.decode("ascii").split())
