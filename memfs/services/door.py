"""The loop around the one door: decide on a snapshot, commit, decide again if it moved.

The first attempt is optimistic. When the ledger moved in between, the next one decides
and commits under the store's lock, so that eight writers all make progress and none is
starved. Commits that memfs did not make are settled first (see ``settle``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Generic, TypeVar

from memfs.errors import ConflictError, MemfsError
from memfs.model.frozen import frozen
from memfs.model.ids import CommitId
from memfs.model.operation import Commit, Plan
from memfs.services.barrier import NOTHING_FOLLOWED, Aftermath, Withdrawal, with_barrier
from memfs.services.conflict_upkeep import with_conflict_sets
from memfs.services.jobs import begin_job, end_job
from memfs.services.plain_words import plain
from memfs.services.ports import Workspace
from memfs.services.read_back import read_back
from memfs.services.settle import ContendedError, is_beside_memory, settle
from memfs.services.writer_status import note_failure
from memfs.store.preconditions import (
    ForeignCommitsError,
    LedgerMovedError,
    PreconditionError,
)
from memfs.store.snapshot import Snapshot

_ATTEMPTS: Final = 20

Outcome = TypeVar("Outcome")


@frozen(kw_only=False)
class Decided(Generic[Outcome]):
    """What deciding on a snapshot gave: an outcome, and a plan when something is to change."""

    outcome: Outcome
    plan: Plan | None = None


@frozen(kw_only=False)
class Committed(Generic[Outcome]):
    """The outcome that held in the end and the commit that made it so, if any.

    Where the operation took something back, ``aftermath`` tells what followed.
    """

    outcome: Outcome
    commit: Commit | None
    aftermath: Aftermath = NOTHING_FOLLOWED


@frozen(kw_only=False)
class _Written(Generic[Outcome]):
    """What one attempt wrote, and what it took back."""

    outcome: Outcome
    commit: Commit | None = None
    withdrawal: Withdrawal | None = None


def commit_decided(
    workspace: Workspace, decide: Callable[[Snapshot], Decided[Outcome]]
) -> Committed[Outcome]:
    """Decides and commits, again when the ledger moved.

    Args:
        workspace: The store.
        decide: Called with the served snapshot at the ledger head. Must not have lasting
            effects other than files in the inbox, since it may be called more than once.

    Raises:
        ContendedError: The ledger moved at every attempt.
        ReadBackError: The ledger does not have what was committed to it.
        PreconditionError: A record that the caller named changed in an incompatible way and
            ``decide`` did not notice.
        CanaryError: What was taken back can still be read; the barrier stands.
    """
    try:
        written = _written(workspace, decide)
    except MemfsError as error:
        note_failure(workspace, error)
        raise
    commit, withdrawal = written.commit, written.withdrawal
    if commit is None or withdrawal is None:
        return Committed(written.outcome, commit)
    from memfs.services.aftermath import follow_up  # most operations take nothing back

    return Committed(written.outcome, commit, follow_up(workspace, withdrawal, commit.id))


def _written(
    workspace: Workspace, decide: Callable[[Snapshot], Decided[Outcome]]
) -> _Written[Outcome]:
    settle(workspace)
    moved: ConflictError | None = None
    for attempt in range(_ATTEMPTS):
        try:
            if attempt == 0:
                return _attempt(workspace, decide)
            with workspace.store.exclusive():
                # Settled under the same lock: a person who keeps committing finds the
                # shortest possible moment to come in between.
                settle(workspace)
                return _attempt(workspace, decide)
        except (ForeignCommitsError, LedgerMovedError, PreconditionError) as error:
            moved = error
    if isinstance(moved, PreconditionError):
        raise moved
    raise ContendedError(
        "the ledger moved at every attempt", hint="try again; nothing was written"
    ) from moved


def _attempt(
    workspace: Workspace, decide: Callable[[Snapshot], Decided[Outcome]]
) -> _Written[Outcome]:
    snapshot = workspace.store.snapshot()
    decided = decide(snapshot)
    if decided.plan is None:
        return _Written(decided.outcome)
    plan, withdrawal = with_barrier(workspace, snapshot, plain(decided.plan))
    plan = with_conflict_sets(workspace, snapshot, plan)
    if withdrawal is None or not withdrawal.is_followed:
        commit = _commit(workspace, plan)
        read_back(workspace, plan, commit)
        return _Written(decided.outcome, commit)
    begin_job(workspace, withdrawal)
    try:
        commit = _commit(workspace, plan)
    except MemfsError:
        end_job(workspace, withdrawal.transaction)
        raise
    if commit.is_replay:
        end_job(workspace, withdrawal.transaction)
        return _Written(decided.outcome, commit)
    read_back(workspace, plan, commit)
    return _Written(decided.outcome, commit, withdrawal)


def _commit(workspace: Workspace, plan: Plan) -> Commit:
    """Commits, on top of what a person committed meanwhile beside the records.

    Such commits change nothing that was decided on; a person who makes them all the time
    would otherwise keep every writer from ever coming through.
    """
    store = workspace.store
    for _ in range(_ATTEMPTS):
        tip = store.main_head()
        if tip is None or tip == plan.base:
            break
        if not is_beside_memory(workspace, CommitId(plan.base), tip):
            break
        try:
            return store.commit(replace(plan, settles=tip))
        except ForeignCommitsError:
            continue
    return store.commit(plan)
