"""Tombstones: what a forgotten record or a deleted source leaves behind, and what it bars.

The marks are digests keyed by the store's id, so they mean nothing in another store. What is
offered is compared by exact marks: the claim itself whoever states it; its words, its id and its
source with the same subject for everybody but a person who states something new in person. So a
source that survives is not extracted again (A63), and a person may still say something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memfs.formats.tombstone_codec import encode_tombstone
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.decision import Decision
from memfs.model.digests import content_digest
from memfs.model.execution import STEP_KIND
from memfs.model.operation import FileChange
from memfs.model.record import Record, StoredRecord
from memfs.model.text import normalise_text
from memfs.model.tombstone import Tombstone
from memfs.policy.authority import is_person_origin
from memfs.services.catalogue import fingerprint_of
from memfs.services.ports import Workspace
from memfs.services.served_records import read_path
from memfs.store.layout import tombstone_path
from memfs.store.snapshot import Snapshot

SOURCE_KIND = "evidence"
_TELLING_CHARS = 40


def tombstone_of(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, record: Record
) -> Tombstone:
    """Makes the tombstone of a record that is about to be forgotten.

    That of an envelope bars the source; that of anything else bars the claim, its words, and
    its being taken from any of its sources again.
    """
    return Tombstone(
        id=record.id,
        kind=record.kind,
        at=workspace.clock.now(),
        fingerprint=claim_mark(workspace, record) if _is_barring_words(record) else "",
        marks=tuple(sorted(set(_marks(workspace, snapshot, catalogue, record)))),
    )


def tombstone_change(snapshot: Snapshot, tombstone: Tombstone, decision: Decision) -> FileChange:
    """Returns the change that sets a tombstone; one that stands is written over."""
    path = tombstone_path(tombstone.id)
    standing = snapshot.raw_entry(path)
    return FileChange(
        path=path,
        content=encode_tombstone(tombstone),
        expected=standing.blob if standing else None,
        decision=decision,
    )


def claim_mark(workspace: Workspace, record: Record) -> str:
    """Returns the mark of the very claim that a record makes."""
    return mark_of(workspace, fingerprint_of(record))


def mark_of(workspace: Workspace, text: str) -> str:
    """Returns a content-free mark, keyed by the store so that it tells nobody outside."""
    return content_digest("tombstone", f"{workspace.store_id}\0{text}".encode("utf-8", "replace"))


def is_barred(
    workspace: Workspace,
    catalogue: Catalogue,
    submission: Submission,
    *,
    fingerprint: str,
    evidence: Mapping[str, Record],
) -> bool:
    """Tells whether a tombstone bars what is submitted.

    Args:
        workspace: The store.
        catalogue: Open at the snapshot that is decided on.
        submission: Completed.
        fingerprint: That of its draft.
        evidence: What it cites and quotes, by id.
    """
    if not catalogue.has_tombstones:
        return False
    draft, origin = submission.draft, submission.origin
    marks = [mark_of(workspace, fingerprint)]
    if draft.id:
        marks.append(draft.id)
    if submission.is_confirmed or not is_person_origin(origin):
        marks.extend(_words_marks(workspace, draft))
        sources = {origin.digest, *_source_digests(evidence.values())}
        marks.extend(_source_mark(workspace, digest, draft.subject) for digest in sources if digest)
        marks.extend(_source_mark(workspace, digest) for digest in sources if digest)
    return bool(catalogue.tombstones_with(mark for mark in marks if mark))


def is_forgotten(catalogue: Catalogue, identifier: str) -> bool:
    """Tells whether a record or source of this id was forgotten."""
    return bool(catalogue.tombstones_with([identifier]))


def barred_records(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, tombstone: Tombstone
) -> tuple[StoredRecord, ...]:
    """Returns the served records that a tombstone bars: its id, and the very claim."""
    found = [*catalogue.by_id(tombstone.id)] if tombstone.id else []
    if tombstone.fingerprint:
        for fingerprint in catalogue.fingerprints():
            if mark_of(workspace, fingerprint) == tombstone.fingerprint:
                found.extend(catalogue.by_fingerprint(fingerprint))
    paths = dict.fromkeys(entry.path for entry in found)
    read = (read_path(workspace, snapshot, path) for path in paths)
    return tuple(stored for stored in read if stored is not None)


def _marks(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, record: Record
) -> Iterable[str]:
    if record.kind == SOURCE_KIND:
        if record.origin is not None and record.origin.digest:
            yield _source_mark(workspace, record.origin.digest)
        return
    if not _is_barring_words(record):
        return
    yield from _words_marks(workspace, record)
    cited = [
        stored.record
        for identifier in record.evidence
        for entry in catalogue.by_id(identifier)
        if (stored := read_path(workspace, snapshot, entry.path)) is not None
    ]
    own = record.origin.digest if record.origin is not None else ""
    if normalise_text(record.subject):
        for digest in {own, *_source_digests(cited)} - {""}:
            yield _source_mark(workspace, digest, record.subject)


def _is_barring_words(record: Record) -> bool:
    """Tells whether a forgotten record bars what it says, beside its id.

    A source is barred by its digest. Of the steps of a task many say the same few words, such as
    a call of the tests: to forget one of them takes those words from nobody.
    """
    is_short = len(normalise_text(record.body or record.title)) < _TELLING_CHARS
    return record.kind != SOURCE_KIND and not (record.kind == STEP_KIND and is_short)


def _words_marks(workspace: Workspace, record: Record) -> Iterable[str]:
    """Yields the marks of what a record says, whatever it is called; none for no words.

    A heading is a title that stands in the text: what is below it has a mark of its own.
    """
    words = normalise_text(record.body).lstrip("# ") or normalise_text(record.title)
    heading, _, below = record.body.lstrip().partition("\n")
    found = {words, normalise_text(below) if heading.startswith("#") else ""}
    yield from (mark_of(workspace, f"words\0{said}") for said in sorted(found - {""}))


def _source_mark(workspace: Workspace, digest: str, subject: str | None = None) -> str:
    """Returns the mark of a source, or of what it says about one subject; empty for no subject."""
    if subject is None:
        return mark_of(workspace, f"source\0{digest}")
    key = normalise_text(subject)
    return mark_of(workspace, f"source\0{digest}\0{key}") if key else ""


def _source_digests(records: Iterable[Record]) -> set[str]:
    return {
        record.origin.digest
        for record in records
        if record.kind == SOURCE_KIND and record.origin is not None and record.origin.digest
    }
