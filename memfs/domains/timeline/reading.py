"""The timeline as one reader may see it: exactly the events that are asked for, newest first.

Since is inside and until is not, to the microsecond, whatever month or zone an event was filed
under (O5). The index says where to look; every event is read from the ledger and put to the read
gate, and only what the reader sees of it is compared: a hidden time or name selects nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.domains.timeline.about import About, about, titles_of
from memfs.domains.timeline.events import EventView, happened, newest_first, view_of
from memfs.errors import IndexUnavailableError
from memfs.index.port import DEFAULT_SCORING, IndexQuery, RecordIndex
from memfs.model.event import EVENT_KIND, TIMELINE_FOLDER, EventSort
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest
from memfs.services.gate import access_request
from memfs.services.index_gates import IndexGates
from memfs.services.past import Moment, list_at
from memfs.services.ports import Workspace
from memfs.services.reading import served_at
from memfs.services.reindex import open_index, replace_index
from memfs.store.snapshot import Snapshot

_MOST: Final = 1_000_000
_NOW: Final = Moment()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What part of the timeline is asked for; what is empty does not restrict.

    Attributes:
        since: What happened then or later.
        until: … and before this.
        learned_since: What memory learned of then or later (O4).
        learned_until: … and before this.
        entity: Name or id of what the events are about.
        sorts: Sorts of events.
        session: Session in which they happened.
        commit: Commit that they are known from, by its id or the start of it.
        moment: About which moment it is asked; by default now.
        sees_replaced: A person sees what was told of a fact before it was told anew.
        limit: At most so many, the newest; 0 for all.
    """

    since: datetime | None = None
    until: datetime | None = None
    learned_since: datetime | None = None
    learned_until: datetime | None = None
    entity: str = ""
    sorts: frozenset[EventSort] = frozenset()
    session: str = ""
    commit: str = ""
    moment: Moment = _NOW
    sees_replaced: bool = False
    limit: int = 0


def timeline(workspace: Workspace, actor: Actor, wanted: Wanted) -> tuple[EventView, ...]:
    """Returns the events that are asked for, newest first, ties by id."""
    snapshot = workspace.store.snapshot()
    request = access_request(
        workspace,
        actor,
        valid_at=wanted.moment.valid_at or wanted.moment.as_of,
        sees_replaced=wanted.sees_replaced,
    )
    named = about(workspace, snapshot, wanted.entity, request) if wanted.entity.strip() else None
    if wanted.moment.as_of is not None:
        records: Iterable[StoredRecord] = list_at(
            workspace,
            actor,
            moment=wanted.moment,
            kinds=(EVENT_KIND,),
            folder=TIMELINE_FOLDER,
            sees_replaced=wanted.sees_replaced,
        )
        found = [item for item in records if _is_wanted(item.record, wanted, named)]
    else:
        found = list(_at_head(workspace, snapshot, request, wanted, named))
    found.sort(key=newest_first, reverse=True)
    chosen = found[: wanted.limit] if wanted.limit else found
    titles = titles_of(workspace, snapshot, chosen, request)
    return tuple(view_of(item, titles) for item in chosen)


def _at_head(
    workspace: Workspace,
    snapshot: Snapshot,
    request: AccessRequest,
    wanted: Wanted,
    named: About | None,
) -> Iterator[StoredRecord]:
    """Yields what is wanted, until there are enough: all of the second of the last of them.

    The index orders by whole seconds, so that within one the order is made by the caller.
    """
    whole, partly = _paths(workspace, snapshot, request, wanted)
    if named is not None and named.paths is not None:
        whole, partly = ([it for it in paths if it in named.paths] for paths in (whole, partly))
    for stored in served_at(workspace, snapshot, partly, request):
        if _is_wanted(stored.record, wanted, named):
            yield stored
    count, last = 0, math.inf
    for stored in served_at(workspace, snapshot, whole, request):
        if not _is_wanted(stored.record, wanted, named):
            continue
        second = math.floor(happened(stored.record).timestamp())
        if wanted.limit and count >= wanted.limit and second < last:
            return
        count, last = count + 1, second
        yield stored


def _paths(
    workspace: Workspace, snapshot: Snapshot, request: AccessRequest, wanted: Wanted
) -> tuple[list[str], list[str]]:
    """Returns where events may be that are seen whole, newest first, and those seen in part."""
    opened = open_index(workspace, snapshot)
    try:
        return _listed(opened.index, request, wanted)
    except IndexUnavailableError as error:
        # Postings are read when they are asked for: damage may show only now.
        return _listed(replace_index(workspace, snapshot, error.code).index, request, wanted)


def _listed(
    index: RecordIndex, request: AccessRequest, wanted: Wanted
) -> tuple[list[str], list[str]]:
    gates = IndexGates(request=request, kinds=frozenset({EVENT_KIND}), branch="")
    moment = request.valid_at or request.now
    query = IndexQuery(
        text="",
        is_open=gates.is_open,
        since=None if wanted.since is None else math.floor(wanted.since.timestamp()),
        until=None if wanted.until is None else math.floor(wanted.until.timestamp()) + 1,
        valid_at=math.floor(moment.timestamp()),
        limit=_MOST,
        is_listing=True,
    )
    whole = [hit.path for hit in index.search(query, DEFAULT_SCORING)]
    if not gates.may_be_in_part:
        return whole, []
    # Of what is seen in part even the time may be hidden: the index is not asked for it.
    query = IndexQuery(text="", is_open=gates.is_partly_open, limit=_MOST, is_listing=True)
    return whole, [hit.path for hit in index.search(query, DEFAULT_SCORING)]


def _is_wanted(record: Record, wanted: Wanted, named: About | None) -> bool:
    if record.kind != EVENT_KIND:
        return False
    at, learned, until = happened(record), record.observed, wanted.moment.valid_at
    return (
        _is_within(at, wanted.since, wanted.until)
        and (until is None or at <= until)
        and (learned is None or _is_within(learned, wanted.learned_since, wanted.learned_until))
        and (not wanted.sorts or record.fields.get("event_kind") in wanted.sorts)
        and (not wanted.session or record.fields.get("session") == wanted.session)
        and (not wanted.commit or _text(record, "commit").startswith(wanted.commit.lower()))
        and (named is None or named.is_named_in(record))
    )


def _is_within(moment: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or since <= moment) and (until is None or moment < until)


def _text(record: Record, name: str) -> str:
    value = record.fields.get(name, "")
    return value if isinstance(value, str) else ""
