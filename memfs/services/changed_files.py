"""Which files of the ledger a piece of work changed: what a report of it lists (O61).

Computed from two commits, so that it names what is so and not what was meant. A file that is
gone is listed as gone; Git still has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memfs.model.ids import CommitId
from memfs.services.ports import Workspace


@dataclass(frozen=True, slots=True)
class FileChanged:
    """One file: ``A`` added, ``M`` changed, ``D`` gone, and its store-relative path."""

    status: str
    path: str


def changed_between(
    workspace: Workspace, before: CommitId | None, after: CommitId | None = None
) -> tuple[FileChanged, ...]:
    """Returns the files that differ between two commits of the ledger, by path.

    Args:
        workspace: The store.
        before: The earlier commit; ``None`` for an empty ledger.
        after: The later one; by default the head.
    """
    head = after or workspace.store.ledger_head()
    if head is None or head == before:
        return ()
    now = _files(workspace, head)
    then = _files(workspace, before) if before is not None else {}
    return tuple(sorted(_differences(then, now), key=lambda item: item.path))


def _files(workspace: Workspace, commit: CommitId) -> dict[str, str]:
    snapshot = workspace.store.snapshot(commit)
    return {entry.path: entry.blob for entry in snapshot.entries()}


def _differences(then: dict[str, str], now: dict[str, str]) -> Iterator[FileChanged]:
    for path, blob in now.items():
        if path not in then:
            yield FileChanged("A", path)
        elif then[path] != blob:
            yield FileChanged("M", path)
    yield from (FileChanged("D", path) for path in then if path not in now)
