"""The graph of the reference memory server: entities with observations, and relations.

Pure, and in step with the reference: names are unique keys, what exists is not made twice,
deleting what is not there is silent, a search is a substring in any case, and a relation is
found by either of its ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from memfs.model.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One thing and what was observed of it, in the order in which it was said."""

    name: str
    type: str
    observations: tuple[str, ...] = ()

    def value(self) -> dict[str, JsonValue]:
        """Returns it as the reference writes it."""
        return {
            "name": self.name,
            "entityType": self.type,
            "observations": list(self.observations),
        }

    def mentions(self, text: str) -> bool:
        """Whether a text, in lower case, stands in its name, type or an observation."""
        return any(text in words.lower() for words in (self.name, self.type, *self.observations))


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One directed relation between two names; neither needs to be an entity."""

    start: str
    end: str
    type: str

    def value(self) -> dict[str, JsonValue]:
        """Returns it as the reference writes it."""
        return {"from": self.start, "to": self.end, "relationType": self.type}


@dataclass(frozen=True, slots=True)
class Graph:
    """Entities and relations, each in the order in which it was made."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()

    def entity(self, name: str) -> Entity | None:
        """Returns the entity of that name."""
        return next((item for item in self.entities if item.name == name), None)

    def value(self) -> dict[str, JsonValue]:
        """Returns it as the reference writes it."""
        return {
            "entities": [item.value() for item in self.entities],
            "relations": [item.value() for item in self.relations],
        }

    def matching(self, query: str) -> Graph:
        """Returns the entities that a text stands in, and every relation of theirs."""
        text = query.lower()
        return self._with_relations(item for item in self.entities if item.mentions(text))

    def named(self, names: Collection[str]) -> Graph:
        """Returns the entities of these names, and every relation of theirs."""
        return self._with_relations(item for item in self.entities if item.name in names)

    def _with_relations(self, entities: Iterable[Entity]) -> Graph:
        found = tuple(entities)
        names = {item.name for item in found}
        relations = (item for item in self.relations if item.start in names or item.end in names)
        return Graph(found, tuple(relations))


@dataclass(slots=True)
class GraphDraft:
    """A graph that is being put together, one statement after the other."""

    _entities: dict[str, Entity] = field(default_factory=dict)
    _relations: dict[Relation, None] = field(default_factory=dict)

    def add_entity(self, name: str, type_: str) -> None:
        """Adds an entity; one that is there stays, and gets a type where it had none."""
        standing = self._entities.get(name)
        if standing is None:
            self._entities[name] = Entity(name=name, type=type_)
        elif type_ and not standing.type:
            self._entities[name] = replace(standing, type=type_)

    def add_observation(self, name: str, observation: str) -> None:
        """Adds an observation to an entity that is there."""
        standing = self._entities[name]
        if observation not in standing.observations:
            observations = (*standing.observations, observation)
            self._entities[name] = replace(standing, observations=observations)

    def add_relation(self, relation: Relation) -> None:
        """Adds a relation."""
        self._relations[relation] = None

    def done(self) -> Graph:
        """Returns the graph."""
        return Graph(tuple(self._entities.values()), tuple(self._relations))
