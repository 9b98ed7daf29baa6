"""Answers a question from the ledger: the index proposes, the ledger and the gate decide.

The index is asked only for records behind open gates; each hit is then re-read from the
commit that the answer is computed from, compared by blob and put to the read gate again
(A13, A59, E46). Whatever goes wrong on the way ends in an empty answer with a reason.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, assert_never

from memfs.errors import DataError, GitError, IndexUnavailableError, StoreError
from memfs.model.frozen import frozen
from memfs.model.ids import CommitId
from memfs.model.packet import LeftOut, MemoryState, ScoredRecord
from memfs.model.query import Query
from memfs.model.settings import Mode
from memfs.services.ports import Workspace
from memfs.services.ranking import (
    is_answered,
    may_bring_edges,
    ranked,
    within_limit,
    without_repeats,
)
from memfs.services.recall_reader import Reader
from memfs.services.reindex import (
    IndexState,
    IndexStatus,
    OpenIndex,
    open_index,
    replace_index,
)
from memfs.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memfs.services.vector_order import VectorUse


@frozen
class RecallOutcome:
    """What was found.

    Attributes:
        hits: Best first, at most as many as were asked for, and what says otherwise with them.
        left_out: What matched and is not among the hits, with the reason.
        state: Health of the answer.
        reason: Stable code when the state is not ``ok``.
        ledger: The commit that the answer was computed from; empty when none was reached.
        index: How the index came about; ``None`` when it was not asked.
        coverage: Share of the question that the best of the hits covers.
        withheld: What would have been served but for the mode, best first; handed to nobody.
        vectors: What vectors had to say; ``None`` where none were asked.
    """

    hits: tuple[ScoredRecord, ...]
    left_out: tuple[LeftOut, ...]
    state: MemoryState
    reason: str
    ledger: str
    index: IndexStatus | None = None
    coverage: float = 0.0
    withheld: tuple[ScoredRecord, ...] = ()
    vectors: VectorUse | None = None


def recall(workspace: Workspace, query: Query) -> RecallOutcome:
    """Finds what memory has to say to a question, and abstains where it has nothing.

    Never raises for a store or index that cannot be read: the outcome says so.
    """
    return _answer(workspace, query, may_abstain=True)


def search(workspace: Workspace, query: Query, *, opened: OpenIndex | None = None) -> RecallOutcome:
    """Finds records in the same way and order as :func:`recall`, without abstaining.

    Never raises for a store or index that cannot be read: the outcome says so.

    Args:
        workspace: The store.
        query: The question.
        opened: The index of that moment, for who asks many questions of it; where it is of
            another one, it is not used.
    """
    return _answer(workspace, query, may_abstain=False, opened=opened)


def _answer(
    workspace: Workspace, query: Query, *, may_abstain: bool, opened: OpenIndex | None = None
) -> RecallOutcome:
    match workspace.settings.mode:
        case Mode.OFF:
            return _empty(MemoryState.OFF, "mode.off")
        case Mode.SHADOW:
            found = _looked_up(workspace, query, opened, may_abstain=may_abstain)
            outcome = _empty(MemoryState.SHADOW, "mode.shadow", found.ledger)
            return replace(outcome, withheld=found.hits, index=found.index, coverage=found.coverage)
        case Mode.READ_ONLY | Mode.ENFORCED:
            return _looked_up(workspace, query, opened, may_abstain=may_abstain)
        case _:
            assert_never(workspace.settings.mode)


def _looked_up(
    workspace: Workspace, query: Query, opened: OpenIndex | None, *, may_abstain: bool
) -> RecallOutcome:
    try:
        snapshot = _snapshot(workspace, query.as_of)
        if snapshot is None:
            return _empty(MemoryState.EMPTY, "recall.before-store")
        if opened is None or opened.index.ledger != snapshot.commit:
            opened = open_index(workspace, snapshot)
        try:
            return _found(Reader(workspace, query, snapshot), opened, may_abstain=may_abstain)
        except IndexUnavailableError as error:
            # Postings are read when they are asked for: damage may show only now.
            opened = replace_index(workspace, snapshot, error.code)
            return _found(Reader(workspace, query, snapshot), opened, may_abstain=may_abstain)
    except (IndexUnavailableError, StoreError, GitError, DataError) as error:
        return _empty(MemoryState.DEGRADED, error.code)
    except OSError:
        return _empty(MemoryState.DEGRADED, "recall.io")


def _snapshot(workspace: Workspace, as_of: datetime | None) -> Snapshot | None:
    if as_of is None:
        return workspace.store.snapshot() if workspace.store.ledger_head() else None
    commit = workspace.store.commit_at(as_of)
    return None if commit is None else workspace.store.snapshot(CommitId(commit))


def _empty(state: MemoryState, reason: str, ledger: str = "") -> RecallOutcome:
    return RecallOutcome(hits=(), left_out=(), state=state, reason=reason, ledger=ledger)


def _found(reader: Reader, opened: OpenIndex, *, may_abstain: bool) -> RecallOutcome:
    query, status = reader.query, opened.status
    index = reader.index_for(opened.index)
    matches = reader.found(index)
    has_match = bool(matches)
    by_words = reader.by_words(matches)
    if may_abstain and query.text.strip() and not is_answered(by_words, reader.rank.settings):
        matches, by_words = [], []
    if may_abstain:
        matches = reader.offered(matches)
    order, repeats = without_repeats(ranked(matches, reader.rank_of(matches)))
    order = reader.with_conflicts(order, index)
    if may_bring_edges(order, query, reader.rank.settings) and reader.has_edges:
        from memfs.services.edge_hits import with_edges  # most answers name no thing

        order = with_edges(reader, order)
    kept, beyond = within_limit(order, query.limit)
    left_out = (
        *reader.left_out,
        *(
            LeftOut(id=item.stored.record.id, code="recall.same-words", message="a repetition")
            for item in repeats
        ),
        *(
            LeftOut(id=item.stored.record.id, code="recall.limit", message="beyond the limit")
            for item in beyond
        ),
    )
    state, reason = MemoryState.OK, ""
    if status.state is IndexState.SCANNED:
        state, reason = MemoryState.DEGRADED, status.reason
    elif not kept:
        state, reason = (
            MemoryState.EMPTY,
            "recall.nothing-close" if has_match else "recall.no-match",
        )
    return RecallOutcome(
        hits=kept,
        left_out=left_out,
        state=state,
        reason=reason,
        ledger=status.ledger,
        index=status,
        coverage=max((match.hit.coverage for match in by_words), default=0.0),
        vectors=reader.vectors,
    )
