"""What is wrong with a store's repository, found without changing anything.

Used by ``memfs doctor``; :func:`memfs.store.recovery.recover` and
:func:`memfs.store.scaffold.configure_repository` put right what it reports.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from memfs.errors import GitError, StoreError
from memfs.model.problem import Problem, Severity
from memfs.store.context import WriteContext
from memfs.store.git import run_git
from memfs.store.lock import is_stale_lock
from memfs.store.refs import LEDGER_REF, MAIN_BRANCH, MAIN_REF, read_branch
from memfs.store.scaffold import config_drift

_LOCKS: Final = (
    "index.lock",
    "HEAD.lock",
    "packed-refs.lock",
    f"{MAIN_REF}.lock",
    f"{LEDGER_REF}.lock",
)
_PASSING: Final = ("store.stale-lock", "store.no-marker", "store.not-in-step")
_FIX: Final = "run: memfs doctor --fix"
_FSCK_TIMEOUT_S: Final = 300.0


def find_problems(context: WriteContext) -> tuple[Problem, ...]:
    """Returns the problems of a store, sorted by path.

    A writer at work looks like one that died: what seems to be left of one is looked at again
    while nobody writes.
    """
    found = _found(context)
    if any(problem.code in _PASSING for problem in found):
        with suppress(StoreError), context.writing():
            return _found(context)
    return found


def _found(context: WriteContext) -> tuple[Problem, ...]:
    found = [*_locks(context), *_marker(context), *_branch(context), *_config(context)]
    found += _objects(context)
    return tuple(sorted(found))


def _locks(context: WriteContext) -> Iterator[Problem]:
    for name in _LOCKS:
        path = f"{context.git_dir}/{name}"
        if not os.path.lexists(path):
            continue
        if is_stale_lock(path, context.temporary_folder):
            yield _problem(f".git/{name}", "store.stale-lock", "a dead writer left it", _FIX)
        else:
            yield _problem(
                f".git/{name}",
                "store.foreign-lock",
                "another Git process holds it, or died with it",
                f"if no Git command is running, delete {path}",
                Severity.WARNING,
            )


def _marker(context: WriteContext) -> Iterator[Problem]:
    marker = context.journal.read_marker()
    if marker is None:
        if context.read_ledger():
            yield _problem(".git/memfs/applied", "store.no-marker", "expected it, found none", _FIX)
        return
    if marker.ledger != context.read_ledger():
        message = "refs and working files are not known to be in step"
        yield _problem(".git/memfs/applied", "store.not-in-step", message, _FIX)


def _branch(context: WriteContext) -> Iterator[Problem]:
    branch = read_branch(context.git_dir)
    if branch != MAIN_BRANCH:
        message = f"expected branch {MAIN_BRANCH}, got {branch or 'a detached HEAD'}"
        hint = f"run: git -C {context.root} checkout {MAIN_BRANCH}"
        yield _problem(".git/HEAD", "store.wrong-branch", message, hint)


def _config(context: WriteContext) -> Iterator[Problem]:
    for drift in config_drift(Path(context.git_dir)):
        message = f"expected {drift.name}={drift.expected}, got {drift.found or 'nothing'}"
        yield _problem(".git/config", "store.config-drift", message, _FIX)


def _objects(context: WriteContext) -> Iterator[Problem]:
    arguments = ("fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    try:
        run_git(Path(context.git_dir), None, *arguments, timeout_s=_FSCK_TIMEOUT_S)
    except GitError as error:
        yield _problem(".git/objects", "store.fsck", error.message, "restore it from a backup")
        return
    try:
        context.read_tree_of(context.read_ledger())
    except StoreError as error:
        yield _problem(f".git/{LEDGER_REF}", error.code, error.message, "")


def _problem(
    path: str, code: str, message: str, hint: str, severity: Severity = Severity.ERROR
) -> Problem:
    return Problem(
        path=path, line=0, column=0, code=code, message=message, hint=hint, severity=severity
    )
