"""The graph in the catalogue: which links touch a record, who bears a name, what became one.

Rows say where to look and open nothing: a link is shown after the read gate has passed the
record that it stands in and both ends. Names are kept as digests. An id that was merged into
another stands for the other wherever something is asserted or mentioned; what was derived from
the one was not derived from the other.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from memfs.model.graph import EdgeSort, Link
from memfs.model.instants import format_instant, parse_instant
from memfs.policy.graph_links import NAMED, name_digest

LINK_SCHEMA: Final = """
CREATE TABLE link (path NOT NULL, start NOT NULL, end NOT NULL, sort NOT NULL, relation NOT NULL,
    record NOT NULL, since NOT NULL, until NOT NULL, pressure NOT NULL);
CREATE INDEX link_path ON link (path);
CREATE INDEX link_start ON link (start);
CREATE INDEX link_end ON link (end);
CREATE TABLE alias (key NOT NULL, path NOT NULL, PRIMARY KEY (key, path)) WITHOUT ROWID;
CREATE INDEX alias_path ON alias (path);
CREATE TABLE merged (path NOT NULL, old NOT NULL, new NOT NULL, PRIMARY KEY (path)) WITHOUT ROWID;
CREATE INDEX merged_old ON merged (old);
CREATE INDEX merged_new ON merged (new);
"""
LINK_TABLES: Final = ("link", "alias", "merged")
_COLUMNS: Final = "path, start, end, sort, relation, record, since, until, pressure"
_CHAIN: Final = 64
"""So many merges in a row are followed; more is a circle."""
_MERGED_SORTS: Final = frozenset({EdgeSort.ASSERTED, EdgeSort.MENTIONS})


def add_links(connection: sqlite3.Connection, links: Iterable[Link]) -> None:
    """Writes links in place of all that stood at their paths."""
    written = list(links)
    paths = dict.fromkeys(link.path for link in written)
    connection.executemany("DELETE FROM link WHERE path = ?", ((path,) for path in paths))
    connection.executemany(
        f"INSERT INTO link ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                link.path,
                link.start,
                link.end,
                str(link.sort),
                link.relation,
                link.record,
                format_instant(link.since) if link.since else "",
                format_instant(link.until) if link.until else "",
                int(link.is_pressure),
            )
            for link in written
        ),
    )


def add_names(
    connection: sqlite3.Connection,
    keys: Iterable[tuple[str, str]],
    merged: Iterable[tuple[str, str, str]],
) -> None:
    """Writes keys of names with the paths of who bears them, and what was merged into what."""
    connection.executemany(
        "INSERT OR REPLACE INTO alias VALUES (?, ?)",
        ((name_digest(key), path) for key, path in keys),
    )
    connection.executemany("INSERT OR REPLACE INTO merged VALUES (?, ?, ?)", merged)


def links_of(
    connection: sqlite3.Connection, ids: Collection[str], sorts: Collection[EdgeSort] | None
) -> tuple[Link, ...]:
    """Returns every link that starts or ends at one of ``ids``, each once, in a fixed order.

    Among the ids may be names as ``mention_end`` writes them: what mentions them, borne or not.
    """
    family = {*ids, *_merged_into(connection, ids)}
    named = {f"{NAMED}{key}" for key in _digests_of(connection, family)}
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM link WHERE start IN (SELECT value FROM json_each(?))"
        f" UNION SELECT {_COLUMNS} FROM link WHERE end IN (SELECT value FROM json_each(?))",
        (json.dumps(list(family)), json.dumps([*family, *named])),
    )
    return _resolved(connection, rows, sorts, asked=ids)


def all_links(
    connection: sqlite3.Connection, sorts: Collection[EdgeSort] | None
) -> tuple[Link, ...]:
    """Returns every link, each once, in a fixed order."""
    return _resolved(connection, connection.execute(f"SELECT {_COLUMNS} FROM link"), sorts)


def _resolved(
    connection: sqlite3.Connection,
    rows: Iterable[Sequence[Any]],
    sorts: Collection[EdgeSort] | None,
    *,
    asked: Collection[str] = (),
) -> tuple[Link, ...]:
    """Lets links lead to what their ends became and to who bears the names in them."""
    links = [_link(row) for row in rows]
    if sorts is not None:
        links = [link for link in links if link.sort in sorts]
    digests = {link.end.removeprefix(NAMED) for link in links if link.end.startswith(NAMED)}
    bearers = _bearers(connection, digests) if digests else {}
    ends = {end for link in links for end in (link.start, link.end)}
    survivors = _survivors(connection, ends)
    found: dict[Link, None] = {}
    for link in links:
        for end in _ends(link, bearers) or ((link.end,) if link.end in asked else ()):
            start = link.start
            if link.sort in _MERGED_SORTS:
                start, end = survivors.get(start, start), survivors.get(end, end)
            is_as_written = (start, end) == (link.start, link.end)
            moved = link if is_as_written else replace(link, start=start, end=end)
            if moved.start != moved.end:
                found[moved] = None
    return tuple(sorted(found, key=_order))


def _ends(link: Link, bearers: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if not link.end.startswith(NAMED):
        return (link.end,)
    return bearers.get(link.end.removeprefix(NAMED), ())


def _order(link: Link) -> tuple[str, ...]:
    return (link.start, link.end, str(link.sort), link.relation, link.record)


def _link(row: Sequence[Any]) -> Link:
    path, start, end, sort, relation, record, since, until, pressure = row
    return Link(
        start=start,
        end=end,
        relation=relation,
        sort=EdgeSort(sort),
        record=record,
        path=path,
        since=parse_instant(since) if since else None,
        until=parse_instant(until) if until else None,
        is_pressure=bool(pressure),
    )


def ids_named(connection: sqlite3.Connection, key: str) -> tuple[str, ...]:
    """Returns the ids of who bears a name today, by its key: one, or several that share it."""
    found = _bearers(connection, [name_digest(key)])
    return tuple(sorted({name for names in found.values() for name in names}))


def survivor(connection: sqlite3.Connection, identifier: str) -> str:
    """Returns what ``identifier`` was merged into, however far; itself where it was not."""
    return _survivors(connection, [identifier]).get(identifier, identifier)


def merged_into(connection: sqlite3.Connection, identifier: str) -> tuple[str, ...]:
    """Returns the ids that resolve to ``identifier``, without it, sorted."""
    return tuple(sorted(_merged_into(connection, [identifier]) - {identifier}))


def naming(connection: sqlite3.Connection, keys: Iterable[str]) -> tuple[str, ...]:
    """Returns the ids of the records that name anything by a name with one of ``keys``, sorted."""
    ends = [f"{NAMED}{name_digest(key)}" for key in keys]
    rows = connection.execute(
        "SELECT DISTINCT start FROM link WHERE end IN (SELECT value FROM json_each(?))"
        " ORDER BY start",
        (json.dumps(ends),),
    )
    return tuple(str(start) for (start,) in rows)


def _bearers(connection: sqlite3.Connection, digests: Collection[str]) -> dict[str, list[str]]:
    rows = connection.execute(
        "SELECT alias.key, entry.id FROM alias JOIN entry ON entry.path = alias.path"
        " WHERE alias.key IN (SELECT value FROM json_each(?)) ORDER BY entry.id",
        (json.dumps(list(digests)),),
    ).fetchall()
    survivors = _survivors(connection, {identifier for _, identifier in rows})
    found: dict[str, dict[str, None]] = {}
    for digest, identifier in rows:
        found.setdefault(digest, {})[survivors.get(identifier, identifier)] = None
    return {digest: list(names) for digest, names in found.items()}


def _digests_of(connection: sqlite3.Connection, ids: Collection[str]) -> Iterator[str]:
    rows = connection.execute(
        "SELECT alias.key FROM entry JOIN alias ON alias.path = entry.path"
        " WHERE entry.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return (str(key) for (key,) in rows)


def _merged_into(connection: sqlite3.Connection, ids: Collection[str]) -> set[str]:
    rows = connection.execute(
        "WITH RECURSIVE family (id) AS (SELECT value FROM json_each(?) UNION"
        " SELECT merged.old FROM merged JOIN family ON merged.new = family.id)"
        " SELECT id FROM family",
        (json.dumps(list(ids)),),
    )
    return {str(identifier) for (identifier,) in rows}


def _survivors(connection: sqlite3.Connection, ids: Collection[str]) -> dict[str, str]:
    """Returns what each of ``ids`` was merged into in the end; a circle leads nowhere."""
    steps = {str(old): str(new) for old, new in _steps(connection, ids)}
    found = {}
    for identifier in ids:
        at = identifier
        for _ in range(_CHAIN):
            if at not in steps:
                break
            at = steps[at]
        else:
            continue
        if at != identifier:
            found[identifier] = at
    return found


def _steps(connection: sqlite3.Connection, ids: Collection[str]) -> Iterator[tuple[str, str]]:
    rows = connection.execute(
        "WITH RECURSIVE reached (id) AS (SELECT value FROM json_each(?) UNION"
        " SELECT merged.new FROM merged JOIN reached ON merged.old = reached.id)"
        " SELECT old, new FROM merged WHERE old IN (SELECT id FROM reached) ORDER BY path DESC",
        (json.dumps(list(ids)),),
    )
    return ((str(old), str(new)) for old, new in rows)
