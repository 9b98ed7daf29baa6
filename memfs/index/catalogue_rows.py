"""What the catalogue keeps of a record and of a tombstone, and what a listing of it asks for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """One row: what is needed to find a record, nothing that replaces reading it.

    ``observed`` is RFC 3339 or empty; ``tags`` are joined by commas with one at each end.
    ``inputs`` are the ids that the record rests on: written, and asked for only the other way
    round (``Catalogue.dependents``), so that a row that was read has none.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneEntry:
    """One tombstone: where it stands and the marks by which what it bars is recognised."""

    path: str
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueFilter:
    """What a listing asks for; empty fields do not restrict.

    ``by_importance`` lists the most important first instead of the newest.
    """

    kinds: tuple[str, ...] = ()
    status: str = ""
    tags: tuple[str, ...] = ()
    by_importance: bool = False
