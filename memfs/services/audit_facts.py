"""What the files of a history say, read in one pass: the little that the audit compares."""

from __future__ import annotations

from collections.abc import Iterable

from memfs.errors import DataError, StoreError
from memfs.formats.hold_codec import decode_hold
from memfs.formats.record_codec import read_record
from memfs.formats.settings import decode_settings
from memfs.model.frozen import frozen
from memfs.policy.pollution import POLLUTION_KIND
from memfs.services.ports import Workspace
from memfs.store.layout import HOLD_FOLDER, SETTINGS_PATH, is_record_path
from memfs.store.ledger_walk import LedgerStep
from memfs.store.snapshot import Snapshot


@frozen(kw_only=False)
class Facts:
    """What a version of a record says that the audit compares."""

    id: str
    reference: str
    kind: str
    cause: str = ""


class HistoryFacts:
    """What the blobs of a history say.

    Attributes:
        facts: Facts of each version of a record, by blob.
        holds: The path and the admitted blob of each hold, by blob of the hold.
        digests: Digest of each version of the settings, by blob.
    """

    def __init__(
        self, workspace: Workspace, snapshot: Snapshot, steps: Iterable[LedgerStep]
    ) -> None:
        self.facts: dict[str, Facts] = {}
        self.holds: dict[str, tuple[str, str]] = {}
        self.digests: dict[str, str] = {}
        places = {
            blob: change.path
            for step in steps
            for change in step.changes
            for blob in (change.new,)
            if blob is not None and _is_read(change.path)
        }
        for blob, content in snapshot.read_blobs(list(places)):
            self._read(workspace, places[blob], blob, content)

    def _read(self, workspace: Workspace, path: str, blob: str, content: bytes) -> None:
        try:
            if path == SETTINGS_PATH:
                self.digests[blob] = decode_settings(content).digest
            elif path.startswith(f"{HOLD_FOLDER}/"):
                hold = decode_hold(content, path)
                self.holds[blob] = (hold.path, hold.admitted)
            else:
                record = read_record(content, path=path, registry=workspace.registry)
                cause = str(record.fields.get("cause", "")) if record.kind == POLLUTION_KIND else ""
                self.facts[blob] = Facts(record.id, record.reference, record.kind, cause)
        except (DataError, StoreError):
            # Named by ``check``; an unreadable version is compared by its bytes alone.
            return


def _is_read(path: str) -> bool:
    return is_record_path(path) or path == SETTINGS_PATH or path.startswith(f"{HOLD_FOLDER}/")
