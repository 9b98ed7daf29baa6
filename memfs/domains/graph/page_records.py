"""The records behind pages: read through the gate, each once, and those of many pages together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Final

from memfs.index.catalogue import Catalogue
from memfs.model.authority import Sink
from memfs.model.graph import Link
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import StoredRecord
from memfs.policy.masking import visible_stored
from memfs.services.gate import access_request
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths
from memfs.store.snapshot import Snapshot

AT_ONCE: Final = 256
"""So many pages, or records, are read for together."""


class PageRecords:
    """Records and links of one state of the ledger, those that a page may tell of.

    Attributes:
        until: When the first of the records that were looked at expires; ``None`` for never.
    """

    def __init__(self, workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._catalogue = catalogue
        self._request = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON)
        self._at: dict[str, StoredRecord | None] = {}
        self._paths: dict[str, str] = {}
        self._links: dict[str, list[Link]] = {}
        self.until: datetime | None = None

    def record(self, identifier: str) -> StoredRecord | None:
        """Returns a record as a page may tell of it; ``None`` where it may not."""
        if identifier not in self._paths:
            rows = self._catalogue.by_id(identifier)
            self._paths[identifier] = rows[0].path if len(rows) == 1 else ""
        path = self._paths[identifier]
        return self._seen(path) if path else None

    def _served(self, ids: Iterable[str]) -> list[StoredRecord]:
        found = (self.record(name) for name in dict.fromkeys(ids))
        return [item for item in found if item is not None]

    def _served_rows(self, paths: Iterable[str]) -> Iterator[StoredRecord]:
        rest = iter(paths)
        while some := list(islice(rest, AT_ONCE)):
            self._read(some)
            yield from (item for path in some if (item := self._at[path]) is not None)

    def _seen(self, path: str) -> StoredRecord | None:
        if path not in self._at:
            self._read((path,))
        return self._at[path]

    def _read(self, paths: Collection[str]) -> None:
        missing = [path for path in dict.fromkeys(paths) if path not in self._at]
        self._at.update(dict.fromkeys(missing))
        for stored in read_paths(self._workspace, self._snapshot, missing):
            self._at[stored.path] = self._as_seen(stored)

    def _as_seen(self, stored: StoredRecord) -> StoredRecord | None:
        record = stored.record
        if record.sensitivity.is_opaque:
            return None
        expires = record.expires
        if expires is not None and expires > self._request.now:
            self.until = expires if self.until is None else min(self.until, expires)
        seen = visible_stored(stored, self._request)
        if seen is None or not seen.path:
            return None
        if rests_on_off_source(self._workspace, self._snapshot, record, self._request):
            return None
        return seen

    def _prefetch(self, ids: Collection[str]) -> None:
        """Reads the links and records of many pages together."""
        missing = [name for name in ids if name not in self._links]
        if not missing:
            return
        wanted: set[str] = set(missing)
        paths: set[str] = set()
        self._links.update({name: [] for name in missing})
        for link in self._catalogue.links_of(missing):
            for end in {link.start, link.end}:
                if end in wanted and end in self._links:
                    self._links[end].append(link)
            paths.add(link.path)
        ends = {
            end for name in missing for link in self._links[name] for end in (link.start, link.end)
        }
        rows = self._catalogue.by_ids(ends | wanted)
        places: dict[str, list[str]] = {}
        for row in rows:
            places.setdefault(row.id, []).append(row.path)
        for name in ends | wanted:
            found = places.get(name, [])
            self._paths[name] = found[0] if len(found) == 1 else ""
        self._read([path for found in places.values() for path in found] + sorted(paths))
