"""What the writing tools of the reference come to here: proposals, and wishes of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memfs.interop.knowledge_graph import GraphStatement
from memfs.mcp.answers import excerpt
from memfs.mcp.arguments import ArgumentError
from memfs.mcp.compat.graph import Entity, Graph, Relation
from memfs.mcp.compat.ledger import (
    Outcome,
    OwnWords,
    Told,
    graph_of,
    plain_name,
    propose,
    statement_of_relation,
    statements_of,
    told,
)
from memfs.model.values import JsonValue
from memfs.services.packet_text import escaped

if TYPE_CHECKING:
    from memfs.app.container import Memory

_SHOWN: Final = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a writing call answers.

    Attributes:
        key: The key of the answer.
        value: What was added, as the reference writes it.
        notes: What is to be known of it.
        missing: An entity that was expected and is not there; nothing was changed then.
    """

    key: str = ""
    value: JsonValue = None
    notes: Sequence[str] = ()
    missing: str = ""


def made(memory: Memory, own: OwnWords, given: Mapping[str, JsonValue]) -> Change:
    """Proposes the entities that are not there."""
    graph = _graph(memory, own)
    new: dict[str, Entity] = {}
    for item in _items(given["entities"]):
        entity = Entity(
            name=_name(item, "name"),
            type=plain_name(str(item["entityType"])),
            observations=_distinct(item["observations"]),
        )
        if graph.entity(escaped(entity.name)) is None:
            new.setdefault(entity.name, entity)
    outcome = propose(memory, own, [said for it in new.values() for said in statements_of(it)])
    kept = [_kept(it, outcome) for it in new.values()]
    return Change(key="entities", value=[it.value() for it in kept if it], notes=_notes(outcome))


def _kept(entity: Entity, outcome: Outcome) -> Entity | None:
    """Returns what of an entity is in the graph now."""
    kept = [said.observation for said in statements_of(entity) if said in outcome.kept]
    if not kept:
        return None
    return Entity(name=entity.name, type=entity.type, observations=tuple(filter(None, kept)))


def related(memory: Memory, own: OwnWords, given: Mapping[str, JsonValue]) -> Change:
    """Proposes the relations that are not there."""
    standing = set(_graph(memory, own).relations)
    new = [
        relation
        for relation in dict.fromkeys(_relation(item) for item in _items(given["relations"]))
        if _shown_relation(relation) not in standing
    ]
    outcome = propose(memory, own, [statement_of_relation(it) for it in new])
    kept = [it.value() for it in new if statement_of_relation(it) in outcome.kept]
    return Change(key="relations", value=kept, notes=_notes(outcome))


def observed(memory: Memory, own: OwnWords, given: Mapping[str, JsonValue]) -> Change:
    """Proposes what is new of entities that are there; of none where one is not there."""
    graph = _graph(memory, own)
    wanted: list[tuple[Entity, list[GraphStatement]]] = []
    for item in _items(given["observations"]):
        name = _name(item, "entityName")
        entity = graph.entity(escaped(name))
        if entity is None:
            return Change(missing=excerpt(name, _SHOWN))
        new = [
            GraphStatement(name=name, type=entity.type, observation=text)
            for text in _distinct(item["contents"])
            if escaped(text) not in entity.observations
        ]
        wanted.append((entity, new))
    outcome = propose(memory, own, [said for _, new in wanted for said in new])
    results: list[JsonValue] = [
        {
            "entityName": entity.name,
            "addedObservations": [it.observation for it in new if it in outcome.kept],
        }
        for entity, new in wanted
    ]
    return Change(key="results", value=results, notes=_notes(outcome))


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """What a deletion reaches.

    Attributes:
        records: Ids of records of the ledger, which a person takes back.
        proposals: Ids of the caller's own proposals, which go at once.
        question: What the person is asked.
        digest: What the question is about, by its versions.
        bare: Entities that keep their place without an observation.
        own: Words of the callers.
    """

    records: tuple[str, ...]
    proposals: tuple[str, ...]
    question: str
    digest: str
    bare: tuple[GraphStatement, ...]
    own: OwnWords

    def carry(self, memory: Memory) -> None:
        """Takes the records back, as the person."""
        for identifier in self.records:
            memory.retract(identifier, why="deleted from the graph")

    def take_back(self, memory: Memory) -> None:
        """Takes the caller's own proposals back, and keeps the place of what is left bare."""
        for identifier in self.proposals:
            memory.take_back(identifier)
        if self.bare:
            propose(memory, self.own, self.bare)


def deleted(memory: Memory, own: OwnWords, name: str, given: Mapping[str, JsonValue]) -> Deletion:
    """Finds what a deletion reaches; what is not there is no fault."""
    statements = list(told(memory, own))
    bare: tuple[GraphStatement, ...] = ()
    match name:
        case "delete_entities":
            names = {escaped(plain_name(text)) for text in _texts(given["entityNames"])}
            reached = [it for it in statements if _names_of(it.statement) & names]
        case "delete_relations":
            meant = {_shown_relation(_relation(item)) for item in _items(given["relations"])}
            reached = [it for it in statements if _relation_of(it.statement) in meant]
        case _:
            gone = {
                (escaped(_name(item, "entityName")), escaped(text))
                for item in _items(given["deletions"])
                for text in _texts(item["observations"])
            }
            reached = [
                it
                for it in statements
                if it.statement.observation
                and (escaped(it.statement.name), escaped(it.statement.observation)) in gone
            ]
            bare = _left_bare(statements, reached)
    records = [it for it in reached if it.is_record]
    return Deletion(
        records=tuple(it.id for it in records),
        proposals=tuple(it.id for it in reached if not it.is_record),
        question=_question(memory, records) if records else "",
        digest=" ".join(it.id for it in records),
        bare=bare,
        own=own,
    )


def _left_bare(statements: Sequence[Told], reached: Sequence[Told]) -> tuple[GraphStatement, ...]:
    """Returns the entities of which nothing else would tell that they are there."""
    gone = {it.id for it in reached}
    left = {it.statement.name for it in statements if it.id not in gone and not it.statement.end}
    names = {it.statement.name: it.statement.type for it in reached}
    return tuple(
        GraphStatement(name=name, type=type_) for name, type_ in names.items() if name not in left
    )


def _question(memory: Memory, records: Sequence[Told]) -> str:
    lines = []
    for item in records:
        said = item.statement
        words = f"{said.name} {said.type} {said.end}" if said.end else said.observation
        lines.append(f"{item.id}\n> {excerpt(f'{said.name}: {words}', _SHOWN)}")
    listed = "\n".join(lines)
    return (
        f"{memory.actor.principal} asks you, through memfs, to take back {len(records)} of its "
        f"records (memfs restore brings them back).\n\n{listed}\n\nStore: {memory.root}"
    )


def _names_of(statement: GraphStatement) -> set[str]:
    ends = {statement.name, statement.end} if statement.end else {statement.name}
    return {escaped(name) for name in ends}


def _relation_of(statement: GraphStatement) -> Relation | None:
    if not statement.end:
        return None
    return _shown_relation(Relation(start=statement.name, end=statement.end, type=statement.type))


def _shown_relation(relation: Relation) -> Relation:
    return Relation(
        start=escaped(relation.start), end=escaped(relation.end), type=escaped(relation.type)
    )


def _relation(item: Mapping[str, JsonValue]) -> Relation:
    return Relation(
        start=_name(item, "from"), end=_name(item, "to"), type=_name(item, "relationType")
    )


def _graph(memory: Memory, own: OwnWords) -> Graph:
    return graph_of(list(told(memory, own)))


def _items(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    return [it for it in value if isinstance(it, Mapping)] if isinstance(value, list) else []


def _texts(value: JsonValue) -> list[str]:
    return [str(it) for it in value] if isinstance(value, list) else []


def _distinct(value: JsonValue) -> tuple[str, ...]:
    """Returns the texts that say something, each once."""
    return tuple(dict.fromkeys(text for text in _texts(value) if text.strip()))


def _name(item: Mapping[str, JsonValue], key: str) -> str:
    name = plain_name(str(item[key]))
    if not name:
        raise ArgumentError(f"{key}: expected a name, got nothing")
    return name


def _notes(outcome: Outcome) -> list[str]:
    notes = []
    if outcome.waiting:
        wait, reach = ("waits", "reaches") if outcome.waiting == 1 else ("wait", "reach")
        notes.append(
            f"{outcome.waiting} of these {wait} for the user's review (memfs review) and "
            f"{reach} no later session before it"
        )
    if outcome.refused:
        reasons = "; ".join(dict.fromkeys(excerpt(it, _SHOWN) for it in outcome.refused))
        notes.append(f"{len(outcome.refused)} refused: {reasons}")
    return notes
