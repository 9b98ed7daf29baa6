"""The catalogue: an exact-key lookup over the served records of one ledger commit.

It answers "which record has this id, this subject, this fingerprint" without decoding
every file, so that a decision costs the same at a hundred records and at a hundred
thousand. It also knows what rests on a record and which marks tombstones carry, so that a
withdrawal costs what it reaches and never the store. It is a cache: stamped with the commit
that it mirrors, deleted and rebuilt without loss, and never the source of anything that is
shown (callers re-read the ledger).

It is an SQLite file in the user's cache folder. A file that SQLite cannot read, or that
has another schema, is replaced. What is deleted from it is overwritten (A39).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from memfs.errors import IndexUnavailableError
from memfs.index import catalogue_links
from memfs.index.catalogue_rows import (
    CLOSURE,
    COLUMNS,
    SCHEMA,
    SCHEMA_VERSION,
    CatalogueEntry,
    CatalogueFilter,
    TombstoneEntry,
)
from memfs.index.catalogue_writes import TABLES, add_rows, remove_rows
from memfs.model.graph import EdgeSort, Link
from memfs.model.text import normalise_text

__all__ = [
    "Catalogue",
    "CatalogueDamagedError",
    "CatalogueEntry",
    "CatalogueFilter",
    "TombstoneEntry",
]

FILE_NAME: Final = "catalogue.sqlite"
_FEW_QUESTIONS: Final = 64
"""From then on it is worth knowing all values of a column: most of a batch is new."""


class CatalogueDamagedError(IndexUnavailableError):
    """The catalogue file cannot be used; the caller deletes and rebuilds it."""

    code = "index.catalogue-damaged"


class Catalogue:
    """An open catalogue file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / FILE_NAME
        self._asked = 0
        self._has_marks: bool | None = None
        self._all: dict[str, frozenset[str]] = {}
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            connection = sqlite3.connect(self._path, timeout=30.0, isolation_level=None)
        except sqlite3.DatabaseError as error:
            raise CatalogueDamagedError(f"the catalogue cannot be opened: {error}") from error
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA secure_delete = ON")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                self._create(connection)
            elif version != SCHEMA_VERSION:
                raise CatalogueDamagedError(f"expected schema {SCHEMA_VERSION}, got {version}")
        except (sqlite3.DatabaseError, CatalogueDamagedError) as error:
            connection.close()
            raise CatalogueDamagedError(f"the catalogue cannot be read: {error}") from error
        self._path.chmod(0o600)
        return connection

    @staticmethod
    def _create(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have created it while this one waited for the write lock.
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in SCHEMA.split(";"):
                if statement.strip():
                    connection.execute(statement)
        connection.execute("COMMIT")

    @classmethod
    def discard(cls, folder: Path) -> None:
        """Deletes the catalogue files in ``folder``; missing ones are fine."""
        for suffix in ("", "-wal", "-shm"):
            (folder / (FILE_NAME + suffix)).unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except sqlite3.DatabaseError as error:
            raise CatalogueDamagedError(f"the catalogue cannot be read: {error}") from error

    def pin(self, stamp: str) -> bool:
        """Holds the rows of exactly ``stamp`` for every question that follows.

        Another process may move the catalogue to another commit at any moment; a read
        transaction opened here keeps this one's answers consistent until it is closed.

        Returns:
            Whether the catalogue mirrors that commit; ``False`` leaves nothing pinned.
        """
        with self._reading() as connection:
            connection.execute("BEGIN")
            if self.stamp() == stamp:
                self._asked, self._has_marks = 0, None
                self._all.clear()
                return True
            connection.execute("ROLLBACK")
            return False

    def detach(self) -> None:
        """Goes on answering from a copy in memory of what is pinned, and lets the file go.

        For whoever takes long: a withdrawal waits until nobody reads what it overwrites.
        """
        with self._reading() as connection:
            copy = sqlite3.connect(":memory:", isolation_level=None)
            connection.backup(copy)
            copy.execute("BEGIN")
        self._connection = copy
        connection.close()

    def stamp(self) -> str:
        """Returns the ledger commit that the rows mirror; empty when there are none yet."""
        with self._reading() as connection:
            row = connection.execute("SELECT commit_id FROM stamp").fetchone()
            return str(row[0]) if row else ""

    def apply(
        self,
        *,
        expected_stamp: str,
        stamp: str,
        removed: Iterable[str],
        added: Iterable[CatalogueEntry],
        tombstones: Iterable[TombstoneEntry] = (),
        is_rebuild: bool = False,
    ) -> bool:
        """Moves the catalogue from one commit to another in one SQLite transaction.

        Args:
            expected_stamp: What :meth:`stamp` said when the difference was computed.
            stamp: The commit that the rows mirror afterwards.
            removed: Paths whose rows go, those of tombstones among them.
            added: Rows to write, replacing any at their path.
            tombstones: Tombstones to write, replacing any at their path.
            is_rebuild: Drop every row first.

        Returns:
            Whether it was applied; ``False`` when another process moved the stamp meanwhile.
        """
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                row = connection.execute("SELECT commit_id FROM stamp").fetchone()
                if (str(row[0]) if row else "") != expected_stamp:
                    connection.execute("ROLLBACK")
                    return False
                if is_rebuild:
                    for table in TABLES:
                        connection.execute(f"DELETE FROM {table}")
                remove_rows(connection, removed)
                add_rows(connection, added)
                connection.executemany(
                    "INSERT OR REPLACE INTO mark VALUES (?, ?)",
                    ((mark, item.path) for item in tombstones for mark in item.marks),
                )
                connection.execute("DELETE FROM stamp")
                connection.execute("INSERT INTO stamp VALUES (?)", (stamp,))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return True

    def purge(self) -> None:
        """Leaves nothing of deleted rows behind in the files beside the catalogue (A39)."""
        with self._reading() as connection:
            if connection.in_transaction:
                connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _select(self, where: str, values: Sequence[object]) -> tuple[CatalogueEntry, ...]:
        columns = ", ".join(COLUMNS)
        with self._reading() as connection:
            rows = connection.execute(f"SELECT {columns} FROM entry {where}", values).fetchall()
        return tuple(_entry(row) for row in rows)

    def by_id(self, identifier: str) -> tuple[CatalogueEntry, ...]:
        """Returns the rows with this id; more than one is a problem of the store."""
        return self._select("WHERE id = ? ORDER BY path", (identifier,))

    def by_ids(self, ids: Iterable[str]) -> tuple[CatalogueEntry, ...]:
        """Returns the rows with any of these ids, ordered by id."""
        where = "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id, path"
        return self._select(where, (json.dumps(list(ids)),))

    def by_suffix(self, suffix: str) -> tuple[CatalogueEntry, ...]:
        """Returns the rows whose id ends with ``suffix``, ordered by id."""
        if len(suffix) == 6:
            return self._select("WHERE substr(id, -6) = ? ORDER BY id", (suffix,))
        return self._select("WHERE substr(id, ?) = ? ORDER BY id", (-len(suffix), suffix))

    def by_path(self, path: str) -> CatalogueEntry | None:
        """Returns the row at ``path``."""
        rows = self._select("WHERE path = ?", (path,))
        return rows[0] if rows else None

    def by_subject(self, subject: str, scope: str) -> tuple[CatalogueEntry, ...]:
        """Returns the rows with this folded subject and scope, of any kind and status."""
        folded = normalise_text(subject)
        if not folded:
            return ()
        where = "WHERE subject = ? AND subject <> '' AND scope = ? ORDER BY id"
        return self._select(where, (folded, scope))

    def by_fingerprint(self, fingerprint: str) -> tuple[CatalogueEntry, ...]:
        """Returns the rows that say the same (see ``memfs.model.text``)."""
        if not self._may_have("fingerprint", fingerprint):
            return ()
        return self._select("WHERE fingerprint = ? ORDER BY id", (fingerprint,))

    def _may_have(self, column: str, value: str) -> bool:
        """Tells whether a row has this value; a batch asks so often that all are read once.

        Only what is pinned stays the same from one question to the next.
        """
        self._asked += 1
        if self._asked <= _FEW_QUESTIONS or not self._connection.in_transaction:
            return True
        known = self._all.get(column)
        if known is None:
            with self._reading() as connection:
                rows = connection.execute(f"SELECT DISTINCT {column} FROM entry").fetchall()
            known = self._all[column] = frozenset(str(item) for (item,) in rows)
        return value in known

    def fingerprints(self) -> tuple[str, ...]:
        """Returns every fingerprint once, in no fixed order."""
        with self._reading() as connection:
            rows = connection.execute("SELECT DISTINCT fingerprint FROM entry").fetchall()
        return tuple(str(mark) for (mark,) in rows)

    def by_source_digest(self, digest: str) -> tuple[CatalogueEntry, ...]:
        """Returns the rows that were made from the source text with this digest."""
        if not digest or not self._may_have("source_digest", digest):
            return ()
        where = "WHERE source_digest = ? AND source_digest <> '' ORDER BY id"
        return self._select(where, (digest,))

    def count_since(self, kind: str, observed: str) -> int:
        """Returns how many records of a kind were observed at ``observed`` or later."""
        with self._reading() as connection:
            query = "SELECT count(*) FROM entry WHERE observed >= ? AND kind = ?"
            return int(connection.execute(query, (observed, kind)).fetchone()[0])

    def dependents(self, sources: Iterable[str]) -> tuple[CatalogueEntry, ...]:
        """Returns the rows that rest directly on any of ``sources``, ordered by id."""
        return self._select(
            "WHERE path IN (SELECT path FROM edge WHERE source IN (SELECT value FROM json_each(?)))"
            " ORDER BY id, path",
            (json.dumps(list(sources)),),
        )

    def descendants(self, roots: Iterable[str]) -> tuple[CatalogueEntry, ...]:
        """Returns the rows of everything that rests on ``roots``, however far, without them.

        As ``memfs.policy.closure.descendants`` defines it, at the cost of what is reached.
        """
        start = tuple(dict.fromkeys(roots))
        columns = ", ".join(COLUMNS)
        names = json.dumps(start)
        with self._reading() as connection:
            rows = connection.execute(
                f"{CLOSURE} SELECT {columns} FROM entry WHERE id IN (SELECT id FROM reached)"
                " AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY id, path",
                (names, names),
            ).fetchall()
        return tuple(_entry(row) for row in rows)

    def links_of(
        self, ids: Collection[str], *, sorts: Collection[EdgeSort] | None = None
    ) -> tuple[Link, ...]:
        """Returns the links that touch any of ``ids`` in either direction, of ``sorts`` alone.

        Replaced edges are among them until their successor begins: ask ``Link.holds_at``.
        """
        with self._reading() as connection:
            return catalogue_links.links_of(connection, ids, sorts)

    def all_links(self, *, sorts: Collection[EdgeSort] | None = None) -> tuple[Link, ...]:
        """Returns every link, of ``sorts`` alone."""
        with self._reading() as connection:
            return catalogue_links.all_links(connection, sorts)

    def entities_named(self, key: str) -> tuple[CatalogueEntry, ...]:
        """Returns the rows of who bears a name by its key (see ``memfs.model.naming``)."""
        with self._reading() as connection:
            ids = catalogue_links.ids_named(connection, key)
        return tuple(row for identifier in ids for row in self.by_id(identifier))

    def resolve_merged(self, identifier: str) -> str:
        """Returns what an id was merged into, however far; itself where it was not."""
        with self._reading() as connection:
            return catalogue_links.survivor(connection, identifier)

    def merged_into(self, identifier: str) -> tuple[str, ...]:
        """Returns the ids that resolve to ``identifier``, without it, sorted."""
        with self._reading() as connection:
            return catalogue_links.merged_into(connection, identifier)

    def called(self, key: str) -> dict[str, int]:
        """Returns whom a link in prose may mean that means no entity (``file_key``), by rank."""
        with self._reading() as connection:
            return catalogue_links.called(connection, key)

    def naming(self, keys: Iterable[str], called: Iterable[str] = ()) -> tuple[str, ...]:
        """Returns the ids of what names, or is called, by keys of entities and records, sorted."""
        with self._reading() as connection:
            return catalogue_links.naming(connection, keys, called)

    def with_status(self, status: str) -> tuple[CatalogueEntry, ...]:
        """Returns the rows with this status, ordered by id; cheap for any but the served one."""
        return self._select("WHERE status = ? AND status <> 'active' ORDER BY id", (status,))

    @property
    def has_tombstones(self) -> bool:
        """Whether there is any; asked once of what is pinned."""
        if self._has_marks is None or not self._connection.in_transaction:
            with self._reading() as connection:
                self._has_marks = any(connection.execute("SELECT 1 FROM mark LIMIT 1"))
        return self._has_marks

    def tombstones_with(self, marks: Iterable[str]) -> tuple[str, ...]:
        """Returns the paths of the tombstones that carry any of ``marks``, sorted."""
        with self._reading() as connection:
            named = "mark IN (SELECT value FROM json_each(?))"
            query = f"SELECT DISTINCT path FROM mark WHERE {named} ORDER BY path"
            rows = connection.execute(query, (json.dumps(list(marks)),))
            return tuple(str(path) for (path,) in rows)

    def listing(self, wanted: CatalogueFilter) -> Iterator[CatalogueEntry]:
        """Yields rows, newest observed first, ties by id; the caller stops when it has enough."""
        clauses = ["1"]
        values: list[object] = []
        if wanted.kinds:
            clauses.append(f"kind IN ({', '.join('?' for _ in wanted.kinds)})")
            values.extend(wanted.kinds)
        if wanted.status:
            clauses.append("status = ?")
            values.append(wanted.status)
        for tag in wanted.tags:
            clauses.append("instr(tags, ?) > 0")
            values.append(f",{tag},")
        order = "importance DESC, observed DESC" if wanted.by_importance else "observed DESC"
        where = f"{' AND '.join(clauses)} ORDER BY {order}, id DESC"
        with self._reading() as connection:
            query = f"SELECT {', '.join(COLUMNS)} FROM entry WHERE {where}"
            for row in connection.execute(query, values):
                yield _entry(row)

    def counts(self) -> dict[tuple[str, str], int]:
        """Returns the number of rows by (kind, status)."""
        with self._reading() as connection:
            rows = connection.execute("SELECT kind, status, count(*) FROM entry GROUP BY 1, 2")
            return {(str(kind), str(status)): int(number) for kind, status, number in rows}

    def counts_by_scope(self) -> dict[str, int]:
        """Returns the number of rows by scope."""
        with self._reading() as connection:
            rows = connection.execute("SELECT scope, count(*) FROM entry GROUP BY scope")
            return {str(scope): int(number) for scope, number in rows}


def _entry(row: Sequence[Any]) -> CatalogueEntry:
    return CatalogueEntry(**dict(zip(COLUMNS, row, strict=True)))
