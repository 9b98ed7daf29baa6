"""Writes the rows of the catalogue: what stands for a file comes and goes in one piece."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from memfs.index.catalogue_links import LINK_TABLES, add_links, add_names
from memfs.index.catalogue_rows import COLUMNS, CatalogueEntry
from memfs.model.graph import Link

TABLES: Final = ("entry", "edge", "mark", *LINK_TABLES)


def remove_rows(connection: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Deletes everything that stands for the files at ``paths``."""
    gone = [(path,) for path in paths]
    for table in TABLES:
        connection.executemany(f"DELETE FROM {table} WHERE path = ?", gone)


def add_rows(connection: sqlite3.Connection, entries: Iterable[CatalogueEntry]) -> None:
    """Writes rows, each in place of one at its path, with all that is asked for through them."""
    edges: list[tuple[str, str, str]] = []
    links: list[Link] = []
    keys: list[tuple[str, str]] = []
    called: list[tuple[str, str, int]] = []
    merged: list[tuple[str, str, str]] = []

    def rows() -> Iterator[tuple[object, ...]]:
        for entry in entries:
            edges.extend((source, entry.id, entry.path) for source in entry.inputs)
            links.extend(entry.links)
            keys.extend((key, entry.path) for key in entry.keys)
            called.extend((key, entry.path, rank) for key, rank in entry.called)
            if entry.survivor:
                merged.append((entry.path, entry.id, entry.survivor))
            yield tuple(getattr(entry, name) for name in COLUMNS)

    places = ", ".join("?" for _ in COLUMNS)
    connection.executemany(f"INSERT OR REPLACE INTO entry VALUES ({places})", rows())
    connection.executemany("INSERT OR REPLACE INTO edge VALUES (?, ?, ?)", edges)
    add_links(connection, links)
    add_names(connection, keys, called, merged)
