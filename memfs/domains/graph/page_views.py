"""Keeps the wiki pages in step with the ledger: a change rewrites its neighbourhood and no more.

The pages are derived: the same ledger gives the same bytes, brought up change by change or made
anew. A page whose text is the same is not written again, one that a person wrote in is not written
over before that was filed, and a file that is no page of ours is left alone (A91, O14, O39).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import Final

from memfs.domains.graph.page_source import PageSource
from memfs.domains.graph.pages import (
    PageKey,
    is_pristine,
    key_in,
    key_of,
    page_path,
    render_page,
)
from memfs.errors import DataError, IndexUnavailableError, StoreError
from memfs.index.catalogue import Catalogue
from memfs.model.frozen import frozen
from memfs.model.naming import entity_key, file_key
from memfs.model.record import Record, StoredRecord
from memfs.policy.graph_links import (
    called_keys,
    keys_of_entity,
    links_of_record,
    mentioned_names,
)
from memfs.services.catalogue import open_catalogue
from memfs.services.pages_view import (
    FOLDERS,
    INDEX_NAME,
    PageStamp,
    are_pages_current,
    drop_page_stamp,
    has_pages,
    page_files,
    page_rules,
    read_page_stamp,
    touched_pages,
    write_page_stamp,
)
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection, write_projection
from memfs.services.served_records import read_records
from memfs.store.layout import VIEWS_FOLDER, is_record_path
from memfs.store.snapshot import Snapshot

MOST_IN_PASSING: Final = 2_000
"""Of so many things all pages are made while somebody waits: two seconds of work."""
_MANY: Final = 500
"""From so many changed files on, all pages are made anew."""


@frozen(kw_only=False)
class Refreshed:
    """Which pages were written and which were removed, by path."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def refresh_pages(
    workspace: Workspace,
    *,
    is_anew: bool = False,
    is_brief: bool = False,
    filed: Iterable[str] = (),
) -> Refreshed | None:
    """Brings the pages up to the ledger; reads only what changed where that is enough.

    Args:
        workspace: The store.
        is_anew: Read everything again and believe nothing that is there.
        is_brief: Somebody waits: all pages of many things are left to whoever has time.
        filed: Paths of pages whose edits have become candidates: they may be written over.

    Returns:
        What was done; ``None`` where nothing was to do, or the pages could not be written, and
        the next writer does it.
    """
    paths = frozenset(filed)
    if not is_anew and not paths and are_pages_current(workspace):
        return None
    snapshot = workspace.store.snapshot()
    stamp = None if is_anew else read_page_stamp(workspace)
    edited = [path for path in edited_pages(workspace) if path not in paths]
    seen = read_page_stamp(workspace)
    try:
        if not has_pages(snapshot):
            removed = tuple(_remove(workspace, _ours(workspace)))
            drop_page_stamp(workspace)
            return Refreshed(removed=removed) if removed else None
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            source = PageSource(workspace, snapshot, catalogue)
            work = _Work(workspace, snapshot, catalogue, source, paths)
            keys = work.touched(stamp)
            if keys is None and is_brief and _is_large(snapshot):
                return None
            done = work.all_pages() if keys is None else work.some_pages(keys)
    except (OSError, StoreError, DataError, IndexUnavailableError):
        drop_page_stamp(workspace)
        return None
    known = stamp.until if stamp is not None and keys is not None else None
    until = min(filter(None, (known, source.until)), default=None)
    # What nobody filed yet is looked for again; the pages written now are looked at with it.
    looked = (seen.changed if seen is not None else -1) if edited else None
    write_page_stamp(workspace, snapshot, until=until, changed=looked)
    return done


def _is_large(snapshot: Snapshot) -> bool:
    entries = snapshot.entries("graph/entities/")
    return sum(1 for _ in islice(entries, MOST_IN_PASSING + 1)) > MOST_IN_PASSING


def edited_pages(workspace: Workspace) -> tuple[str, ...]:
    """Returns the paths of pages of ours that somebody wrote in since they were made, sorted."""
    found = []
    for path in touched_pages(workspace):
        text = read_projection(workspace, path)
        if text is not None and key_in(text) is not None and not is_pristine(text):
            found.append(path)
    return tuple(found)


class _Work:
    """One bringing up of the pages."""

    def __init__(
        self,
        workspace: Workspace,
        snapshot: Snapshot,
        catalogue: Catalogue,
        source: PageSource,
        filed: frozenset[str],
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._catalogue = catalogue
        self._source = source
        self._filed = filed
        self._old_paths: set[str] = set()

    def all_pages(self) -> Refreshed:
        """Makes every page anew and removes those of ours that are none any longer."""
        written, paths = self._written(self._source.every_key())
        ours = {*_ours(self._workspace), *self._filed}
        left = [path for path in sorted(ours) if path not in paths]
        return Refreshed(tuple(written), tuple(_remove(self._workspace, left)))

    def some_pages(self, keys: Iterable[PageKey]) -> Refreshed:
        """Makes some pages anew and removes those that changed their name or tell of nothing."""
        texts = (read_projection(self._workspace, path) for path in self._filed)
        filed = [key for text in texts if text is not None and (key := key_in(text)) is not None]
        self._old_paths |= self._filed
        written, paths = self._written((*keys, *filed))
        gone = sorted(self._old_paths - paths)
        ours = (path for path in gone if self._is_writable(path))
        return Refreshed(tuple(written), tuple(_remove(self._workspace, ours)))

    def touched(self, stamp: PageStamp | None) -> tuple[PageKey, ...] | None:
        """Returns the pages that a change since ``stamp`` may have touched; ``None`` for all."""
        if stamp is None or stamp.rules != page_rules(self._workspace, self._snapshot):
            return None
        if stamp.until is not None and stamp.until <= self._workspace.clock.now():
            return None
        if page_files(self._workspace)[0] != stamp.files:
            return None
        older = self._workspace.store.snapshot_or_none(stamp.commit)
        if older is None or not has_pages(older):
            return None
        changes = [it for it in self._snapshot.changes_since(older) if is_record_path(it.path)]
        if len(changes) > _MANY:
            return None
        old = self._read(older, ((it.path, it.old) for it in changes if it.old))
        new = self._read(self._snapshot, ((it.path, it.new) for it in changes if it.new))
        keys: dict[PageKey, None] = {}
        for stored in old:
            record = stored.record
            keys |= dict.fromkeys(self._source.touched_by(record, self._linked_by(stored)))
            own = key_of(record)
            if own is not None:
                self._old_paths.add(page_path(own, record))
            self._old_paths.update(map(page_path, _lists(self._source, record)))
        ids = {stored.record.id for stored in (*old, *new)}
        ends = self._ends_at(ids)
        for stored in new:
            ends |= self._linked_by(stored)
            keys |= dict.fromkeys(self._source.touched_by(stored.record, ()))
        keys |= dict.fromkeys(self._source.keys_of(ends))
        return tuple(keys)

    def _read(self, snapshot: Snapshot, places: Iterable[tuple[str, str]]) -> list[StoredRecord]:
        return list(read_records(self._workspace, snapshot, places))

    def _ends_at(self, ids: set[str]) -> set[str]:
        """Returns the other ends of all links at some records, as they are now."""
        links = self._catalogue.links_of(ids)
        return {end for link in links for end in (link.start, link.end)} | ids

    def _linked_by(self, stored: StoredRecord) -> set[str]:
        """Returns the ids that a record was linked with, and those that named it by a name."""
        catalogue, record = self._catalogue, stored.record
        ends = {end for link in links_of_record(record) for end in (link.start, link.end)}
        ends = {catalogue.resolve_merged(end) for end in ends if ":" not in end} | ends
        for name in mentioned_names(record):
            ends |= {row.id for row in catalogue.entities_named(entity_key(name))}
            ends |= catalogue.called(file_key(name)).keys()
        called = called_keys(record, stored.path)
        return {*ends, *catalogue.naming(keys_of_entity(record), called)}

    # Writing ----------------------------------------------------------------------------

    def _written(self, keys: Iterable[PageKey]) -> tuple[list[str], set[str]]:
        written: list[str] = []
        paths: set[str] = set()
        for key, page in self._source.pages(keys):
            if page is None:
                self._old_paths.add(page_path(key))
                continue
            paths.add(page.path)
            if self._write(page.path, render_page(page)):
                written.append(page.path)
        return sorted(written), paths

    def _write(self, path: str, text: str) -> bool:
        before = read_projection(self._workspace, path)
        if before == text or not self._is_writable(path, before):
            return False
        write_projection(self._workspace, path, text)
        return True

    def _is_writable(self, path: str, text: str | None = None) -> bool:
        text = text if text is not None else read_projection(self._workspace, path)
        # An empty page was deleted rather than edited.
        is_free = text is None or not text.strip() or path in self._filed
        return is_free or is_pristine(text or "")


def _lists(source: PageSource, record: Record) -> Iterator[PageKey]:
    """Yields the pages that list a record without being of one."""
    yield from (key for key in source.touched_by(record, ()) if key != key_of(record))


def _ours(workspace: Workspace) -> Iterator[str]:
    """Yields the pages that lie there as they were made; a person's own file is none."""
    for path in workspace.store.list_untracked(VIEWS_FOLDER):
        folder, _, name = path.removeprefix(f"{VIEWS_FOLDER}/").rpartition("/")
        if (folder in FOLDERS and name.endswith(".md")) or (not folder and name == INDEX_NAME):
            text = read_projection(workspace, path)
            if text is not None and is_pristine(text):
                yield path


def _remove(workspace: Workspace, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if workspace.store.working_digest(path) is not None:
            workspace.store.remove_untracked(path)
            yield path
