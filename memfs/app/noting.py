"""Nodes and the profile: free-form memory with a summary, an abstract and a content.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.errors import ConflictError
from memfs.model.record import StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.services.modes import require_serving, require_taking

if TYPE_CHECKING:
    from memfs.domains.nodes.counting import NodeStats
    from memfs.domains.nodes.domain_nodes import DomainNode
    from memfs.domains.nodes.looking import NodeAnswer
    from memfs.domains.nodes.opened import OpenedNode
    from memfs.domains.nodes.profile_lines import Profile
    from memfs.domains.nodes.saving import NodeWish, Saved


class NodeOptions(TypedDict, total=False):
    """What may be said of a node besides its summary; empty strings stand for nothing said.

    ``importance`` is 1 to 10 and clamped to that; ``domain`` adds the summary to the one node of
    a domain; ``is_rule`` makes it a rule of what is worth saving; ``is_forced`` saves in spite of
    what is alike, against it or worth too little; ``session`` and ``session_name`` say where it
    came from; ``key`` makes a repetition harmless.
    """

    abstract: str
    content: str
    importance: int | None
    tags: Sequence[str]
    domain: str
    subject: str
    entities: Sequence[str]
    scope: str
    sensitivity: str
    is_rule: bool
    is_forced: bool
    session: str
    session_name: str
    key: str


class NodeChanges(TypedDict, total=False):
    """What is to be another way; what is not named, or ``None``, stays as it is."""

    summary: str | None
    abstract: str | None
    content: str | None
    importance: int | None
    tags: Sequence[str] | None
    add_tags: Sequence[str]
    drop_tags: Sequence[str]


class Noting(Opened):
    """Nodes and the profile: free-form memory with a summary, an abstract and a content."""

    @abstractmethod
    def retract(self, reference: str, *, why: str = "") -> Result:
        """Takes back a record that was wrong."""

    @abstractmethod
    def forget(self, references: Sequence[str], *, why: str = "") -> Result:
        """Removes records for good."""

    @abstractmethod
    def show(self, reference: str, *, valid_at: str = "", as_of: str = "") -> StoredRecord:
        """Returns one record as the ledger has it."""

    # Nodes ---------------------------------------------------------------------------

    def save_node(self, summary: str, **options: Unpack[NodeOptions]) -> Result:
        """Saves a node, unless the opposite, or nearly the same, is there already.

        A node that is new is linked to at most three that are like it. What an agent saves waits
        like any proposal, and is linked once it is accepted and ``link_node`` is asked.

        Raises:
            UsageError: There is no summary, or no such domain, scope or sensitivity.
        """
        from memfs.domains.nodes.domain_nodes import keep_preference
        from memfs.domains.nodes.saving import save_node

        require_taking(self.workspace)
        self._take_in()
        wish = self._wish(summary, options)
        domain = options.get("domain", "")
        if domain:
            return keep_preference(self.workspace, self.beside, domain, wish, self.actor).result
        return self._linked(save_node(self.workspace, self.beside, wish, self.actor))

    def _wish(self, summary: str, options: NodeOptions) -> NodeWish:
        from memfs.app.drafts import scope_from, sensitivity_from
        from memfs.domains.nodes.saving import NodeWish

        return NodeWish(
            summary=summary,
            abstract=options.get("abstract", ""),
            content=options.get("content", ""),
            importance=options.get("importance"),
            tags=tuple(options.get("tags", ())),
            subject=options.get("subject", ""),
            entities=tuple(options.get("entities", ())),
            scope=scope_from(options.get("scope", "")),
            sensitivity=sensitivity_from(options.get("sensitivity", "")),
            is_rule=options.get("is_rule", False),
            is_forced=options.get("is_forced", False),
            session=options.get("session", ""),
            session_name=options.get("session_name", ""),
            key=options.get("key", ""),
        )

    def _linked(self, saved: Saved) -> Result:
        """Links a node that is in the ledger now, and tells to what."""
        from memfs.domains.nodes.linking import link_alike
        from memfs.domains.nodes.saving import near_value

        result = saved.result
        if result.status is not ResultStatus.DONE or not saved.near:
            return result
        try:
            made = link_alike(self.workspace, result.target, saved.near, saved.mode)
        except ConflictError as error:
            # The node is kept; who writes without a pause keeps its links out for now.
            return replace(result, data={**result.data, "links_trouble": error.code})
        if not made.near:
            return result
        names = ", ".join(near.stored.record.id for near in made.near)
        return replace(
            result,
            message=f"{result.message}; linked to {names}",
            data={**result.data, "links": [near_value(near) for near in made.near]},
        )

    def link_node(self, reference: str) -> Result:
        """Links a node that is there to what its source related it to, and to what is like it.

        What is linked already stays as it is. Relations of an imported node become edges here
        where the import was not accepted as a whole.
        """
        from memfs.domains.nodes.changing import node_named
        from memfs.domains.nodes.imported import relate_imported, relations_said
        from memfs.domains.nodes.linking import link_alike, near_to
        from memfs.domains.nodes.saving import near_value

        require_taking(self.workspace)
        self._take_in()
        stored = node_named(self.workspace, reference, self.actor)
        identifier = stored.record.id
        if relations_said(stored.record):
            is_person = self.actor.is_person
            relate_imported(self.workspace, [identifier], self.actor, is_confirmed=is_person)
        most = self.workspace.settings.nodes.links * 2
        is_opaque = stored.record.sensitivity.is_opaque
        found = near_to(self.workspace, stored, self.actor, 0 if is_opaque else most)
        made = link_alike(self.workspace, stored.record.id, found.found, found.mode)
        names = ", ".join(near.stored.record.id for near in made.near)
        return Result(
            action="node link",
            target=stored.record.id,
            status=ResultStatus.DONE if made.near else ResultStatus.NOTHING,
            message=f"linked to {names}" if names else "nothing else is alike enough",
            operation=made.operation,
            store=str(self.workspace.store.root),
            data={"links": [near_value(near) for near in made.near], "mode": str(found.mode)},
        )

    def update_node(self, reference: str, **changes: Unpack[NodeChanges]) -> Result:
        """Changes fields of a node in place: its id, its edges and its history stay.

        Raises:
            UsageError: Nothing is to be changed, or the summary would be empty.
        """
        from memfs.domains.nodes.changing import NodeChange, update_node

        require_taking(self.workspace)
        self._take_in()
        tags = changes.get("tags")
        change = NodeChange(
            summary=changes.get("summary"),
            abstract=changes.get("abstract"),
            content=changes.get("content"),
            importance=changes.get("importance"),
            tags=None if tags is None else tuple(tags),
            add_tags=tuple(changes.get("add_tags", ())),
            drop_tags=tuple(changes.get("drop_tags", ())),
        )
        return update_node(self.workspace, reference, change, self.actor)

    def append_node(self, reference: str, text: str) -> Result:
        """Adds to the content of a node; what it said before stays, word for word.

        Raises:
            UsageError: There is nothing to add.
        """
        from memfs.domains.nodes.changing import append_node

        require_taking(self.workspace)
        self._take_in()
        return append_node(self.workspace, reference, text, self.actor)

    def delete_node(self, reference: str, *, is_forever: bool = False, why: str = "") -> Result:
        """Takes a node back, and with it every edge that it stands at.

        It can be restored, edges included; ``is_forever`` removes node and edges in one operation,
        and keeps them from coming back.
        """
        from memfs.domains.nodes.changing import node_named
        from memfs.domains.nodes.linking import edges_at

        self._take_in()
        stored = node_named(self.workspace, reference, self.actor)
        edges = edges_at(self.workspace, stored.record.id, self.actor)
        if is_forever:
            result = self.forget([stored.record.id, *edges], why=why)
        else:
            result = self.retract(stored.record.id, why=why)
        return replace(
            result,
            action="node delete",
            target=stored.record.id,
            data={**result.data, "edges": list(edges)},
        )

    # Looking -------------------------------------------------------------------------

    def query_nodes(
        self, text: str, *, tags: Sequence[str] = (), limit: int | None = None
    ) -> NodeAnswer:
        """Answers a question with the summaries of nodes; with none where none is about it.

        Places of the file system that the best of them name come first: they are to be looked
        at before any folder is listed.
        """
        from memfs.app.drafts import QuestionOptions, query_from
        from memfs.domains.nodes.looking import outcome_of, query_nodes
        from memfs.services.retrieval_log import log_search

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        options = QuestionOptions(limit=limit, tags=tags)
        query = query_from(self.workspace, self.actor, text, options)
        answer = query_nodes(self.workspace, query)
        ledger = self.workspace.store.ledger_head() or ""
        log_search(self.workspace, query, outcome_of(answer, ledger))
        return answer

    def open_node(self, reference: str, *, page: int = 1) -> OpenedNode:
        """Opens a node: its abstract always, its content page by page.

        Raises:
            UsageError: There is no such page.
            NotANodeError: It is a record of another kind.
        """
        from memfs.domains.nodes.opened import opened_node

        return opened_node(self.show(reference), page)

    def list_nodes(self, *, tags: Sequence[str] = (), limit: int = 0) -> tuple[StoredRecord, ...]:
        """Lists nodes, the most important first, of those the newest."""
        from memfs.domains.nodes.counting import list_nodes

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return list_nodes(self.workspace, self.actor, tags=tags, limit=limit)

    def node_stats(self) -> NodeStats:
        """Counts nodes and edges as the actor may see them, beside the thresholds in force."""
        from memfs.domains.nodes.counting import node_stats

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return node_stats(self.workspace, self.actor)

    def domain_preferences(
        self, text: str, *, domains: Sequence[str] = ()
    ) -> tuple[DomainNode, ...]:
        """Returns the one node of every domain that a request is about.

        Raises:
            UsageError: There is no such domain.
        """
        from memfs.domains.nodes.domain_nodes import preferences_for

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        return preferences_for(self.workspace, self.actor, text, domains=domains)

    # The profile ---------------------------------------------------------------------

    def profile(self) -> Profile:
        """Returns the lines of the profile in their order, and which are beyond the cap."""
        from memfs.domains.nodes.profile_lines import read_profile

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        return read_profile(self.workspace, self.beside, self.actor)

    def set_profile(self, key: str, value: str, *, is_global: bool = False) -> Result:
        """Gives a key of the profile its value; a key that is there keeps its place.

        Args:
            key: Such as ``editor``.
            value: On one line.
            is_global: It holds in every project.

        Raises:
            UsageError: The key or the value is empty, too long, or no single line.
        """
        from memfs.domains.nodes.profile import set_line
        from memfs.model.scope import GLOBAL_SCOPE

        require_taking(self.workspace)
        self._take_in()
        scope = GLOBAL_SCOPE if is_global else None
        return set_line(self.workspace, self.beside, key, value, self.actor, scope=scope)

    def import_profile(self, path: Path) -> tuple[Result, ...]:
        """Sets every line of a profile that another system kept in a file, in order.

        Raises:
            UsageError: The file cannot be read, or has no line of a profile.
        """
        from memfs.domains.nodes.profile import lines_from

        require_taking(self.workspace)
        self._take_in()
        return tuple(self.set_profile(line.key, line.value) for line in lines_from(path))
