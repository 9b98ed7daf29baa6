"""The timeline as one reader may see it: exactly the events that are asked for, newest first.

Since is inside and until is not, to the microsecond, whatever month or zone an event was filed
under (O5). The index says where to look; every event is read from the ledger and put to the read
gate, and only what the reader sees of it is compared: a hidden time or name selects nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memfs.domains.timeline.events import EventView, happened, newest_first, view_of
from memfs.errors import IndexUnavailableError
from memfs.index.port import DEFAULT_SCORING, IndexQuery
from memfs.model.event import EVENT_KIND, TIMELINE_FOLDER, EventSort
from memfs.model.moment import Moment
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import text_field
from memfs.policy.access import AccessRequest
from memfs.services.about import About, about, titles_of
from memfs.services.gate import access_request
from memfs.services.index_gates import IndexGates
from memfs.services.past import list_at
from memfs.services.ports import Workspace
from memfs.services.reading import served_at
from memfs.services.reindex import open_index, replace_index
from memfs.store.snapshot import Snapshot

_MOST: Final = 1_000_000
_FEW: Final = 2_000
"""So many files are read at once rather than looked up in the index."""
_SPARE: Final = 64
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
        valid_at=wanted.moment.valid_at,
        as_of=wanted.moment.as_of,
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
        found = _at_head(workspace, snapshot, request, wanted, named)
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
) -> list[StoredRecord]:
    """Returns what is wanted, and at least as many of the newest as are; in no order."""

    def seen(paths: Iterable[str]) -> Iterator[StoredRecord]:
        for stored in served_at(workspace, snapshot, paths, request):
            if _is_wanted(stored.record, wanted, named):
                yield stored

    if named is not None and len(named.paths) <= _FEW:
        return list(seen(sorted(named.paths)))
    lookup = _Lookup(workspace, snapshot, request, wanted)
    partly = list(seen(lookup.partly()))
    # Most questions want the newest: the index is asked for a few first, then for all.
    for most in (_SPARE + 2 * wanted.limit, _MOST) if wanted.limit else (_MOST,):
        paths = lookup.whole(most)
        found, is_enough = _newest(seen(paths), wanted.limit)
        if is_enough or len(paths) < most:
            break
    return [*partly, *found]


def _newest(found: Iterator[StoredRecord], limit: int) -> tuple[list[StoredRecord], bool]:
    """Takes the newest: all of the second of the last of them; tells whether there were enough.

    The index orders by whole seconds, so that within one the order is made by the caller.
    """
    taken: list[StoredRecord] = []
    last = 0
    for stored in found:
        second = math.floor(happened(stored.record).timestamp())
        if limit and len(taken) >= limit and second < last:
            return taken, True
        taken.append(stored)
        last = second
    return taken, False


class _Lookup:
    """Asks the index where events may be."""

    def __init__(
        self, workspace: Workspace, snapshot: Snapshot, request: AccessRequest, wanted: Wanted
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._gates = IndexGates(request=request, kinds=frozenset({EVENT_KIND}), branch="")
        moment = request.valid_at or request.now
        self._query = IndexQuery(
            text="",
            is_open=self._gates.is_open,
            since=None if wanted.since is None else math.floor(wanted.since.timestamp()),
            until=None if wanted.until is None else math.floor(wanted.until.timestamp()) + 1,
            valid_at=math.floor(moment.timestamp()),
            is_listing=True,
        )
        self._index = open_index(workspace, snapshot).index

    def whole(self, most: int) -> list[str]:
        """Returns where events are that may be seen whole, newest first."""
        return self._asked(replace(self._query, limit=most))

    def partly(self) -> list[str]:
        """Returns where events are that may be seen in part; the index is not asked for when.

        Of what is seen in part even the time may be hidden.
        """
        if not self._gates.may_be_in_part:
            return []
        is_open = self._gates.is_partly_open
        return self._asked(IndexQuery(text="", is_open=is_open, limit=_MOST, is_listing=True))

    def _asked(self, query: IndexQuery) -> list[str]:
        try:
            return [hit.path for hit in self._index.search(query, DEFAULT_SCORING)]
        except IndexUnavailableError as error:
            # Postings are read when they are asked for: damage may show only now.
            self._index = replace_index(self._workspace, self._snapshot, error.code).index
            return [hit.path for hit in self._index.search(query, DEFAULT_SCORING)]


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
        and (not wanted.commit or text_field(record, "commit").startswith(wanted.commit.lower()))
        and (named is None or named.is_named_in(record))
    )


def _is_within(moment: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or since <= moment) and (until is None or moment < until)
