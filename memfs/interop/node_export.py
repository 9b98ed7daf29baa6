"""Nodes as a flat JSON array, for whoever may have them outside of the store.

A node is ``id title summary abstract content importance tags relations timestamp subject entities
session session_name sensitivity scope ingestion_time``; what is empty is left out. A node that
came in as JSON goes out as it came, for as long as it still means the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from typing import Final

from memfs.domains.nodes.imported import NODE_JSON, Names, relations_said, said_of
from memfs.domains.nodes.node import NODE_KIND
from memfs.formats.foreign_line import FOREIGN, as_it_came
from memfs.interop.node_json import draft_from, own_line
from memfs.model.graph import EDGE_KIND, RELATED
from memfs.model.instants import format_instant
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.values import JsonValue
from memfs.policy.relations import edge_subject, ends_of_edge
from memfs.services.catalogue import open_catalogue
from memfs.services.exported import Exported, Leaving
from memfs.services.ports import Workspace

NODE_FOLDER: Final = "records/note"
EDGE_FOLDER: Final = "graph/edges"
_FIXED: Final = frozenset(("id", "scope", "ingestion_time"))
"""Fields that stay as they came: a record has one id, and was learned once."""

Edges = Mapping[str, Sequence[tuple[str, str]]]


def export_nodes(workspace: Workspace, actor: Actor) -> Exported:
    """Returns every node that ``actor`` may take out of the store, by id, as one JSON array."""
    leaving = Leaving(workspace, actor)
    found = [stored.record for stored in leaving.records(NODE_FOLDER, (NODE_KIND,))]
    found.sort(key=lambda record: record.id)
    edges = _edges_of(workspace, actor)
    names = Names(found)
    with closing(open_catalogue(workspace, leaving.snapshot)) as catalogue:

        def was_there(record: Record, label: str, end: str) -> bool:
            scope = str(record.scope or workspace.scope)
            rows = catalogue.by_subject(edge_subject(record.id, label, end), scope)
            return any(row.kind == EDGE_KIND for row in rows)

        lines = [
            json.dumps(
                _line_of(record, _relations(record, edges, names, was_there)), ensure_ascii=False
            )
            for record in found
        ]
    return leaving.exported(NODE_JSON, _as_array(lines))


def _as_array(lines: Sequence[str]) -> Iterator[str]:
    """Yields lines that together are one JSON array, a node a line."""
    last = len(lines) - 1
    for number, line in enumerate(lines):
        yield f"{'[' if number == 0 else ' '}{line}{']' if number == last else ','}"


def _edges_of(workspace: Workspace, actor: Actor) -> Edges:
    """Returns where the edges lead that may leave the store, by where they start."""
    found: dict[str, list[tuple[str, str]]] = {}
    for stored in Leaving(workspace, actor).records(EDGE_FOLDER, (EDGE_KIND,)):
        start, label, end = ends_of_edge(stored.record)
        found.setdefault(start, []).append((end, label))
    return {start: sorted(ends) for start, ends in found.items()}


def _relations(
    record: Record,
    edges: Edges,
    names: Names,
    was_there: Callable[[Record, str, str], bool],
) -> list[JsonValue]:
    """Returns what a node relates to: as its source said it, without what was taken away since.

    What was never made an edge of is still said; what has an edge that was not said is added.
    """
    own = list(edges.get(record.id, ()))
    kept: list[JsonValue] = []
    for said in relations_said(record):
        end = names.resolved(record, said.target)
        if (end, said.label) in own:
            own.remove((end, said.label))
        elif end and was_there(record, said.label, end):
            continue
        kept.append(said.raw)
    return kept + [
        end if label == RELATED else {"target": end, "type": label} for end, label in own
    ]


def _line_of(record: Record, relations: Sequence[JsonValue]) -> dict[str, JsonValue]:
    own = own_line(record) | {
        "scope": str(record.scope or ""),
        "ingestion_time": _instant(record.observed),
    }
    own = {name: value for name, value in own.items() if value not in ("", None)}
    said = {name: value for name, value in said_of(record).items() if name != "relations"}
    otherwise, without = said.pop("otherwise", None), said.pop("without", None)
    said.pop("format", None)
    more = dict(otherwise) if isinstance(otherwise, Mapping) else {}
    has_empty = more.pop("relations", None) == []
    merged = {"format": NODE_JSON, "otherwise": {**said, **more}, "without": without}
    line = as_it_came(
        NODE_JSON, own, {FOREIGN: merged}, lambda came: own_line(draft_from(came)), fixed=_FIXED
    )
    if relations or has_empty:
        line["relations"] = list(relations)
    return line


def _instant(moment: datetime | None) -> str:
    return format_instant(moment) if moment is not None else ""
