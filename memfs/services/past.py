"""Looking back: what was true at a moment, and what memory knew at a moment (A15, DESIGN §4).

The two are independent. *Valid at T* asks for the records that hold at T, replaced ones among
them where their successor begins later. *As of T* asks the ledger as it was at T; a barrier
that was set since still holds, and so does every right that was taken away since.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from memfs.model.ids import CommitId, is_id, split_version
from memfs.model.moment import Moment
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.policy.access import read_right
from memfs.policy.masking import visible_stored
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.links import still_open, with_open_links
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.reading import SUFFIX_LENGTH, AmbiguousRecordError, UnknownRecordError
from memfs.services.served_records import read_path, read_records, record_from, served_places
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot

_CHAIN: Final = 64
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


def list_at(
    workspace: Workspace,
    actor: Actor,
    *,
    moment: Moment,
    kinds: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    limit: int = 0,
    folder: str = "",
    sees_replaced: bool = False,
) -> tuple[StoredRecord, ...]:
    """Lists what held, or was known, at a moment, newest first, ties by id.

    Every record file of that moment, below ``folder`` where one is named, is read: there is no
    index of what is past.
    """
    view = _View(workspace, actor, moment, sees_replaced=sees_replaced)
    wanted = kinds or tuple(kind.name for kind in workspace.registry if kind.is_claim)
    found = (
        stored
        for stored in view.everything(folder)
        if stored.record.kind in wanted and set(tags) <= set(stored.record.tags)
    )
    return tuple(islice(sorted(found, key=_newest, reverse=True), limit or None))


def show_at(workspace: Workspace, reference: str, actor: Actor, *, moment: Moment) -> StoredRecord:
    """Returns what stood in the place of a record at a moment: it, an earlier or a later one.

    Raises:
        UnknownRecordError: None matches, or none of its line held then and may be seen.
        AmbiguousRecordError: The end of an id is that of several.
    """
    view = _View(workspace, actor, moment)
    seen = sorted(view.line_of(reference), key=_newest)
    if not seen:
        raise UnknownRecordError(
            f"no record matches {reference!r} at that moment", hint="see: memfs history"
        )
    return seen[-1]


class _View:
    """One reader's view of the ledger of one moment."""

    def __init__(
        self, workspace: Workspace, actor: Actor, moment: Moment, *, sees_replaced: bool = False
    ) -> None:
        self._workspace = workspace
        self._head = workspace.store.snapshot()
        self._is_past = moment.as_of is not None
        self._snapshot = self._head if moment.as_of is None else _past(workspace, moment.as_of)
        self._request = access_request(
            workspace,
            actor,
            valid_at=moment.valid_at,
            as_of=moment.as_of,
            sees_replaced=sees_replaced,
        )

    def everything(self, folder: str = "") -> Iterator[StoredRecord]:
        """Yields what may be seen of all records below a folder, in no particular order."""
        if self._snapshot is None:
            return
        places = served_places(self._snapshot, folder)
        for stored in read_records(self._workspace, self._snapshot, places):
            seen = self._seen(stored)
            if seen is not None:
                yield seen

    def line_of(self, reference: str) -> Iterator[StoredRecord]:
        """Yields what may be seen of a record, of what it replaced and of what replaced it."""
        waiting = [self._named(reference)]
        known: set[str] = set()
        while waiting and len(known) < _CHAIN:
            stored = waiting.pop()
            if stored is None or stored.record.id in known:
                continue
            known.add(stored.record.id)
            seen = self._seen(stored)
            if seen is not None:
                yield seen
            names = (stored.record.superseded_by, *stored.record.supersedes)
            waiting.extend(self._by_id(split_version(name)[0]) for name in names if name)

    def _named(self, reference: str) -> StoredRecord | None:
        """Finds the one that is meant, among those that the reader has a right to."""
        name, _ = split_version(reference.strip())
        place = name.removeprefix(".memfs/")
        if self._snapshot is None:
            return None
        if is_record_path(place):
            found = [read_path(self._workspace, self._snapshot, place)]
        elif is_id(name) or len(name) >= SUFFIX_LENGTH:
            found = list(self._with_suffix(name.lower()))
        else:
            found = []
        meant = [item for item in found if item is not None and self._has_right(item)]
        if len(meant) > 1:
            names = ", ".join(item.record.id for item in meant)
            raise AmbiguousRecordError(
                f"{reference!r} matches several records: {names}", hint="give more of the id"
            )
        return meant[0] if meant else None

    def _has_right(self, stored: StoredRecord) -> bool:
        return read_right(stored.record, self._request).allowed

    def _by_id(self, identifier: str) -> StoredRecord | None:
        found = [item for item in self._with_suffix(identifier) if item.record.id == identifier]
        return found[0] if len(found) == 1 else None

    def _with_suffix(self, suffix: str) -> Iterator[StoredRecord]:
        if self._snapshot is None:
            return
        for entry in self._snapshot.find_suffix(suffix):
            content = self._snapshot.read_blob(entry.blob)
            stored = record_from(self._workspace, entry.path, entry.blob, content)
            if stored is not None and stored.record.id.endswith(suffix):
                yield stored

    def _seen(self, stored: StoredRecord) -> StoredRecord | None:
        seen = visible_stored(stored, self._request)
        if seen is None or self._snapshot is None:
            return None
        if rests_on_off_source(self._workspace, self._head, stored.record, self._request):
            return None
        if has_hidden_end(
            self._workspace, self._head, stored.record, self._request, is_past=self._is_past
        ):
            return None
        if self._is_past:
            seen = still_open(self._workspace, self._head, stored, seen, self._request)
        if seen is None:
            return None
        head = self._head if self._is_past else None
        return with_open_links(self._workspace, self._snapshot, seen, self._request, head=head)


def _past(workspace: Workspace, as_of: datetime) -> Snapshot | None:
    commit = workspace.store.commit_at(as_of)
    return None if commit is None else workspace.store.snapshot(CommitId(commit))


def _newest(stored: StoredRecord) -> tuple[datetime, str]:
    return (stored.record.observed or _LONG_AGO, stored.record.id)
