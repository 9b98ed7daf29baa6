"""Edges that somebody draws: one more, one less, or one in the place of another (M11, M12, O11).

An edge is a record and is never rewritten. Drawn again it is the same edge; with another label it
is another one; of what a thing has one of at a time it takes the place of the one before, from
when it begins. Taken away it is marked, and neither end shows it any longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memfs.domains.graph.seen_graph import SeenGraph
from memfs.errors import ConflictError, UsageError
from memfs.model.candidate import Submission
from memfs.model.graph import EDGE_KIND, RELATED, EdgeSort, Link
from memfs.model.ids import EDGE_PREFIX, is_id
from memfs.model.origin import Actor
from memfs.model.record import DEFAULT_IMPORTANCE, Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import Scope
from memfs.policy.authority import capture_origin
from memfs.policy.conflicts import is_covered, is_reaching_past
from memfs.policy.reasons import reason
from memfs.policy.relations import is_one_at_a_time, relation_key
from memfs.services.graph_drafts import edge_draft, relation_from
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.services.reading import UnknownRecordError
from memfs.services.withdraw import retract


class UnknownEdgeError(ConflictError):
    """Nothing relates the two so, or nothing that may be seen."""

    code = "conflict.unknown-edge"


class AmbiguousEdgeError(ConflictError):
    """The two are related in several ways; the message lists them."""

    code = "conflict.ambiguous-edge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """How one thing is to bear on another.

    Attributes:
        start: What it starts at: an id, the end of one, a file, or a name of an entity.
        end: What it leads to, named in the same way.
        relation: The label, kept as it is written.
        valid_from: From when on it holds; ``None`` for always, or, where it takes the place of
            another edge, for when it happened or now.
        valid_until: When it ceases to hold.
        event_time: When it came about.
        confidence: 0 to 1; ``None`` where nobody says.
        importance: 1 to 10.
        evidence: Ids of what bears it out.
        scope: Namespace; ``None`` for the store's own.
        key: Makes a repetition harmless; empty for none.
    """

    start: str
    end: str
    relation: str = RELATED
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    event_time: datetime | None = None
    confidence: float | None = None
    importance: int = DEFAULT_IMPORTANCE
    evidence: Sequence[str] = ()
    scope: Scope | None = None
    key: str = ""


def relate(workspace: Workspace, tie: Tie, actor: Actor) -> Result:
    """Draws an edge, where there is none like it yet.

    Raises:
        UnknownRecordError: An end is not there, or not for this actor.
        AmbiguousRecordError: An end is named by what several bear.
        UsageError: A label or a number is none.
    """
    label = relation_from(tie.relation)
    if tie.confidence is not None and not 0 <= tie.confidence <= 1:
        raise UsageError(f"expected a confidence of 0 to 1, got {tie.confidence}")
    with SeenGraph(workspace, actor) as graph:
        start, end = _end(graph, tie.start), _end(graph, tie.end)
        if start.record.id == end.record.id:
            return _refused_self(workspace, start)
        # What is drawn already may hold at another time: all of it is looked at, in its time.
        standing = tuple(_standing(graph, start.record.id, label))
    draft = _draft(workspace, tie, (start.record.id, label, end.record.id), standing)
    same = [item for item in standing if _leads_to(item, end.record.id)]
    is_undated = tie.valid_from is None and tie.valid_until is None
    known = next((item for item in same if is_undated or is_covered(draft, item.record)), None)
    if known is not None:
        return _known(workspace, known, start, label, end)
    replaced = [item.record for item in same if is_reaching_past(draft, item.record)]
    draft = replace(
        draft, supersedes=tuple(record.id for record in replaced if _is_own(record, actor))
    )
    said = f"{draft.title}\n{draft.said}"
    submission = Submission(draft=draft, origin=capture_origin(actor, said), key=tie.key)
    result = submit(workspace, submission, actor, action="relate")
    return _told(result, start, label, end)


def _end(graph: SeenGraph, reference: str) -> StoredRecord:
    try:
        return graph.find(reference)
    except UnknownRecordError as error:
        raise UnknownRecordError(
            error.message, hint="add what it names first: memfs entity add, memfs remember"
        ) from error


def _draft(
    workspace: Workspace,
    tie: Tie,
    ends: tuple[str, str, str],
    standing: tuple[StoredRecord, ...],
) -> Record:
    start, label, end = ends
    begins = tie.valid_from
    if begins is None and is_one_at_a_time(label) and not _is_all(standing, end):
        # What is so from now on was not so before: the edge before it answers for that.
        begins = tie.event_time or workspace.clock.now()
        if tie.valid_until is not None and tie.valid_until <= begins:
            begins = None
    return replace(
        edge_draft(tie.scope or workspace.scope, start, end, label),
        valid_from=begins,
        valid_until=tie.valid_until,
        event_time=tie.event_time,
        confidence=tie.confidence,
        importance=tie.importance,
        evidence=tuple(dict.fromkeys(tie.evidence)),
    )


def _standing(graph: SeenGraph, start: str, label: str) -> Iterator[StoredRecord]:
    """Yields the edges of one relation that start at ``start`` and that the actor may see."""
    key = relation_key(label)
    links = [
        link
        for link in graph.links_of([start])[start]
        if link.sort is EdgeSort.ASSERTED
        and link.start == start
        and relation_key(link.relation) == key
    ]
    whole = graph.open_links(links)
    ends = graph.open_nodes([link.end for link in links])
    seen = [link.record for link in links if link in whole and link.end in ends]
    yield from graph.nodes(seen).values()


def _leads_to(stored: StoredRecord, end: str) -> bool:
    return stored.record.fields.get("to") == end


def _is_all(standing: Sequence[StoredRecord], end: str) -> bool:
    return all(_leads_to(item, end) for item in standing)


def _is_own(record: Record, actor: Actor) -> bool:
    return record.origin is not None and record.origin.principal == actor.principal


def _refused_self(workspace: Workspace, stored: StoredRecord) -> Result:
    why = reason("edge.self")
    return Result(
        action="relate",
        target=stored.record.id,
        status=ResultStatus.REFUSED,
        message=why.message,
        store=str(workspace.store.root),
        reasons=(why,),
    )


def _known(
    workspace: Workspace, known: StoredRecord, start: StoredRecord, label: str, end: StoredRecord
) -> Result:
    return Result(
        action="relate",
        target=known.record.id,
        status=ResultStatus.DUPLICATE,
        message=f"{_phrase(start, label, end)}: already known as {known.record.id}",
        store=str(workspace.store.root),
        reasons=(reason("duplicate.same-claim", known.record.id),),
    )


def _told(result: Result, start: StoredRecord, label: str, end: StoredRecord) -> Result:
    """Words what became of an edge by the names of its ends."""
    if result.status not in (ResultStatus.DONE, ResultStatus.WAITING):
        return result
    replaced = [item for item in result.reasons if item.code == "correction.supersedes"]
    more = f"; {replaced[0].message}" if replaced else ""
    return replace(result, message=f"{_phrase(start, label, end)}: {result.message}{more}")


def _phrase(start: StoredRecord, label: str, end: StoredRecord) -> str:
    return f"{name_of(start)} {label} {name_of(end)}"


def name_of(stored: StoredRecord) -> str:
    """Returns what a thing is called, or its id where it may not be called anything."""
    record = stored.record
    return record.id if record.sensitivity.is_opaque else record.title or record.id


def unrelate(
    workspace: Workspace, reference: str, other: str, actor: Actor, *, relation: str = ""
) -> Result:
    """Takes an edge away, at both ends at once; the ends stay as they are.

    Args:
        workspace: The store.
        reference: One end, or with ``other`` empty the edge itself.
        other: The other end; the edge may lead either way.
        actor: Who takes it away.
        relation: Which, where there are several.

    Raises:
        UnknownEdgeError: Nothing relates the two so.
        AmbiguousEdgeError: They are related in several ways.
        UnknownRecordError: An end is not there, or not for this actor.
    """
    if not other and actor.is_person and is_id(reference, EDGE_PREFIX):
        # Its ends may be gone for good, and the edge is still to be taken away.
        return _taken(workspace, [reference], actor, reference)
    with SeenGraph(workspace, actor) as graph:
        if not other:
            return _taken(workspace, _edge_named(graph, reference), actor, reference)
        start, end = graph.find(reference), graph.find(other)
        chosen = _between(graph, start.record.id, end.record.id, relation)
        what = f"{name_of(start)} and {name_of(end)}"
    if not chosen:
        how = f"by {relation!r}" if relation else "by an edge"
        raise UnknownEdgeError(
            f"expected {what} to be related {how}, got nothing",
            hint=f"see: memfs entity show {reference}",
        )
    labels = sorted({relation_key(link.relation) for link in chosen})
    if len(labels) > 1:
        raise AmbiguousEdgeError(
            f"{what} are related in several ways: {', '.join(labels)}",
            hint="name one of them, or the id of the edge",
        )
    # Two clones may have drawn it once each: it is gone when all of them are.
    return _taken(workspace, [link.record for link in chosen], actor, what)


def _between(graph: SeenGraph, start: str, end: str, relation: str) -> list[Link]:
    """Returns the edges from the one to the other, or, where there are none, the other way."""
    key = relation_key(relation) if relation else ""
    links = [
        link
        for link in graph.links_of([start])[start]
        if link.sort is EdgeSort.ASSERTED
        and end in (link.start, link.end)
        and (not key or relation_key(link.relation) == key)
    ]
    whole = graph.open_links(links)
    seen = [link for link in links if link in whole]
    return [link for link in seen if link.start == start] or seen


def _edge_named(graph: SeenGraph, reference: str) -> list[str]:
    found = graph.find(reference).record
    if found.kind != EDGE_KIND:
        raise UnknownEdgeError(
            f"expected an edge, got the {found.kind} {found.id}",
            hint="name both ends, or the id of the edge",
        )
    return [found.id]


def _taken(workspace: Workspace, edges: Sequence[str], actor: Actor, what: str) -> Result:
    results = [retract(workspace, edge, actor) for edge in dict.fromkeys(edges)]
    refused = next((item for item in results if item.status is ResultStatus.REFUSED), None)
    result = replace(refused or results[-1], action="unrelate")
    if result.status is not ResultStatus.DONE:
        return result
    message = f"{what}: {result.message}; undo with: memfs restore {result.target}"
    data = {**result.data, "edges": [item.target for item in results]}
    return replace(result, message=message, data=data)
