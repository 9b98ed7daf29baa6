"""Writes segments with Whoosh's own codec; imported only where an index is written.

A batch is inverted in memory and handed to the codec's field writer term by term: what
Whoosh does after sorting a pool of single postings, without the pool. A few documents go
through the pool, together with the small segments that they are merged with. A commit
writes segment files, columns, Whoosh's table of contents, the manifest, and then removes
what is no longer named. A process that dies in between leaves the old manifest valid, or an
index that the next writer sees to be out of step and rebuilds.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from whoosh import fields
from whoosh.codec.whoosh3 import W3Codec, W3FieldWriter
from whoosh.filedb.filestore import FileStorage
from whoosh.index import TOC, FileIndex, clean_files
from whoosh.reading import SegmentReader
from whoosh.writing import SegmentWriter

from memfs.errors import IndexUnavailableError
from memfs.index.columns import Columns, columns_name
from memfs.index.documents import Document
from memfs.index.inverted import KEY_FIELD, TEXT_FIELD, Lists, invert
from memfs.index.manifest import Manifest, SegmentEntry, replace_file, write_manifest

INDEX_NAME: Final = "memfs"
BLOCK_POSTINGS: Final = 1024
MERGE_AT: Final = 6
SMALL_SEGMENT: Final = 128
BULK: Final = 256


def create_index(
    folder: Path, documents: Sequence[Document], *, store_id: str, ledger: str, settings: str
) -> Manifest:
    """Writes a new index of all documents into an empty folder and returns its manifest."""
    storage = FileStorage(str(folder))
    index = FileIndex.create(storage, _schema(), indexname=INDEX_NAME)
    empty = Manifest(store_id=store_id, ledger=ledger, settings=settings, revision=0, segments=())
    return _commit(folder, index, empty, documents, merged=(), deleted={})


def change_index(
    folder: Path,
    manifest: Manifest,
    *,
    ledger: str,
    deleted: dict[str, set[int]],
    added: Sequence[Document],
) -> Manifest:
    """Deletes and adds documents in one commit and returns the new manifest.

    Args:
        folder: The generation.
        manifest: Its manifest.
        ledger: The commit that the result stands for.
        deleted: Numbers of documents to delete, by segment name.
        added: Documents to add.

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
    base = Manifest(
        store_id=manifest.store_id,
        ledger=ledger,
        settings=manifest.settings,
        revision=manifest.revision,
        segments=manifest.segments,
    )
    return _commit(folder, index, base, added, merged=_small(manifest, added), deleted=deleted)


def _schema() -> fields.Schema:
    return fields.Schema(**{TEXT_FIELD: fields.ID(), KEY_FIELD: fields.ID()})


def _small(manifest: Manifest, added: Sequence[Document]) -> tuple[str, ...]:
    """Names the segments to merge: all small ones once there are many, so that work stays low."""
    small = [entry.name for entry in manifest.segments if entry.count <= SMALL_SEGMENT]
    return tuple(small) if added and len(small) + 1 >= MERGE_AT else ()


class _Writer(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, with the manifest published between contents and clean-up."""

    def __init__(self, index: FileIndex, publish: Callable[[list[Any], int], None]) -> None:
        super().__init__(index, codec=W3Codec(blocklimit=BLOCK_POSTINGS), compound=False)
        self._publish = publish

    def _commit_toc(self, segments: list[Any]) -> None:
        TOC(self.schema, segments, self.generation).write(self.storage, self.indexname)
        self._publish(segments, self.generation)
        clean_files(self.storage, self.indexname, self.generation, segments)


def _commit(
    folder: Path,
    index: FileIndex,
    base: Manifest,
    added: Sequence[Document],
    *,
    merged: tuple[str, ...],
    deleted: dict[str, set[int]],
) -> Manifest:
    published: list[Manifest] = []

    def publish(segments: list[Any], revision: int) -> None:
        manifest = Manifest(
            store_id=base.store_id,
            ledger=base.ledger,
            settings=base.settings,
            revision=revision,
            segments=tuple(_entry(segment) for segment in segments),
        )
        write_manifest(folder, manifest)
        published.append(manifest)

    writer = _Writer(index, publish)
    try:
        with _without_collector():
            kept = _write(folder, writer, added, merged, deleted)
            writer.commit(mergetype=lambda _writer, _segments: kept)
    except BaseException:
        if not writer.is_closed:
            writer.cancel()
        raise
    return published[0]


def _write(
    folder: Path,
    writer: _Writer,
    added: Sequence[Document],
    merged: tuple[str, ...],
    deleted: dict[str, set[int]],
) -> list[Any]:
    for segment in writer.segments:
        for number in deleted.get(segment.segment_id(), ()):
            segment.delete_document(number)
    kept = [s for s in writer.segments if s.segment_id() not in merged and s.doc_count() > 0]
    parts: list[Columns] = []
    for segment in writer.segments:
        if segment.segment_id() in merged and segment.doc_count() > 0:
            parts.append(_merge(folder, writer, segment))
    if added:
        if parts or len(added) < BULK:
            _add_pooled(writer, added)
        else:
            _add_inverted(writer, added)
        parts.append(Columns.from_documents(added))
    if parts:
        name = columns_name(writer.newsegment.segment_id())
        replace_file(folder / name, Columns.joined(parts).to_bytes())
    return kept


def _merge(folder: Path, writer: _Writer, segment: Any) -> Columns:
    reader = SegmentReader(writer.storage, writer.schema, segment)
    try:
        writer.add_reader(reader)
    finally:
        reader.close()
    columns = Columns.from_bytes((folder / columns_name(segment.segment_id())).read_bytes())
    return columns.without(frozenset(segment.deleted_docs()))


def _add_pooled(writer: _Writer, documents: Sequence[Document]) -> None:
    add = writer.pool.add
    for document in documents:
        number = writer.docnum
        _add_number(writer)
        for key in document.keys:
            add((KEY_FIELD, _encoded(key), number, 1.0, b""))
        for term, weight in document.terms.items():
            add((TEXT_FIELD, _encoded(term), number, weight, b""))


def _add_inverted(writer: _Writer, documents: Sequence[Document]) -> None:
    for _ in documents:
        _add_number(writer)
    lists = invert(documents)
    for field_name in sorted(lists):
        _write_field(writer, field_name, lists[field_name])


def _write_field(writer: _Writer, field_name: str, lists: Lists) -> None:
    field_writer = writer.fieldwriter
    field_writer.start_field(field_name, writer.schema[field_name])
    for encoded, term in sorted((_encoded(term), term) for term in lists):
        field_writer.start_term(encoded)
        numbers, weights = lists[term]
        for start in range(0, len(numbers), BLOCK_POSTINGS):
            end = start + BLOCK_POSTINGS
            _add_block(field_writer, numbers[start:end], weights[start:end])
        field_writer.finish_term()
    if lists:
        field_writer.finish_field()


def _add_block(field_writer: W3FieldWriter, numbers: list[int], weights: list[float]) -> None:
    """Adds a block of postings; all but its last go straight into the codec's buffers.

    The public call per posting costs more than everything else in a rebuild. It is still
    what the last posting takes, so that the codec flushes full blocks and keeps its own sums.
    """
    buffer = field_writer._postwriter
    if len(buffer._ids) >= BLOCK_POSTINGS:
        buffer._write_block()
    buffer._ids.extend(numbers[:-1])
    buffer._weights.extend(weights[:-1])
    buffer._maxweight = max(weights)
    field_writer.add(numbers[-1], weights[-1], b"", 0)


def _add_number(writer: _Writer) -> None:
    writer.perdocwriter.start_doc(writer.docnum)
    writer.perdocwriter.finish_doc()
    writer.docnum += 1
    writer._added = True


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
