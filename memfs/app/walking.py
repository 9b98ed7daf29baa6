"""The ways through what is related: neighbours, expansion, paths and pictures.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.services.modes import require_serving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memfs.domains.graph.pictures import PictureFormat
    from memfs.domains.graph.similar import SimilarNodes
    from memfs.domains.graph.surroundings import (
        Expansion,
        FoundPath,
        ReadersGraph,
        Surroundings,
    )
    from memfs.model.graph import EdgeSort
    from memfs.model.moment import Moment
    from memfs.model.scope import Scope

MOST_HOPS: Final = 3
"""So far a walk goes."""
MOST_NODES: Final = 1_000
SIMILAR: Final = 10


class WalkOptions(TypedDict, total=False):
    """What narrows a walk.

    Attributes:
        sorts: Only along links of these sorts (see :class:`memfs.model.graph.EdgeSort`).
        scopes: Only what is of these scopes.
        valid_at: What was so then.
        as_of: What memory knew then.
    """

    sorts: Sequence[str]
    scopes: Sequence[str]
    valid_at: str
    as_of: str


class Walking(Opened):
    """The ways through what is related: neighbours, expansion, paths and pictures."""

    @abstractmethod
    def _moment(self, valid_at: str, as_of: str) -> Moment:
        """Returns the moment that is meant."""

    def neighbors(
        self,
        reference: str,
        *,
        hops: int = 0,
        limit: int = 0,
        **options: Unpack[WalkOptions],
    ) -> Surroundings:
        """Returns what lies around a record, nearest first, a line each.

        Args:
            reference: An id, the end of one, a file, or the name of an entity.
            hops: 1 to 3; the settings' by default.
            limit: At most so many; the settings' by default.
            options: What narrows the walk.

        Raises:
            UnknownRecordError: There is none, or none that may be seen.
            AmbiguousRecordError: Several are meant.
            UsageError: A number is out of range, or there is no such sort.
        """
        from memfs.domains.graph.surroundings import neighbors

        most, sorts = self._bounds(limit), _sorts_from(options)
        steps = _hops(hops or self.workspace.settings.graph.neighbor_hops)
        with self._graph(options) as graph:
            return neighbors(graph, reference, hops=steps, most=most, sorts=sorts)

    def expand(
        self,
        reference: str,
        *,
        hops: int = 0,
        limit: int = 0,
        **options: Unpack[WalkOptions],
    ) -> Expansion:
        """Returns a record with what lies around it: whole inside, in short on the last step.

        Args:
            reference: An id, the end of one, a file, or the name of an entity.
            hops: 1 to 3; the settings' by default.
            limit: At most so many; the settings' by default.
            options: What narrows the walk.

        Raises:
            UnknownRecordError: There is none, or none that may be seen.
            AmbiguousRecordError: Several are meant.
            UsageError: A number is out of range, or there is no such sort.
        """
        from memfs.domains.graph.surroundings import expand

        most, sorts = self._bounds(limit), _sorts_from(options)
        steps = _hops(hops or self.workspace.settings.graph.expand_hops)
        with self._graph(options) as graph:
            return expand(graph, reference, hops=steps, most=most, sorts=sorts)

    def path(self, start: str, end: str, **options: Unpack[WalkOptions]) -> FoundPath:
        """Returns a shortest way between two records.

        Args:
            start: An id, the end of one, a file, or the name of an entity.
            end: Another.
            options: What narrows the walk.

        Raises:
            UnknownRecordError: There is none, or none that may be seen.
            AmbiguousRecordError: Several are meant.
        """
        from memfs.domains.graph.surroundings import path_between

        sorts = _sorts_from(options)
        with self._graph(options) as graph:
            return path_between(graph, start, end, sorts=sorts)

    def similar(
        self, reference: str, *, limit: int = SIMILAR, kinds: Sequence[str] = ()
    ) -> SimilarNodes:
        """Returns what is like a record and is not linked to it, most alike first (M15).

        Args:
            reference: An id, the end of one, a file, or the name of an entity.
            limit: At most so many.
            kinds: Only these kinds; empty for all that answer questions.

        Raises:
            UnknownRecordError: There is none, or none that may be seen.
            AmbiguousRecordError: Several are meant.
            UsageError: There is no such kind.
        """
        from memfs.app.drafts import query_from
        from memfs.domains.graph.similar import similar_to

        self._may_look()
        query = query_from(self.workspace, self.actor, "", {"limit": limit, "kinds": kinds})
        return similar_to(self.workspace, reference, query)

    def graph_around(
        self,
        reference: str,
        *,
        picture: str = "mermaid",
        hops: int = 0,
        limit: int = 0,
        **options: Unpack[WalkOptions],
    ) -> str:
        """Returns a picture of what lies around a record.

        Args:
            reference: An id, the end of one, a file, or the name of an entity.
            picture: ``mermaid``, ``dot`` or ``json``.
            hops: 1 to 3; the settings' by default.
            limit: At most so many nodes; the settings' by default.
            options: What narrows the walk.

        Raises:
            UnknownRecordError: There is none, or none that may be seen.
            AmbiguousRecordError: Several are meant.
            UsageError: There is no such format.
        """
        from memfs.domains.graph.pictures import drawn

        form = _picture_from(picture)
        around = self.neighbors(reference, hops=hops, limit=limit, **options)
        nodes = (around.center, *around.nodes)
        return drawn(nodes, around.links, form, is_cut=around.is_cut)

    def _refresh_graph_views(self, *, is_anew: bool = False) -> None:
        """Brings the graph beside the ledger up to it, where it is not."""
        from memfs.domains.graph.view_stamp import is_current

        if not is_anew and is_current(self.workspace, self.workspace.store.snapshot()):
            return
        from memfs.domains.graph.graph_views import refresh_graph_views

        refresh_graph_views(self.workspace, is_anew=is_anew)

    def _may_look(self) -> None:
        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()

    def _graph(self, options: WalkOptions) -> AbstractContextManager[ReadersGraph]:
        from memfs.domains.graph.both_graphs import opened_graph

        self._may_look()
        return opened_graph(
            self.workspace,
            self.beside,
            self.actor,
            moment=self._moment(options.get("valid_at", ""), options.get("as_of", "")),
            scopes=_scopes_from(options),
        )

    def _bounds(self, limit: int) -> int:
        most = limit or self.workspace.settings.graph.most
        if not 1 <= most <= MOST_NODES:
            raise UsageError(f"expected a limit of 1 to {MOST_NODES}, got {limit}")
        return most


def _hops(hops: int) -> int:
    if not 1 <= hops <= MOST_HOPS:
        raise UsageError(f"expected 1 to {MOST_HOPS} hops, got {hops}")
    return hops


def _sorts_from(options: WalkOptions) -> frozenset[EdgeSort] | None:
    from memfs.model.graph import EdgeSort

    found = []
    for text in options.get("sorts", ()):
        try:
            found.append(EdgeSort(text))
        except ValueError:
            choices = ", ".join(EdgeSort)
            raise UsageError(f"expected a sort of link of {choices}, got {text!r}") from None
    return frozenset(found) or None


def _scopes_from(options: WalkOptions) -> tuple[Scope, ...]:
    from memfs.app.drafts import scope_from

    found = (scope_from(text) for text in options.get("scopes", ()))
    return tuple(scope for scope in found if scope is not None)


def _picture_from(text: str) -> PictureFormat:
    from memfs.domains.graph.pictures import PictureFormat

    try:
        return PictureFormat(text)
    except ValueError:
        choices = ", ".join(PictureFormat)
        raise UsageError(f"expected a picture of {choices}, got {text!r}") from None
