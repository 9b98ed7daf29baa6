"""What a process has read of the graph of one store, kept until the ledger's head moves.

Nothing is read before it is asked for: a cold question costs what it reaches, and one that
follows finds it here. Rows are kept as the catalogue gave them and records as the ledger has
them, open or not: nothing leaves here but through a reader's view (``seen_graph``), which asks
the read gate each time. When the head moves, links are forgotten and so is every record that
is no longer served at its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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

    def moved_to(self, snapshot: Snapshot) -> Adjacency:
        """Returns what is still so at ``snapshot``."""
        moved = Adjacency(snapshot.commit)
        for path, stored in list(self._records.items()):
            entry = snapshot.entry(path)
            if entry is not None and entry.blob == stored.blob:
                moved._keep(stored)
        return moved

    def unknown_links(self, ids: Collection[str]) -> list[str]:
        """Returns those of ``ids`` whose links were not asked for yet."""
        return [name for name in ids if name not in self._links]

    def links_of(
        self, ids: Collection[str], catalogue: Catalogue | None
    ) -> Mapping[str, Sequence[Link]]:
        """Returns the links at each of ``ids``; the catalogue is asked for those not known yet."""
        known = {name: self._links[name] for name in ids if name in self._links}
        missing = [name for name in ids if name not in known]
        if not missing or catalogue is None:
            return known
        found: dict[str, list[Link]] = {name: [] for name in missing}
        for link in catalogue.links_of(missing):
            for end in (link.start, link.end):
                if end in found:
                    found[end].append(link)
        read = {name: tuple(links) for name, links in found.items()}
        self._count += sum(map(len, read.values()))
        if self._count > MOST_LINKS:
            self._links.clear()
            self._count = 0
        self._links.update(read)
        return known | read

    def has_places(self, ids: Collection[str]) -> bool:
        """Tells whether it is known where the records of all of ``ids`` stand."""
        return all(name in self._places for name in ids)

    def places_of(
        self, ids: Collection[str], catalogue: Catalogue | None
    ) -> Mapping[str, tuple[str, ...]]:
        """Returns the paths at which each of ``ids`` stands: one, unless the store has a fault."""
        known = {name: self._places[name] for name in ids if name in self._places}
        missing = [name for name in ids if name not in known]
        if not missing or catalogue is None:
            return known
        found: dict[str, tuple[str, ...]] = dict.fromkeys(missing, ())
        for row in catalogue.by_ids(missing):
            found[row.id] = (*found[row.id], row.path)
        if len(self._places) > MOST_LINKS:
            self._places.clear()
        self._places.update(found)
        return known | found

    def survivor_of(self, identifier: str) -> str | None:
        """Returns what an id was merged into or itself; ``None`` where nobody asked yet."""
        return self._survivors.get(identifier)

    def resolve(self, identifier: str, catalogue: Catalogue) -> str:
        """Returns what an id was merged into, or itself."""
        return self._survivors.setdefault(identifier, catalogue.resolve_merged(identifier))

    def records_at(
        self, workspace: Workspace, snapshot: Snapshot, paths: Iterable[str]
    ) -> Mapping[str, StoredRecord]:
        """Returns the served records at ``paths`` that can be read, by path."""
        wanted = tuple(dict.fromkeys(paths))
        known = {path: self._records[path] for path in wanted if path in self._records}
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
        current = kept.current = current.moved_to(snapshot)
    return current


@lru_cache(maxsize=4)
def _kept(root: Path) -> _Kept:
    """Keeps what a long-lived process has read of a store; ``root`` tells stores apart."""
    return _Kept()
