"""Lists the records of some kinds through the index, and reads no more of them than is wanted.

What a brief shows is the newest runs and the open issues of a store of any size: the index
orders them behind open gates, and each one that is read goes through the read gate again like
any hit (A13, A7). No database is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memfs.errors import IndexUnavailableError
from memfs.index.port import DEFAULT_SCORING, IndexHit, RecordIndex
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.services.ports import Workspace
from memfs.services.recall_reader import Reader
from memfs.services.reindex import open_index, replace_index
from memfs.store.snapshot import Snapshot


class Shelf:
    """Records as one asker may see them, in order; each is read when it is asked for.

    Attributes:
        hits: Where they are, in order.
    """

    def __init__(self, reader: Reader, index: RecordIndex) -> None:
        self._reader = reader
        self._index = index
        self._asked = replace(reader.index_query(), text="", limit=reader.query.limit)
        self.hits = tuple(index.search(replace(self._asked, is_listing=True), DEFAULT_SCORING))

    def about(self, text: str, limit: int) -> tuple[IndexHit, ...]:
        """Returns where those are whose words match ``text``, best first; nothing is read."""
        return tuple(
            self._index.search(replace(self._asked, text=text, limit=limit), DEFAULT_SCORING)
        )

    def read(self, hits: Sequence[IndexHit]) -> tuple[StoredRecord, ...]:
        """Returns what may be seen of the records behind ``hits``, in their order.

        Their links are as they stand, to be shown to nobody.
        """
        return tuple(match.stored for match in self._reader.read_all(hits))


def shelf(workspace: Workspace, snapshot: Snapshot, query: Query) -> Shelf:
    """Returns the records of the kinds in ``query`` that may be seen whole, newest first.

    Args:
        workspace: The store.
        snapshot: The ledger as the answer is to be computed from it.
        query: Who asks, for which kinds, and for how many; its words do not matter.

    Raises:
        IndexUnavailableError: There is no index and none can be made.
    """
    opened = open_index(workspace, snapshot)
    try:
        return Shelf(Reader(workspace, query, snapshot), opened.index)
    except IndexUnavailableError as error:
        opened = replace_index(workspace, snapshot, error.code)
        return Shelf(Reader(workspace, query, snapshot), opened.index)
