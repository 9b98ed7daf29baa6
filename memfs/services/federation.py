"""Answers from more than one store: the project's and, where there is one, the global one.

Each store is asked by the same service and behind its own read gate. What comes from the
other store is put to its gate once more and has to be of the one scope that it owns for
everybody; nothing else of it is seen from a project (A72, O13). The first store's answer never
depends on the other: when that is broken or late, the answer says so and stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from memfs.errors import AccessError, ConflictError, MemfsError
from memfs.model.frozen import frozen
from memfs.model.ids import is_id, split_version
from memfs.model.moment import NOW, Moment
from memfs.model.origin import Actor
from memfs.model.packet import LeftOut, MemoryState, ScoredRecord
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.model.scope import GLOBAL_SCOPE
from memfs.policy.access import AccessRequest, may_serve
from memfs.policy.masking import visible_stored
from memfs.policy.namespaces import actor_beside
from memfs.services import recall as single
from memfs.services.beside import Beside
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.ranking import (
    CONFLICT,
    GRAPH,
    at_most_edges,
    within_limit,
    without_repeats,
)
from memfs.services.recall import RecallOutcome

_SILENT: Final = frozenset({MemoryState.OFF, MemoryState.SHADOW})
"""States in which a store serves nothing, by its own settings and not for a fault."""
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
Listing = Callable[[Workspace, Actor], tuple[StoredRecord, ...]]
Showing = Callable[[Workspace, Actor], StoredRecord]


@frozen(kw_only=False)
class Instant:
    """One moment for all who answer a question: ages must not differ by who was asked later."""

    moment: datetime

    def now(self) -> datetime:
        """Returns the moment of the question."""
        return self.moment


def recall(workspace: Workspace, beside: Beside, query: Query) -> RecallOutcome:
    """Finds what the store and the one beside it have to say; abstains where both do.

    Never raises for a store or index that cannot be read: the outcome says so.
    """
    return _asked(workspace, beside, query, single.recall)


def search(workspace: Workspace, beside: Beside, query: Query) -> RecallOutcome:
    """Finds records of both stores in the same way, without abstaining."""
    return _asked(workspace, beside, query, single.search)


def _asked(
    workspace: Workspace,
    beside: Beside,
    query: Query,
    answer: Callable[[Workspace, Query], RecallOutcome],
) -> RecallOutcome:
    clock = Instant(workspace.clock.now())
    own = answer(replace(workspace, clock=clock), query)
    is_outside = bool(query.scopes) and GLOBAL_SCOPE not in query.scopes
    if own.state in _SILENT or is_outside:
        return own

    def question(other: Workspace) -> RecallOutcome:
        asker = actor_beside(query.actor, other.settings.trust)
        asked = replace(query, actor=asker, scopes=(GLOBAL_SCOPE,), branch="")
        found = answer(replace(other, clock=clock), asked)
        request = access_request(
            other,
            asker,
            sink=query.sink,
            scopes=(GLOBAL_SCOPE,),
            purpose=query.purpose,
            valid_at=query.valid_at,
            as_of=query.as_of,
        )
        return replace(found, hits=_checked_hits(found.hits, request))

    theirs = beside.ask(question)
    if theirs is None or theirs.state in _SILENT:
        return _with_trouble(own, beside.trouble)
    merged = _merged(own, theirs, query.limit)
    return _with_trouble(merged, theirs.reason if _is_degraded(theirs) else "")


def _is_degraded(outcome: RecallOutcome) -> bool:
    return outcome.state is MemoryState.DEGRADED


def _with_trouble(outcome: RecallOutcome, code: str) -> RecallOutcome:
    """Tells that the other store could not be asked; a trouble of the first one comes first."""
    if not code or _is_degraded(outcome):
        return outcome
    return replace(outcome, state=MemoryState.DEGRADED, reason=f"global:{code}")


def _checked_hits(hits: Sequence[ScoredRecord], request: AccessRequest) -> tuple[ScoredRecord, ...]:
    seen = ((hit, _checked(hit.stored, request)) for hit in hits)
    return tuple(replace(hit, stored=stored) for hit, stored in seen if stored is not None)


def _checked(stored: StoredRecord, request: AccessRequest) -> StoredRecord | None:
    """Puts a record that another store handed out to the gate again."""
    if stored.record.scope != GLOBAL_SCOPE:
        return None
    return visible_stored(stored, request)


def _merged(own: RecallOutcome, theirs: RecallOutcome, limit: int) -> RecallOutcome:
    """Merges two outcomes by score, ties by id; what says otherwise stays behind its hit.

    So does an edge behind what brought it; of both stores together there are no more than of one.
    """
    best = max(own.coverage, theirs.coverage)
    groups = [*_groups(own, best), *_groups(theirs, best)]
    groups.sort(key=lambda group: (-group[0].score, group[0].stored.record.id))
    order, repeats = without_repeats(at_most_edges(hit for group in groups for hit in group))
    ordered = tuple(replace(hit, rank=rank) for rank, hit in enumerate(order, start=1))
    kept, beyond = within_limit(ordered, limit)
    left_out = (
        *own.left_out,
        *theirs.left_out,
        *(_left(hit, "recall.same-words", "a repetition") for hit in repeats),
        *(_left(hit, "recall.limit", "beyond the limit") for hit in beyond),
    )
    is_found = bool(kept) and own.state is MemoryState.EMPTY
    return replace(
        own,
        hits=kept,
        left_out=left_out,
        state=MemoryState.OK if is_found else own.state,
        reason="" if is_found else own.reason,
        coverage=best,
    )


def _left(hit: ScoredRecord, code: str, message: str) -> LeftOut:
    return LeftOut(id=hit.stored.record.id, code=code, message=message)


def _groups(outcome: RecallOutcome, best: float) -> list[list[ScoredRecord]]:
    """Returns each hit with what says otherwise behind it, by scores that can be compared.

    Keyword scores are relative to the best hit of their own store. How much of the question
    that hit covers tells what they are worth beside the hits of another store.
    """
    factor = outcome.coverage / best if best > 0 else 1.0
    groups: list[list[ScoredRecord]] = []
    for hit in outcome.hits:
        if groups and CONFLICT in hit.components:
            score = groups[-1][0].score
            groups[-1].append(replace(hit, score=score, components={CONFLICT: score}))
            continue
        if groups and GRAPH in hit.components:
            score = hit.score * factor
            groups[-1].append(replace(hit, score=score, components={GRAPH: score}))
            continue
        components = dict(hit.components)
        components["keyword"] = components.get("keyword", 0.0) * factor
        groups.append([replace(hit, score=sum(components.values()), components=components)])
    return groups


def listed(
    workspace: Workspace,
    beside: Beside,
    actor: Actor,
    listing: Listing,
    *,
    limit: int = 0,
    moment: Moment = NOW,
) -> tuple[StoredRecord, ...]:
    """Lists records of both stores, newest first, ties by id.

    Args:
        workspace: The store that is asked.
        beside: The store beside it.
        actor: Who reads.
        listing: Lists one store for whoever the reader is there.
        limit: At most so many; 0 for all.
        moment: The moment that the listing is about.
    """
    own = listing(workspace, actor)

    def question(other: Workspace) -> tuple[StoredRecord, ...]:
        asker = actor_beside(actor, other.settings.trust)
        if not may_serve(other.settings.mode, asker):
            return ()
        request = access_request(
            other, asker, scopes=(GLOBAL_SCOPE,), valid_at=moment.valid_at, as_of=moment.as_of
        )
        seen = (_checked(stored, request) for stored in listing(other, asker))
        return tuple(stored for stored in seen if stored is not None)

    theirs = beside.ask(question)
    if not theirs:
        return own
    both = sorted((*own, *theirs), key=_newest, reverse=True)
    return tuple(islice(both, limit or None))


def _newest(stored: StoredRecord) -> tuple[datetime, str]:
    return (stored.record.observed or _LONG_AGO, stored.record.id)


def shown(
    workspace: Workspace,
    beside: Beside,
    reference: str,
    actor: Actor,
    showing: Showing,
    *,
    moment: Moment = NOW,
) -> StoredRecord:
    """Returns the one record of either store that ``reference`` names.

    A whole id that the first store has is not looked for again; the end of an id that both
    have is ambiguous, and nothing is guessed.

    Raises:
        UnknownRecordError: Neither has one that may be seen.
        AmbiguousRecordError: More than one does.
        UnknownVersionError: The record has no such version.
    """
    from memfs.services.reading import AmbiguousRecordError, UnknownRecordError

    own: StoredRecord | None = None
    missing: UnknownRecordError | None = None
    try:
        own = showing(workspace, actor)
    except UnknownRecordError as error:
        missing = error
    if own is not None and is_id(split_version(reference.strip())[0]):
        return own
    theirs = beside.ask(lambda other: _shown_beside(other, actor, showing, moment))
    match theirs:
        case StoredRecord() if own is not None:
            raise AmbiguousRecordError(
                f"{reference!r} matches several records: {own.record.id}, {theirs.record.id}",
                hint="give more of the id",
            )
        case StoredRecord():
            return theirs
        case MemfsError() if own is None and not isinstance(theirs, UnknownRecordError):
            raise theirs
    if own is not None:
        return own
    assert missing is not None
    raise missing


def _shown_beside(
    other: Workspace, actor: Actor, showing: Showing, moment: Moment
) -> StoredRecord | MemfsError | None:
    asker = actor_beside(actor, other.settings.trust)
    if not may_serve(other.settings.mode, asker):
        return None
    request = access_request(
        other,
        asker,
        scopes=(GLOBAL_SCOPE,),
        valid_at=moment.valid_at,
        as_of=moment.as_of,
        is_history=asker.is_person and moment.is_now,
    )
    try:
        return _checked(showing(other, asker), request)
    except AccessError:
        return None
    except ConflictError as error:
        return error
