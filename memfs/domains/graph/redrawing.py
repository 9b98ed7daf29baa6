"""Edges drawn anew after two became one, or one two: between what their ends are now, each once.

Pure. An edge is append-only: where its ends became others, or where two edges say the same, another
edge is made that names the edges which it stands for. Those stay where they are, each naming what
stands in its place. So what is drawn follows from the edges that somebody drew and from what became
of their ends alone, in whatever order that came about: taken apart, the same edges stand again.
Two edges say the same where start, relation and end are the same and one of them holds for all of
the other's time; what holds for another time stays beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.conflicts import is_covered
from memfs.policy.relations import ends_of_edge, relation_key
from memfs.policy.withdrawal import is_standing
from memfs.services.graph_drafts import between

MOST_EDGES: Final = 1_000
"""So many edges are drawn anew at once: one receipt names them all. A thing with more stays, and
what has fewer moves to it."""
REDRAWN: Final = "merge"
"""What an edge says it was made by that stands for others."""

Triple = tuple[str, str, str]
"""Start, relation as it is compared, and end."""


@frozen
class Redrawn:
    """What becomes of edges.

    Attributes:
        made: New edges, ids set; each names the drawn edges that it stands for.
        heirs: Id of each edge that is not drawn any more, to what stands in its place.
        again: Ids of edges that had given way and are drawn again.
        inner: Ids of the drawn edges that would lead to themselves now.
    """

    made: tuple[Record, ...] = ()
    heirs: Mapping[str, str] = field(default_factory=dict)
    again: frozenset[str] = frozenset()
    inner: tuple[str, ...] = ()


def triple_of(edge: Record) -> Triple:
    """Returns what an edge says, for comparison."""
    start, relation, end = ends_of_edge(edge)
    return start, relation_key(relation), end


def drawn_by(edge: Record) -> tuple[str, ...]:
    """Returns the ids of the edges that somebody drew and that an edge stands for."""
    return edge.supersedes if edge.transform == REDRAWN else (edge.id,)


def redrawn(
    edges: Mapping[str, Record],
    drawn: Collection[str],
    *,
    resolve: Callable[[str], str],
    heir: str,
    new_id: Callable[[], str],
) -> Redrawn:
    """Returns what becomes of edges, now that ``resolve`` tells what their ends are.

    Args:
        edges: By id: the edges that are drawn at what changed, and all that they stand for.
        drawn: Ids of the edges that somebody drew and that hold, wherever they are drawn now.
        resolve: Id of an end as it is written to what it is now.
        heir: What stands in the place of an edge that would lead to itself.
        new_id: Gives the id of a new edge.
    """
    work = _Work(edges=edges, resolve=resolve, new_id=new_id)
    groups: dict[Triple, list[_Cluster]] = {}
    for name in sorted(set(drawn)):
        if name in edges:
            triple = work.wanted(edges[name])
            _put(groups.setdefault(triple, []), edges[name])
    inner: list[str] = []
    for triple, clusters in groups.items():
        for cluster in clusters:
            if triple[0] == triple[2]:
                inner += cluster.names
                work.serve(cluster.names, heir)
            else:
                work.draw(cluster, triple)
    return work.result(tuple(sorted(inner)))


def copied(
    edges: Iterable[Record], *, resolve: Callable[[str], str], new_id: Callable[[], str]
) -> tuple[Record, ...]:
    """Returns edges like the given ones at other ends, each once and none to itself."""
    known: set[Triple] = set()
    made: list[Record] = []
    for edge in sorted(edges, key=lambda item: item.id):
        start, relation, end = triple_of(edge)
        triple = (resolve(start), relation, resolve(end))
        if triple[0] != triple[2] and triple not in known:
            known.add(triple)
            made.append(redirected(edge, triple[0], triple[2], new_id()))
    return tuple(made)


def redirected(edge: Record, start: str, end: str, identifier: str) -> Record:
    """Returns an edge of its own that says the same between other ends."""
    return replace(
        between(edge, start, end),
        id=identifier,
        version=1,
        status=Status.ACTIVE,
        transform="",
        supersedes=(),
        superseded_by="",
        superseded_from=None,
        conflicts=(),
    )


@dataclass(slots=True)
class _Cluster:
    """Edges that say the same, and the one among them that holds the longest."""

    longest: Record
    names: list[str]


def _put(clusters: list[_Cluster], edge: Record) -> None:
    for cluster in clusters:
        if is_covered(edge, cluster.longest):
            cluster.names.append(edge.id)
            return
    covered = [cluster for cluster in clusters if is_covered(cluster.longest, edge)]
    clusters[:] = [cluster for cluster in clusters if cluster not in covered]
    names = [name for cluster in covered for name in cluster.names]
    clusters.append(_Cluster(edge, [edge.id, *names]))


@dataclass(slots=True)
class _Work:
    """What was decided on so far."""

    edges: Mapping[str, Record]
    resolve: Callable[[str], str]
    new_id: Callable[[], str]
    made: list[Record] = field(default_factory=list)
    served: dict[str, str] = field(default_factory=dict)

    def wanted(self, edge: Record) -> Triple:
        start, relation, end = triple_of(edge)
        return self.resolve(start), relation, self.resolve(end)

    def serve(self, names: Iterable[str], by: str) -> None:
        self.served.update(dict.fromkeys(names, by))

    def draw(self, cluster: _Cluster, triple: Triple) -> None:
        standing = next(self._standing(cluster, triple), None)
        if standing is None:
            made = redirected(cluster.longest, triple[0], triple[2], self.new_id())
            made = replace(made, transform=REDRAWN, supersedes=tuple(sorted(cluster.names)))
            self.made.append(made)
            standing = made.id
        self.serve(cluster.names, standing)

    def _standing(self, cluster: _Cluster, triple: Triple) -> Iterator[str]:
        """Yields the edges that say exactly this already: drawn so, or made for exactly these."""
        names = set(cluster.names)
        if len(names) == 1 and triple_of(cluster.longest) == triple:
            yield cluster.longest.id
        for edge in self.edges.values():
            is_active = is_standing(edge) and edge.transform == REDRAWN
            if is_active and set(drawn_by(edge)) == names and triple_of(edge) == triple:
                yield edge.id

    def result(self, inner: tuple[str, ...]) -> Redrawn:
        standing = {name for by in self.served.values() for name in (by,)}
        heirs: dict[str, str] = {}
        again: set[str] = set()
        for name, edge in self.edges.items():
            stands_for = [item for item in drawn_by(edge) if item in self.served]
            if name in standing:
                if not is_standing(edge):
                    again.add(name)
            elif stands_for and (is_standing(edge) or name in self.served):
                by = self.served[stands_for[0]]
                if is_standing(edge) or edge.superseded_by != by:
                    heirs[name] = by
        return Redrawn(made=tuple(self.made), heirs=heirs, again=frozenset(again), inner=inner)
