"""How writing goes: the last success, the last failure with its code, and what is pending (O53).

The last success is the ledger's own head. A failure is noted beside the caches as a code and a
time, nothing else; failing to note it never hides the failure itself.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from typing import Final

from memfs.errors import GitError, MemfsError, StoreError
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant, parse_instant
from memfs.model.origin import Actor
from memfs.model.values import JsonValue
from memfs.services.inbox import is_visible, read_inbox
from memfs.services.ports import Workspace
from memfs.services.settle import ContendedError
from memfs.store.catfile import ObjectMissingError
from memfs.store.lock import LockTimeoutError

_FILE: Final = "writer.json"
_RETRYABLE: Final = (ContendedError, LockTimeoutError)


@frozen
class WriterStatus:
    """How writing goes.

    Attributes:
        succeeded: When the last operation was committed; ``None`` in an empty store.
        operation: What it was.
        transaction: Its transaction.
        failed: When a write failed since then; ``None`` when none did.
        code: Code of that failure.
        is_retryable: Whether the same write may work when it is repeated as it is.
        pending: Candidates that wait and that the one who asks may see.
    """

    succeeded: datetime | None
    operation: str
    transaction: str
    failed: datetime | None
    code: str
    is_retryable: bool
    pending: int

    @property
    def value(self) -> dict[str, JsonValue]:
        """The status as plain data."""
        return {
            "last_success": format_instant(self.succeeded) if self.succeeded else "",
            "operation": self.operation,
            "transaction": self.transaction,
            "last_failure": format_instant(self.failed) if self.failed else "",
            "failure_code": self.code,
            "retryable": self.is_retryable,
            "pending": self.pending,
        }


def note_failure(workspace: Workspace, error: MemfsError) -> None:
    """Notes that a write failed for a fault of the store or of Git, or for other writers.

    What the caller asked wrongly, or may not do, is no failure of the writer.
    """
    if workspace.is_switched_off or not isinstance(error, (StoreError, GitError, ContendedError)):
        return
    note = {
        "at": format_instant(workspace.clock.now()),
        "code": error.code,
        "retryable": isinstance(error, _RETRYABLE),
    }
    with suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = workspace.cache_dir / _FILE
        place.write_text(json.dumps(note), encoding="ascii")


def writer_status(workspace: Workspace, actor: Actor) -> WriterStatus:
    """Tells how writing goes."""
    head = workspace.store.ledger_head()
    try:
        commit = workspace.store.commit_info(head) if head is not None else None
    except ObjectMissingError:
        commit = None
    failed, code, is_retryable = _failure(workspace)
    # Both are told by the second: what failed in the same one came after it.
    is_over = failed is None or (commit is not None and failed < commit.at)
    return WriterStatus(
        succeeded=commit.at if commit is not None else None,
        operation=commit.operation if commit is not None else "",
        transaction=commit.transaction if commit is not None else "",
        failed=None if is_over else failed,
        code="" if is_over else code,
        is_retryable=not is_over and is_retryable,
        pending=sum(is_visible(item, actor) for item in read_inbox(workspace).waiting),
    )


def _failure(workspace: Workspace) -> tuple[datetime | None, str, bool]:
    try:
        note = json.loads((workspace.cache_dir / _FILE).read_text(encoding="ascii"))
        return parse_instant(str(note["at"])), str(note["code"]), bool(note["retryable"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, "", False
