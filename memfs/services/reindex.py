"""Keeps the search index at the ledger head, or answers without it.

Everything an index holds comes from the served view of one commit, so it can be deleted at
any moment and an old one can be told from its stamp. A small difference that cannot be
written now (another process writes, the cache is read-only) is laid over the old index in
memory; without any usable index the records themselves are scanned.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.errors import IndexUnavailableError
from memfs.index.analysis import Analyzer
from memfs.index.documents import Document, document_from
from memfs.index.generations import Generations
from memfs.index.port import DEFAULT_INDEXING, RecordIndex
from memfs.index.whoosh_index import WhooshIndex
from memfs.model.frozen import frozen
from memfs.model.record import StoredRecord
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records, served_places
from memfs.store.layout import is_edge_path, is_envelope_path, is_record_path
from memfs.store.snapshot import Snapshot, TreeChange

if TYPE_CHECKING:
    from memfs.services.gathering import Gathered

INDEX_FOLDER: Final = "index"
OVERLAY_RECORDS: Final = 2000
"""A larger difference is not worth laying over an index; the records are scanned instead."""
UNWRITTEN_RECORDS: Final = 8
"""A question leaves a difference of this size in memory; the next writer writes it."""
LOCK_WAIT_S: Final = 2.0
BUSY_WAIT_S: Final = 0.2


class IndexState(StrEnum):
    """How the index came to stand for the commit."""

    FRESH = "fresh"
    REFRESHED = "refreshed"
    REBUILT = "rebuilt"
    OVERLAID = "overlaid"
    SCANNED = "scanned"


@frozen
class IndexStatus:
    """What an index stands for and how it got there.

    Attributes:
        generation: Name of the generation folder; empty when records were scanned.
        ledger: The commit.
        records: Number of records that can be found.
        refreshed: Number of records that were read to get there.
        state: How.
        reason: Stable code of what was in the way; empty when nothing was.
    """

    generation: str
    ledger: str
    records: int
    refreshed: int
    state: IndexState
    reason: str = ""


@frozen
class OpenIndex:
    """An index for one commit, and how it came about."""

    index: RecordIndex
    status: IndexStatus


def ensure_fresh(workspace: Workspace) -> IndexStatus:
    """Brings the index on disk to the ledger head where that can be done."""
    return open_index(workspace, workspace.store.snapshot(), is_writing=True).status


def rebuild(workspace: Workspace, gathered: Gathered | None = None) -> IndexStatus:
    """Makes the index anew from the ledger, whatever state it is in (C37).

    Args:
        workspace: The store.
        gathered: What was read of it already; without it, or where the ledger has moved since,
            the records are read here.

    Raises:
        IndexUnavailableError: The cache cannot be written, or is not private.
    """
    generations = _generations(workspace)
    snapshot = workspace.store.snapshot()
    try:
        with generations.locked(LOCK_WAIT_S) as is_ours:
            if not is_ours:
                raise IndexUnavailableError(
                    "another process is writing the index", hint="try again", code="index.busy"
                )
            return _rebuilt(workspace, generations, snapshot, gathered).status
    except OSError as error:
        raise IndexUnavailableError(
            f"the index cannot be written: {error.strerror}", code="index.read-only"
        ) from error


def document_of(workspace: Workspace, stored: StoredRecord) -> Document:
    """Returns what an index of this store knows of one record."""
    return document_from(stored, _generations(workspace).analyzer, DEFAULT_INDEXING.weights)


def analyzer_of(workspace: Workspace) -> Analyzer:
    """Returns what takes texts of this store apart, with the words that it knows already."""
    return _generations(workspace).analyzer


def purge_index(workspace: Workspace) -> bool:
    """Brings the index to the ledger head and leaves no word of a removed record in it (A39).

    Costs writing the segments anew that held one; where there is no index, there is nothing.

    Returns:
        Whether nothing is left; ``False`` where the cache cannot be written now.
    """
    generations = _generations(workspace)
    ensure_fresh(workspace)
    try:
        with generations.locked(LOCK_WAIT_S) as is_ours:
            if not is_ours:
                return False
            index = generations.open()
            if any(entry.deleted for entry in index.manifest.segments):
                generations.change(
                    index, removed=(), added=(), ledger=index.ledger, is_purging=True
                )
            return True
    except IndexUnavailableError as error:
        return error.code == "index.missing"
    except OSError:
        return False


def index_status(workspace: Workspace) -> IndexStatus:
    """Tells how the index on disk stands, without reading records or writing anything.

    ``SCANNED`` with a reason means that there is none that can be used; an index that
    stands for an earlier commit is ``OVERLAID`` at the next question.
    """
    try:
        index = _generations(workspace).open()
    except IndexUnavailableError as error:
        return IndexStatus(
            generation="",
            ledger="",
            records=0,
            refreshed=0,
            state=IndexState.SCANNED,
            reason=error.code,
        )
    is_current = index.ledger == workspace.store.ledger_head()
    return _opened(index, IndexState.FRESH if is_current else IndexState.OVERLAID).status


def open_index(workspace: Workspace, snapshot: Snapshot, *, is_writing: bool = False) -> OpenIndex:
    """Opens an index that stands for exactly ``snapshot``.

    Args:
        workspace: The store.
        snapshot: The commit to answer for; only the ledger head is ever written to disk.
        is_writing: Write even a small difference to disk now.
    """
    generations = _generations(workspace)
    try:
        index = generations.open()
    except IndexUnavailableError as error:
        return _without_index(workspace, generations, snapshot, error.code)
    if index.ledger == snapshot.commit:
        return _opened(index, IndexState.FRESH)
    older = workspace.store.snapshot_or_none(index.ledger)
    if older is None:
        return _without_index(workspace, generations, snapshot, "index.unknown-commit")
    changes = _record_changes(snapshot, older)
    is_head = snapshot.commit == workspace.store.ledger_head()
    reason = ""
    if is_head and (is_writing or len(changes) > UNWRITTEN_RECORDS):
        try:
            return _written(workspace, generations, snapshot)
        except IndexUnavailableError as error:
            reason = error.code
        except OSError:
            reason = "index.read-only"
    if len(changes) > OVERLAY_RECORDS:
        return _scanned(workspace, generations, snapshot, reason or "index.far-behind")
    return _overlaid(workspace, index, snapshot, changes, reason)


def replace_index(workspace: Workspace, snapshot: Snapshot, reason: str) -> OpenIndex:
    """Opens an index for ``snapshot`` after the one on disk has shown damage while in use.

    Args:
        workspace: The store.
        snapshot: The commit to answer for.
        reason: Code of what was found.
    """
    generations = _generations(workspace)
    generations.forget()
    return _without_index(workspace, generations, snapshot, reason, is_damaged=True)


def _generations(workspace: Workspace) -> Generations:
    return _kept_generations(_folder(workspace), workspace.store_id)


@lru_cache(maxsize=8)
def _kept_generations(folder: Path, store_id: str) -> Generations:
    """Keeps what was opened last for the next question of a long-lived process."""
    return Generations(
        folder,
        store_id=store_id,
        settings=DEFAULT_INDEXING.digest,
        analyzer=Analyzer(DEFAULT_INDEXING.analysis),
    )


def _folder(workspace: Workspace) -> Path:
    return workspace.cache_dir / INDEX_FOLDER


def _without_index(
    workspace: Workspace,
    generations: Generations,
    snapshot: Snapshot,
    reason: str,
    *,
    is_damaged: bool = False,
) -> OpenIndex:
    """Rebuilds where that is possible now, and scans the records otherwise."""
    if snapshot.commit != workspace.store.ledger_head():
        return _scanned(workspace, generations, snapshot, reason)
    try:
        with generations.locked(BUSY_WAIT_S) as is_ours:
            if not is_ours:
                return _scanned(workspace, generations, snapshot, "index.busy")
            if is_damaged:
                return _rebuilt(workspace, generations, snapshot)
            return _current_or_rebuilt(workspace, generations, snapshot)
    except IndexUnavailableError as error:
        return _scanned(workspace, generations, snapshot, error.code)
    except OSError:
        return _scanned(workspace, generations, snapshot, "index.read-only")


def _current_or_rebuilt(
    workspace: Workspace, generations: Generations, snapshot: Snapshot
) -> OpenIndex:
    """Under the lock: takes what another process has made meanwhile, or rebuilds."""
    try:
        index = generations.open()
    except IndexUnavailableError:
        return _rebuilt(workspace, generations, snapshot)
    if index.ledger == snapshot.commit:
        return _opened(index, IndexState.FRESH)
    return _rebuilt(workspace, generations, snapshot)


def _written(workspace: Workspace, generations: Generations, snapshot: Snapshot) -> OpenIndex:
    """Applies the difference to the index on disk, from where it stands under the lock."""
    with generations.locked(LOCK_WAIT_S) as is_ours:
        if not is_ours:
            raise IndexUnavailableError("another process writes the index", code="index.busy")
        index = generations.open()
        if index.ledger == snapshot.commit:
            return _opened(index, IndexState.FRESH)
        older = workspace.store.snapshot_or_none(index.ledger)
        changes = [] if older is None else _record_changes(snapshot, older)
        is_worn = index.size * 2 < sum(entry.count for entry in index.manifest.segments)
        if older is None or is_worn or len(changes) > max(OVERLAY_RECORDS, index.size // 2):
            return _rebuilt(workspace, generations, snapshot)
        added = _documents(workspace, generations.analyzer, snapshot, changes)
        removed = [change.path for change in changes if change.old is not None]
        try:
            index = generations.change(index, removed=removed, added=added, ledger=snapshot.commit)
        except IndexUnavailableError:
            return _rebuilt(workspace, generations, snapshot)
        return _opened(index, IndexState.REFRESHED, refreshed=len(changes))


def _rebuilt(
    workspace: Workspace,
    generations: Generations,
    snapshot: Snapshot,
    gathered: Gathered | None = None,
) -> OpenIndex:
    batch = gathered.batch_of(snapshot) if gathered is not None else None
    if batch is None:
        from memfs.index.batch import Batch  # a question finds its index made

        batch = Batch()
        for stored in read_records(workspace, snapshot, _searched(snapshot)):
            batch.add(document_from(stored, generations.analyzer, DEFAULT_INDEXING.weights))
    index = generations.rebuild(batch, snapshot.commit)
    return _opened(index, IndexState.REBUILT, refreshed=len(batch))


def _overlaid(
    workspace: Workspace,
    index: WhooshIndex,
    snapshot: Snapshot,
    changes: list[TreeChange],
    reason: str,
) -> OpenIndex:
    added = _documents(workspace, index.analyzer, snapshot, changes)
    removed = [change.path for change in changes if change.old is not None]
    overlaid = index.overlaid(removed=removed, added=added, ledger=snapshot.commit)
    return OpenIndex(
        index=overlaid,
        status=IndexStatus(
            generation=index.folder.name,
            ledger=snapshot.commit,
            records=overlaid.size,
            refreshed=len(changes),
            state=IndexState.OVERLAID,
            reason=reason,
        ),
    )


def _scanned(
    workspace: Workspace, generations: Generations, snapshot: Snapshot, reason: str
) -> OpenIndex:
    from memfs.index.memory_index import MemoryIndex  # as a rule there is an index

    records = read_records(workspace, snapshot, _searched(snapshot))
    index = MemoryIndex(
        records, ledger=snapshot.commit, analyzer=generations.analyzer, settings=DEFAULT_INDEXING
    )
    return OpenIndex(
        index=index,
        status=IndexStatus(
            generation="",
            ledger=snapshot.commit,
            records=index.size,
            refreshed=index.size,
            state=IndexState.SCANNED,
            reason=reason,
        ),
    )


def _opened(index: WhooshIndex, state: IndexState, *, refreshed: int = 0) -> OpenIndex:
    return OpenIndex(
        index=index,
        status=IndexStatus(
            generation=index.folder.name,
            ledger=index.ledger,
            records=index.size,
            refreshed=refreshed,
            state=state,
        ),
    )


def _record_changes(snapshot: Snapshot, older: Snapshot) -> list[TreeChange]:
    return [change for change in snapshot.changes_since(older) if is_searched(change.path)]


def _searched(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    return (place for place in served_places(snapshot) if is_searched(place[0]))


def is_searched(path: str) -> bool:
    """Envelopes and edges have no words; beside them all others would look long and rare."""
    return is_record_path(path) and not (is_envelope_path(path) or is_edge_path(path))


def _documents(
    workspace: Workspace, analyzer: Analyzer, snapshot: Snapshot, changes: list[TreeChange]
) -> list[Document]:
    """Returns the documents of what the changes put there, by path."""
    places = [(change.path, change.new) for change in changes if change.new is not None]
    weights = DEFAULT_INDEXING.weights
    records = sorted(read_records(workspace, snapshot, places), key=lambda stored: stored.path)
    return [document_from(stored, analyzer, weights) for stored in records]
