"""Makes the documents of an index out of records that are read for something else anyway.

Reading every record of the ledger is the dearest part of making an index, and of making a
catalogue: one pass can serve both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memfs.index.batch import Batch
from memfs.model.record import StoredRecord
from memfs.services.ports import Workspace
from memfs.services.reindex import document_of, is_searched
from memfs.store.snapshot import Snapshot


class Gathered:
    """What the index holds of the records of one commit, once all of them have come along."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot) -> None:
        self._workspace = workspace
        self._commit = snapshot.commit
        self._batch: Batch | None = None

    def along(self, records: Iterable[StoredRecord]) -> Iterator[StoredRecord]:
        """Yields all records of the commit as they come and takes them in; each time anew."""
        self._batch, batch = None, Batch()
        for stored in records:
            if is_searched(stored.path):
                batch.add(document_of(self._workspace, stored))
            yield stored
        self._batch = batch

    def batch_of(self, snapshot: Snapshot) -> Batch | None:
        """Returns what was taken in, if it is every record of exactly this commit."""
        return self._batch if snapshot.commit == self._commit else None
