"""What pages are made of: the records that a person on this machine is served, and their links.

Everything passes the read gate, nothing confidential stands on a page, and an edge or a mention is
listed with both its ends or not at all. Records and links that were read are kept for the pages
that follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from memfs.domains.graph.page_records import AT_ONCE, PageRecords
from memfs.domains.graph.pages import (
    MOST_LINES,
    PAGED_KINDS,
    Item,
    Page,
    PageKey,
    PageType,
    Section,
    in_order,
    key_of,
    listed,
    page_path,
    preview_behind,
    target_of,
)
from memfs.index.catalogue import CatalogueFilter
from memfs.model.event import EVENT_KIND, TIMELINE_FOLDER
from memfs.model.graph import ENTITY_KIND, EdgeSort, Link
from memfs.model.instants import format_instant, month_of
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.policy.access import SERVED_STATUS
from memfs.policy.relations import relation_key

_RESTS: Final = {EdgeSort.DERIVED: "derived from", EdgeSort.SUPERSEDES: "in the place of"}


class PageSource(PageRecords):
    """One state of the ledger, as pages tell of it."""

    # What there is ----------------------------------------------------------------------

    def every_key(self) -> Iterator[PageKey]:
        """Yields every page that there may be, in no particular order."""
        yield PageKey(PageType.INDEX)
        yield from (PageKey(PageType.MONTH, month) for month in self.months())
        tags: dict[str, None] = {}
        scopes: dict[str, None] = {}
        for row in self._catalogue.listing(CatalogueFilter(status=str(SERVED_STATUS))):
            tags |= dict.fromkeys(tag for tag in row.tags.split(",") if tag)
            page_type = PAGED_KINDS.get(row.kind)
            if page_type is not None:
                scopes[row.scope] = None
                yield PageKey(page_type, row.id)
        yield from (PageKey(PageType.TOPIC, tag) for tag in tags)
        for scope in scopes:
            yield PageKey(PageType.PROJECT, scope or str(self._workspace.scope))

    def months(self) -> tuple[str, ...]:
        """Returns the months in which something happened, oldest first."""
        entries = self._snapshot.entries(f"{TIMELINE_FOLDER}/")
        folders = (entry.path.split("/")[1] for entry in entries)
        return tuple(sorted({folder.partition(".")[0] for folder in folders}))

    def touched_by(self, record: Record, links: Iterable[str]) -> Iterator[PageKey]:
        """Yields the pages that tell of a record.

        Args:
            record: As it is or was.
            links: Ids of what it is linked with.
        """
        own = key_of(record)
        if own is not None:
            yield own
            yield PageKey(PageType.INDEX)
            yield PageKey(PageType.PROJECT, str(record.scope or self._workspace.scope))
        if record.kind == EVENT_KIND and record.event_time is not None:
            yield PageKey(PageType.MONTH, month_of(record.event_time))
            yield PageKey(PageType.INDEX)
        yield from (PageKey(PageType.TOPIC, tag) for tag in record.tags)
        yield from self.keys_of(links)

    def keys_of(self, ids: Iterable[str]) -> Iterator[PageKey]:
        """Yields the pages of records by their ids, in whatever state they are."""
        for row in self._catalogue.by_ids(tuple(ids)):
            page_type = PAGED_KINDS.get(row.kind)
            if page_type is not None:
                yield PageKey(page_type, row.id)

    # Pages ------------------------------------------------------------------------------

    def pages(self, keys: Iterable[PageKey]) -> Iterator[tuple[PageKey, Page | None]]:
        """Yields pages; ``None`` for one that would tell of nothing."""
        rest = iter(dict.fromkeys(keys))
        while some := list(islice(rest, AT_ONCE)):
            self._prefetch([key.name for key in some if key.type in set(PAGED_KINDS.values())])
            for key in some:
                yield key, self._page(key)

    def _page(self, key: PageKey) -> Page | None:
        match key.type:
            case PageType.ENTITY | PageType.DECISION | PageType.SOURCE:
                return self._of_record(key)
            case PageType.MONTH:
                return self._of_month(key)
            case PageType.TOPIC:
                return self._of_topic(key)
            case PageType.PROJECT:
                return self._of_project(key)
            case PageType.INDEX:
                return self._index(key)

    def _of_record(self, key: PageKey) -> Page | None:
        stored = self.record(key.name)
        if stored is None or key_of(stored.record) != key:
            return None
        links = self._links.get(key.name, [])
        mentions = [
            link for link in links if link.sort is EdgeSort.MENTIONS and self._is_meant(link)
        ]
        to = self._served(link.end for link in mentions if link.start == key.name)
        by = self._served(link.start for link in mentions if link.end == key.name)
        events = [item for item in by if item.record.kind == EVENT_KIND]
        by_kind = {
            "Linked from": [item for item in by if item.record.kind in PAGED_KINDS],
            "Known": [
                item
                for item in by
                if item.record.kind != EVENT_KIND and item.record.kind not in PAGED_KINDS
            ],
        }
        sections = (
            Section(title="Relations", items=tuple(self._relations(key.name, links))),
            listed("Links", in_order(to)),
            *(listed(title, in_order(items)) for title, items in by_kind.items()),
            _events(events),
            Section(title="Sources", items=tuple(self._sources(stored, links))),
        )
        return Page(
            key=key,
            path=page_path(key, stored.record),
            title=stored.record.title,
            stored=stored,
            sections=sections,
        )

    def _is_meant(self, link: Link) -> bool:
        rivals = {name for some in link.rivals for name in some}
        return link.is_meant({name for name in rivals if self.record(name) is not None})

    def _relations(self, own: str, links: Iterable[Link]) -> Iterator[Item]:
        """Yields the edges at a record, each once, with what they lead to."""
        known: set[tuple[str, str, str]] = set()
        for link in sorted(links, key=_edge_order):
            if link.sort is not EdgeSort.ASSERTED:
                continue
            other = self.record(link.other_end(own))
            edge = self._seen(link.path)
            triple = (link.start, relation_key(link.relation), link.end)
            if other is None or edge is None or triple in known:
                continue
            known.add(triple)
            yield Item(
                target=target_of(other),
                stored=edge,
                words=other.record.title,
                before=f"{link.relation} →" if link.start == own else f"← {link.relation}",
                after=" ".join(filter(None, (_time_of(edge.record), preview_behind(other.record)))),
            )

    def _sources(self, stored: StoredRecord, links: Iterable[Link]) -> Iterator[Item]:
        record = stored.record
        origin = record.origin
        if origin is not None:
            when = format_instant(record.observed) if record.observed is not None else ""
            how = str(origin.origin_class).replace("_", " ")
            words = ", ".join(filter(None, (f"{how} by {origin.principal}", when)))
            yield Item(target=stored.path, words=words)
        for link in links:
            if link.start != record.id or link.sort in (EdgeSort.ASSERTED, EdgeSort.MENTIONS):
                continue
            other = self.record(link.end)
            if other is not None:
                words = other.record.title or other.record.id
                before = _RESTS.get(link.sort, "by")
                yield Item(target=target_of(other), words=words, before=before)

    def _of_month(self, key: PageKey) -> Page | None:
        entries = self._snapshot.entries(f"{TIMELINE_FOLDER}/{key.name}")
        rows = self._served_rows(entry.path for entry in entries)
        found = [item for item in rows if item.record.kind == EVENT_KIND]
        if not found:
            return None
        months = self.months()
        near = [name for name in months if name != key.name]
        before = [name for name in near if name < key.name][-1:]
        after = [name for name in near if name > key.name][:1]
        beside = tuple(
            Item(target=page_path(PageKey(PageType.MONTH, name)), words=name)
            for name in (*before, *after)
        )
        sections = (_events(found, is_oldest_first=True), Section(title="Beside", items=beside))
        return Page(key=key, path=page_path(key), title=key.name, sections=sections)

    def _of_topic(self, key: PageKey) -> Page | None:
        wanted = CatalogueFilter(status=str(SERVED_STATUS), tags=(key.name,), by_importance=True)
        rows = self._catalogue.listing(wanted)
        found = [
            item
            for item in islice(self._served_rows(row.path for row in rows), MOST_LINES)
            if key.name in item.record.tags
        ]
        if not found:
            return None
        events = [item for item in found if item.record.kind == EVENT_KIND]
        kinds = sorted({item.record.kind for item in found} - {EVENT_KIND})
        sections = [
            listed(kind, in_order(item for item in found if item.record.kind == kind))
            for kind in kinds
        ]
        return Page(
            key=key,
            path=page_path(key),
            title=key.name,
            sections=(*sections, _events(events)),
        )

    def _of_project(self, key: PageKey) -> Page | None:
        found = {kind: self._most_important(kind, key.name) for kind in PAGED_KINDS}
        if not any(found.values()):
            return None
        return Page(
            key=key,
            path=page_path(key),
            title=Scope.parse(key.name).name or key.name,
            sections=tuple(_by_type(found)),
        )

    def _index(self, key: PageKey) -> Page:
        found = {kind: self._most_important(kind) for kind in PAGED_KINDS}
        every = [item for items in found.values() for item in items]
        own = str(self._workspace.scope)
        scopes = sorted({str(item.record.scope or own) for item in every})
        tags = sorted({tag for item in every for tag in item.record.tags})
        lists = (
            ("Projects", PageType.PROJECT, scopes),
            ("Months", PageType.MONTH, self._told_months()),
            ("Topics", PageType.TOPIC, tags),
        )
        sections = (
            Section(
                title=title,
                items=tuple(
                    Item(target=page_path(PageKey(page_type, name)), words=name) for name in names
                ),
            )
            for title, page_type, names in lists
        )
        return Page(
            key=key,
            path=page_path(key),
            title=f"Pages of {self._workspace.settings.project}",
            sections=(*sections, *_by_type(found)),
        )

    def _told_months(self) -> list[str]:
        """Returns the months of which something may be told, the newest first."""
        return [name for name in reversed(self.months()) if self._is_told(name)]

    def _is_told(self, month: str) -> bool:
        entries = self._snapshot.entries(f"{TIMELINE_FOLDER}/{month}")
        return next(self._served_rows(entry.path for entry in entries), None) is not None

    def _most_important(self, kind: str, scope: str = "") -> tuple[StoredRecord, ...]:
        wanted = CatalogueFilter(kinds=(kind,), status=str(SERVED_STATUS), by_importance=True)
        own = str(self._workspace.scope)
        rows = (
            row
            for row in self._catalogue.listing(wanted)
            if not scope or (row.scope or own) == scope
        )
        return tuple(islice(self._served_rows(row.path for row in rows), MOST_LINES))


def _events(events: Iterable[StoredRecord], *, is_oldest_first: bool = False) -> Section:
    ordered = sorted(events, key=_event_order, reverse=not is_oldest_first)
    return Section(
        title="Events",
        items=tuple(
            Item(target=item.path, stored=item, before=_moment_of(item.record)) for item in ordered
        ),
    )


def _event_order(stored: StoredRecord) -> tuple[str, str]:
    moment = stored.record.event_time or stored.record.observed
    return (format_instant(moment) if moment is not None else "", stored.record.id)


def _moment_of(record: Record) -> str:
    moment = record.event_time or record.observed
    when = format_instant(moment) if moment is not None else ""
    sort = record.fields.get("event_kind")
    return " ".join(filter(None, (when, sort if isinstance(sort, str) else "")))


def _time_of(edge: Record) -> str:
    since = f"since {format_instant(edge.valid_from)}" if edge.valid_from is not None else ""
    until = f"until {format_instant(edge.valid_until)}" if edge.valid_until is not None else ""
    words = " ".join(filter(None, (since, until)))
    return f"({words})" if words else ""


def _edge_order(link: Link) -> tuple[str, str, str, str]:
    return (link.relation, link.start, link.end, link.record)


def _by_type(found: dict[str, tuple[StoredRecord, ...]]) -> Iterator[Section]:
    """Yields a section for each type of entity, then one for each other kind."""
    entities = found.get(ENTITY_KIND, ())
    types: dict[str, list[StoredRecord]] = {}
    for item in entities:
        types.setdefault(str(item.record.fields.get("entity_type") or "entity"), []).append(item)
    for name in sorted(types):
        yield listed(name, in_order(types[name]))
    for kind in PAGED_KINDS:
        if kind != ENTITY_KIND:
            yield listed(kind, in_order(found.get(kind, ())))
