"""Finds solid ground after the machine stopped without warning.

A killed process loses nothing that the kernel has; a power cut can lose objects and leave refs
empty, more so with ``process`` durability. At the first opening after a restart the last
operations are therefore read back. A head that cannot be read steps back along its own log to
the last one that can, and one whose ref was deleted or renamed away stands again where it was.
Working files are left alone: what they have more than the ledger then shows up as edits, and is
decided like any other.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from memfs.errors import DataError, StoreError
from memfs.store.context import WriteContext
from memfs.store.journal import Marker
from memfs.store.message import COMMITTER, parse_commit, tree_of
from memfs.store.refs import (
    LEDGER_REF,
    MAIN_REF,
    BrokenRefError,
    RefMove,
    RefTransaction,
    append_reflog,
    read_ref,
)
from memfs.store.staging import Staging
from memfs.store.tree import diff_trees

_CHECKED_COMMITS: Final = 50
"""More than a disk keeps to itself; older operations were flushed long before."""
_CHECKED_FILES: Final = 2000
"""A large import is one pack that Git syncs by itself; reading all of it would take minutes."""


def has_lost_head(context: WriteContext, marker: Marker | None) -> bool:
    """Tells whether a head holds no object id, or is gone though there was one.

    Args:
        context: The repository.
        marker: What was known the last time.
    """
    try:
        main, ledger = context.read_main(), context.read_ledger()
    except BrokenRefError:
        return True
    return not main if ledger else bool(marker is not None and marker.ledger)


def restore_heads(
    context: WriteContext, staging: Staging, marker: Marker | None
) -> tuple[str, ...]:
    """Steps unreadable heads back to the last readable one; the caller holds the write lock.

    A ledger that is gone stands where the marker saw it, a branch that is gone at the end of
    its log, or at the ledger when the log went with it.

    Returns:
        The names of the refs that were moved.
    """
    moved = []
    places: Iterable[str]
    seen = marker.ledger if marker is not None else ""
    for name in (LEDGER_REF, MAIN_REF):
        try:
            head = read_ref(context.git_dir, name)
        except BrokenRefError:
            head, places = "", _logged(context, name)
        else:
            if head and _is_readable(context, head):
                seen = head
                continue
            is_gone_ledger = not head and name == LEDGER_REF
            logged = () if is_gone_ledger else _logged(context, name)
            places = itertools.chain(logged, (seen,) if seen and not head else ())
        good = next((oid for oid in places if _is_readable(context, oid)), "")
        if good:
            _force(context, RefMove(name=name, old=head, new=good), staging)
            moved.append(name)
            seen = good
    return tuple(moved)


def _is_readable(context: WriteContext, head: str) -> bool:
    """Tells whether the last operations up to ``head`` can be read, files included."""
    commit, files = head, 0
    try:
        for _ in range(_CHECKED_COMMITS):
            content = context.objects.read_kind(commit, "commit")
            parents = parse_commit(commit, content).parents
            before = context.read_tree_of(parents[0]) if parents else ""
            for _, _, new in diff_trees(context.trees, before, tree_of(content)):
                if new is not None and new.is_file:
                    context.objects.read(new.oid)
                    files += 1
                    if files == _CHECKED_FILES:
                        return True
            if not parents:
                return True
            commit = parents[0]
    except (StoreError, DataError):
        return False
    return True


def _logged(context: WriteContext, name: str) -> Iterator[str]:
    """Yields the values that a ref had, newest first."""
    try:
        lines = Path(context.git_dir, "logs", name).read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    for line in reversed(lines):
        fields = line.split(b" ", 2)
        if len(fields) == 3 and len(fields[1]) == 40:
            yield fields[1].decode("ascii", "replace")


def _force(context: WriteContext, move: RefMove, staging: Staging) -> None:
    """Moves a ref whatever it holds now; nobody else writes, and what it holds is useless."""
    refs = RefTransaction(context.git_dir, (move,), staging, context.effects)
    refs.stage()
    staging.flush()
    try:
        refs.lock(time.monotonic(), is_checked=False)
        append_reflog(
            context.git_dir,
            move,
            identity=f"{COMMITTER} {int(time.time())} +0000",
            message="memfs: step back after a power cut",
            effects=context.effects,
        )
        refs.publish(step="stepped-back")
    finally:
        refs.release()
