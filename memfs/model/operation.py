"""Plans and commits: what the one door takes and what it gives back.

A plan is complete before the lock is taken: every change carries the decision that
allows it and the blob it expects to replace. The store makes a plan one commit, whole
or not at all, and knows nothing about why it was allowed.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from memfs.model.decision import Decision
from memfs.model.frozen import frozen
from memfs.model.origin import Actor


class OperationKind(StrEnum):
    """What a commit did; the value of its ``Memfs-Operation`` trailer."""

    INIT = "init"
    CAPTURE = "capture"
    ACTIVATE = "activate"
    REVISE = "revise"
    CORRECT = "correct"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    FORGET = "forget"
    ERASE = "erase"
    WITHDRAW = "withdraw"
    RESTORE = "restore"
    IMPORT = "import"
    HOLD = "hold"
    RELEASE = "release"
    REPAIR = "repair"
    GRANT = "grant"
    REVOKE = "revoke"
    RESOLVE = "resolve"
    PUBLISH = "publish"
    POLLUTE = "pollute"
    CLEAR = "clear"
    MERGE = "merge"
    SPLIT = "split"
    SETTINGS = "settings"
    RECORD = "record"


@frozen
class FileChange:
    """One file of a plan.

    Attributes:
        path: Store-relative POSIX path.
        content: New bytes; ``None`` removes the file.
        expected: Blob id that must stand at ``path`` on the branch tip; ``None`` for absent.
        decision: What allows this change; only an admitted one passes the door.
        replaces_working: Digests (Git blob ids) that the working file may have, besides
            ``expected``, and still be overwritten: the person handed that text in. A working
            file with any other content is left as it is.
    """

    path: str
    content: bytes | None
    expected: str | None
    decision: Decision
    replaces_working: frozenset[str] = frozenset()


@frozen
class Plan:
    """One operation, ready to commit.

    Attributes:
        transaction: ``tx_…``.
        operation: What it does.
        subject: Commit subject without the operation word, opaque where it must be.
        actor: Author of the commit.
        at: Commit time, aware, UTC.
        changes: At least one, paths unique.
        base: Ledger head that the plan was decided on; the branch tip must equal it.
        key: Idempotency key; a second plan with the same key commits nothing.
        records: References written to ``Memfs-Record`` trailers, ``mem_…@2``.
        settles: The branch tip that this plan settles when it is ahead of the ledger (holds and
            repairs only); empty otherwise.
    """

    transaction: str
    operation: OperationKind
    subject: str
    actor: Actor
    at: datetime
    changes: tuple[FileChange, ...]
    base: str
    key: str = ""
    records: tuple[str, ...] = ()
    settles: str = ""


@frozen
class Commit:
    """A commit as history shows it.

    Attributes:
        id: Commit id.
        parents: Parent ids.
        subject: First line of the message.
        author: ``user:ana`` for memfs operations, the Git author name otherwise.
        at: Author time, UTC.
        is_operation: Made by memfs (it carries a transaction trailer and is on the ledger).
        transaction: ``tx_…`` or empty.
        operation: Value of the operation trailer or empty.
        decision: Value of the decision trailer or empty.
        key: Value of the key trailer or empty.
        records: References that it names.
        is_replay: The plan's key was already on the ledger; nothing new was written.
        kept_working: Paths whose working files a person had edited and that were left alone.
    """

    id: str
    parents: tuple[str, ...]
    subject: str
    author: str
    at: datetime
    is_operation: bool = False
    transaction: str = ""
    operation: str = ""
    decision: str = ""
    key: str = ""
    records: tuple[str, ...] = ()
    is_replay: bool = False
    kept_working: tuple[str, ...] = ()
