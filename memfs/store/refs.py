"""Git refs without a process: reading them, and moving two of them in one step.

``refs/heads/main`` and ``refs/memfs/ledger`` move together: both lock files are taken, both
old values are compared, then both are renamed into place, ``main`` first. That rename is the
commit point of a transaction; recovery moves the other ref when a process dies in between.
Only the ``files`` ref storage is known; a repository with another one is refused at open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memfs.errors import ConflictError, StoreError
from memfs.model.frozen import frozen
from memfs.store.effects import Effects
from memfs.store.lock import FileLock
from memfs.store.staging import Staging

MAIN_BRANCH: Final = "main"
MAIN_REF: Final = "refs/heads/main"
LEDGER_REF: Final = "refs/memfs/ledger"

ZERO_OID: Final = "0" * 40
_OID: Final = re.compile(r"[0-9a-f]{40}")
_SYMBOLIC: Final = "ref: "


class RefMovedError(ConflictError):
    """A ref had another value than the one it was to be moved from."""

    code = "conflict.ref-moved"


class BrokenRefError(StoreError):
    """A ref file holds no object id."""

    code = "store.broken-ref"


def read_ref(git_dir: str, name: str) -> str:
    """Returns the object id that a ref holds, or an empty string when there is no such ref.

    Raises:
        BrokenRefError: The ref holds something else, as after a power cut.
    """
    # A ref may be packed between the two looks; the loose file is then gone for good.
    for _ in range(2):
        text = _read_text(f"{git_dir}/{name}")
        if text is not None:
            oid = text.strip()
            if _OID.fullmatch(oid) is None:
                raise BrokenRefError(f"expected an object id in {name}, got {oid[:60]!r}")
            return oid
        packed = _read_packed(git_dir, name)
        if packed:
            return packed
    return ""


def read_branch(git_dir: str) -> str:
    """Returns the branch that HEAD points at, or an empty string when HEAD is detached."""
    text = _read_text(f"{git_dir}/HEAD") or ""
    if not text.startswith(_SYMBOLIC):
        return ""
    return text[len(_SYMBOLIC) :].strip().removeprefix("refs/heads/")


def _read_packed(git_dir: str, name: str) -> str:
    text = _read_text(f"{git_dir}/packed-refs")
    if text is None:
        return ""
    wanted = f" {name}\n"
    at = text.find(wanted)
    return text[at - 40 : at] if at >= 40 else ""


def _read_text(path: str) -> str | None:
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123  on the hottest path
            content = stream.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    return (content or b"").decode("utf-8", "replace")


@frozen
class RefMove:
    """One ref on its way: its old value (empty for absent) and its new one."""

    name: str
    old: str
    new: str


class RefTransaction:
    """Moves refs together: :meth:`stage`, :meth:`lock`, :meth:`publish`, :meth:`release`."""

    def __init__(
        self, git_dir: str, moves: Sequence[RefMove], staging: Staging, effects: Effects
    ) -> None:
        self._git_dir = git_dir
        self._moves = tuple(moves)
        self._staging = staging
        self._effects = effects
        self._locks: list[FileLock] = []

    def stage(self) -> None:
        """Writes the new values aside, so that they are durable before any lock is taken."""
        for move in self._moves:
            twin = self._staging.put(f"{move.new}\n".encode("ascii"))
            target = f"{self._git_dir}/{move.name}.lock"
            self._locks.append(FileLock(target, twin, self._staging, self._effects))

    def lock(self, deadline: float, *, is_checked: bool = True) -> None:
        """Takes the lock file of each ref and compares its value unless told not to.

        Raises:
            LockTimeoutError: Another process kept a lock file.
            RefMovedError: A ref has another value.
        """
        for move, lock in zip(self._moves, self._locks, strict=True):
            lock.acquire(deadline)
            if not is_checked:
                continue
            found = read_ref(self._git_dir, move.name)
            if found != move.old:
                raise RefMovedError(
                    f"expected {move.name} at {move.old or 'nothing'}, got {found or 'nothing'}"
                )

    def publish(self, *, step: str) -> None:
        """Moves the refs, in order; after the first one the transaction has happened."""
        for move, lock in zip(self._moves, self._locks, strict=True):
            lock.publish(f"{self._git_dir}/{move.name}")
            self._effects.step(f"{step}:{move.name}")

    def sync(self) -> None:
        """Makes the new names durable."""
        for folder in {move.name.rpartition("/")[0] for move in self._moves}:
            self._effects.fsync_folder(f"{self._git_dir}/{folder}")

    def release(self) -> None:
        """Removes lock files that were not published."""
        for lock in self._locks:
            lock.release()


def append_reflog(
    git_dir: str, move: RefMove, *, identity: str, message: str, effects: Effects
) -> None:
    """Appends one line to a ref's log.

    Args:
        git_dir: The repository.
        move: What happens.
        identity: ``name <mail> seconds zone`` of the committer.
        message: One line.
        effects: The effects to use.
    """
    line = f"{move.old or ZERO_OID} {move.new} {identity}\t{message}\n".encode()
    path = f"{git_dir}/logs/{move.name}"
    try:
        effects.append(path, line)
    except FileNotFoundError:
        folder = f"{git_dir}/logs"
        effects.mkdir(folder)
        for part in move.name.split("/")[:-1]:
            folder = f"{folder}/{part}"
            effects.mkdir(folder)
        effects.append(path, line)
