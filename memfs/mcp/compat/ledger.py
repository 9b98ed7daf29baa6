"""The graph as memfs has it: records of the ledger, and what waits of this very client's words.

The reference writes at once; here most of what an agent says waits for a person. So that a
client can go on with what it just said, its own waiting words of this server's lifetime are
shown to it, and to nobody else. They are served to no later session, and are gone from the
graph as soon as they stop waiting: accepted they come from the ledger, rejected they are gone.

What issue trackers and graphs of their own keep elsewhere is no part of this view: it reads
the records that an import of the reference's file makes, and writes the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memfs.interop.knowledge_graph import (
    GraphStatement,
    entity_text,
    observation_draft,
    relation_draft,
    statement_of,
)
from memfs.interop.wording import one_line
from memfs.mcp.compat.graph import Entity, Graph, GraphDraft, Relation
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.services.packet_text import escaped

if TYPE_CHECKING:
    from memfs.app.container import Memory

NAME_CHARS: Final = 200
_KINDS: Final = ("note",)


@dataclass(frozen=True, slots=True)
class Told:
    """One statement and where it is: the id of a record, or of a waiting proposal."""

    statement: GraphStatement
    id: str
    is_record: bool


@dataclass(slots=True)
class Outcome:
    """What became of several statements.

    Attributes:
        kept: Those that are in the graph now.
        waiting: How many of them wait for a person.
        refused: Why others were refused, a line each.
    """

    kept: set[GraphStatement] = field(default_factory=set)
    waiting: int = 0
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What each caller proposed while the server runs, by the id that it got."""

    _said: dict[str, dict[str, GraphStatement]] = field(default_factory=dict)

    def add(self, caller: str, identifier: str, statement: GraphStatement) -> None:
        """Notes a statement that a caller made."""
        self._said.setdefault(caller, {})[identifier] = statement

    def of(self, caller: str) -> dict[str, GraphStatement]:
        """Returns what a caller said, oldest first."""
        return self._said.get(caller, {})


def told(memory: Memory, own: OwnWords) -> Iterator[Told]:
    """Yields every statement of the graph that the caller may see, oldest first."""
    for stored in reversed(memory.list_records(kinds=_KINDS)):
        statement = statement_of(stored.record)
        if statement is not None:
            yield Told(statement, stored.record.id, is_record=True)
    said = own.of(str(memory.actor.principal))
    if said:
        # What is a record by now is told by the ledger alone: it may say otherwise since.
        waiting = {candidate.id for candidate in memory.candidates()}
        for identifier, statement in said.items():
            if identifier in waiting:
                yield Told(statement, identifier, is_record=False)


def graph_of(statements: Sequence[Told]) -> Graph:
    """Returns the graph that statements make; what hides in their words is written out."""
    draft = GraphDraft()
    for item in statements:
        said = item.statement
        name, type_ = escaped(said.name), escaped(said.type)
        if said.end:
            draft.add_relation(Relation(start=name, end=escaped(said.end), type=type_))
            continue
        draft.add_entity(name, type_)
        if said.observation:
            draft.add_observation(name, escaped(said.observation))
    return draft.done()


def statements_of(entity: Entity) -> list[GraphStatement]:
    """Returns what a new entity says: each observation, or that there is such an entity."""
    return [
        GraphStatement(name=entity.name, type=entity.type, observation=observation)
        for observation in entity.observations or ("",)
    ]


def statement_of_relation(relation: Relation) -> GraphStatement:
    """Returns what a relation says."""
    return GraphStatement(name=relation.start, type=relation.type, end=relation.end)


def propose(memory: Memory, own: OwnWords, statements: Sequence[GraphStatement]) -> Outcome:
    """Proposes statements one by one; each is decided on by itself."""
    outcome = Outcome()
    caller = str(memory.actor.principal)
    for statement in statements:
        draft = _draft(statement)
        result = memory.propose(
            draft.body,
            kind=draft.kind,
            title=draft.title,
            subject=draft.subject,
            tags=draft.tags,
            entities=draft.entities,
            fields=draft.unknown,
        )
        if result.status in (ResultStatus.REFUSED, ResultStatus.NEEDS_ANSWER):
            outcome.refused.append(result.message)
            continue
        outcome.kept.add(statement)
        outcome.waiting += result.status is ResultStatus.WAITING
        own.add(caller, result.target, statement)
    return outcome


def _draft(statement: GraphStatement) -> Record:
    if statement.end:
        return relation_draft(statement.name, statement.end, statement.type, {})
    said = {"type": "entity", "entity_type": statement.type}
    words = statement.observation or entity_text(statement.name, statement.type)
    return observation_draft(statement.name, words, said)


def take_back(memory: Memory, proposals: Sequence[Told]) -> list[Result]:
    """Takes the caller's own proposals back."""
    return [memory.take_back(item.id) for item in proposals]


def chosen(statements: Sequence[Told], is_meant: Callable[[GraphStatement], bool]) -> list[Told]:
    """Returns the statements that are meant."""
    return [item for item in statements if is_meant(item.statement)]


def plain_name(text: str) -> str:
    """Returns a name as a record can hold it: on one line, and not endless."""
    return one_line(text, NAME_CHARS)
