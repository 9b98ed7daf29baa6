"""Writes segments with Whoosh's own codec; imported only where an index is written.

A batch is inverted in memory and handed to the codec's field writer term by term: what
Whoosh does after sorting a pool of single postings, without the pool. Small segments are
merged by reading them back into such a batch. A commit writes segment files, columns,
Whoosh's table of contents, the manifest, and then removes what is no longer named. A process
that dies in between leaves the old manifest valid, or an index that the next writer sees to
be out of step and rebuilds.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from whoosh import fields
from whoosh.codec.whoosh3 import W3Codec
from whoosh.filedb.filestore import FileStorage
from whoosh.index import TOC, FileIndex, clean_files
from whoosh.writing import SegmentWriter

from memfs.errors import IndexUnavailableError
from memfs.index.batch import KEY_FIELD, TEXT_FIELD, Batch, PostingList
from memfs.index.block_format import write_terms
from memfs.index.columns import Columns, columns_name
from memfs.index.documents import Document
from memfs.index.manifest import Manifest, SegmentEntry, replace_file, write_manifest
from memfs.index.postings import SegmentReader

INDEX_NAME: Final = "memfs"
MERGE_AT: Final = 4
MERGE_TIERS: Final = ((0, 8), (8, 64))
MOST_SEGMENTS: Final = 16


def create_index(
    folder: Path, batch: Batch, *, store_id: str, ledger: str, settings: str
) -> Manifest:
    """Writes a new index of a batch into an empty folder and returns its manifest."""
    storage = FileStorage(str(folder))
    index = FileIndex.create(storage, _schema(), indexname=INDEX_NAME)
    empty = Manifest(store_id=store_id, ledger=ledger, settings=settings, revision=0, segments=())
    return _commit(folder, index, empty, batch, merged=frozenset(), deleted={})


def change_index(
    folder: Path,
    manifest: Manifest,
    *,
    ledger: str,
    deleted: dict[str, set[int]],
    added: Sequence[Document],
    is_purging: bool = False,
) -> Manifest:
    """Deletes and adds documents in one commit and returns the new manifest.

    Args:
        folder: The generation.
        manifest: Its manifest.
        ledger: The commit that the result stands for.
        deleted: Numbers of documents to delete, by segment name.
        added: Documents to add.
        is_purging: Write every segment anew that holds a deleted document, so that no word of
            one is left in any file (A39).

    Raises:
        IndexUnavailableError: Whoosh and the manifest do not agree; a rebuild is needed.
    """
    storage = FileStorage(str(folder))
    index = FileIndex(storage, _schema(), indexname=INDEX_NAME)
    if index.latest_generation() != manifest.revision:
        raise IndexUnavailableError(
            "expected Whoosh and the manifest in step, got an unfinished change",
            code="index.unfinished",
        )
    merged = _to_merge(manifest) if added else ()
    if is_purging:
        merged = tuple(e for e in manifest.segments if e.deleted or deleted.get(e.name))
    batch = Batch()
    for entry in merged:
        columns = Columns.from_bytes((folder / columns_name(entry.name)).read_bytes())
        gone = entry.deleted | deleted.get(entry.name, set())
        batch.absorb(columns, SegmentReader(folder, entry.name).terms(), gone)
    for document in added:
        batch.add(document)
    base = replace(manifest, ledger=ledger)
    return _commit(
        folder, index, base, batch, merged=frozenset(e.name for e in merged), deleted=deleted
    )


def _schema() -> fields.Schema:
    return fields.Schema(**{TEXT_FIELD: fields.ID(), KEY_FIELD: fields.ID()})


def _to_merge(manifest: Manifest) -> tuple[SegmentEntry, ...]:
    """Chooses the segments to merge: those of a size once there are several, as in a log.

    Larger ones are left until there are too many to look a word up in; then all but the
    largest become one.
    """
    segments = manifest.segments
    for low, high in MERGE_TIERS:
        tier = tuple(entry for entry in segments if low < entry.count <= high)
        if len(tier) >= MERGE_AT:
            return tier
    if len(segments) <= MOST_SEGMENTS:
        return ()
    largest = max(segments, key=lambda entry: entry.count)
    return tuple(entry for entry in segments if entry is not largest)


class _Writer(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, with the manifest published between contents and clean-up."""

    def __init__(self, index: FileIndex, publish: Callable[[list[Any], int], None]) -> None:
        super().__init__(index, codec=W3Codec(), compound=False)
        self._publish = publish

    def _commit_toc(self, segments: list[Any]) -> None:
        TOC(self.schema, segments, self.generation).write(self.storage, self.indexname)
        self._publish(segments, self.generation)
        clean_files(self.storage, self.indexname, self.generation, segments)


def _commit(
    folder: Path,
    index: FileIndex,
    base: Manifest,
    batch: Batch,
    *,
    merged: frozenset[str],
    deleted: dict[str, set[int]],
) -> Manifest:
    published: list[Manifest] = []

    def publish(segments: list[Any], revision: int) -> None:
        entries = tuple(_entry(segment) for segment in segments)
        manifest = replace(base, revision=revision, segments=entries)
        for path in folder.iterdir():
            if path.is_file():
                path.chmod(0o600)
        write_manifest(folder, manifest)
        published.append(manifest)

    writer = _Writer(index, publish)
    try:
        with _without_collector():
            kept = _write(folder, writer, batch, merged, deleted)
            writer.commit(mergetype=lambda _writer, _segments: kept)
    except BaseException:
        if not writer.is_closed:
            writer.cancel()
        raise
    return published[0]


def _write(
    folder: Path,
    writer: _Writer,
    batch: Batch,
    merged: frozenset[str],
    deleted: dict[str, set[int]],
) -> list[Any]:
    """Marks deletions, writes the new segment, and returns the old ones that stay."""
    for segment in writer.segments:
        for number in deleted.get(segment.segment_id(), ()):
            segment.delete_document(number)
    if len(batch):
        for _ in range(len(batch)):
            writer.perdocwriter.start_doc(writer.docnum)
            writer.perdocwriter.finish_doc()
            writer.docnum += 1
        for field_name in sorted(batch.lists):
            _write_field(writer, field_name, batch.lists[field_name])
        writer._added = True
        name = columns_name(writer.newsegment.segment_id())
        replace_file(folder / name, batch.columns().to_bytes())
    return [s for s in writer.segments if s.segment_id() not in merged and s.doc_count() > 0]


def _write_field(writer: _Writer, field_name: str, lists: dict[str, PostingList]) -> None:
    field_writer = writer.fieldwriter
    field_writer.start_field(field_name, writer.schema[field_name])
    terms = sorted((_encoded(term), term) for term in lists)
    write_terms(field_writer, ((encoded, *lists[term]) for encoded, term in terms))
    if lists:
        field_writer.finish_field()


def _encoded(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")


def _entry(segment: Any) -> SegmentEntry:
    return SegmentEntry(
        name=segment.segment_id(),
        count=segment.doc_count_all(),
        deleted=frozenset(segment.deleted_docs()),
    )


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keeps the cycle collector from walking millions of postings that hold no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
