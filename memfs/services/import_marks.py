"""Marks of imports whose edges are still to be made: a process may die between nodes and edges.

What nodes related to becomes edges in a commit of its own, once both ends are there. A mark that is
found when the same source is imported again says that this may not have happened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from memfs.services.catalogue import open_catalogue
from memfs.services.ports import Workspace
from memfs.store.private_notes import PrivateNotes

_FOLDER: Final = "imports"


@contextmanager
def marked_import(workspace: Workspace, path: Path) -> Iterator[bool]:
    """Marks an import of ``path`` until the block has ended without an error.

    Yields:
        Whether an earlier one has not ended.

    Raises:
        WriteFailedError: The store's private folder cannot be written.
    """
    notes = PrivateNotes(workspace.store.git_dir, _FOLDER)
    name = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    is_anew = notes.create(name, b"{}")
    yield not is_anew
    notes.remove(name)


def records_from(workspace: Workspace, digests: Iterable[str]) -> tuple[str, ...]:
    """Returns the ids of the records that came from the items with these digests."""
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        rows = [row for digest in digests for row in catalogue.by_source_digest(digest)]
    return tuple(dict.fromkeys(row.id for row in rows))
