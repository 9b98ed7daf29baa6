"""Reads what the light pass compares, and notes the groups that it found beside the caches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from datetime import datetime
from itertools import islice
from typing import Final

from memfs.domains.distill.light import Alike, Group, Member, Statement, grouped
from memfs.formats.record_codec import decode_record
from memfs.index.analysis import Analyzer
from memfs.index.catalogue import CatalogueFilter
from memfs.index.likeness import term_counts
from memfs.model.authority import Sink
from memfs.model.candidate import CandidateAction
from memfs.model.event import EVENT_KIND
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import Record
from memfs.model.text import statement_of
from memfs.policy.access import SERVED_STATUS
from memfs.policy.lasting import UNUSED, Use, score_of
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.inbox import read_inbox
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.services.reindex import analyzer_of
from memfs.store.snapshot import Snapshot

_NOTE: Final = "groups.json"
_VERSION: Final = 1
MOST_COMPARED: Final = 20_000
"""So many of the newest records are compared; a night has an end."""


def light_pass(
    workspace: Workspace, snapshot: Snapshot, uses: Mapping[str, Use], now: datetime
) -> tuple[Group, ...]:
    """Groups what says the same or nearly, notes the groups, and returns them.

    The newest 20,000 records that a person on this machine is served are compared, and what
    waits in the inbox; only ids, scores and likenesses are noted.
    """
    analyzer = analyzer_of(workspace)
    statements = [
        *_served(workspace, snapshot, uses, analyzer, now),
        *_waiting(workspace, analyzer, now),
    ]
    groups = grouped(statements, least=workspace.settings.nodes.duplicate)
    _write(workspace, groups)
    return groups


def staged_groups(workspace: Workspace) -> tuple[Group, ...]:
    """Returns the groups of the last light pass; none where there was none, or nobody knows."""
    try:
        values = json.loads((workspace.cache_dir / _NOTE).read_bytes())
        if values["v"] != _VERSION:
            return ()
        return tuple(
            Group(
                alike=Alike(alike),
                members=tuple(
                    Member(
                        id=str(name),
                        score=float(score),
                        likeness=float(like),
                        is_waiting=bool(waits),
                    )
                    for name, score, like, waits in members
                ),
            )
            for alike, members in values["groups"]
            if members
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()


def _served(
    workspace: Workspace,
    snapshot: Snapshot,
    uses: Mapping[str, Use],
    analyzer: Analyzer,
    now: datetime,
) -> Iterator[Statement]:
    request = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON)
    kinds = tuple(
        kind.name for kind in workspace.registry if kind.is_claim or kind.name == EVENT_KIND
    )
    wanted = CatalogueFilter(kinds=kinds, status=str(SERVED_STATUS))
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = islice(catalogue.listing(wanted), MOST_COMPARED)
        for stored in served_from(workspace, snapshot, rows, request):
            record = stored.record
            use = uses.get(record.id, UNUSED)
            score = score_of(use, record.importance, now)
            yield _statement(workspace, record, record.id, score, analyzer)


def _waiting(workspace: Workspace, analyzer: Analyzer, now: datetime) -> Iterator[Statement]:
    for item in read_inbox(workspace).waiting:
        if item.action is not CandidateAction.ADD:
            continue
        decoded = decode_record(
            item.content, path=item.path, registry=workspace.registry, draft=True
        )
        if decoded.record is not None:
            record = decoded.record
            score = score_of(UNUSED, record.importance, now)
            yield _statement(workspace, record, item.id, score, analyzer, is_waiting=True)


def _statement(
    workspace: Workspace,
    record: Record,
    name: str,
    score: float,
    analyzer: Analyzer,
    *,
    is_waiting: bool = False,
) -> Statement:
    # The day is a part of what an event says: the same work on another day is other work.
    day = (
        f"{record.event_time:%Y-%m-%d} " if record.kind == EVENT_KIND and record.event_time else ""
    )
    words = statement_of(record.title, record.body)
    return Statement(
        id=name,
        scope=f"{record.scope or workspace.scope} {day}".strip(),
        words=words,
        terms=term_counts(analyzer, words),
        score=score,
        is_waiting=is_waiting,
    )


def _write(workspace: Workspace, groups: tuple[Group, ...]) -> None:
    values = {
        "v": _VERSION,
        "groups": [
            [
                str(group.alike),
                [[it.id, it.score, it.likeness, it.is_waiting] for it in group.members],
            ]
            for group in groups
        ],
    }
    with suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = workspace.cache_dir / _NOTE
        place.write_text(json.dumps(values, separators=(",", ":")), encoding="ascii")
        place.chmod(0o600)
