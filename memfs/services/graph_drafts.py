"""Drafts of entities and edges: the one way to word them, whoever relates what.

Nothing here decides or writes. An entity's id and subject follow from its name, so that whoever
meets the same thing drafts the same entity. The title of an edge names its ends by the end of
their ids alone: no name of what is forgotten or hidden stands in an edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from memfs.errors import UsageError
from memfs.model.graph import EDGE_KIND, ENTITY_KIND, RELATED
from memfs.model.ids import is_id, short_id
from memfs.model.naming import entity_id, entity_key
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.policy.relations import edge_subject, ends_of_edge, relation_key

MOST_NAME: Final = 200
MOST_RELATION: Final = 60
MOST_NAMES: Final = 100
"""So many other names a thing has at most; what has more is several things."""
_TYPE: Final = "entity_type"


def entity_draft(
    scope: Scope,
    name: str,
    *,
    entity_type: str = "",
    aliases: Iterable[str] = (),
    attributes: Mapping[str, JsonValue] | None = None,
    body: str = "",
) -> Record:
    """Returns the draft of an entity, with the id and subject that follow from its name.

    Raises:
        UsageError: The name or a type is none, or too long.
    """
    title = name_from(name)
    fields: dict[str, JsonValue] = {}
    if entity_type.strip():
        fields[_TYPE] = _line(entity_type, "a type", MOST_RELATION)
    listed = other_names(title, aliases)
    if listed:
        fields["aliases"] = list(listed)
    if attributes:
        fields["attributes"] = dict(attributes)
    return Record(
        kind=ENTITY_KIND,
        id=entity_id(scope, title),
        title=title,
        body=body if not body.strip() or body.endswith("\n") else f"{body}\n",
        subject=entity_key(title),
        scope=scope,
        fields=fields,
    )


def edge_draft(scope: Scope, start: str, end: str, relation: str = RELATED) -> Record:
    """Returns the draft of an edge; times and the rest are put on it with ``replace``.

    Raises:
        UsageError: An end is no id, both are one, or the relation is no label.
    """
    for identifier in (start, end):
        if not is_id(identifier):
            raise UsageError(f"expected an id at each end, got {identifier!r}")
    if start == end:
        raise UsageError(f"expected two ends, got {start} twice")
    label = relation_from(relation)
    return Record(
        kind=EDGE_KIND,
        title=_title(start, label, end),
        subject=edge_subject(start, label, end),
        scope=scope,
        fields={"from": start, "to": end, "relation": label},
    )


def between(edge: Record, start: str, end: str) -> Record:
    """Returns an edge with the same relation between other ends, as a draft of its own."""
    label = str(edge.fields.get("relation", "")) or RELATED
    drawn = edge_draft(edge.scope or Scope.parse("global"), start, end, label)
    return replace(
        edge,
        id="",
        scope=edge.scope,
        title=drawn.title,
        subject=drawn.subject,
        fields={**edge.fields, **drawn.fields},
    )


def named_by_ends(draft: Record, scope: Scope) -> Record:
    """Returns a draft of the graph with what follows from what it says, any other as it is.

    Whoever laid it out: what an edge is called and is about follows from its ends, the id of a
    thing from its name.
    """
    match draft.kind:
        case "edge":
            start, relation, end = ends_of_edge(draft)
            title, subject = _title(start, relation, end), edge_subject(start, relation, end)
            return replace(draft, title=title, subject=subject)
        case "entity":
            subject = draft.subject or entity_key(draft.title)
            identifier = draft.id or entity_id(draft.scope or scope, subject)
            return replace(draft, id=identifier, subject=subject)
        case _:
            return draft


def _title(start: str, relation: str, end: str) -> str:
    return f"{short_id(start)} {relation_key(relation)} {short_id(end)}"


def other_names(title: str, names: Iterable[str]) -> tuple[str, ...]:
    """Returns names as they are written, without what is the title or another one again.

    Raises:
        UsageError: One of them is no name or too long, or there are too many.
    """
    written_down = tuple(names)
    if len(written_down) > MOST_NAMES:
        raise UsageError(f"expected at most {MOST_NAMES} names, got {len(written_down)}")
    found = {entity_key(title): ""}
    for name in written_down:
        written = name_from(name)
        found.setdefault(entity_key(written), written)
    return tuple(name for name in found.values() if name)


def name_from(text: str) -> str:
    """Returns a name as it is kept: one line, without white space around it.

    Raises:
        UsageError: It is no name, or too long; or it is an id, which names a record.
    """
    name = _line(text, "a name", MOST_NAME)
    if is_id(name.lower()):
        raise UsageError(f"expected a name, got the id of a record: {name}")
    if not entity_key(name):
        raise UsageError(f"expected a name, got {text!r}")
    return name


def relation_from(text: str) -> str:
    """Returns the label of a relation as it is kept; ``related`` for none.

    Raises:
        UsageError: It is too long.
    """
    return _line(text, "a relation", MOST_RELATION) if text.strip() else RELATED


def _line(text: str, what: str, most: int) -> str:
    line = " ".join(text.split())
    if len(line) > most:
        raise UsageError(f"expected {what} of at most {most} characters, got {len(line)}")
    return line
