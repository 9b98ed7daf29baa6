"""The graph in the catalogue: which links touch a record, who bears a name, what became one.

Rows say where to look and open nothing: a link is shown after the read gate has passed the
record that it stands in and both ends. Names are kept as digests. A link in prose leads to the
entity that bears the name, and where none is seen to the one record that is called so: the view
of the reader decides, to whom a hidden one is no rival. An id that was merged into another stands
for the other wherever something is asserted or mentioned; what was derived from the one was not
derived from the other.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from memfs.model.graph import EdgeSort, Link
from memfs.model.instants import format_instant, parse_instant
from memfs.policy.graph_links import CALLED, NAMED, name_digest

LINK_SCHEMA: Final = """
CREATE TABLE link (path NOT NULL, start NOT NULL, end NOT NULL, sort NOT NULL, relation NOT NULL,
    record NOT NULL, since NOT NULL, until NOT NULL, pressure NOT NULL, rival NOT NULL);
CREATE INDEX link_path ON link (path);
CREATE INDEX link_start ON link (start);
CREATE INDEX link_end ON link (end);
CREATE INDEX link_rival ON link (rival) WHERE rival <> '';
CREATE TABLE alias (key NOT NULL, path NOT NULL, PRIMARY KEY (key, path)) WITHOUT ROWID;
CREATE INDEX alias_path ON alias (path);
CREATE TABLE called (key NOT NULL, path NOT NULL, rank NOT NULL, PRIMARY KEY (key, path))
    WITHOUT ROWID;
CREATE INDEX called_path ON called (path);
CREATE TABLE merged (path NOT NULL, old NOT NULL, new NOT NULL, PRIMARY KEY (path)) WITHOUT ROWID;
CREATE INDEX merged_old ON merged (old);
CREATE INDEX merged_new ON merged (new);
"""
LINK_TABLES: Final = ("link", "alias", "called", "merged")
_COLUMNS: Final = "path, start, end, sort, relation, record, since, until, pressure, rival"
_CHAIN: Final = 64
"""So many merges in a row are followed; more is a circle."""
_NOBODY: Final[frozenset[str]] = frozenset()
_MERGED_SORTS: Final = frozenset({EdgeSort.ASSERTED, EdgeSort.MENTIONS})


def add_links(connection: sqlite3.Connection, links: Iterable[Link]) -> None:
    """Writes links in place of all that stood at their paths."""
    written = list(links)
    paths = dict.fromkeys(link.path for link in written)
    connection.executemany("DELETE FROM link WHERE path = ?", ((path,) for path in paths))
    connection.executemany(
        f"INSERT INTO link ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                link.path,
                link.start,
                _end_of(link.end),
                str(link.sort),
                link.relation,
                link.record,
                format_instant(link.since) if link.since else "",
                format_instant(link.until) if link.until else "",
                int(link.is_pressure),
                _rival_of(link.end),
            )
            for link in written
        ),
    )


def _end_of(end: str) -> str:
    """Returns an end as the table has it: what a link calls a record, without whom else."""
    return end.rpartition(":")[0] if end.startswith(CALLED) else end


def _rival_of(end: str) -> str:
    return end.rpartition(":")[2] if end.startswith(CALLED) else ""


def add_names(
    connection: sqlite3.Connection,
    keys: Iterable[tuple[str, str]],
    called: Iterable[tuple[str, str, int]],
    merged: Iterable[tuple[str, str, str]],
) -> None:
    """Writes keys of names with the paths of who bears them, and what was merged into what."""
    connection.executemany(
        "INSERT OR REPLACE INTO called VALUES (?, ?, ?)",
        ((name_digest(key), path, rank) for key, path, rank in called),
    )
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
    named = {f"{NAMED}{key}" for key in _digests_of(connection, family, "alias")}
    named |= {f"{CALLED}{key}" for key in _digests_of(connection, family, "called")}
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
    names = _Names(connection, links)
    ends = {end for link in links for end in (link.start, link.end)}
    survivors = _survivors(connection, ends)
    found: dict[Link, list[frozenset[str]]] = {}
    for link in links:
        for end, rivals in names.ends(link) or [(link.end, _NOBODY) for _ in {link.end} & {*asked}]:
            start = link.start
            if link.sort in _MERGED_SORTS:
                start, end = survivors.get(start, start), survivors.get(end, end)
            is_as_written = (start, end) == (link.start, link.end)
            moved = link if is_as_written else replace(link, start=start, end=end)
            if moved.start != moved.end:
                found.setdefault(moved, []).append(rivals)
    return tuple(sorted((_with_rivals(link, sets) for link, sets in found.items()), key=_order))


def _with_rivals(link: Link, sets: Collection[frozenset[str]]) -> Link:
    """Lets a link hold where any of the names that lead there means nobody else."""
    return link if _NOBODY in sets else replace(link, rivals=frozenset(sets))


class _Names:
    """Whom the names mean in which some links end."""

    def __init__(self, connection: sqlite3.Connection, links: Iterable[Link]) -> None:
        self._bearers: Mapping[str, Sequence[str]] = {}
        self._called: Mapping[str, Mapping[str, int]] = {}
        ends = {link.end for link in links if ":" in link.end}
        if ends:
            self._bearers = _bearers(connection, {end.rpartition(":")[2] for end in ends})
        called = {_end_of(end).removeprefix(CALLED) for end in ends if end.startswith(CALLED)}
        if called:
            self._called = called_by(connection, called)

    def ends(self, link: Link) -> list[tuple[str, frozenset[str]]]:
        """Returns where a link may lead, each with whom else it may mean."""
        if link.end.startswith(NAMED):
            bearers = self._bearers.get(link.end.removeprefix(NAMED), ())
            return [(end, _NOBODY) for end in bearers]
        if not link.end.startswith(CALLED):
            return [(link.end, _NOBODY)]
        things = self._bearers.get(_rival_of(link.end), ())
        ranks = self._called.get(_end_of(link.end).removeprefix(CALLED), {})
        return [
            (end, frozenset((*things, *(it for it in ranks if ranks[it] <= rank and it != end))))
            for end, rank in ranks.items()
        ]


def _order(link: Link) -> tuple[str, ...]:
    return (link.start, link.end, str(link.sort), link.relation, link.record)


def _link(row: Sequence[Any]) -> Link:
    path, start, end, sort, relation, record, since, until, pressure, rival = row
    return Link(
        start=start,
        end=f"{end}:{rival}" if rival else end,
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


def called(connection: sqlite3.Connection, key: str) -> dict[str, int]:
    """Returns the ids of the records that are called so, each with its rank."""
    digest = name_digest(key)
    return called_by(connection, [digest]).get(digest, {})


def called_by(
    connection: sqlite3.Connection, digests: Collection[str]
) -> dict[str, dict[str, int]]:
    """Returns the ids of the records that are called so, each with its rank, by digest."""
    rows = connection.execute(
        "SELECT called.key, entry.id, called.rank FROM called"
        " JOIN entry ON entry.path = called.path"
        " WHERE called.key IN (SELECT value FROM json_each(?)) ORDER BY called.rank, entry.id",
        (json.dumps(list(digests)),),
    ).fetchall()
    survivors = _survivors(connection, {identifier for _, identifier, _ in rows})
    found: dict[str, dict[str, int]] = {}
    for digest, identifier, rank in rows:
        found.setdefault(digest, {}).setdefault(survivors.get(identifier, identifier), rank)
    return found


def naming(
    connection: sqlite3.Connection, keys: Iterable[str], called: Iterable[str]
) -> tuple[str, ...]:
    """Returns the ids of what names anything by a key of an entity or a record, sorted.

    And of the records that are called so too: who bears a name decides about every one of them.
    """
    names = [name_digest(key) for key in keys]
    files = [name_digest(key) for key in called]
    ends = [*(f"{NAMED}{key}" for key in names), *(f"{CALLED}{key}" for key in files)]
    rows = connection.execute(
        "SELECT start FROM link WHERE end IN (SELECT value FROM json_each(:ends))"
        " UNION SELECT start FROM link WHERE rival <> ''"
        " AND rival IN (SELECT value FROM json_each(:names))"
        " UNION SELECT entry.id FROM called JOIN entry ON entry.path = called.path"
        " WHERE called.key IN (SELECT value FROM json_each(:files)) OR called.key IN"
        " (SELECT substr(link.end, :mark) FROM link WHERE link.rival <> ''"
        " AND link.rival IN (SELECT value FROM json_each(:names))) ORDER BY 1",
        {
            "ends": json.dumps(ends),
            "names": json.dumps(names),
            "files": json.dumps(files),
            "mark": len(CALLED) + 1,
        },
    )
    return tuple(str(identifier) for (identifier,) in rows)


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


def _digests_of(
    connection: sqlite3.Connection, ids: Collection[str], table: Literal["alias", "called"]
) -> Iterator[str]:
    rows = connection.execute(
        f"SELECT {table}.key FROM entry JOIN {table} ON {table}.path = entry.path"
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
