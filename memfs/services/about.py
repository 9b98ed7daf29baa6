"""Which events name an entity: by its id, or by any name that it bears (O6).

Events keep names as they were written. Who asks for an entity means all of its names, and the
names of what was merged into it, as far as the asker may see who bears them: a hidden entity
does not give away that two names are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from memfs.index.catalogue import Catalogue, CatalogueEntry
from memfs.model.graph import EdgeSort
from memfs.model.ids import ENTITY_PREFIX, is_id
from memfs.model.naming import entity_key
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest, may_read, read_right
from memfs.policy.graph_links import keys_of_entity, mention_end
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.reading import served_at
from memfs.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is asked for by one name.

    Attributes:
        ids: Ids of the entities that are meant, and of what was merged into them.
        keys: Keys of every name that is meant (see ``memfs.model.naming``).
        paths: The only files in which they can be named at the ledger's head.
    """

    ids: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()

    def is_named_in(self, record: Record) -> bool:
        """Tells whether a record, as it may be seen, names what is asked for."""
        return any(
            name in self.ids or (not is_id(name) and entity_key(name) in self.keys)
            for name in record.entities
        )


def about(workspace: Workspace, snapshot: Snapshot, name: str, request: AccessRequest) -> About:
    """Returns what ``name``, an id or a name of an entity, stands for to who asks."""
    name = name.strip()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        ids: set[str] = set()
        keys: set[str] = set()
        for row in _meant(catalogue, name):
            found = tuple(_bearers(workspace, snapshot, catalogue, row, request))
            ids.update(record.id for record in found)
            keys.update(key for record in found for key in keys_of_entity(record))
        if is_id(name, ENTITY_PREFIX):
            ids.add(name)
        elif key := entity_key(name):
            keys.add(key)
        ends = ids | {mention_end(key) for key in keys}
        links = catalogue.links_of(ends, sorts=(EdgeSort.MENTIONS,))
    return About(
        ids=frozenset(ids), keys=frozenset(keys), paths=frozenset(link.path for link in links)
    )


def titles_of(
    workspace: Workspace,
    snapshot: Snapshot,
    found: Iterable[StoredRecord],
    request: AccessRequest,
) -> dict[str, str]:
    """Returns by what names entities go that are named by id, of those that may be seen."""
    ids = {name for item in found for name in item.record.entities if is_id(name, ENTITY_PREFIX)}
    if not ids:
        return {}
    titles: dict[str, str] = {}
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for name in ids:
            rows = catalogue.by_id(catalogue.resolve_merged(name))
            for stored in served_at(workspace, snapshot, (row.path for row in rows), request):
                titles[name] = stored.record.title
    return {name: title for name, title in titles.items() if title}


def _meant(catalogue: Catalogue, name: str) -> tuple[CatalogueEntry, ...]:
    if is_id(name, ENTITY_PREFIX):
        return catalogue.by_id(catalogue.resolve_merged(name))
    key = entity_key(name)
    return catalogue.entities_named(key) if key else ()


def _bearers(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    row: CatalogueEntry,
    request: AccessRequest,
) -> Iterator[Record]:
    """Yields an entity that is served whole, and what was merged into it."""
    for stored in read_entries(workspace, snapshot, (row,)):
        record = stored.record
        if not may_read(record, request).is_whole:
            continue
        if rests_on_off_source(workspace, snapshot, record, request):
            continue
        yield record
        older = [it for name in catalogue.merged_into(record.id) for it in catalogue.by_id(name)]
        for merged in read_entries(workspace, snapshot, older):
            right = read_right(merged.record, request)
            if right.allowed and right.shown is None:
                yield merged.record
