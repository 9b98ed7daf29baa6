"""What the sources of role memory are now, and what is stale because one is otherwise (E11).

A file of the project is read and hashed as Git would hash it, never run and never followed: a
link, a special file, a path out of the project or into a store counts as gone, and so does one
that is too large for any look. Where there are more files than one look reads, the others are not
looked at: what was read off them counts as it was, and how many they are is told. A record is
looked at through the gate of whoever asks: what they may not see is gone for them. Nothing that a
memory says of its own freshness is believed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import is_id
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import EVIDENCE_ANCHORS, REMEMBERED_ANCHORS, ROLE_KIND, memory_hash
from memfs.policy.access import may_read
from memfs.policy.role_freshness import changed_sources, stale_ids
from memfs.policy.role_survey import MOST_FILES as MOST_SCANNED
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.project_bytes import blob_of
from memfs.services.served_records import read_paths
from memfs.store.snapshot import Snapshot

MOST_FILES: Final = MOST_SCANNED
"""Files that one look reads: as many as a scan of the project reads, and names."""
MOST_FILE_BYTES: Final = 16 * 1024 * 1024
MOST_BYTES: Final = 256 * 1024 * 1024
"""Bytes that one look reads in all."""
_FILES: Final = frozenset({"file", "test"})
_RECORDS: Final = {
    sort for sort, prefixes in {**EVIDENCE_ANCHORS, **REMEMBERED_ANCHORS}.items() if prefixes
}


@frozen
class Freshness:
    """What is stale now, and why.

    Attributes:
        stale: Ids of memories, edges and summaries.
        causes: Id of a record that was read off something else, to the anchors that changed; an
            anchor that is gone is among them. What is stale because of an end, or because it
            covers something stale, is not here.
        current: Digest of each source now, by its anchor; ``None`` for one that is gone.
        unlooked: Anchors of files that were not looked at, since there are too many of them.
    """

    stale: frozenset[str] = frozenset()
    causes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    current: Mapping[str, str | None] = field(default_factory=dict)
    unlooked: frozenset[str] = frozenset()


def freshness_of(
    workspace: Workspace,
    snapshot: Snapshot,
    records: Iterable[Record],
    actor: Actor,
) -> Freshness:
    """Works out what of memories, edges and summaries is stale now, whatever they say themselves.

    Args:
        workspace: The store, and the project that it belongs to.
        snapshot: The ledger.
        records: What ``actor`` was served of role memory, together.
        actor: Who asks.
    """
    every = tuple(records)
    seen = {record.id: record for record in every if record.kind == ROLE_KIND}
    sources = sources_of(every)
    current = current_digests(workspace, snapshot, sources, actor, seen=seen)
    causes = {record.id: found for record in every if (found := changed_sources(record, current))}
    return Freshness(
        stale=stale_ids(every, current),
        causes=MappingProxyType(causes),
        current=current,
        unlooked=frozenset(item for item in sources if _is_file(item) and item not in current),
    )


def sources_of(records: Iterable[Record]) -> tuple[str, ...]:
    """Returns the anchors whose digests records name, each once, sorted."""
    named = (item for record in records for item in texts_field(record, "source_hashes"))
    return tuple(sorted({item.rpartition("=")[0] for item in named}))


def current_digests(
    workspace: Workspace,
    snapshot: Snapshot,
    anchors: Iterable[str],
    actor: Actor,
    *,
    seen: Mapping[str, Record] = MappingProxyType({}),
) -> Mapping[str, str | None]:
    """Returns the digest of each source as it is now, by its anchor.

    ``file:PATH`` and ``test:PATH::NAME`` have the id that Git gives to the content of the file;
    ``memory:ID`` has ``memory_hash``; any other record the digest of what it says. ``None`` is a
    source that is gone, or not for ``actor``. A commit never changes and is left out, and so is a
    file that is one too many to be looked at.

    Args:
        workspace: The store, and the project that it belongs to.
        snapshot: The ledger.
        anchors: In any order; what is no anchor is left out.
        actor: Who asks: what they may not see is gone for them.
        seen: Memories that ``actor`` was served already, by id.
    """
    found: dict[str, str | None] = {}
    places: dict[str, str] = {}
    ids: dict[str, str] = {}
    for anchor in sorted(set(anchors)):
        sort, _, place = anchor.partition(":")
        if sort in _FILES:
            places[anchor] = place.partition("::")[0] if sort == "test" else place
        elif sort in _RECORDS:
            ids[anchor] = place
    found.update(_file_digests(workspace, places))
    records = {name: seen[name] for name in ids.values() if name in seen}
    asked = [name for name in ids.values() if name not in records and is_id(name)]
    records |= _read(workspace, snapshot, asked, actor)
    for anchor, name in ids.items():
        found[anchor] = record_digest(records[name]) if name in records else None
    return MappingProxyType(found)


def _is_file(anchor: str) -> bool:
    return anchor.partition(":")[0] in _FILES


def _read(
    workspace: Workspace, snapshot: Snapshot, names: Iterable[str], actor: Actor
) -> dict[str, Record]:
    asked = tuple(dict.fromkeys(names))
    if not asked:
        return {}
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        paths = [row.path for row in catalogue.by_ids(asked)]
    found = read_paths(workspace, snapshot, paths)
    return {
        item.record.id: item.record
        for item in found
        if may_read(item.record, request).is_whole
        and not rests_on_off_source(workspace, snapshot, item.record, request)
    }


def record_digest(record: Record) -> str:
    """Returns the digest of what a record says, as ``source_hashes`` names it.

    How it stands, and what was decided about it, is no part of that.
    """
    if record.kind == ROLE_KIND:
        return memory_hash(record)
    parts = (record.kind, record.title, record.subject, record.body, record.field_text)
    text = "\0".join((*parts, record.summary, record.abstract))
    digest = hashlib.sha256(b"memfs role source\0" + text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


# Files --------------------------------------------------------------------------------------


def _file_digests(
    workspace: Workspace, places: Mapping[str, str]
) -> Iterator[tuple[str, str | None]]:
    """Yields anchors with digests; each file is read once, those first whose paths sort first.

    What is beyond the bounds is not among them.
    """
    known: dict[str, str | None] = {}
    left = MOST_BYTES
    for anchor, place in places.items():
        if place not in known:
            if len(known) >= MOST_FILES or left <= 0:
                continue
            blob = None
            if workspace.project_dir is not None:
                blob = blob_of(workspace.project_dir, place, limit_bytes=MOST_FILE_BYTES)
            known[place] = blob.id if blob is not None else None
            left -= blob.size_bytes if blob is not None else 0
        yield anchor, known[place]
