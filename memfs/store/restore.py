"""Puts a working file back to what the branch has, with Git's index in step.

The caller has decided that the person's text may go (it is in the inbox, or was rejected).
"""

from __future__ import annotations

import os
import time

from memfs.store.context import WriteContext
from memfs.store.files import FileRefusedError
from memfs.store.gitindex import IndexEdit
from memfs.store.journal import Placed
from memfs.store.paths import check_path
from memfs.store.placement import IRREGULAR, WorkingFiles
from memfs.store.preconditions import check_branch
from memfs.store.recovery import recover, write_marker
from memfs.store.settled import is_settled
from memfs.store.staging import Staging
from memfs.store.tree import MODE_FILE


def restore_file(context: WriteContext, path: str) -> None:
    """Replaces the working file at ``path`` by the branch tip's version, or removes it.

    Raises:
        FileRefusedError: Something that is no file stands there.
        WrongBranchError: Another branch is checked out.
        LockTimeoutError: A lock was not free in time.
    """
    check_path(path)
    staging = context.new_staging()
    try:
        with context.writing():
            deadline = time.monotonic() + context.settings.lock_timeout_s
            if not is_settled(context):
                recover(context, deadline=deadline)
            lock = context.index_lock(staging)
            lock.acquire(deadline)
            try:
                check_branch(context)
                edit = _restore(context, path, staging)
                if edit is not None:
                    settings = context.settings
                    key = context.index.update(lock, (edit,), settings.index, staging)
                    write_marker(context, key, staging)
            finally:
                lock.release()
    finally:
        staging.discard()


def _restore(context: WriteContext, path: str, staging: Staging) -> IndexEdit | None:
    main = context.read_main()
    item = context.trees.find(context.read_tree_of(main), path)
    wanted = item.oid if item is not None and item.is_file else ""
    with WorkingFiles(context.root, staging, context.effects) as working:
        found, _ = working.look(path)
        if found == IRREGULAR:
            raise FileRefusedError("expected a regular file, got something else", path=path)

        def stage(placed: Placed) -> str:
            temporary = staging.put(context.objects.read_blob(placed.new))
            staging.flush()
            return temporary

        placement = working.place((Placed(path=path, old=found, new=wanted),), stage)
    if placement.kept:
        raise FileRefusedError("it changes at this moment", path=path)
    edit = placement.edits[0]
    mode = item.mode if item is not None else MODE_FILE
    return IndexEdit(os.fsencode(path), mode, wanted, edit.status)
