"""What a process has read of the graph of one store, kept until the ledger's head moves.

Nothing is read before it is asked for: a cold question costs what it reaches, and one that
follows finds it here. Rows are kept as the catalogue gave them and records as the ledger has
them, open or not: nothing leaves here but through a reader's view (``seen_graph``), which asks
the read gate each time. When the head moves, links are forgotten and so is every record whose
file changed. Several threads may ask at once: each answers from what it found itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from memfs.index.catalogue import Catalogue
from memfs.model.graph import Link
from memfs.model.record import StoredRecord
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths
from memfs.store.snapshot import Snapshot

MOST_LINKS: Final = 200_000
"""So many links are kept of one store; then all are forgotten."""
MOST_CHARS: Final = 32_000_000
"""So many characters of records are kept of one store; then all are forgotten."""
_RECORD_CHARS: Final = 1_000
"""What a record is counted as besides its text."""

OpenCatalogue = Callable[[], Catalogue]
"""Opens the catalogue of the commit that is asked about, where it is needed at all."""


class Adjacency:
    """What was read of the graph of one store at one commit."""

    def __init__(self, commit: str) -> None:
        self.commit = commit
        self._links: dict[str, tuple[Link, ...]] = {}
        self._places: dict[str, tuple[str, ...]] = {}
        self._survivors: dict[str, str] = {}
        self._records: dict[str, StoredRecord] = {}
        self._chars = 0
        self._count = 0

    def moved_to(self, workspace: Workspace, snapshot: Snapshot) -> Adjacency:
        """Returns what is still so at ``snapshot``: the records of files that did not change."""
        moved = Adjacency(snapshot.commit)
        older = workspace.store.snapshot_or_none(self.commit) if self._records else None
        if older is not None:
            moved._records = dict(self._records)
            moved._chars = self._chars
            for change in snapshot.changes_since(older):
                moved._records.pop(change.path, None)
        return moved

    def links_of(
        self, ids: Collection[str], catalogue: OpenCatalogue
    ) -> Mapping[str, Sequence[Link]]:
        """Returns the links at each of ``ids``; the catalogue is asked for those not known yet."""
        asked = ((name, self._links.get(name)) for name in ids)
        known = {name: links for name, links in asked if links is not None}
        missing = [name for name in ids if name not in known]
        if not missing:
            return known
        found: dict[str, list[Link]] = {name: [] for name in missing}
        for link in catalogue().links_of(missing):
            for end in (link.start, link.end):
                if end in found:
                    found[end].append(link)
        read = {name: tuple(links) for name, links in found.items()}
        self._count += len(read) + sum(map(len, read.values()))
        if self._count > MOST_LINKS:
            self._links.clear()
            self._count = 0
        self._links.update(read)
        return known | read

    def places_of(
        self, ids: Collection[str], catalogue: OpenCatalogue
    ) -> Mapping[str, tuple[str, ...]]:
        """Returns the paths at which each of ``ids`` stands: one, unless the store has a fault."""
        asked = ((name, self._places.get(name)) for name in ids)
        known = {name: paths for name, paths in asked if paths is not None}
        missing = [name for name in ids if name not in known]
        if not missing:
            return known
        found: dict[str, tuple[str, ...]] = dict.fromkeys(missing, ())
        for row in catalogue().by_ids(missing):
            found[row.id] = (*found[row.id], row.path)
        if len(self._places) > MOST_LINKS:
            self._places.clear()
        self._places.update(found)
        return known | found

    def resolve(self, identifier: str, catalogue: OpenCatalogue) -> str:
        """Returns what an id was merged into, or itself."""
        known = self._survivors.get(identifier)
        if known is not None:
            return known
        return self._survivors.setdefault(identifier, catalogue().resolve_merged(identifier))

    def records_at(
        self, workspace: Workspace, snapshot: Snapshot, paths: Iterable[str]
    ) -> Mapping[str, StoredRecord]:
        """Returns the served records at ``paths`` that can be read, by path."""
        wanted = tuple(dict.fromkeys(paths))
        asked = ((path, self._records.get(path)) for path in wanted)
        known = {path: stored for path, stored in asked if stored is not None}
        missing = [path for path in wanted if path not in known]
        for stored in read_paths(workspace, snapshot, missing) if missing else ():
            known[stored.path] = stored
            self._keep(stored)
        return known

    def _keep(self, stored: StoredRecord) -> None:
        self._chars += len(stored.record.body) + _RECORD_CHARS
        if self._chars > MOST_CHARS:
            self._records.clear()
            self._chars = len(stored.record.body) + _RECORD_CHARS
        self._records[stored.path] = stored


class _Kept:
    """The adjacency of one store that a process has at the moment."""

    def __init__(self) -> None:
        self.current = Adjacency("")


def adjacency_at(workspace: Workspace, snapshot: Snapshot) -> Adjacency:
    """Returns what is kept of the graph of a store at ``snapshot``, empty at first.

    Whoever began with what was kept before goes on with it to the end of the question.
    """
    kept = _kept(workspace.store.root)
    current = kept.current
    if current.commit != snapshot.commit:
        current = kept.current = current.moved_to(workspace, snapshot)
    return current


@lru_cache(maxsize=4)
def _kept(root: Path) -> _Kept:
    """Keeps what a long-lived process has read of a store; ``root`` tells stores apart."""
    return _Kept()
