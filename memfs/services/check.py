"""Check: every problem of every file, with its place, without stopping at the first.

A problem in one file keeps that file from being served and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from memfs.errors import DataError, StoreError
from memfs.formats.record_codec import decode_record
from memfs.formats.settings import decode_settings
from memfs.model.problem import Problem, problem_from
from memfs.model.record import StoredRecord
from memfs.policy.invariants import check_invariants
from memfs.policy.log_text import is_log
from memfs.services.broken_links import broken_links
from memfs.services.inbox import read_inbox
from memfs.services.log_problems import log_problems
from memfs.services.ports import Workspace
from memfs.services.secret_lines import secret_problems
from memfs.services.served_records import read_records, served_places
from memfs.store.layout import SETTINGS_PATH, is_record_path
from memfs.store.paths import find_collisions
from memfs.store.snapshot import Snapshot
from memfs.store.worktree import WorkingKind


def check(workspace: Workspace, paths: Sequence[str] = ()) -> tuple[Problem, ...]:
    """Checks the files named, or the whole store: working tree, ledger and inbox.

    Args:
        workspace: The store.
        paths: Store-relative paths of working files; empty for everything.

    Returns:
        Problems ordered by path, line and column.
    """
    if paths:
        found = [item for path in paths for item in check_working(workspace, path)]
        return tuple(sorted(set(found)))
    snapshot = workspace.store.snapshot()
    problems: list[Problem] = list(_check_ledger(workspace, snapshot))
    for change in workspace.store.working_changes().changes:
        if change.digest or change.state is WorkingKind.IRREGULAR:
            problems.extend(check_working(workspace, change.path))
    problems.extend(read_inbox(workspace).problems)
    return tuple(sorted(set(problems)))


def check_working(workspace: Workspace, path: str) -> tuple[Problem, ...]:
    """Checks one working file, whatever is wrong with it."""
    try:
        content = workspace.store.read_working(path)
    except DataError as error:
        return (problem_from(error, path),)
    if content is None:
        return (Problem(path, 0, 0, "file.missing", "expected a file, got none"),)
    return check_content(workspace, path, content)


def check_staged(workspace: Workspace, index_file: Path | None = None) -> tuple[Problem, ...]:
    """Checks what the next ``git commit`` in the store would add or change.

    Args:
        workspace: The store.
        index_file: The index of the commit under way, as Git tells its hooks.
    """
    found: list[Problem] = []
    for path, blob in workspace.store.staged_changes(index_file):
        found.extend(check_content(workspace, path, workspace.store.read_blob(blob)))
    return tuple(sorted(set(found)))


def check_content(workspace: Workspace, path: str, content: bytes) -> tuple[Problem, ...]:
    """Checks the bytes of one file: strict decoding, and screening for secrets."""
    if path == SETTINGS_PATH:
        try:
            decode_settings(content, path=path)
        except DataError as error:
            return (problem_from(error, path),)
        return secret_problems(path, content)
    if not is_record_path(path):
        return secret_problems(path, content)
    decoded = decode_record(content, path=path, registry=workspace.registry, draft=True)
    odd = log_problems(path, content, decoded.record)
    return (*decoded.problems, *odd, *secret_problems(path, content))


def _check_blob(
    workspace: Workspace, snapshot: Snapshot, path: str, blob: str
) -> tuple[Problem, ...]:
    """Checks what Git has of a file; that it cannot be read is a problem of that file alone."""
    try:
        return check_content(workspace, path, snapshot.read_blob(blob))
    except StoreError as error:
        return (Problem(path, 0, 0, error.code, error.message, "look into it: memfs doctor"),)


def _check_ledger(workspace: Workspace, snapshot: Snapshot) -> Iterator[Problem]:
    readable: list[StoredRecord] = list(read_records(workspace, snapshot, served_places(snapshot)))
    seen = {stored.path for stored in readable}
    for path, blob in served_places(snapshot):
        if path not in seen:
            yield from _check_blob(workspace, snapshot, path, blob)
    for path in snapshot.holds():
        held = snapshot.raw_entry(path)
        if held is not None:
            yield from _check_blob(workspace, snapshot, path, held.blob)
    for stored in readable:
        if is_log(stored.record.kind):
            yield from log_problems(stored.path, snapshot.read_blob(stored.blob), stored.record)
    yield from check_invariants(tuple(readable))
    yield from broken_links(workspace, snapshot, readable)
    yield from _names(path for path, _ in served_places(snapshot))
    for entry in snapshot.irregular():
        yield Problem(
            entry.path,
            0,
            0,
            "file.irregular",
            f"expected a regular file, got {entry.reason}",
            "it is never served; remove it from the branch",
        )


def _names(paths: Iterable[str]) -> Iterator[Problem]:
    """Names that differ only in case or in normal form cannot live on every file system."""
    for first, *others in find_collisions(paths):
        for other in others:
            yield Problem(
                other,
                0,
                0,
                "file.name-collision",
                f"expected a name of its own, got one that differs only in form from {first}",
                "rename one of them",
            )
