"""The canary: asks every read path for what was withdrawn, and must get nothing (A13, A60).

It asks as memfs itself, who may see more than any reader: what it is not given, nobody is. It
looks for the very version that was taken back, so that a correction is not mistaken for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.errors import MemfsError
from memfs.index.port import DEFAULT_SCORING, IndexQuery
from memfs.model.authority import Sink
from memfs.model.frozen import frozen
from memfs.model.ids import CommitId
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.policy.access import AccessRequest
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection
from memfs.services.reading import UnknownRecordError, find_record, served_from
from memfs.services.recall import RecallOutcome, recall, search
from memfs.services.reindex import OpenIndex, open_index
from memfs.store.layout import PROJECTIONS, VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

WORDED: Final = 20
"""Of a larger withdrawal every id is asked for, and so many are asked for by their words."""
_WORDS: Final = 200
_HITS: Final = 50


class CanaryError(MemfsError):
    """Something that was withdrawn can still be read."""

    code = "withdrawal.canary"


@frozen
class CanaryReport:
    """What was asked and what came back.

    Attributes:
        asked: Number of questions.
        paths: The read paths that were asked.
        found: ``path: id`` of each exposure; empty when there is none.
    """

    asked: int
    paths: tuple[str, ...]
    found: tuple[str, ...]


@frozen
class _Case:
    """One version that must not be served.

    Attributes:
        stored: The record as it stood.
        is_kept: People may still look at it in its history.
        is_replaced: Only this version is taken back; another one of it is served.
    """

    stored: StoredRecord
    is_kept: bool = False
    is_replaced: bool = False

    @property
    def id(self) -> str:
        return self.stored.record.id

    def is_among(self, found: Iterable[StoredRecord]) -> bool:
        """Whether what was taken back is among what was found."""
        mine = self.stored.record
        return any(
            item.record.id == mine.id
            and (not self.is_replaced or item.record.version == mine.version)
            for item in found
        )


def ask_everywhere(
    workspace: Workspace,
    *,
    gone: Sequence[StoredRecord],
    retracted: Sequence[StoredRecord] = (),
    replaced: Sequence[StoredRecord] = (),
    before: str = "",
) -> CanaryReport:
    """Asks every read path for withdrawn records, all given as they stood.

    Args:
        workspace: The store.
        gone: Records that nothing may serve, in no version and to nobody.
        retracted: Records that people may still look at in their history.
        replaced: Records of which another version is served now.
        before: The commit that stood before the withdrawal, for questions about the past.
    """
    cases = (
        *(_Case(stored=stored) for stored in gone),
        *(_Case(stored=stored, is_kept=True) for stored in retracted),
        *(_Case(stored=stored, is_kept=True, is_replaced=True) for stored in replaced),
    )
    asker = _Asker(workspace, workspace.store.snapshot(), before)
    found: list[str] = []
    asked = 0
    try:
        for name, ask, most in asker.paths:
            for case in cases[:most]:
                asked += 1
                if ask(case):
                    found.append(f"{name}: {case.id}")
    finally:
        asker.close()
    names = tuple(name for name, _, _ in asker.paths)
    return CanaryReport(asked=asked, paths=names, found=tuple(found))


def check_nothing_found(report: CanaryReport) -> None:
    """Lets nothing pass for withdrawn that can still be read.

    Raises:
        CanaryError: Something was found; the barrier stands all the same.
    """
    if report.found:
        raise CanaryError(
            f"withdrawn, and still found by {', '.join(report.found[:5])}",
            hint="nothing of it is served as current; run: memfs rebuild, then memfs doctor",
        )


class _Asker:
    """One look at everything that can be read, at the ledger's head."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot, before: str) -> None:
        # What is withdrawn is sent to no embedder, only to find out that it is gone.
        self._workspace = replace(workspace, embedder=None)
        self._snapshot = snapshot
        self._catalogue = open_catalogue(workspace, snapshot)
        self._index = open_index(workspace, snapshot).index
        self._current = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON)
        self._history = replace(self._current, is_history=True, sees_polluted=True)
        self._projections = tuple(_projections(workspace))
        self._past = workspace.store.commit_info(CommitId(before)).at if before else None
        # Opened once: what a large withdrawal changed is read anew at each opening.
        self._past_index: OpenIndex | None = None
        self.paths: tuple[tuple[str, Callable[[_Case], bool], int | None], ...] = (
            ("catalogue", self._in_catalogue, None),
            ("index", self._in_index, None),
            ("list", lambda case: self._is_served(case, self._current), None),
            ("show", lambda case: self._is_shown(case, self._current), None),
            ("history", self._is_in_history, None),
            ("diff", self._is_in_history, None),
            ("projections", self._is_projected, None),
            ("search", lambda case: case.is_among(_hits(search(*self._asked(case)))), WORDED),
            ("recall", lambda case: case.is_among(_hits(recall(*self._asked(case)))), WORDED),
            ("recall --as-of", self._is_told_as_past, WORDED if self._past else 0),
        )

    def close(self) -> None:
        self._catalogue.close()

    def _in_catalogue(self, case: _Case) -> bool:
        return any(row.blob == case.stored.blob for row in self._catalogue.by_id(case.id))

    def _in_index(self, case: _Case) -> bool:
        query = IndexQuery(text="", keys=(f"id:{case.id}",), is_open=lambda _: True, limit=5)
        hits = self._index.search(query, DEFAULT_SCORING)
        return any(hit.blob == case.stored.blob for hit in hits)

    def _is_served(self, case: _Case, request: AccessRequest) -> bool:
        rows = self._catalogue.by_id(case.id)
        return case.is_among(served_from(self._workspace, self._snapshot, rows, request))

    def _is_shown(self, case: _Case, request: AccessRequest) -> bool:
        try:
            found = find_record(self._workspace, self._snapshot, case.id, request)
        except UnknownRecordError:
            return False
        return case.is_among([found])

    def _is_in_history(self, case: _Case) -> bool:
        return not case.is_kept and self._is_shown(case, self._history)

    def _is_projected(self, case: _Case) -> bool:
        mark = case.stored.record.reference if case.is_replaced else f"{case.id}@"
        return any(mark in text for text in self._projections)

    def _asked(self, case: _Case, past: datetime | None = None) -> tuple[Workspace, Query]:
        record = case.stored.record
        query = Query(
            text=(record.title or record.body)[:_WORDS],
            actor=SYSTEM_ACTOR,
            kinds=(record.kind,),
            as_of=past,
            limit=_HITS,
        )
        return self._workspace, query

    def _is_told_as_past(self, case: _Case) -> bool:
        if case.is_replaced or self._past is None:
            return False
        if self._past_index is None:
            store = self._workspace.store
            commit = store.commit_at(self._past)
            if commit is not None:
                self._past_index = open_index(self._workspace, store.snapshot(commit))
        asked = self._asked(case, self._past)
        return case.is_among(_hits(search(*asked, opened=self._past_index)))


def _hits(outcome: RecallOutcome) -> Iterator[StoredRecord]:
    return (hit.stored for hit in outcome.hits)


def _projections(workspace: Workspace) -> Iterator[str]:
    """Yields the text of every generated view as it lies there."""
    for path in (*PROJECTIONS, *workspace.store.list_untracked(VIEWS_FOLDER)):
        text = read_projection(workspace, path)
        if text is not None:
            yield text
