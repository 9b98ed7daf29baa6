"""Answers a question from the ledger: the index proposes, the ledger and the gate decide.

The index is asked only for records behind open gates; each hit is then re-read from the
commit that the answer is computed from, compared by blob and put to the read gate again
(A13, A59, E46). Whatever goes wrong on the way ends in an empty answer with a reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memfs.errors import DataError, GitError, IndexUnavailableError, StoreError
from memfs.index.port import DEFAULT_SCORING, IndexHit, IndexQuery, RecordIndex
from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.ids import CommitId
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.packet import LeftOut, MemoryState, ScoredRecord
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.settings import Mode
from memfs.model.status import Status
from memfs.policy.access import may_read
from memfs.policy.withdrawal import is_withdrawn
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.ranking import Match, RankContext, is_answered, ranked, without_repeats
from memfs.services.reindex import (
    IndexState,
    IndexStatus,
    OpenIndex,
    open_index,
    replace_index,
)
from memfs.services.served_records import record_from
from memfs.store.snapshot import Snapshot

MOST_HITS: Final = 1000
SPARE_HITS: Final = 5
"""How many hits beyond the limit are read, for ranking to reorder and for naming what is left."""
_TOLD: Final = frozenset({"access.expired", "access.not-valid"})
"""Denials that may be told; any other would give away that a record exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOutcome:
    """What was found.

    Attributes:
        hits: Best first, at most as many as were asked for.
        left_out: What matched and is not among the hits, with the reason.
        state: Health of the answer.
        reason: Stable code when the state is not ``ok``.
        ledger: The commit that the answer was computed from; empty when none was reached.
        index: How the index came about; ``None`` when it was not asked.
    """

    hits: tuple[ScoredRecord, ...]
    left_out: tuple[LeftOut, ...]
    state: MemoryState
    reason: str
    ledger: str
    index: IndexStatus | None = None


def recall(workspace: Workspace, query: Query) -> RecallOutcome:
    """Finds what memory has to say to a question, and abstains where it has nothing.

    Never raises for a store or index that cannot be read: the outcome says so.
    """
    return _answer(workspace, query, may_abstain=True)


def search(workspace: Workspace, query: Query) -> RecallOutcome:
    """Finds records in the same way and order as :func:`recall`, without abstaining.

    Never raises for a store or index that cannot be read: the outcome says so.
    """
    return _answer(workspace, query, may_abstain=False)


def _answer(workspace: Workspace, query: Query, *, may_abstain: bool) -> RecallOutcome:
    if workspace.settings.mode is Mode.OFF:
        return _empty(MemoryState.OFF, "mode.off")
    try:
        snapshot = _snapshot(workspace, query.as_of)
        if snapshot is None:
            return _empty(MemoryState.EMPTY, "recall.before-store")
        opened = open_index(workspace, snapshot)
        try:
            return _found(_Reader(workspace, query, snapshot), opened, may_abstain=may_abstain)
        except IndexUnavailableError as error:
            # Postings are read when they are asked for: damage may show only now.
            opened = replace_index(workspace, snapshot, error.code)
            return _found(_Reader(workspace, query, snapshot), opened, may_abstain=may_abstain)
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


def _found(reader: _Reader, opened: OpenIndex, *, may_abstain: bool) -> RecallOutcome:
    query, status = reader.query, opened.status
    hits = opened.index.search(reader.index_query(), DEFAULT_SCORING)
    matches = reader.read_all(hits)
    if may_abstain and query.text.strip() and not is_answered(matches, reader.rank.settings):
        matches = []
    order, repeats = without_repeats(ranked(matches, reader.rank))
    order = reader.with_conflicts(order, opened.index)
    kept, beyond = order[: query.limit], order[query.limit :]
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
        state, reason = MemoryState.EMPTY, "recall.nothing-close" if hits else "recall.no-match"
    return RecallOutcome(
        hits=kept,
        left_out=left_out,
        state=state,
        reason=reason,
        ledger=status.ledger,
        index=status,
    )


class _Reader:
    """Reads hits back from the ledger for one question and one reader."""

    def __init__(self, workspace: Workspace, query: Query, snapshot: Snapshot) -> None:
        self.query = query
        self.left_out: list[LeftOut] = []
        self._workspace = workspace
        self._snapshot = snapshot
        self._request = access_request(
            workspace,
            query.actor,
            sink=query.sink,
            scopes=query.scopes,
            purpose=query.purpose,
            valid_at=query.valid_at or query.as_of,
        )
        self._claims = frozenset(kind.name for kind in workspace.registry if kind.is_claim)
        self._head = workspace.store.snapshot() if query.as_of is not None else None
        self.rank = RankContext(
            settings=workspace.settings.recall.rank,
            now=query.as_of or self._request.now,
            branch=query.branch,
        )

    def index_query(self) -> IndexQuery:
        """Returns the question as the index takes it."""
        query, now = self.query, self.rank.now
        keys = [f"tag:{tag}" for tag in query.tags]
        if query.subject:
            keys.append(f"subject:{query.subject}")
        return IndexQuery(
            text=query.text,
            keys=tuple(keys),
            is_open=self.is_open,
            since=_seconds(query.since),
            until=_seconds(query.until),
            valid_at=_seconds(self._request.valid_at or now),
            asked=f"{now:%Y-%m-%d}",
            asker=_names(query.actor.principal),
            limit=min(MOST_HITS, query.limit + max(SPARE_HITS, query.limit // 2)),
        )

    def is_open(self, gate: str) -> bool:
        """Tells whether records behind a gate may be looked at for this question."""
        try:
            record = record_of_gate(gate)
        except (ValueError, KeyError, TypeError):
            return False
        if record.kind not in (self.query.kinds or self._claims):
            return False
        if self.query.branch and record.branch not in ("", self.query.branch):
            return False
        return may_read(record, self._request).allowed

    def read_all(self, hits: Sequence[IndexHit]) -> list[Match]:
        """Re-reads hits from the ledger, in one go, and keeps those that may be served."""
        present = [hit for hit in hits if self._is_present(hit)]
        contents = dict(self._snapshot.read_blobs([hit.blob for hit in present]))
        matches = []
        for hit in present:
            stored = self._read(hit, contents.get(hit.blob))
            if stored is not None:
                matches.append(Match(hit=hit, stored=stored))
        return matches

    def with_conflicts(
        self, order: tuple[ScoredRecord, ...], index: RecordIndex
    ) -> tuple[ScoredRecord, ...]:
        """Puts behind each hit the records that say otherwise, where they are not hits."""
        seen = {item.stored.record.id for item in order}
        result: list[ScoredRecord] = []
        for item in order:
            result.append(item)
            if len(result) > self.query.limit:
                continue
            for identifier in item.stored.record.conflicts:
                if identifier not in seen:
                    seen.add(identifier)
                    result.extend(self._conflicting(identifier, item, index))
        return tuple(replace(item, rank=rank) for rank, item in enumerate(result, start=1))

    def _conflicting(
        self, identifier: str, hit: ScoredRecord, index: RecordIndex
    ) -> Iterable[ScoredRecord]:
        query = replace(self.index_query(), text="", keys=(f"id:{identifier}",), limit=1)
        for match in self.read_all(index.search(query, DEFAULT_SCORING)):
            yield ScoredRecord(
                stored=match.stored, score=hit.score, components={"conflict": hit.score}, rank=0
            )

    def _is_present(self, hit: IndexHit) -> bool:
        entry = self._snapshot.entry(hit.path)
        if entry is not None and entry.blob == hit.blob:
            return True
        self._leave(hit.path, "recall.ghost", "the index names what the ledger does not have")
        return False

    def _read(self, hit: IndexHit, content: bytes | None) -> StoredRecord | None:
        stored = content and record_from(self._workspace, hit.path, hit.blob, content)
        if not stored:
            self._leave(hit.path, "recall.unreadable", "the record cannot be read")
            return None
        decision = may_read(stored.record, self._request)
        if not decision.allowed:
            if decision.reason is not None and decision.reason.code in _TOLD:
                self._leave(stored.record.id, decision.reason.code, decision.reason.message)
            return None
        return stored if self._still_stands(stored) else None

    def _still_stands(self, stored: StoredRecord) -> bool:
        """For the past: tells whether nothing has withdrawn the record since (DESIGN §4)."""
        if self._head is None:
            return True
        entry = self._head.entry(stored.path)
        if entry is None:
            return False
        now = record_from(self._workspace, entry.path, entry.blob, self._head.read_blob(entry.blob))
        return now is not None and not is_withdrawn(now.record)

    def _leave(self, name: str, code: str, message: str) -> None:
        self.left_out.append(LeftOut(id=name, code=code, message=message))


def record_of_gate(gate: str) -> Record:
    """Returns a record without content that the read gate judges like those behind ``gate``."""
    values = json.loads(gate)
    origin = None
    if values["principal"]:
        origin = Origin(
            origin_class=OriginClass(values["class"]),
            principal=Principal.parse(values["principal"]),
            channel=Channel(values["channel"]),
        )
    return Record(
        kind=values["kind"],
        status=Status(values["status"]),
        scope=Scope.parse(values["scope"]) if values["scope"] else None,
        sensitivity=Sensitivity.from_label(values["sensitivity"]),
        sinks=frozenset(Sink(sink) for sink in values["sinks"]),
        taint=tuple(values["taint"]),
        authority=Authority.from_label(values["authority"]) if values["authority"] else None,
        branch=values["branch"],
        origin=origin,
    )


def _names(principal: Principal) -> tuple[str, ...]:
    return (principal.name.casefold(), "user") if principal.is_person else ("user",)


def _seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() // 1)
