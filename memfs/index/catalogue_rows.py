"""What the catalogue keeps of a record and of a tombstone, and what a listing of it asks for."""

from __future__ import annotations

from typing import Final

from memfs.index.catalogue_links import LINK_SCHEMA
from memfs.model.frozen import frozen
from memfs.model.graph import Link

SCHEMA_VERSION: Final = 6
COLUMNS: Final = (
    "path",
    "blob",
    "id",
    "kind",
    "status",
    "scope",
    "subject",
    "fingerprint",
    "source_digest",
    "title",
    "version",
    "observed",
    "importance",
    "tags",
)
CLOSURE: Final = """
WITH RECURSIVE reached (id) AS (
    SELECT value FROM json_each(?)
    UNION
    SELECT edge.target FROM edge JOIN reached ON edge.source = reached.id
)
"""
"""The ids of all that rests on some ids, however far; takes them as a JSON list."""
SCHEMA: Final = f"""
CREATE TABLE stamp (commit_id TEXT NOT NULL);
CREATE TABLE entry ({", ".join(f"{name} NOT NULL" for name in COLUMNS)}, PRIMARY KEY (path))
    WITHOUT ROWID;
CREATE INDEX entry_id ON entry (id);
CREATE INDEX entry_suffix ON entry (substr(id, -6));
CREATE INDEX entry_subject ON entry (subject, scope) WHERE subject <> '';
CREATE INDEX entry_fingerprint ON entry (fingerprint);
CREATE INDEX entry_source ON entry (source_digest) WHERE source_digest <> '';
CREATE INDEX entry_list ON entry (observed, id);
CREATE INDEX entry_important ON entry (importance, observed, id);
CREATE INDEX entry_pending ON entry (status, id) WHERE status <> 'active';
CREATE TABLE edge (source NOT NULL, target NOT NULL, path NOT NULL, PRIMARY KEY (source, path))
    WITHOUT ROWID;
CREATE INDEX edge_path ON edge (path);
CREATE TABLE mark (mark NOT NULL, path NOT NULL, PRIMARY KEY (mark, path)) WITHOUT ROWID;
CREATE INDEX mark_path ON mark (path);
{LINK_SCHEMA}
PRAGMA user_version = {SCHEMA_VERSION};
"""


@frozen
class CatalogueEntry:
    """One row: what is needed to find a record, nothing that replaces reading it.

    ``observed`` is RFC 3339 or empty; ``tags`` are joined by commas with one at each end.
    ``inputs`` are the ids that the record rests on, ``links`` what stands in it, ``keys`` those of
    its names as an entity, ``called`` those of what else it is called, ``survivor`` what it was
    merged into: written, and asked for only the other way round (``Catalogue.dependents``,
    ``links_of``), so that a row that was read has none.
    """

    path: str
    blob: str
    id: str
    kind: str
    status: str
    scope: str
    subject: str
    fingerprint: str
    source_digest: str
    title: str
    version: int
    observed: str
    importance: int
    tags: str
    inputs: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    keys: tuple[str, ...] = ()
    called: tuple[tuple[str, int], ...] = ()
    survivor: str = ""


@frozen
class TombstoneEntry:
    """One tombstone: where it stands and the marks by which what it bars is recognised."""

    path: str
    marks: tuple[str, ...]


@frozen
class CatalogueFilter:
    """What a listing asks for; empty fields do not restrict.

    ``by_importance`` lists the most important first instead of the newest.
    """

    kinds: tuple[str, ...] = ()
    status: str = ""
    tags: tuple[str, ...] = ()
    by_importance: bool = False
