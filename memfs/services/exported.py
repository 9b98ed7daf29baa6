"""What an export hands out, and what of a store may leave it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memfs.model.authority import Sink
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest, may_read
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records
from memfs.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export hands out.

    Attributes:
        format: Name of the format.
        lines: One an item, without line ends.
        left_out: How many there are that may not leave the store; a program is not told.
    """

    format: str
    lines: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(slots=True)
class Leaving:
    """The records of some kinds that may leave the store whole; the others are counted.

    A record that may be seen in part alone is no whole item of any format and is left out.
    """

    workspace: Workspace
    actor: Actor
    sees_replaced: bool = False
    left_out: int = 0
    snapshot: Snapshot = field(init=False)
    request: AccessRequest = field(init=False)

    def __post_init__(self) -> None:
        self.snapshot = self.workspace.store.snapshot()
        self.request = access_request(
            self.workspace, self.actor, sink=Sink.EXPORT, sees_replaced=self.sees_replaced
        )

    def records(self, folder: str, kinds: Iterable[str]) -> Iterator[StoredRecord]:
        """Yields what may leave of the records below ``folder``, in no particular order."""
        wanted = frozenset(kinds)
        places = ((entry.path, entry.blob) for entry in self.snapshot.entries(f"{folder}/"))
        for stored in read_records(self.workspace, self.snapshot, places):
            if stored.record.kind not in wanted:
                continue
            if self._may_leave(stored.record):
                yield stored
            else:
                self.left_out += 1

    def _may_leave(self, record: Record) -> bool:
        here = (self.workspace, self.snapshot, record, self.request)
        return (
            may_read(record, self.request).is_whole
            and not has_hidden_end(*here)
            and not rests_on_off_source(*here)
        )

    def exported(self, format_name: str, lines: Iterable[str]) -> Exported:
        """Returns what is handed out; what was left out is told to a person alone."""
        return Exported(
            format=format_name,
            lines=tuple(lines),
            left_out=self.left_out if self.actor.is_person else 0,
        )
