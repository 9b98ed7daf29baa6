"""Another store of memfs as a source: what of it may leave, as items of an import.

What is read is what that store would let its person export: nothing that was withdrawn, replaced
or marked, nothing that may not leave, and nothing of a private scope. It becomes an imported claim
of this store: private marks, times and taint stay, ids of claims do not, and what it rested on
there does not count here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memfs.interop.markdown_notes import CLAIM_NAMES
from memfs.interop.pipeline import ImportBatch
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.model.digests import content_digest
from memfs.model.event import EVENT_KIND
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.services.exported import Leaving
from memfs.services.ports import Workspace

FORMAT: Final = "memfs-store"
_KEEPING_ID: Final = frozenset((EVENT_KIND, ENTITY_KIND, EDGE_KIND))
MOVED: Final = CLAIM_NAMES | _KEEPING_ID
"""Kinds that move. Runs, issues, roles, tasks, intentions and accounts stay where they are."""
_FOLDERS: Final = ("records", "timeline", "graph")


@dataclass(slots=True)
class StoreSource:
    """Another store, opened, and what of it stays there.

    Attributes:
        store: The other store.
        actor: The person who takes it out.
        left: How many records of kinds that move may not leave it.
    """

    store: Workspace
    actor: Actor
    left: int = field(default=0)

    def batch(self, path: Path) -> ImportBatch:
        """Returns what moves, claims first and edges last, ordered by id."""
        return ImportBatch(format=FORMAT, path=path, items=self._items())

    def _items(self) -> Iterator[ImportItem]:
        leaving = Leaving(self.store, self.actor)
        every = [item for folder in _FOLDERS for item in leaving.records(folder, MOVED)]
        # What is private to an agent, a session or a task is nobody else's in another store.
        found = [item for item in every if item.record.scope in (None, self.store.scope)]
        self.left = leaving.left_out + len(every) - len(found)
        found.sort(key=lambda stored: (_rank(stored.record), stored.record.id))
        for stored in found:
            yield self._item(stored)

    def _item(self, stored: StoredRecord) -> ImportItem:
        record, store = stored.record, self.store.store_id
        told = f"{store}\0{record.reference}".encode("utf-8", "surrogateescape")
        return ImportItem(
            draft=_draft(record),
            source=f"import:{FORMAT}/{store}/{record.reference}",
            digest=content_digest(DIGEST_DOMAIN, told),
        )


def _rank(record: Record) -> int:
    """Ends come before the edges between them."""
    return (ENTITY_KIND, EDGE_KIND).index(record.kind) + 1 if record.kind in _ENDS else 0


_ENDS: Final = frozenset((ENTITY_KIND, EDGE_KIND))


def _draft(record: Record) -> Record:
    """Returns what a record says and how it is to be kept, without what policy decides anew."""
    return Record(
        kind=record.kind,
        id=record.id if record.kind in _KEEPING_ID else "",
        title=record.title,
        body=record.body,
        subject=record.subject,
        record_class=record.record_class,
        observed=record.observed,
        event_time=record.event_time,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
        expires=record.expires,
        confidence=record.confidence,
        importance=record.importance,
        sensitivity=record.sensitivity,
        sinks=record.sinks,
        taint=record.taint,
        tags=record.tags,
        summary=record.summary,
        abstract=record.abstract,
        fields=record.fields,
        unknown=record.unknown,
    )
