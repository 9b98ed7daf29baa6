"""The graph as one reader may see it, now or at another moment (O12, O13, A38).

Every node and every link that leaves here has passed the read gate: a node as a record that may
be seen, a link by the record that it stands in, which has to be seen whole, and by both ends.
What is hidden is not there: it is not named, not counted and not passed through. The catalogue
says where to look, and each record is read from the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from memfs.domains.graph.adjacency import Adjacency, adjacency_at
from memfs.index.catalogue import Catalogue
from memfs.model.graph import EDGE_KIND, EdgeSort, Link
from memfs.model.ids import CommitId, is_id, split_version
from memfs.model.moment import NOW, Moment
from memfs.model.naming import entity_key
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.scope import Scope
from memfs.policy.access import read_right
from memfs.policy.masking import visible_stored
from memfs.services.catalogue import open_catalogue, passing_catalogue
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.links import still_open, with_open_links
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError, named_entries
from memfs.store.snapshot import Snapshot

Nodes = Callable[[Collection[str]], Mapping[str, StoredRecord]]


class SeenGraph:
    """One store's graph as one reader may see it. Use it as a context manager."""

    def __init__(
        self,
        workspace: Workspace,
        actor: Actor,
        *,
        moment: Moment = NOW,
        scopes: tuple[Scope, ...] = (),
    ) -> None:
        self.workspace = workspace
        self.head = workspace.store.snapshot()
        self.is_past = moment.as_of is not None
        self.snapshot: Snapshot | None = self.head
        if moment.as_of is not None:
            commit = workspace.store.commit_at(moment.as_of)
            self.snapshot = workspace.store.snapshot(CommitId(commit)) if commit else None
        self.request = access_request(
            workspace, actor, scopes=scopes, valid_at=moment.valid_at, as_of=moment.as_of
        )
        self._kept = (
            Adjacency(self.snapshot.commit if self.snapshot else "")
            if self.is_past
            else adjacency_at(workspace, self.head)
        )
        self._opened: Catalogue | None = None
        self._nodes: dict[str, StoredRecord | None] = {}
        self._whole: dict[str, bool] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # What a walk asks ---------------------------------------------------------------

    def links_of(self, ids: Collection[str]) -> Mapping[str, Sequence[Link]]:
        """Returns the links at each of ``ids``, in both directions, open or not."""
        return self._kept.links_of(ids, self._catalogue) if self.snapshot is not None else {}

    def open_links(self, links: Collection[Link]) -> frozenset[Link]:
        """Returns those of ``links`` whose own record the reader may see whole.

        A mention by name tells a name of what it leads to: that has to be seen whole too.
        """
        return with_whole_mentions(self.stated_links(links), self.nodes)

    def stated_links(self, links: Collection[Link]) -> tuple[Link, ...]:
        """Returns those of ``links`` whose own record the reader may see whole, in order."""
        self._look_at(link.path for link in links)
        return tuple(link for link in links if self._whole[link.path])

    def open_nodes(self, ids: Collection[str]) -> frozenset[str]:
        """Returns those of ``ids`` that the reader may see."""
        return frozenset(self.nodes(ids))

    # What may be seen ---------------------------------------------------------------

    def nodes(self, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Returns what may be seen of each record, by id, in the order of ``ids``."""
        missing = [name for name in ids if name not in self._nodes]
        if missing and self.snapshot is not None:
            places = self._kept.places_of(missing, self._catalogue)
            paths = [path for name in missing for path in places.get(name, ())]
            records = self._kept.records_at(self.workspace, self.snapshot, paths)
            for name in missing:
                found = (records[path] for path in places.get(name, ()) if path in records)
                seen = (self._node(item) for item in found if item.record.id == name)
                self._nodes[name] = next((item for item in seen if item is not None), None)
        found_all = ((name, self._nodes.get(name)) for name in ids)
        return {name: stored for name, stored in found_all if stored is not None}

    def linked(self, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Returns what may be seen of each record, with the links that its reader may follow."""
        snapshot = self.snapshot
        if snapshot is None:
            return {}
        head = self.head if self.is_past else None
        return {
            name: with_open_links(self.workspace, snapshot, stored, self.request, head=head)
            for name, stored in self.nodes(ids).items()
        }

    def find(self, reference: str) -> StoredRecord:
        """Returns what a reference names: an id, a name of an entity, the end of an id, a file.

        An id that was merged into another names the other.

        Raises:
            UnknownRecordError: None matches, or none that may be seen.
            AmbiguousRecordError: Several do.
        """
        name, _ = split_version(reference.strip())
        # A name that is the end of an id as well means neither: nobody is called into its place.
        found = self._by_id(name) if is_id(name) else {**self._by_name(name), **self._by_end(name)}
        if not found:
            raise UnknownRecordError(
                f"no record matches {reference!r}", hint="see: memfs list, memfs search"
            )
        if len(found) > 1:
            names = ", ".join(sorted(found))
            raise AmbiguousRecordError(
                f"{reference!r} matches several records: {names}", hint="give more of the id"
            )
        return next(iter(found.values()))

    def bearers(self, name: str) -> tuple[StoredRecord, ...]:
        """Returns the entities that bear a name, those that the reader may see whole."""
        return tuple(self._by_name(name).values())

    def _by_id(self, name: str) -> dict[str, StoredRecord]:
        if self.snapshot is None:
            return {}
        survivor = self._kept.resolve(name, self._catalogue)
        return self.nodes([survivor] if survivor == name or self._has_right(name) else [])

    def _by_name(self, name: str) -> dict[str, StoredRecord]:
        key = entity_key(name)
        if not key or self.snapshot is None:
            return {}
        rows = self._catalogue().entities_named(key)
        # Who sees an entity in part confirms no name of it by guessing.
        found = self.nodes([row.id for row in rows])
        return {known: stored for known, stored in found.items() if stored.path}

    def _by_end(self, name: str) -> dict[str, StoredRecord]:
        if self.snapshot is None:
            return {}
        rows = named_entries(self._catalogue(), name)
        ids = ((row.id, self._kept.resolve(row.id, self._catalogue)) for row in rows)
        found = self.nodes([now for old, now in ids if old == now or self._has_right(old)])
        is_end = any(row.id.endswith(name.lower()) for row in rows)
        # A path is made of a title: who may not see the title confirms nothing by guessing it.
        return {known: stored for known, stored in found.items() if stored.path or is_end}

    def _has_right(self, name: str) -> bool:
        """Tells whether the reader may know of a record that became another one."""
        assert self.snapshot is not None
        paths = self._kept.places_of([name], self._catalogue)[name]
        records = self._kept.records_at(self.workspace, self.snapshot, paths)
        return any(read_right(item.record, self.request).is_whole for item in records.values())

    def _look_at(self, paths: Iterable[str]) -> None:
        missing = [path for path in dict.fromkeys(paths) if path not in self._whole]
        if not missing or self.snapshot is None:
            self._whole.update(dict.fromkeys(missing, False))
            return
        records = self._kept.records_at(self.workspace, self.snapshot, missing)
        for path in missing:
            stored = records.get(path)
            seen = self._visible(stored) if stored is not None else None
            self._whole[path] = seen is not None and bool(seen.path)

    def _node(self, stored: StoredRecord) -> StoredRecord | None:
        """Returns what may be seen of a node; an edge that is one shows with both its ends."""
        seen = self._visible(stored)
        if seen is None or stored.record.kind != EDGE_KIND:
            return seen
        is_hiding = has_hidden_end(
            self.workspace, self.head, stored.record, self.request, is_past=self.is_past
        )
        return None if is_hiding else seen

    def _visible(self, stored: StoredRecord) -> StoredRecord | None:
        """Returns what may be seen of a record: its path goes where that is only a part."""
        seen = visible_stored(stored, self.request)
        if seen is None:
            return None
        if rests_on_off_source(self.workspace, self.head, stored.record, self.request):
            return None
        if self.is_past:
            return still_open(self.workspace, self.head, stored, seen, self.request)
        return seen

    def _catalogue(self) -> Catalogue:
        if self._opened is None:
            assert self.snapshot is not None
            is_head = self.snapshot.commit == self.head.commit
            make = open_catalogue if is_head else passing_catalogue
            self._opened = make(self.workspace, self.snapshot)
        return self._opened


def with_whole_mentions(links: Collection[Link], nodes: Nodes) -> frozenset[Link]:
    """Returns links without the mentions of what may be seen in part alone, or not at all.

    What may mean somebody else that is seen whole is no mention either.
    """
    mentions = {link.end for link in links if link.sort is EdgeSort.MENTIONS}
    mentions |= {name for link in links for some in link.rivals for name in some}
    named = {name for name, stored in nodes(mentions).items() if stored.path} if mentions else ()
    return frozenset(
        link
        for link in links
        if link.sort is not EdgeSort.MENTIONS or (link.end in named and link.is_meant(named))
    )
