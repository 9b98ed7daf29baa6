"""The nine tools of the reference memory server as it describes them, word for word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memfs.mcp.arguments import ArgumentError
from memfs.model.values import JsonValue

Schema = dict[str, JsonValue]
_DRAFT: Final = "http://json-schema.org/draft-07/schema#"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatTool:
    """One tool of the reference.

    Attributes:
        title: For people.
        help: What it says of itself.
        takes: Schemas of its arguments, all of them required.
        gives: Schemas of the keys of its answer.
        is_reading: It changes nothing.
        is_deleting: It takes something away.
    """

    title: str
    help: str
    takes: Mapping[str, Schema]
    gives: Mapping[str, Schema]
    is_reading: bool = False
    is_deleting: bool = False


def _text(help_: str = "") -> Schema:
    return {"type": "string", "description": help_} if help_ else {"type": "string"}


def _texts(help_: str = "") -> Schema:
    listed: Schema = {"type": "array", "items": _text()}
    return listed | {"description": help_} if help_ else listed


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": [*properties]}


def _objects(item: Schema, help_: str = "") -> Schema:
    listed: Schema = {"type": "array", "items": item}
    return listed | {"description": help_} if help_ else listed


_ENTITY: Final = _object(
    name=_text("The name of the entity"),
    entityType=_text("The type of the entity"),
    observations=_texts("An array of observation contents associated with the entity"),
)
_RELATION: Final = _object(
    **{
        "from": _text("The name of the entity where the relation starts"),
        "to": _text("The name of the entity where the relation ends"),
        "relationType": _text("The type of the relation"),
    }
)
_DONE: Final[Mapping[str, Schema]] = {"success": {"type": "boolean"}, "message": _text()}
_GRAPH: Final[Mapping[str, Schema]] = {
    "entities": _objects(_ENTITY),
    "relations": _objects(_RELATION),
}

COMPAT_TOOLS: Final[Mapping[str, CompatTool]] = MappingProxyType(
    {
        "create_entities": CompatTool(
            title="Create Entities",
            help="Create multiple new entities in the knowledge graph",
            takes={"entities": _objects(_ENTITY)},
            gives={"entities": _objects(_ENTITY)},
        ),
        "create_relations": CompatTool(
            title="Create Relations",
            help=(
                "Create multiple new relations between entities in the knowledge graph. "
                "Relations should be in active voice"
            ),
            takes={"relations": _objects(_RELATION)},
            gives={"relations": _objects(_RELATION)},
        ),
        "add_observations": CompatTool(
            title="Add Observations",
            help="Add new observations to existing entities in the knowledge graph",
            takes={
                "observations": _objects(
                    _object(
                        entityName=_text("The name of the entity to add the observations to"),
                        contents=_texts("An array of observation contents to add"),
                    )
                )
            },
            gives={"results": _objects(_object(entityName=_text(), addedObservations=_texts()))},
        ),
        "delete_entities": CompatTool(
            title="Delete Entities",
            help="Delete multiple entities and their associated relations from the knowledge graph",
            takes={"entityNames": _texts("An array of entity names to delete")},
            gives=_DONE,
            is_deleting=True,
        ),
        "delete_observations": CompatTool(
            title="Delete Observations",
            help="Delete specific observations from entities in the knowledge graph",
            takes={
                "deletions": _objects(
                    _object(
                        entityName=_text("The name of the entity containing the observations"),
                        observations=_texts("An array of observations to delete"),
                    )
                )
            },
            gives=_DONE,
            is_deleting=True,
        ),
        "delete_relations": CompatTool(
            title="Delete Relations",
            help="Delete multiple relations from the knowledge graph",
            takes={"relations": _objects(_RELATION, "An array of relations to delete")},
            gives=_DONE,
            is_deleting=True,
        ),
        "read_graph": CompatTool(
            title="Read Graph",
            help="Read the entire knowledge graph",
            takes={},
            gives=_GRAPH,
            is_reading=True,
        ),
        "search_nodes": CompatTool(
            title="Search Nodes",
            help="Search for nodes in the knowledge graph based on a query",
            takes={
                "query": _text(
                    "The search query to match against entity names, types, and observation content"
                )
            },
            gives=_GRAPH,
            is_reading=True,
        ),
        "open_nodes": CompatTool(
            title="Open Nodes",
            help="Open specific nodes in the knowledge graph by their names",
            takes={"names": _texts("An array of entity names to retrieve")},
            gives=_GRAPH,
            is_reading=True,
        ),
    }
)
"""Name to tool, in the order of the reference."""


def taken_schema(tool: CompatTool) -> dict[str, JsonValue]:
    """Returns the schema of a tool's arguments."""
    schema: dict[str, JsonValue] = {"type": "object", "properties": dict(tool.takes)}
    if tool.takes:
        schema["required"] = list(tool.takes)
    return schema | {"$schema": _DRAFT}


def given_schema(tool: CompatTool) -> dict[str, JsonValue]:
    """Returns the schema of a tool's answer, closed as the reference closes it."""
    closed = _closed({"type": "object", "properties": dict(tool.gives), "required": [*tool.gives]})
    assert isinstance(closed, dict)
    return closed | {"$schema": _DRAFT}


def _closed(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, Mapping):
        return schema
    closed = dict(schema)
    properties = closed.get("properties")
    if closed.get("type") == "object" and isinstance(properties, Mapping):
        closed["properties"] = {name: _closed(item) for name, item in properties.items()}
        closed["additionalProperties"] = False
    if "items" in closed:
        closed["items"] = _closed(closed["items"])
    return closed


MOST_ITEMS: Final = 1_000


def checked(tool: CompatTool, given: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """Returns the arguments that a tool knows; more is let pass unread, as the reference does.

    Raises:
        ArgumentError: One is missing or of another type; says where.
    """
    faults: list[str] = []
    for name, schema in tool.takes.items():
        _check(given.get(name), schema, name, faults)
    if faults:
        raise ArgumentError("; ".join(faults[:5]))
    return {name: given[name] for name in tool.takes}


def _check(value: JsonValue, schema: JsonValue, place: str, faults: list[str]) -> None:
    assert isinstance(schema, Mapping)
    match schema["type"]:
        case "string":
            if not isinstance(value, str):
                faults.append(f"{place}: expected a text")
            elif not value.isascii() and value.encode("utf-8", "replace").decode() != value:
                faults.append(f"{place}: expected text in Unicode, got half a character")
        case "array":
            if not isinstance(value, list) or len(value) > MOST_ITEMS:
                faults.append(f"{place}: expected a list of at most {MOST_ITEMS}")
            else:
                for at, item in enumerate(value):
                    _check(item, schema["items"], f"{place}[{at}]", faults)
        case _:
            properties = schema["properties"]
            assert isinstance(properties, Mapping)
            if not isinstance(value, Mapping):
                faults.append(f"{place}: expected an object")
                return
            for name, part in properties.items():
                _check(value.get(name), part, f"{place}.{name}", faults)
