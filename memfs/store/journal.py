"""What an interrupted write leaves behind for the next opener: intent, marker and key log.

The *intent* is written before the refs move and names everything that has to follow. The
*marker* names the commit up to which refs, working files and Git's index are in step, and the
identity of the index file that memfs wrote last. An intent whose commit is not the marker's
is unfinished: recovery finishes it when its commit is on the branch and discards it otherwise.
All three can be deleted; what they say is found again in the repository, more slowly.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from memfs.model.frozen import frozen
from memfs.store.effects import Effects

_ABSENT: Final = "-"
_MARKER_FIELDS: Final = 7
_VERSION: Final = "1"
_COMMIT_BYTES: Final = 41


class StatKey(NamedTuple):
    """Identity of one state of a file: inode, size, modification time."""

    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> StatKey:
        """Returns the key of a stat result."""
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)

    @classmethod
    def of_path(cls, path: str) -> StatKey:
        """Returns the key of the file at ``path``, all zero when there is none."""
        try:
            return cls.of(os.lstat(path))
        except FileNotFoundError:
            return NO_FILE


NO_FILE: Final = StatKey(0, 0, 0)


@frozen
class Placed:
    """One working file of a transaction.

    Attributes:
        path: Store-relative path.
        old: Blob id that stood there before; empty for absent.
        new: Blob id that shall stand there; empty for removed.
        replaces: Further blob ids that may be overwritten.
    """

    path: str
    old: str
    new: str
    replaces: tuple[str, ...] = ()


@frozen
class Intent:
    """A transaction that is about to happen, or has.

    Attributes:
        main: Value of the branch before.
        ledger: Value of the ledger ref before.
        commit: The new commit, for both.
        key: Idempotency key in its trailer form; may be empty.
        files: Working files to bring in step.
    """

    main: str
    ledger: str
    commit: str
    key: str
    files: tuple[Placed, ...]


@frozen
class Marker:
    """The state that is in step: both refs, the index file, and the boot it was seen in."""

    main: str
    ledger: str
    index: StatKey
    boot: str


class Journal:
    """Reads and writes the three files in ``.git/memfs``."""

    def __init__(self, folder: str, effects: Effects) -> None:
        self._folder = folder
        self._effects = effects
        self.intent_path = f"{folder}/intent"
        self.marker_path = f"{folder}/applied"

    def read_marker(self) -> Marker | None:
        """Returns the marker, ``None`` when it is absent or not readable."""
        fields = (_read(self.marker_path) or b"").decode("utf-8", "replace").split()
        if len(fields) != _MARKER_FIELDS or fields[0] != _VERSION:
            return None
        try:
            index = StatKey(int(fields[3]), int(fields[4]), int(fields[5]))
        except ValueError:
            return None
        main, ledger = ("" if item == _ABSENT else item for item in fields[1:3])
        return Marker(main=main, ledger=ledger, index=index, boot=fields[6])

    def write_marker(self, marker: Marker, temporary: str) -> None:
        """Writes the marker through ``temporary``; it needs no sync, recovery is idempotent."""
        refs = f"{marker.main or _ABSENT} {marker.ledger or _ABSENT}"
        numbers = " ".join(str(number) for number in marker.index)
        text = f"{_VERSION} {refs} {numbers} {marker.boot}\n"
        os.close(self._effects.create(temporary, text.encode("ascii")))
        self._effects.rename(temporary, self.marker_path)

    def read_intent(self) -> Intent | None:
        """Returns the last intent, ``None`` when it is absent or not readable."""
        content = _read(self.intent_path)
        if content is None:
            return None
        try:
            item = json.loads(content[_COMMIT_BYTES:])
            files = tuple(
                Placed(path=path, old=old, new=new, replaces=tuple(replaces))
                for path, old, new, replaces in item["files"]
            )
            return Intent(
                main=item["main"],
                ledger=item["ledger"],
                commit=item["commit"],
                key=item["key"],
                files=files,
            )
        except (ValueError, KeyError, TypeError):
            return None

    def read_intent_commit(self) -> str:
        """Returns the commit of the last intent, empty for none; its size does not matter."""
        try:
            with open(self.intent_path, "rb", buffering=0) as stream:  # noqa: PTH123  hot path
                return stream.read(_COMMIT_BYTES).decode("ascii", "replace").strip()
        except FileNotFoundError:
            return ""

    def remove_intent(self) -> None:
        """Forgets the last intent."""
        if os.path.lexists(self.intent_path):
            self._effects.unlink(self.intent_path)


def encode_intent(intent: Intent) -> bytes:
    """Returns the bytes of an intent: a line with the commit, then everything as JSON."""
    files: Sequence[tuple[str, str, str, tuple[str, ...]]] = [
        (item.path, item.old, item.new, item.replaces) for item in intent.files
    ]
    item = {
        "main": intent.main,
        "ledger": intent.ledger,
        "commit": intent.commit,
        "key": intent.key,
        "files": files,
    }
    return f"{intent.commit}\n{json.dumps(item)}".encode("ascii")


@functools.cache
def read_boot_id() -> str:
    """Returns an id of this run of the system; ``-`` where there is none."""
    content = _read("/proc/sys/kernel/random/boot_id")
    return content.decode("ascii").strip() if content else _ABSENT


def _read(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        return stream.read()
