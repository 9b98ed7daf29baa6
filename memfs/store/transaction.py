"""Makes a plan one commit, whole or not at all.

Order: objects and working copies are written aside → write lock → recover if something moved →
preconditions → trees and commit → flush → Git's locks → intent → both refs, ``main`` first (the
commit point) → working files → index → marker. A process that dies before the commit point has
changed nothing; one that dies after it is finished by the next opener. A plan is acknowledged
when both refs have moved, never before; what then fails is left to recovery and does not take
the acknowledgement back.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path

from memfs.errors import GitError
from memfs.model.frozen import frozen
from memfs.model.operation import Commit, FileChange, Plan
from memfs.model.settings import Durability
from memfs.store.bulk import BULK_CHANGES, write_bulk
from memfs.store.context import WriteContext
from memfs.store.effects import WriteFailedError as WriteFailedError
from memfs.store.journal import Intent, Marker, Placed, encode_intent
from memfs.store.lock import FileLock
from memfs.store.message import (
    COMMITTER,
    commit_content,
    git_time,
    normal_key,
    parse_commit,
    subject_line,
)
from memfs.store.objects import EncodedObject, ObjectWriter, encode_object
from memfs.store.placement import Placement, WorkingFiles
from memfs.store.preconditions import (
    ForeignCommitsError,
    check_branch,
    check_expected,
    check_heads,
    check_plan,
    find_parents,
)
from memfs.store.recovery import find_healing, recover, write_marker
from memfs.store.refs import (
    LEDGER_REF,
    MAIN_REF,
    RefMove,
    RefMovedError,
    RefTransaction,
    append_reflog,
)
from memfs.store.settled import is_settled
from memfs.store.staging import Staging
from memfs.store.treebuilder import build_tree


@frozen
class _Prepared:
    """A plan with its content written aside.

    Attributes:
        plan: The plan.
        blobs: Blob id by path, ``None`` for removals.
        copies: Temporary working files by path.
        bulk_base: For a large plan, the branch tip that its tree was made from.
        bulk_tree: That tree; empty for an ordinary plan.
        objects: Writes the objects.
        staging: All temporary files.
    """

    plan: Plan
    blobs: Mapping[str, str | None]
    copies: Mapping[str, str]
    objects: ObjectWriter
    staging: Staging
    bulk_base: str = ""
    bulk_tree: str = ""


def commit_plan(context: WriteContext, plan: Plan) -> Commit:
    """Commits a plan and returns the commit; see ``Store.commit`` for what it raises."""
    check_plan(plan)
    staging = context.new_staging()
    try:
        with contextlib.ExitStack() as stack:
            prepared = _prepare(context, plan, staging, stack)
            context.effects.step("staged")
            with context.writing():
                return _commit_locked(context, prepared)
    except OSError as error:
        raise WriteFailedError(
            f"the store could not be written: {error.strerror or error}",
            hint="nothing is lost; check free space and access rights, then repeat it",
            path=str(error.filename or ""),
        ) from error
    finally:
        staging.discard()


def _prepare(
    context: WriteContext, plan: Plan, staging: Staging, stack: contextlib.ExitStack
) -> _Prepared:
    objects = ObjectWriter(context.git_dir, staging, context.effects)
    if len(plan.changes) >= BULK_CHANGES:
        return _prepare_bulk(context, plan, staging, stack, objects)
    blobs: dict[str, str | None] = {}
    copies: dict[str, str] = {}
    for change in plan.changes:
        if change.content is None:
            blobs[change.path] = None
            continue
        blob = encode_object("blob", change.content)
        objects.add(blob)
        blobs[change.path] = blob.oid
        copies[change.path] = staging.put(change.content)
    return _Prepared(plan=plan, blobs=blobs, copies=copies, objects=objects, staging=staging)


def _prepare_bulk(
    context: WriteContext,
    plan: Plan,
    staging: Staging,
    stack: contextlib.ExitStack,
    objects: ObjectWriter,
) -> _Prepared:
    """Writes the objects of a large plan as one pack, kept alive until the commit is made."""
    base = context.read_main()
    changes = ((change.path, change.content) for change in plan.changes)
    bulk = stack.enter_context(write_bulk(Path(context.git_dir), base, changes))
    return _Prepared(
        plan=plan,
        blobs={change.path: bulk.blobs.get(change.path) for change in plan.changes},
        copies={
            change.path: staging.put(change.content)
            for change in plan.changes
            if change.content is not None
        },
        bulk_base=base,
        bulk_tree=bulk.tree,
        objects=objects,
        staging=staging,
    )


def _commit_locked(context: WriteContext, prepared: _Prepared) -> Commit:
    plan = prepared.plan
    deadline = time.monotonic() + context.settings.lock_timeout_s
    check_branch(context)
    if not is_settled(context):
        recover(context, deadline=deadline)
    if plan.key:
        earlier = context.keys.find(normal_key(plan.key))
        if earlier is not None:
            return earlier
    main, ledger = context.read_main(), context.read_ledger()
    check_heads(plan, main=main, ledger=ledger)
    intent, commit = _build(context, prepared, main=main, ledger=ledger)
    kept = _publish(context, prepared, intent, deadline)
    return dataclasses.replace(commit, kept_working=kept)


def _build(
    context: WriteContext, prepared: _Prepared, *, main: str, ledger: str
) -> tuple[Intent, Commit]:
    """Builds trees and commit on the branch tip and writes them aside."""
    plan = prepared.plan
    base = context.read_tree_of(main)
    check_expected(plan, context.trees, base)
    parents = find_parents(context, main=main, ledger=ledger)
    trees: tuple[EncodedObject, ...] = ()
    if prepared.bulk_tree and prepared.bulk_base == main:
        root = prepared.bulk_tree
    else:
        root, trees = build_tree(context.trees, base, prepared.blobs)
    content = commit_content(plan, tree=root, parents=parents)
    commit = encode_object("commit", content)
    for item in (*trees, commit):
        prepared.objects.add(item)
    intent = Intent(
        main=main,
        ledger=ledger,
        commit=commit.oid,
        key=normal_key(plan.key),
        files=tuple(_placed(change, prepared.blobs) for change in plan.changes),
    )
    return intent, parse_commit(commit.oid, content)


def _placed(change: FileChange, blobs: Mapping[str, str | None]) -> Placed:
    return Placed(
        path=change.path,
        old=change.expected or "",
        new=blobs[change.path] or "",
        replaces=tuple(sorted(change.replaces_working)),
    )


def _publish(
    context: WriteContext, prepared: _Prepared, intent: Intent, deadline: float
) -> tuple[str, ...]:
    """Moves the refs and brings everything else in step; returns the paths left alone."""
    staging, effects = prepared.staging, context.effects
    moves = (
        RefMove(name=MAIN_REF, old=intent.main, new=intent.commit),
        RefMove(name=LEDGER_REF, old=intent.ledger, new=intent.commit),
    )
    refs = RefTransaction(context.git_dir, moves, staging, effects)
    refs.stage()
    written_intent = staging.put(encode_intent(intent))
    staging.flush()
    effects.step("flushed")
    is_each = context.settings.durability is Durability.EACH
    prepared.objects.publish(is_synced=is_each)
    effects.step("objects")
    index_lock = context.index_lock(staging)
    try:
        index_lock.acquire(deadline)
        effects.step("index-lock")
        # Under the lock no checkout can run, so the branch stays what it is now.
        check_branch(context)
        marker = context.journal.read_marker()
        _lock_refs(refs, intent, deadline, context)
        effects.step("ref-locks")
        effects.rename(written_intent, context.journal.intent_path)
        staging.forget(written_intent)
        if is_each:
            effects.fsync_folder(f"{context.git_dir}/memfs")
        effects.step("intent")
        _log_refs(context, prepared.plan, moves)
        effects.step("reflog")
        refs.publish(step="ref")
        if context.settings.durability is not Durability.PROCESS:
            refs.sync()
        effects.step("committed")
        return _follow(context, prepared, intent, index_lock, marker)
    finally:
        refs.release()
        index_lock.release()


def _lock_refs(
    refs: RefTransaction, intent: Intent, deadline: float, context: WriteContext
) -> None:
    try:
        refs.lock(deadline)
    except RefMovedError as error:
        # A person committed between our look and our lock.
        raise ForeignCommitsError(intent.ledger, context.read_main()) from error


def _log_refs(context: WriteContext, plan: Plan, moves: tuple[RefMove, ...]) -> None:
    identity = f"{COMMITTER} {git_time(plan.at)}"
    message = f"memfs: {subject_line(plan)}"
    main, ledger = moves
    head = RefMove(name="HEAD", old=main.old, new=main.new)
    for move in (main, head, ledger):
        append_reflog(
            context.git_dir, move, identity=identity, message=message, effects=context.effects
        )


def _follow(
    context: WriteContext,
    prepared: _Prepared,
    intent: Intent,
    index_lock: FileLock,
    marker: Marker | None,
) -> tuple[str, ...]:
    """Brings key log, working files, index and marker in step with a commit that has happened."""
    kept: tuple[str, ...] = ()
    try:
        if intent.key:
            context.keys.add(intent.key, intent.commit)
        with WorkingFiles(context.root, prepared.staging, context.effects) as working:
            placement = working.place(intent.files, lambda item: prepared.copies[item.path])
            kept = placement.kept
            context.effects.step("files")
            _update_index(context, prepared.staging, placement, working, index_lock, marker)
    except (OSError, GitError):
        # The commit is there and acknowledged; the next opener finds the intent unfinished.
        return kept
    return kept


def _update_index(
    context: WriteContext,
    staging: Staging,
    placement: Placement,
    working: WorkingFiles,
    index_lock: FileLock,
    marker: Marker | None,
) -> None:
    # A conflict that a person has to resolve stays one.
    unmerged = context.index.find_unmerged(placement.kept) if placement.kept else frozenset()
    edits = {edit.path: edit for edit in placement.edits if edit.path not in unmerged}
    main = context.read_main()
    if marker is not None and marker.index == context.index.key():
        key = context.index.update(
            index_lock, tuple(edits.values()), context.settings.index, staging
        )
    else:
        # Another process wrote the index after us: it may have put an older one back.
        healing = find_healing(context, working, main)
        if healing is None:
            key = context.index.rebuild(index_lock, main, staging)
        else:
            edits |= {edit.path: edit for edit in healing}
            mode = context.settings.index
            key = context.index.bring_in_step(
                index_lock, tuple(edits.values()), mode, staging, main
            )
    context.effects.step("index")
    write_marker(context, key, staging)
    context.effects.step("marked")
