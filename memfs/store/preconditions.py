"""What must hold before a plan may become a commit, and the errors that say what did not.

The door checks that every change was decided and admitted, that the plan was decided on the
present ledger head, and that each touched path has the blob that the plan expects. It does not
know why something was allowed.
"""

from __future__ import annotations

from memfs.errors import ConflictError, MemfsError, StoreError
from memfs.model.operation import Plan
from memfs.store.context import WriteContext
from memfs.store.git import GitFailedError, run_git
from memfs.store.paths import check_path
from memfs.store.refs import MAIN_BRANCH, read_branch
from memfs.store.tree import TreeCache


class UndecidedChangeError(MemfsError):
    """A plan has a change that no decision admits: a bug in the caller."""

    code = "store.undecided-change"


class InvalidPlanError(MemfsError):
    """A plan is empty or names a path twice: a bug in the caller."""

    code = "store.invalid-plan"


class LedgerMovedError(ConflictError):
    """The ledger is not where the plan was decided.

    Attributes:
        expected: The head that the plan was decided on.
        found: The present head.
    """

    code = "conflict.ledger-moved"

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(
            f"expected the ledger at {expected or 'nothing'}, got {found or 'nothing'}",
            hint="decide again on the new head",
        )
        self.expected = expected
        self.found = found


class ForeignCommitsError(ConflictError):
    """The branch has commits that policy has not seen; they are settled first.

    Attributes:
        ledger: The ledger head.
        found: The branch tip.
    """

    code = "conflict.foreign-commits"

    def __init__(self, ledger: str, found: str) -> None:
        super().__init__(
            f"expected main at the ledger head {ledger or 'nothing'}, got {found or 'nothing'}",
            hint="run: memfs reconcile",
        )
        self.ledger = ledger
        self.found = found


class PreconditionError(ConflictError):
    """A touched path has another blob than the plan was decided on (O45).

    Attributes:
        expected: Blob id that the plan expects; empty for absent.
        found: Blob id on the branch; empty for absent.
    """

    code = "conflict.precondition"

    def __init__(self, path: str, expected: str, found: str) -> None:
        super().__init__(
            f"expected {expected or 'nothing'}, got {found or 'nothing'}",
            path=path,
            hint="read the record again and repeat the change",
        )
        self.expected = expected
        self.found = found


class WrongBranchError(StoreError):
    """The store has another branch than main checked out, or none."""

    code = "store.wrong-branch"


def check_plan(plan: Plan) -> None:
    """Checks what can be checked without looking at the store.

    Raises:
        UndecidedChangeError: A change has no decision that admits it.
        InvalidPlanError: The plan is empty or names a path twice.
        PathRefusedError: A path may not exist in a store.
    """
    if not plan.changes and not plan.settles:
        raise InvalidPlanError("expected at least one change in a plan, got none")
    seen: set[str] = set()
    for change in plan.changes:
        if not change.decision.is_admitted:
            raise UndecidedChangeError(
                f"expected an admitted change, got {change.decision}", path=change.path
            )
        check_path(change.path)
        if change.path in seen:
            raise InvalidPlanError("expected each path once in a plan", path=change.path)
        seen.add(change.path)


def check_branch(context: WriteContext) -> None:
    """Checks that HEAD is on main.

    Raises:
        WrongBranchError: It is on another branch or detached.
    """
    branch = read_branch(context.git_dir)
    if branch != MAIN_BRANCH:
        raise WrongBranchError(
            f"expected the store on branch {MAIN_BRANCH}, got {branch or 'a detached HEAD'}",
            hint=f"run: git -C {context.root} checkout {MAIN_BRANCH}",
        )


def check_heads(plan: Plan, *, main: str, ledger: str) -> None:
    """Checks that the plan was decided on the present heads.

    Raises:
        LedgerMovedError: The ledger is elsewhere.
        ForeignCommitsError: The branch is ahead and the plan does not settle that.
    """
    if ledger != plan.base:
        raise LedgerMovedError(plan.base, ledger)
    if main != ledger and (not main or plan.settles != main):
        # A plan that settles nothing and a branch that is gone are equal, and not the same.
        raise ForeignCommitsError(ledger, main)
    if plan.settles and plan.settles != main:
        raise ForeignCommitsError(ledger, main)


def check_expected(plan: Plan, trees: TreeCache, tree: str) -> None:
    """Checks the blob of every touched path on the branch.

    Raises:
        PreconditionError: One differs.
    """
    for change in plan.changes:
        item = trees.find(tree, change.path)
        found = item.oid if item is not None else ""
        if found != (change.expected or ""):
            raise PreconditionError(change.path, change.expected or "", found)


def find_parents(context: WriteContext, *, main: str, ledger: str) -> tuple[str, ...]:
    """Returns the parents of the next commit.

    As a rule that is the branch tip. When the branch does not contain the ledger head, as after
    a reset, the ledger head comes first and the tip second: no operation becomes unreachable,
    and the first parents remain the ledger's own line.
    """
    if not main:
        return (ledger,) if ledger else ()
    if not ledger or is_ancestor(context, ledger, main):
        return (main,)
    return (ledger, main)


def is_ancestor(context: WriteContext, older: str, newer: str) -> bool:
    """Tells whether ``newer`` is ``older`` or comes after it."""
    if older == newer:
        return True
    if not older or not newer:
        return False
    try:
        run_git(context.root / ".git", None, "merge-base", "--is-ancestor", older, newer)
    except GitFailedError as error:
        # 1 says no; 128 that one of them is gone, as after a rewrite of history.
        if error.status in (1, 128):
            return False
        raise
    return True
