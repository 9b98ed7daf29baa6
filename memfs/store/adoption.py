"""Takes a clone as a store: its ledger starts where the branch's last operation is.

The ledger ref is never fetched, so a fresh clone has none. What it says of itself is
believed here because somebody asked for it; every commit above the last operation is then
ahead of the ledger and waits like any other commit made by hand.
"""

from __future__ import annotations

import time
from datetime import datetime

from memfs.errors import StoreError
from memfs.model.ids import CommitId
from memfs.store.context import WriteContext
from memfs.store.git import run_git
from memfs.store.message import COMMITTER, git_time, parse_commit
from memfs.store.refs import LEDGER_REF, MAIN_REF, RefMove, RefTransaction, append_reflog


class NoOperationsError(StoreError):
    """The branch holds no operation of memfs, so there is no ledger to take over."""

    code = "store.no-operations"


def adopt_ledger(context: WriteContext, at: datetime) -> CommitId | None:
    """Points the ledger at the newest operation of the branch.

    Returns:
        That commit; ``None`` when there is a ledger already, or no branch.

    Raises:
        NoOperationsError: No commit of the branch is an operation.
        LockTimeoutError: A lock was not free in time.
    """
    with context.writing():
        if context.read_ledger() or not context.read_main():
            return None
        commit = _last_operation(context)
        move = RefMove(name=LEDGER_REF, old="", new=commit)
        staging = context.new_staging()
        refs = RefTransaction(context.git_dir, (move,), staging, context.effects)
        try:
            refs.stage()
            staging.flush()
            refs.lock(time.monotonic() + context.settings.lock_timeout_s)
            # The line does not start from nothing: the log then does not claim to know
            # every operation, and the earlier ones are told by their trailers.
            append_reflog(
                context.git_dir,
                RefMove(name=LEDGER_REF, old=commit, new=commit),
                identity=f"{COMMITTER} {git_time(at)}",
                message="memfs: adopt a clone",
                effects=context.effects,
            )
            refs.publish(step="adopt")
            refs.sync()
        finally:
            refs.release()
            staging.discard()
        return CommitId(commit)


def _last_operation(context: WriteContext) -> str:
    listing = run_git(context.root / ".git", None, "rev-list", "--first-parent", MAIN_REF, "--")
    for oid in listing.decode("ascii").split():
        if parse_commit(oid, context.objects.read_kind(oid, "commit")).is_operation:
            return oid
    raise NoOperationsError(
        f"expected a clone of a store, got a branch without an operation in {context.root}",
        hint="make a store in another folder with: memfs init",
    )
