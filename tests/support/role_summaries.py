"""Builders for summaries of role memory: memories of one target, edges between them, a summary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memfs.domains.roles.summaries.summarizing import build_summary
from memfs.model.record import Record
from tests.support.policy import NOW, identifier
from tests.support.roles import edge, memory

RUN = f"run:{identifier(1, 'run')}"
CLAIM = f"claim:{identifier(1)}"


def child(number: int, title: str = "Ana deploys on Fridays", **fields: Any) -> Record:
    """Returns a durable memory of one target; envelope fields of a record by their names."""
    envelope = {
        name: fields.pop(name)
        for name in ("confidence", "tags", "sensitivity", "sinks", "taint", "expires", "body")
        if name in fields
    }
    said = {"profile": "role_self", "lifecycle": "accepted", "salience": 0.5, **fields}
    made = memory(id=identifier(number, "role"), title=title, **said)
    return replace(made, **{"confidence": 0.9, **envelope})


def drawn(number: int, relation: str, start: Record, end: Record | str) -> Record:
    """Returns an edge of role memory from one memory to another."""
    other = end if isinstance(end, str) else end.id
    made = edge(**{"from": start.id, "to": other, "relation": relation})
    return replace(made, id=identifier(number, "edge"))


def built(children: list[Record], edges: list[Record] | None = None) -> Record:
    """Returns the summary of some memories."""
    summary = build_summary(children, edges or [], NOW)
    assert summary is not None
    return summary


FIRST = child(1, anchors=[RUN, CLAIM], saturation=0.2)
SECOND = child(
    2,
    "Ana writes short reviews",
    tension="short against thorough",
    implication="put the finding first",
    question="Does she read the rest?",
    confidence=0.8,
    salience=0.3,
    anchors=[RUN],
    saturation=0.6,
    source_hashes=["file:notes.md=0123456789abcdef"],
)
PAIR = [FIRST, SECOND]
