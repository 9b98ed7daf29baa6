"""A store's graph together with that of the global store, as one reader may see them (O13).

What holds everywhere is a part of every project's graph; no other store is. Each graph is asked
behind its own read gate, and the other one on its own thread within the time that is allowed:
where it is broken or late, the first store's graph stands alone and the trouble is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from memfs.domains.graph.seen_graph import SeenGraph, with_whole_mentions
from memfs.domains.graph.surroundings import ReadersGraph
from memfs.errors import ConflictError
from memfs.model.graph import Link
from memfs.model.moment import Moment
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.policy.access import may_serve
from memfs.policy.namespaces import actor_beside
from memfs.services.beside import Beside
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError

Answer = TypeVar("Answer")


@contextmanager
def opened_graph(
    workspace: Workspace,
    beside: Beside,
    actor: Actor,
    *,
    moment: Moment,
    scopes: tuple[Scope, ...] = (),
) -> Iterator[ReadersGraph]:
    """Opens the graph that ``actor`` may see at a moment, of some scopes or of all."""
    with SeenGraph(workspace, actor, moment=moment, scopes=scopes) as own:
        is_alone = bool(scopes) and GLOBAL_SCOPE not in scopes
        yield own if is_alone else BothGraphs(own, beside, actor, moment)


class BothGraphs:
    """The graph of a store and of the one beside it."""

    def __init__(self, own: SeenGraph, beside: Beside, actor: Actor, moment: Moment) -> None:
        self._own = own
        self._beside = beside
        self._actor = actor
        self._moment = moment
        self._is_alone = False
        self._theirs: set[Link] = set()

    def links_of(self, ids: Collection[str]) -> Mapping[str, Sequence[Link]]:
        """Returns the links at each of ``ids``; of the other store those that may be seen."""
        own = self._own.links_of(ids)
        theirs = self._ask(lambda graph: _open_links_of(graph, ids))
        if not theirs:
            return own
        self._theirs.update(link for links in theirs.values() for link in links)
        return {name: (*own.get(name, ()), *theirs.get(name, ())) for name in ids}

    def open_links(self, links: Collection[Link]) -> frozenset[Link]:
        """Returns those of ``links`` whose own record the reader may see whole."""
        stated = self._own.stated_links([link for link in links if link not in self._theirs])
        known = {link for link in links if link in self._theirs}
        return with_whole_mentions(stated, self.nodes) | known

    def open_nodes(self, ids: Collection[str]) -> frozenset[str]:
        """Returns those of ``ids`` that the reader may see."""
        return frozenset(self.nodes(ids))

    def nodes(self, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Returns what may be seen of each record, by id, in the order of ``ids``."""
        return self._of_both(ids, SeenGraph.nodes)

    def linked(self, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Returns what may be seen of each record, with the links that its reader may follow."""
        return self._of_both(ids, SeenGraph.linked)

    def find(self, reference: str) -> StoredRecord:
        """Returns what a reference names; what the first store has is not looked for again.

        Raises:
            UnknownRecordError: Neither has one that may be seen.
            AmbiguousRecordError: Several are meant.
        """
        try:
            return self._own.find(reference)
        except UnknownRecordError:
            theirs = self._ask(lambda graph: _found(graph, reference))
            if theirs is None or isinstance(theirs, UnknownRecordError):
                raise
            if isinstance(theirs, ConflictError):
                raise theirs from None
            return theirs

    def _of_both(
        self,
        ids: Collection[str],
        read: Callable[[SeenGraph, Collection[str]], dict[str, StoredRecord]],
    ) -> dict[str, StoredRecord]:
        own = read(self._own, ids)
        missing = [name for name in ids if name not in own]
        theirs = self._ask(lambda graph: read(graph, missing)) if missing else None
        if not theirs:
            return own
        both = own | theirs
        return {name: both[name] for name in ids if name in both}

    def _ask(self, question: Callable[[SeenGraph], Answer]) -> Answer | None:
        """Puts a question to the global graph; once it is not there, nobody asks again."""
        if self._is_alone:
            return None

        def asked(other: Workspace) -> tuple[Answer | None]:
            asker = actor_beside(self._actor, other.settings.trust)
            if not may_serve(other.settings.mode, asker):
                return (None,)
            scopes = (GLOBAL_SCOPE,)
            with SeenGraph(other, asker, moment=self._moment, scopes=scopes) as graph:
                return (question(graph),)

        answer = self._beside.ask(asked)
        if answer is None or answer[0] is None:
            self._is_alone = True
            return None
        return answer[0]


def _open_links_of(graph: SeenGraph, ids: Collection[str]) -> dict[str, tuple[Link, ...]]:
    found = graph.links_of(ids)
    open_links = graph.open_links({link for links in found.values() for link in links})
    return {name: tuple(it for it in links if it in open_links) for name, links in found.items()}


def _found(graph: SeenGraph, reference: str) -> StoredRecord | ConflictError:
    try:
        return graph.find(reference)
    except ConflictError as error:
        return error
