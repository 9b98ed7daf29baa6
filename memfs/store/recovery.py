"""Finishes or discards what an interrupted write left behind, and heals the index.

Runs under the write lock, so whatever looks like a write in progress is one that died. An
intent whose commit reached the branch is finished: the ledger ref follows, working files are
written forward, the index is brought in step. Any other intent never happened. Every step can
be repeated, so a recovery that dies is recovered in the same way. Nothing here removes a lock
that memfs did not make, moves a branch that can be read, or writes over a person's text.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from memfs.errors import GitError
from memfs.model.frozen import frozen
from memfs.store.context import WriteContext
from memfs.store.gitindex import IndexEdit
from memfs.store.indexkeeper import heal_edits
from memfs.store.journal import NO_FILE, Intent, Marker, Placed, StatKey, read_boot_id
from memfs.store.lock import FileLock, is_stale_lock
from memfs.store.message import COMMITTER
from memfs.store.placement import WorkingFiles
from memfs.store.powercut import has_lost_head, restore_heads
from memfs.store.preconditions import is_ancestor
from memfs.store.refs import (
    LEDGER_REF,
    MAIN_BRANCH,
    RefMove,
    RefTransaction,
    append_reflog,
    read_branch,
)
from memfs.store.settled import GIT_LOCKS, is_purge_pending
from memfs.store.staging import Staging, remove_leftovers


@frozen
class Recovery:
    """What a recovery did.

    Attributes:
        finished: Commit of an interrupted write that was finished; empty for none.
        is_discarded: An interrupted write that had not happened was dropped.
        healed: Paths whose index entries were set right.
        kept: Paths of the finished write that a person had edited and that were left alone.
        stale_locks: Lock files of dead writers that were removed.
        stepped_back: Refs that were gone or unreadable and stand at the last good commit now.
        is_complete: Nothing is left to do; false when another Git process holds the index.
    """

    finished: str = ""
    is_discarded: bool = False
    healed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    stale_locks: tuple[str, ...] = ()
    stepped_back: tuple[str, ...] = ()
    is_complete: bool = True


def recover(context: WriteContext, *, deadline: float | None = None) -> Recovery:
    """Brings refs, working files, index and marker in step. The caller holds the write lock.

    Args:
        context: The repository.
        deadline: Monotonic time until which to wait for another Git process that holds the
            index; ``None`` does not wait and leaves the rest for the next opener.

    Raises:
        LockTimeoutError: The deadline passed.
        OSError: The file system refuses; nothing is worse than before.
    """
    stale = _remove_stale_locks(context)
    remove_leftovers(context.temporary_folder, context.effects)
    if is_purge_pending(context.git_dir):
        from memfs.store.purge import resume  # hardly any store is ever purged

        resume(context)
    staging = context.new_staging()
    try:
        return _recover(context, staging, stale, deadline)
    finally:
        staging.discard()


def _recover(
    context: WriteContext, staging: Staging, stale: tuple[str, ...], deadline: float | None
) -> Recovery:
    marker = context.journal.read_marker()
    stepped_back: tuple[str, ...] = ()
    if marker is None or marker.boot != read_boot_id() or has_lost_head(context, marker):
        stepped_back = restore_heads(context, staging, marker)
    intent = _pending(context.journal.read_intent(), marker)
    happened = False
    if intent is not None:
        happened = _finish_refs(context, intent, staging, deadline)
        context.effects.step("recovered:refs")
    is_on_branch = intent is not None and is_ancestor(context, intent.commit, context.read_main())
    lock = context.index_lock(staging)
    if not _take(lock, deadline):
        return Recovery(stale_locks=stale, stepped_back=stepped_back, is_complete=False)
    try:
        files = intent.files if intent is not None and is_on_branch else ()
        kept, healed, key = _bring_in_step(context, lock, marker, files, staging)
    finally:
        lock.release()
    # The intent goes first: once the marker has moved on, it must not be carried out again.
    context.journal.remove_intent()
    context.effects.step("recovered:intent")
    write_marker(context, key, staging)
    return Recovery(
        finished=intent.commit if intent is not None and happened else "",
        is_discarded=intent is not None and not happened,
        healed=healed,
        kept=kept,
        stale_locks=stale,
        stepped_back=stepped_back,
    )


def write_marker(context: WriteContext, index: StatKey, staging: Staging) -> None:
    """Notes that refs, working files and index are in step now."""
    marker = Marker(
        main=context.read_main(), ledger=context.read_ledger(), index=index, boot=read_boot_id()
    )
    temporary = staging.new_name()
    context.journal.write_marker(marker, temporary)
    staging.forget(temporary)


def _remove_stale_locks(context: WriteContext) -> tuple[str, ...]:
    removed = []
    for name in GIT_LOCKS:
        path = f"{context.git_dir}/{name}"
        if is_stale_lock(path, context.temporary_folder):
            context.effects.unlink(path)
            removed.append(name)
    return tuple(removed)


def _pending(intent: Intent | None, marker: Marker | None) -> Intent | None:
    if intent is None or (marker is not None and marker.main == intent.commit):
        return None
    return intent


def _finish_refs(
    context: WriteContext, intent: Intent, staging: Staging, deadline: float | None
) -> bool:
    """Moves the ledger after the branch and notes the key; tells whether the write happened."""
    ledger = context.read_ledger()
    if ledger != intent.commit:
        if ledger != intent.ledger or not is_ancestor(context, intent.commit, context.read_main()):
            return False
        move = RefMove(name=LEDGER_REF, old=ledger, new=intent.commit)
        _move_ledger(context, move, staging, deadline)
    if intent.key:
        context.keys.add(intent.key, intent.commit)
    return True


def _move_ledger(
    context: WriteContext, move: RefMove, staging: Staging, deadline: float | None
) -> None:
    refs = RefTransaction(context.git_dir, (move,), staging, context.effects)
    refs.stage()
    staging.flush()
    try:
        refs.lock(time.monotonic() if deadline is None else deadline)
        append_reflog(
            context.git_dir,
            move,
            identity=f"{COMMITTER} {int(time.time())} +0000",
            message="memfs: finish an interrupted write",
            effects=context.effects,
        )
        refs.publish(step="recovered")
    finally:
        refs.release()


def _take(lock: FileLock, deadline: float | None) -> bool:
    if deadline is None:
        return lock.try_acquire()
    lock.acquire(deadline)
    return True


def _bring_in_step(
    context: WriteContext,
    lock: FileLock,
    marker: Marker | None,
    files: Sequence[Placed],
    staging: Staging,
) -> tuple[tuple[str, ...], tuple[str, ...], StatKey]:
    """Writes files forward and heals the index, under its lock."""
    main = context.read_main()
    if read_branch(context.git_dir) != MAIN_BRANCH:
        # Tree and index belong to another branch; Git brings them back with the next checkout.
        return (), (), NO_FILE
    if not main:
        return (), (), context.index.key()
    with WorkingFiles(context.root, staging, context.effects) as working:
        placed = working.place(files, lambda item: _stage_blob(context, item, staging))
        context.effects.step("recovered:files")
        edits = {edit.path: edit for edit in _still_true(context, main, placed.edits)}
        healed: tuple[IndexEdit, ...] = ()
        is_ours = marker is not None and marker.index == context.index.key()
        if not is_ours or (not files and marker is not None and marker.main != main):
            found = find_healing(context, working, main)
            if found is None:
                return placed.kept, (), context.index.rebuild(lock, main, staging)
            healed = found
            edits |= {edit.path: edit for edit in healed}
    if not edits:
        return placed.kept, (), context.index.key()
    mode = context.settings.index
    key = context.index.bring_in_step(lock, tuple(edits.values()), mode, staging, main)
    return placed.kept, tuple(os.fsdecode(edit.path) for edit in healed), key


def find_healing(
    context: WriteContext, working: WorkingFiles, commit: str
) -> tuple[IndexEdit, ...] | None:
    """Returns the edits that heal the index, ``None`` when it is gone or damaged.

    The caller holds the lock on the index.
    """
    if context.index.key() == NO_FILE:
        return None
    try:
        return heal_edits(context.index.stale_entries(commit), working.look)
    except GitError:
        return None


def _still_true(
    context: WriteContext, main: str, edits: Sequence[IndexEdit]
) -> tuple[IndexEdit, ...]:
    """Returns the edits that say what the branch has now, commits by hand included."""
    tree = context.read_tree_of(main)
    result = []
    for edit in edits:
        item = context.trees.find(tree, os.fsdecode(edit.path))
        if (item.oid if item is not None else "") == edit.oid:
            result.append(edit)
    return tuple(result)


def _stage_blob(context: WriteContext, item: Placed, staging: Staging) -> str:
    temporary = staging.put(context.objects.read_blob(item.new))
    staging.flush()
    return temporary
