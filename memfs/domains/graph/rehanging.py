"""Edges whose end becomes another: moved once, never to themselves, never drawn twice.

Pure. An edge is append-only: one that moves is another edge, which takes the place of the first.
The first stays where it is, names what stands in its place, and comes back when the change is
taken back. Two edges are the same where start, relation and end are the same and one of them holds
for all of the other's time; what holds for another time stays beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.conflicts import is_covered
from memfs.policy.relations import ends_of_edge, relation_key
from memfs.services.graph_drafts import between

MOST_EDGES: Final = 2_000
"""So many edges are moved at once; a thing with more stays, and what has fewer moves to it."""

Triple = tuple[str, str, str]
"""Start, relation as it is compared, and end."""


@frozen
class Gone:
    """An edge that is not drawn any more, and the id of what stands in its place."""

    edge: Record
    heir: str


@frozen
class Rehanging:
    """What becomes of edges.

    Attributes:
        made: New edges, ids set; each names the edges that it takes the place of.
        gone: Edges that give way, in the order of their ids.
    """

    made: tuple[Record, ...] = ()
    gone: tuple[Gone, ...] = ()


def triple_of(edge: Record) -> Triple:
    """Returns what an edge says, for comparison."""
    start, relation, end = ends_of_edge(edge)
    return start, relation_key(relation), end


def rehung(
    moving: Iterable[Record],
    standing: Iterable[Record],
    *,
    ends: Mapping[str, str],
    heir: str,
    new_id: Callable[[], str],
) -> Rehanging:
    """Returns what becomes of edges whose ends become others.

    Args:
        moving: Active edges with an end that moves; repeats are harmless.
        standing: Active edges at the new ends.
        ends: Id of an end as it is written to the id that it becomes.
        heir: What stands in the place of an edge that would lead to itself.
        new_id: Gives the id of a new edge.
    """
    work = _Work(ends=ends, heir=heir, new_id=new_id)
    chosen = {edge.id: edge for edge in moving}
    for edge in sorted(standing, key=_by_id):
        if edge.id not in chosen:
            work.stand(edge)
    for edge in sorted(chosen.values(), key=_by_id):
        work.move(edge)
    return work.result()


def copied(
    edges: Iterable[Record],
    *,
    ends: Mapping[str, str],
    new_id: Callable[[], str],
    standing: Iterable[Record] = (),
) -> tuple[Record, ...]:
    """Returns edges like the given ones at other ends; what exists already is not made again."""
    known = {triple_of(edge) for edge in standing}
    made: list[Record] = []
    for edge in sorted(edges, key=_by_id):
        start, _, end = triple_of(edge)
        if ends.get(start, start) == ends.get(end, end):
            continue
        copy = _at(edge, ends)
        if triple_of(copy) in known:
            continue
        known.add(triple_of(copy))
        made.append(replace(copy, id=new_id(), supersedes=()))
    return tuple(made)


def _by_id(edge: Record) -> str:
    return edge.id


def _at(edge: Record, ends: Mapping[str, str]) -> Record:
    start, _, end = triple_of(edge)
    drawn = between(edge, ends.get(start, start), ends.get(end, end))
    return replace(
        drawn,
        version=1,
        status=Status.ACTIVE,
        superseded_by="",
        superseded_from=None,
        conflicts=(),
    )


@dataclass(slots=True)
class _Work:
    """Edges as they are decided on, one after the other."""

    ends: Mapping[str, str]
    heir: str
    new_id: Callable[[], str]
    drawn: dict[Triple, list[Record]] = field(default_factory=dict)
    made: dict[str, Record] = field(default_factory=dict)
    gone: dict[str, Gone] = field(default_factory=dict)

    def stand(self, edge: Record) -> None:
        start, relation, end = triple_of(edge)
        triple = (self.ends.get(start, start), relation, self.ends.get(end, end))
        self.drawn.setdefault(triple, []).append(edge)

    def move(self, edge: Record) -> None:
        start, _, end = triple_of(edge)
        if self.ends.get(start, start) == self.ends.get(end, end):
            self._give_way(edge, self.heir)
            return
        there = _at(edge, self.ends)
        same = self.drawn.setdefault(triple_of(there), [])
        covering = next((other for other in same if is_covered(there, other)), None)
        if covering is not None:
            self._give_way(edge, covering.id)
            return
        draft = replace(there, id=self.new_id(), supersedes=(edge.id,))
        for other in [item for item in same if is_covered(item, draft)]:
            same.remove(other)
            draft = replace(draft, supersedes=(*draft.supersedes, *self._replaced(other, draft)))
        same.append(draft)
        self.made[draft.id] = draft
        self._give_way(edge, draft.id)

    def _replaced(self, other: Record, draft: Record) -> tuple[str, ...]:
        """Lets ``draft`` stand in the place of another edge, or of all that it stood for."""
        if other.id not in self.made:
            self._give_way(other, draft.id)
            return (other.id,)
        del self.made[other.id]
        for name, item in self.gone.items():
            if item.heir == other.id:
                self.gone[name] = replace(item, heir=draft.id)
        return other.supersedes

    def _give_way(self, edge: Record, heir: str) -> None:
        self.gone[edge.id] = Gone(edge=edge, heir=heir)

    def result(self) -> Rehanging:
        gone = tuple(self.gone[name] for name in sorted(self.gone))
        made = tuple(self.made[name] for name in sorted(self.made))
        return Rehanging(made=made, gone=gone)
