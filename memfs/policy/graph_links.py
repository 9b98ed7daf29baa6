"""Reads the graph off one record: the links that stand in it and the names that it bears.

An edge record states one link; every other record carries structural ones. What was taken back
links nothing and bears no name. Nothing here opens anything: whoever walks a link asks the read
gate about the record that it stands in and about both ends (A38).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from memfs.model.conflict import CONFLICT_KIND
from memfs.model.digests import content_digest
from memfs.model.event import EVENT_KIND
from memfs.model.graph import EDGE_KIND, ENTITY_KIND, EdgeSort, Link
from memfs.model.ids import is_id, split_version
from memfs.model.naming import entity_key, file_key
from memfs.model.record import Record
from memfs.model.run import RUN_KIND
from memfs.model.wikilinks import linked_names
from memfs.policy.conflicts import is_answering, is_observation
from memfs.policy.grants import ACCOUNT_KINDS
from memfs.policy.promotion import WORK_KINDS
from memfs.policy.relations import is_pressure
from memfs.policy.withdrawal import is_withdrawn

NAMED: Final = "name:"
"""Before the digest of the key of a name, where an id would stand."""
CALLED: Final = "called:"
"""Before two digests: of the key of a name as a file bears it, and as an entity bears it."""
_MERGED_KINDS: Final = frozenset({ENTITY_KIND, "note"})
_QUOTING: Final = WORK_KINDS | {"excerpt", "evidence"}
_NOT_CALLED: Final = (
    _QUOTING | ACCOUNT_KINDS | {ENTITY_KIND, EDGE_KIND, EVENT_KIND, CONFLICT_KIND, "outcome"}
)
"""Kinds that no link in prose means by a title: programs give them theirs."""
_LINEAGE: Final = ("parent", "previous")
_SOURCE_FILE: Final = re.compile(
    r"import:[^/]+/(?:.*/)?(?P<stem>[^/#]+)\.(?:md|markdown|txt)\Z", re.IGNORECASE | re.DOTALL
)
"""Where a record came from that was one file; a part of a file has the name of its heading."""
_FOREIGN: Final = "foreign_fields"
"""What another system said of a record and is kept with it."""


def links_of_record(record: Record, path: str = "") -> tuple[Link, ...]:
    """Returns the links that stand in a record, each once, in a fixed order.

    An edge that is replaced answers until its successor begins; one that was taken back, or is
    replaced for all time, is no link.
    """
    if record.kind == EDGE_KIND:
        asserted = asserted_link(record, path) if is_answering(record) else None
        return () if asserted is None else (asserted,)
    found = (
        Link(start=start, end=end, relation=relation, sort=sort, record=record.id, path=path)
        for start, end, relation, sort in _structural(record)
        if start != end
    )
    return tuple(dict.fromkeys(found))


def asserted_link(record: Record, path: str = "") -> Link | None:
    """Returns the link that an edge record states, whatever its state; ``None`` for a bad one."""
    start, end, relation = (str(record.fields.get(name, "")) for name in ("from", "to", "relation"))
    if not (is_id(start) and is_id(end)) or start == end:
        return None
    return Link(
        start=start,
        end=end,
        relation=relation,
        sort=EdgeSort.ASSERTED,
        record=record.id,
        path=path,
        since=record.valid_from,
        until=record.holds_until,
        is_pressure=is_pressure(record),
    )


def _structural(record: Record) -> Iterator[tuple[str, str, str, EdgeSort]]:
    own = record.id
    for sort, names in (
        (EdgeSort.DERIVED, record.derived_from),
        (EdgeSort.EVIDENCE, record.evidence),
        (EdgeSort.SUPERSEDES, record.supersedes),
    ):
        for name in names:
            yield own, split_version(name)[0], str(sort), sort
    if record.superseded_by:
        successor = split_version(record.superseded_by)[0]
        yield successor, own, str(EdgeSort.SUPERSEDES), EdgeSort.SUPERSEDES
    if record.kind == RUN_KIND:
        for relation in _LINEAGE:
            other = str(record.fields.get(relation, ""))
            if is_id(other):
                yield own, other, relation, EdgeSort.LINEAGE
    for name in mentioned_names(record):
        end = mention_end(name)
        if end:
            yield own, end, str(EdgeSort.MENTIONS), EdgeSort.MENTIONS
    for name in _prose_names(record):
        end = called_end(name)
        if end:
            yield own, end, str(EdgeSort.MENTIONS), EdgeSort.MENTIONS


def may_link(record: Record) -> bool:
    """Tells whether brackets in the prose of a record are links of its own."""
    return record.kind not in _QUOTING and not is_observation(record)


def mentioned_names(record: Record) -> tuple[str, ...]:
    """Returns what a record names: what it says that it is about, and the links in its prose.

    What programs and conversations said keeps its brackets for itself.
    """
    return (*record.entities, *_prose_names(record))


def _prose_names(record: Record) -> tuple[str, ...]:
    if not may_link(record):
        return ()
    return linked_names(record.body, record.summary, record.abstract)


def mention_end(name: str) -> str:
    """Returns where a mention leads: to an id, or to a name that an entity may bear."""
    if is_id(name):
        return name
    key = entity_key(name)
    return f"{NAMED}{name_digest(key)}" if key else ""


def called_end(name: str) -> str:
    """Returns where a link in prose leads that may mean a record by what it is called."""
    key = "" if is_id(name) else file_key(name)
    return f"{CALLED}{name_digest(key)}:{name_digest(entity_key(name))}" if key else ""


def name_digest(key: str) -> str:
    """Returns what stands for the key of a name in a cache, which keeps no names."""
    return content_digest("name", key.encode("utf-8", "replace")).rpartition(":")[2]


def names_of_entity(record: Record) -> tuple[str, ...]:
    """Returns the names of an entity as they are written, its own first, no key twice."""
    aliases = record.fields.get("aliases")
    listed = [str(name) for name in aliases] if isinstance(aliases, list | tuple) else []
    by_key: dict[str, str] = {}
    # The subject is the key of the name that it had first: any written form of that comes before.
    for name in (record.title, *listed, record.subject):
        key = entity_key(name)
        if key:
            by_key.setdefault(key, name)
    return tuple(by_key.values())


def keys_of_entity(record: Record) -> tuple[str, ...]:
    """Returns the keys by which a record is found as an entity; none for any other record."""
    if record.kind != ENTITY_KIND or is_withdrawn(record):
        return ()
    return tuple(entity_key(name) for name in names_of_entity(record))


def called_keys(record: Record, path: str = "") -> dict[str, int]:
    """Returns the keys of what a record is called that is no entity, each with its rank.

    A file name comes first: that of its own file, and what the file was called that it was
    imported from; links of other systems are made of those. A title comes second, and so does a
    subject, which stays when somebody corrects what was imported.
    """
    is_here = is_answering(record) or bool(survivor_of(record))
    if record.kind in _NOT_CALLED or not is_here:
        return {}
    kept = record.unknown.get(_FOREIGN)
    foreign = kept.get("name") if isinstance(kept, Mapping) else None
    source = _SOURCE_FILE.match(record.origin.source) if record.origin is not None else None
    files = (
        path.rpartition("/")[2],
        source["stem"] if source is not None else "",
        foreign if isinstance(foreign, str) else "",
    )
    ranked = [(name, 1) for name in (record.title, record.subject)] + [(name, 0) for name in files]
    return {key: rank for name, rank in ranked if (key := file_key(name))}


def survivor_of(record: Record) -> str:
    """Returns the id of what a record was merged into; empty where it was not.

    What is only replaced from a later moment on still stands for itself until then.
    """
    if record.kind not in _MERGED_KINDS or record.superseded_from is not None:
        return ""
    successor = split_version(record.superseded_by)[0]
    return successor if successor != record.id and not is_withdrawn(record) else ""
