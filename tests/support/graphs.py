"""Entities and edges as records, for stores that are made of given records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memfs.model.ids import derived_id
from memfs.model.naming import entity_key
from memfs.model.record import Record
from tests.support.recall_stores import OWN, SAID, STATED

Fields = dict[str, Any]


def named(name: str, prefix: str = "ent") -> str:
    """Returns the id of what a test calls ``name``."""
    return derived_id(prefix, name)


def entity(name: str, **changes: Any) -> Record:
    """Returns an entity of Ana's."""
    values: Fields = {
        "kind": "entity",
        "id": named(name),
        "title": name,
        "subject": entity_key(name),
        "body": f"What is known of {name}.\n",
        "scope": OWN,
        "observed": SAID,
        "origin": STATED,
    }
    fields = {key: changes.pop(key) for key in ("entity_type", "aliases") if key in changes}
    return Record(**{**values, "fields": fields, **changes})


def edge(start: str, end: str, relation: str = "uses", **changes: Any) -> Record:
    """Returns an edge of Ana's between two entities, or two ids."""
    ends = [name if "_" in name else named(name) for name in (start, end)]
    values: Fields = {
        "kind": "edge",
        "id": named(f"{start} {relation} {end}", "edge"),
        "title": f"{start} {relation} {end}",
        "scope": OWN,
        "observed": SAID,
        "origin": STATED,
        "fields": {"from": ends[0], "to": ends[1], "relation": relation},
    }
    return Record(**{**values, **changes})


def claim(name: str, **changes: Any) -> Record:
    """Returns a note of Ana's that is called ``name``."""
    values: Fields = {
        "kind": "note",
        "id": named(name, "mem"),
        "title": name,
        "body": f"{name} stands here.\n",
        "scope": OWN,
        "observed": SAID,
        "origin": STATED,
    }
    return replace(Record(kind="note"), **{**values, **changes})
