"""What relates to what: entities, and the edges between them.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.model.graph import RELATED
from memfs.model.record import DEFAULT_IMPORTANCE
from memfs.model.result import Result
from memfs.model.values import JsonValue
from memfs.services.modes import require_serving, require_taking
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from memfs.domains.graph.entity_views import EntityView
    from memfs.model.moment import Moment
    from memfs.model.record import StoredRecord


class EntityOptions(TypedDict, total=False):
    """What may be said of a thing besides its name; empty strings stand for nothing said.

    ``entity_type`` is what sort of thing it is, ``aliases`` are other names, ``attributes`` what
    is known of it by name, ``about`` words about it. ``key`` makes a repetition harmless.
    """

    entity_type: str
    aliases: Sequence[str]
    attributes: Mapping[str, JsonValue]
    about: str
    scope: str
    sensitivity: str
    importance: int | None
    key: str


class EntityChanges(TypedDict, total=False):
    """What is to be otherwise of an entity; what is not named stays as it is.

    ``unset`` names attributes that are not known any longer.
    """

    name: str
    entity_type: str
    attributes: Mapping[str, JsonValue]
    unset: Sequence[str]
    about: str


class EdgeOptions(TypedDict, total=False):
    """What may be said of an edge besides its ends; instants as ``memfs.formats.when`` reads them.

    ``confidence`` is 0 to 1, ``importance`` 1 to 10; ``cites`` names evidence. ``key`` makes a
    repetition harmless.
    """

    valid_from: str
    valid_until: str
    event_time: str
    confidence: float | None
    importance: int | None
    cites: Sequence[str]
    scope: str
    key: str


class MomentOptions(TypedDict, total=False):
    """When a question about the graph is about, and in which namespaces; nothing for now and all.

    ``as_of`` asks what memory knew then, ``valid_at`` what was so then.
    """

    as_of: str
    valid_at: str
    scopes: Sequence[str]


class Relating(Opened):
    """What relates to what: entities, and the edges between them."""

    def add_entity(self, name: str, **options: Unpack[EntityOptions]) -> Result:
        """Makes a page for a thing; one that bears the name already stays the one.

        Raises:
            UsageError: The name, a type, a scope or a sensitivity is none.
        """
        from memfs.app.drafts import scope_from, sensitivity_from
        from memfs.domains.graph.entities import NOTHING_SAID, Thing, add_entity

        require_taking(self.workspace)
        self._take_in()
        importance = options.get("importance")
        thing = Thing(
            name=name,
            entity_type=options.get("entity_type", ""),
            aliases=tuple(options.get("aliases", ())),
            attributes=options.get("attributes", NOTHING_SAID),
            about=options.get("about", ""),
            scope=scope_from(options.get("scope", "")),
            sensitivity=sensitivity_from(options.get("sensitivity", "")),
            importance=DEFAULT_IMPORTANCE if importance is None else importance,
            key=options.get("key", ""),
        )
        return add_entity(self.workspace, thing, self.actor)

    def alias(self, reference: str, names: Sequence[str], *, is_dropped: bool = False) -> Result:
        """Gives an entity more names, or takes names from it; its id stays.

        Raises:
            UnknownRecordError: Nothing matches, or nothing that may be seen.
            UsageError: One of them is no name, or none of its own.
        """
        from memfs.domains.graph.entities import Changes, change_entity

        require_taking(self.workspace)
        self._take_in()
        changes = Changes(dropped=names) if is_dropped else Changes(aliases=names)
        return change_entity(self.workspace, reference, changes, self.actor, action="alias")

    def set_entity(self, reference: str, **changes: Unpack[EntityChanges]) -> Result:
        """Says something more, or something else, of an entity; an old name stays one of its own.

        Raises:
            UnknownRecordError: Nothing matches, or nothing that may be seen.
            UsageError: A name is none, or an attribute is not there.
        """
        from memfs.domains.graph.entities import Changes, change_entity

        require_taking(self.workspace)
        self._take_in()
        wanted = Changes(**changes)
        return change_entity(self.workspace, reference, wanted, self.actor, action="set entity")

    def entity(self, reference: str, **options: Unpack[MomentOptions]) -> EntityView:
        """Returns an entity, by any of its names or ids, with its edges and what names it.

        Raises:
            UnknownRecordError: Nothing matches, or nothing that may be seen then.
            AmbiguousRecordError: Several match.
        """
        from memfs.app.drafts import scope_from
        from memfs.domains.graph.entity_views import show_entity

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        scopes = tuple(filter(None, map(scope_from, options.get("scopes", ()))))
        moment = _moment(self.workspace, options)
        return show_entity(self.workspace, reference, self.actor, moment=moment, scopes=scopes)

    def entities(
        self, *, entity_type: str = "", limit: int = 0, **options: Unpack[MomentOptions]
    ) -> tuple[StoredRecord, ...]:
        """Lists entities, newest first; of one type alone where it is named.

        Raises:
            UsageError: A scope or an instant does not exist.
        """
        from memfs.app.drafts import scope_from
        from memfs.domains.graph.entity_views import list_entities

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        return list_entities(
            self.workspace,
            self.actor,
            entity_type=entity_type,
            scopes=tuple(filter(None, map(scope_from, options.get("scopes", ())))),
            moment=_moment(self.workspace, options),
            limit=limit,
        )

    def relate(
        self, start: str, end: str, relation: str = RELATED, **options: Unpack[EdgeOptions]
    ) -> Result:
        """Draws an edge from one record or entity to another, where there is none like it.

        Of what a thing has one of at a time, such as ``runs on``, it takes the place of the edge
        before, which stays readable for its time.

        Raises:
            UnknownRecordError: An end is not there, or may not be seen.
            UsageError: The relation, a number or an instant is none.
        """
        from memfs.app.drafts import scope_from, when_from
        from memfs.domains.graph.relating import Tie, relate

        require_taking(self.workspace)
        self._take_in()
        now = self.workspace.clock.now()
        importance = options.get("importance")
        tie = Tie(
            start=start,
            end=end,
            relation=relation,
            valid_from=when_from(options.get("valid_from", ""), now),
            valid_until=when_from(options.get("valid_until", ""), now),
            event_time=when_from(options.get("event_time", ""), now),
            confidence=options.get("confidence"),
            importance=DEFAULT_IMPORTANCE if importance is None else importance,
            evidence=tuple(options.get("cites", ())),
            scope=scope_from(options.get("scope", "")),
            key=options.get("key", ""),
        )
        return relate(self.workspace, tie, self.actor)

    def unrelate(self, start: str, end: str = "", *, relation: str = "") -> Result:
        """Takes an edge away at both its ends; with ``end`` empty ``start`` is the edge itself.

        Raises:
            UnknownEdgeError: Nothing relates the two so.
            AmbiguousEdgeError: They are related in several ways.
            UnknownRecordError: An end is not there, or may not be seen.
        """
        from memfs.domains.graph.relating import unrelate

        self._take_in()
        return unrelate(self.workspace, start, end, self.actor, relation=relation)


def _moment(workspace: Workspace, options: MomentOptions) -> Moment:
    from memfs.app.drafts import when_from
    from memfs.model.moment import Moment

    now = workspace.clock.now()
    return Moment(
        valid_at=when_from(options.get("valid_at", ""), now),
        as_of=when_from(options.get("as_of", ""), now),
    )
