"""Reads hits of the index back from the ledger, for one question and one reader.

A hit only says where to look: each is re-read from the commit that the answer is computed
from, compared by blob, and put to the read gate again (A13, A59, E46).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memfs.index.port import DEFAULT_SCORING, IndexHit, IndexQuery, RecordIndex
from memfs.model.decision import Reason
from memfs.model.origin import Principal
from memfs.model.packet import LeftOut, ScoredRecord
from memfs.model.procedure import PROCEDURE_KIND
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.model.settings import Mode
from memfs.policy.access import may_read
from memfs.policy.conflicts import is_newer, is_observation
from memfs.policy.masking import visible_stored
from memfs.services.edge_ends import Sight, has_hidden_end
from memfs.services.gate import access_request
from memfs.services.index_gates import IndexGates, documents_in_part
from memfs.services.links import still_open, with_open_links
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.ranking import CONFLICT, Match, RankContext
from memfs.services.served_records import record_from
from memfs.services.ties import ties_here
from memfs.services.utility import utilities
from memfs.store.layout import EDGE_FOLDER
from memfs.store.snapshot import Snapshot, TreeEntry

if TYPE_CHECKING:
    from memfs.services.vector_order import VectorUse

MOST_HITS: Final = 1000
SPARE_HITS: Final = 5
"""How many hits beyond the limit are read, for ranking to reorder and for naming what is left."""
_TOLD: Final = frozenset({"access.expired", "access.not-valid"})
"""Denials that may be told; any other would give away that a record exists."""


class Reader:
    """Reads hits back from the ledger for one question and one reader."""

    def __init__(self, workspace: Workspace, query: Query, snapshot: Snapshot) -> None:
        self.query = query
        self.left_out: list[LeftOut] = []
        self.vectors: VectorUse | None = None
        self._near: Mapping[str, float] = {}
        self._lifted: frozenset[str] = frozenset()
        self._in_part: frozenset[str] = frozenset()
        self._workspace = workspace
        self._snapshot = snapshot
        self._request = access_request(
            workspace,
            query.actor,
            sink=query.sink,
            scopes=query.scopes,
            purpose=query.purpose,
            valid_at=query.valid_at,
            as_of=query.as_of,
            is_trial=workspace.settings.mode is Mode.SHADOW,
        )
        answers = (kind.name for kind in workspace.registry if kind.is_answer)
        self._gates = IndexGates(
            request=self._request,
            kinds=frozenset(query.kinds or answers),
            branch=query.branch,
        )
        self._head = workspace.store.snapshot() if query.as_of is not None else None
        self.rank = RankContext(
            settings=workspace.settings.recall.rank,
            now=query.as_of or self._request.now,
            branch=query.branch,
            ties=ties_here(workspace, snapshot),
        )

    @property
    def sight(self) -> Sight:
        """Who reads, and what they look at."""
        return Sight(
            workspace=self._workspace,
            snapshot=self._snapshot,
            request=self._request,
            head=self._head,
        )

    @property
    def has_edges(self) -> bool:
        """Whether anything is related to anything, in what is read."""
        return bool(self._snapshot.folder_id(EDGE_FOLDER.rstrip("/")))

    def index_query(self) -> IndexQuery:
        """Returns the question as the index takes it."""
        query, now = self.query, self.rank.now
        keys = [f"tag:{tag}" for tag in query.tags]
        if query.subject:
            keys.append(f"subject:{query.subject}")
        return IndexQuery(
            text=query.text,
            keys=tuple(keys),
            is_open=self._gates.is_open,
            since=_seconds(query.since),
            until=_seconds(query.until),
            valid_at=_seconds(self._request.valid_at or now),
            asked=f"{now:%Y-%m-%d}",
            asker=_names(query.actor.principal),
            limit=min(MOST_HITS, query.limit + max(SPARE_HITS, query.limit // 2)),
            is_listing=query.is_opening,
            by_importance=query.is_opening,
        )

    def index_for(self, index: RecordIndex) -> RecordIndex:
        """Returns an index that knows, of what is seen in part, the words that are seen."""
        if not self._gates.may_be_in_part:
            return index
        listing = IndexQuery(
            text="", is_open=self._gates.is_partly_open, is_listing=True, limit=MOST_HITS
        )
        found = self.read_all(index.search(listing, DEFAULT_SCORING))
        if not found:
            return index
        self._in_part = frozenset(item.hit.path for item in found)
        seen = documents_in_part(self._workspace, ((item.hit, item.stored) for item in found))
        return index.overlaid(
            removed=tuple(item.hit.path for item in found), added=seen, ledger=index.ledger
        )

    def found(self, index: RecordIndex) -> list[Match]:
        """Asks the index, and vectors where there are some; returns what may be served.

        With vectors more is read than the best by words: what they lift among the best.
        """
        asked = self.index_query()
        embedder = self._workspace.embedder
        weight = self.rank.settings.vector
        if embedder is None or weight <= 0 or asked.is_listing or not asked.text.strip():
            return self.read_all(index.search(asked, DEFAULT_SCORING))
        from memfs.services.vector_order import DEPTH, vector_order, with_stale

        deep = index.search(replace(asked, limit=max(asked.limit, DEPTH)), DEFAULT_SCORING)
        order = vector_order(
            self._workspace,
            embedder,
            self._snapshot,
            asked.text,
            deep,
            limit=asked.limit,
            rank=self.rank.settings,
            in_part=self._in_part,
        )
        self._near = order.near
        self._lifted = frozenset(hit.path for hit in order.hits[asked.limit :])
        matches = self.read_all(order.hits)
        self.vectors = with_stale(order, matches)
        return matches

    def by_words(self, matches: Iterable[Match]) -> list[Match]:
        """Returns those that are among the best by their words alone: they decide whether there
        is an answer, with vectors and without.
        """
        return [match for match in matches if match.hit.path not in self._lifted]

    def offered(self, matches: list[Match]) -> list[Match]:
        """Leaves out procedures that are not handed out, and says why (A68)."""
        kept = []
        for match in matches:
            record = match.stored.record
            denial = self._not_offered(record) if record.kind == PROCEDURE_KIND else None
            if denial is None:
                kept.append(match)
            else:
                self._leave(record.id, denial.code, denial.message)
        return kept

    def _not_offered(self, record: Record) -> Reason | None:
        from memfs.services.procedure_offers import not_offered  # few answers hold a procedure

        return not_offered(self._workspace, self._head or self._snapshot, record)

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

    def read_untold(self, entries: Iterable[TreeEntry]) -> list[StoredRecord]:
        """Reads files of the ledger like hits; of what may not be served nothing is told."""
        told = len(self.left_out)
        hits = [
            IndexHit(path=entry.path, blob=entry.blob, score=0.0, coverage=0.0, parts={})
            for entry in entries
        ]
        found = [match.stored for match in self.read_all(hits)]
        del self.left_out[told:]
        return found

    def rank_of(self, matches: Sequence[Match]) -> RankContext:
        """Returns what the rank of these matches depends on besides their words."""
        found = tuple(match.stored for match in matches)
        known = utilities(self._workspace, self._snapshot, (stored.record for stored in found))
        utility = {name: item.value for name, item in known.items()}
        near = {
            match.stored.record.id: self._near[match.hit.blob]
            for match in matches
            if match.hit.blob in self._near and match.hit.path not in self._in_part
        }
        return (
            replace(self.rank, utility=utility, similarity=near) if utility or near else self.rank
        )

    def with_conflicts(
        self, order: tuple[ScoredRecord, ...], index: RecordIndex
    ) -> tuple[ScoredRecord, ...]:
        """Puts behind each hit what says otherwise, wherever it was found or if it was not.

        What a host saw later comes first: it outranks the claim that it contradicts (A16).
        """
        found = {item.stored.record.id: item for item in order}
        result: list[ScoredRecord] = []
        count = 0
        for item in order:
            if item.stored.record.id not in found:
                continue
            count += 1
            group = [found.pop(item.stored.record.id)]
            if count <= self.query.limit:
                self._complete(group, found, index)
            lead, *rest = sorted(group, key=lambda side: not _is_update(side, group))
            result.append(replace(lead, components=_without_conflict(lead)))
            result.extend(_beside(side, item.score) for side in rest)
        return tuple(
            replace(item, stored=self.linked(item.stored), rank=rank)
            for rank, item in enumerate(result, start=1)
        )

    def _complete(
        self, group: list[ScoredRecord], found: dict[str, ScoredRecord], index: RecordIndex
    ) -> None:
        """Adds to a hit everything that it hangs together with by contradictions."""
        asked = {group[0].stored.record.id}
        for side in group:
            for identifier in side.stored.record.conflicts:
                if identifier in asked:
                    continue
                asked.add(identifier)
                if identifier in found:
                    group.append(found.pop(identifier))
                else:
                    group.extend(self._conflicting(identifier, group[0], index))

    def linked(self, stored: StoredRecord) -> StoredRecord:
        """Returns a record with the links that its reader may follow."""
        return with_open_links(
            self._workspace, self._snapshot, stored, self._request, head=self._head
        )

    def _conflicting(
        self, identifier: str, hit: ScoredRecord, index: RecordIndex
    ) -> Iterable[ScoredRecord]:
        query = replace(self.index_query(), text="", keys=_keys_of(identifier, self.query), limit=1)
        for match in self.read_all(index.search(query, DEFAULT_SCORING)):
            yield ScoredRecord(
                stored=match.stored, score=hit.score, components={CONFLICT: hit.score}, rank=0
            )

    def _is_present(self, hit: IndexHit) -> bool:
        entry = self._snapshot.entry(hit.path)
        if entry is not None and entry.blob == hit.blob:
            return True
        self._leave_file(hit, "recall.ghost", "the index names what the ledger does not have")
        return False

    def _read(self, hit: IndexHit, content: bytes | None) -> StoredRecord | None:
        stored = content and record_from(self._workspace, hit.path, hit.blob, content)
        if not stored:
            self._leave_file(hit, "recall.unreadable", "the record cannot be read")
            return None
        seen = visible_stored(stored, self._request)
        if seen is None:
            denial = may_read(stored.record, self._request).reason
            if denial is not None and denial.code in _TOLD:
                self._leave(stored.record.id, denial.code, denial.message)
            return None
        if rests_on_off_source(self._workspace, self._snapshot, stored.record, self._request):
            return None
        head, is_past = self._head or self._snapshot, self._head is not None
        if has_hidden_end(self._workspace, head, stored.record, self._request, is_past=is_past):
            return None
        return self._as_of_now(stored, seen)

    def _as_of_now(self, stored: StoredRecord, seen: StoredRecord) -> StoredRecord | None:
        """For the past: leaves out what was withdrawn since, and what is closed now (DESIGN §4)."""
        if self._head is None:
            return seen
        return still_open(self._workspace, self._head, stored, seen, self._request)

    def _leave_file(self, hit: IndexHit, code: str, message: str) -> None:
        """Tells a person which file it is; what it is now, nobody has judged for a program."""
        if self._request.is_trusted_reader:
            self._leave(hit.path, code, message)

    def _leave(self, name: str, code: str, message: str) -> None:
        self.left_out.append(LeftOut(id=name, code=code, message=message))


def _keys_of(identifier: str, query: Query) -> tuple[str, ...]:
    """Returns what finds the other side; a tag that was asked for is asked of it too."""
    return (f"id:{identifier}", *(f"tag:{tag}" for tag in query.tags))


def _is_update(side: ScoredRecord, group: Sequence[ScoredRecord]) -> bool:
    """Tells whether a host saw it after all that it contradicts here."""
    record = side.stored.record
    others = (other.stored.record for other in group if other is not side)
    return is_observation(record) and not any(
        is_newer(other, record.event_time or record.observed) for other in others
    )


def _without_conflict(hit: ScoredRecord) -> dict[str, float]:
    parts = {name: part for name, part in hit.components.items() if name != CONFLICT}
    return parts or {"keyword": hit.score}


def _beside(hit: ScoredRecord, score: float) -> ScoredRecord:
    return replace(hit, score=score, components={CONFLICT: score})


def _names(principal: Principal) -> tuple[str, ...]:
    return (principal.name.casefold(), "user") if principal.is_person else ("user",)


def _seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() // 1)
