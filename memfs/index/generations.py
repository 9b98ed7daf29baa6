"""Generations of the stored index: folders behind a pointer file, swept when replaced.

Everything lies in the user's private cache. A folder that is not the user's own, or that
others may write to, is never opened: parts of a Whoosh index are pickles. Readers follow
the pointer without a lock and look again when a file went away under them; writers take
turns through a lock that dies with its process. A rebuild works in a new folder and moves
the pointer last, so whatever happens to it, the old generation stays.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.index.analysis import Analyzer
from memfs.index.batch import Batch
from memfs.index.documents import Document
from memfs.index.manifest import MANIFEST_NAME, replace_file
from memfs.index.whoosh_index import WhooshIndex

_POINTER: Final = "current"
_LOCK: Final = "lock"
_NAME: Final = re.compile(r"gen-[0-9a-f]{16}\Z")
_ATTEMPTS: Final = 20
_POLL_S: Final = 0.005


class Generations:
    """The stored index of one store.

    Args:
        folder: Private folder for this index alone.
        store_id: Identity of the store; an index of another one is foreign.
        settings: Digest of what is fixed at indexing.
        analyzer: Shared by everything that reads or writes the index.
    """

    def __init__(self, folder: Path, *, store_id: str, settings: str, analyzer: Analyzer) -> None:
        self.folder = folder
        self.analyzer = analyzer
        self._store_id = store_id
        self._settings = settings
        self._opened: tuple[object, WhooshIndex] | None = None

    def open(self) -> WhooshIndex:
        """Opens the current generation.

        Raises:
            IndexUnavailableError: ``index.missing``, ``index.foreign``, ``index.other-schema``
                or ``index.damaged``; a rebuild helps with each, except that a foreign folder
                must go first.
        """
        self._check_private()
        attempt = 0
        while True:
            name = self._pointer()
            mark = _mark(self.folder / name)
            if self._opened is not None and mark is not None and self._opened[0] == mark:
                return self._opened[1]
            try:
                earlier = self._opened[1] if self._opened is not None else None
                index = WhooshIndex.open(self.folder / name, self.analyzer, earlier=earlier)
            except IndexUnavailableError:
                # A writer may have replaced files between our looks at them.
                attempt += 1
                moved = self._pointer() != name or _mark(self.folder / name) != mark
                if attempt >= _ATTEMPTS or not moved:
                    raise
                continue
            self._check_ours(index)
            self._opened = None if mark is None else (mark, index)
            return index

    def forget(self) -> None:
        """Lets go of what was opened, after it has shown damage."""
        self._opened = None

    def rebuild(self, batch: Batch, ledger: str) -> WhooshIndex:
        """Writes a new generation and makes it current; the caller holds the lock.

        Raises:
            OSError: The cache cannot be written.
        """
        from memfs.index.whoosh_writer import create_index

        name = f"gen-{secrets.token_hex(8)}"
        (self.folder / name).mkdir(mode=0o700)
        create_index(
            self.folder / name,
            batch,
            store_id=self._store_id,
            ledger=ledger,
            settings=self._settings,
        )
        index = WhooshIndex.open(self.folder / name, self.analyzer)
        replace_file(self.folder / _POINTER, f"{name}\n".encode("ascii"))
        self.sweep()
        return index

    def change(
        self,
        index: WhooshIndex,
        *,
        removed: Collection[str],
        added: Sequence[Document],
        ledger: str,
        is_purging: bool = False,
    ) -> WhooshIndex:
        """Brings the current generation to another commit; the caller holds the lock.

        Args:
            index: The generation as opened under this lock.
            removed: Paths whose documents go, changed ones included.
            added: Documents that come.
            ledger: The commit that the result stands for.
            is_purging: Leave no word of a deleted document in any file.

        Raises:
            IndexUnavailableError: The generation is out of step; rebuild it.
            OSError: The cache cannot be written.
        """
        from memfs.index.whoosh_writer import change_index

        change_index(
            index.folder,
            index.manifest,
            ledger=ledger,
            deleted=index.find(removed),
            added=added,
            is_purging=is_purging,
        )
        changed = WhooshIndex.open(index.folder, self.analyzer, earlier=index)
        mark = _mark(index.folder)
        self._opened = None if mark is None else (mark, changed)
        return changed

    @contextmanager
    def locked(self, timeout_s: float) -> Iterator[bool]:
        """Takes the writers' lock; yields whether it was got in time.

        Raises:
            IndexUnavailableError: The folder is not private.
            OSError: The cache cannot be written.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_private()
        descriptor = os.open(
            self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            yield _take(descriptor, timeout_s)
        finally:
            os.close(descriptor)

    def sweep(self) -> int:
        """Removes folders that the pointer does not name; the caller holds the lock."""
        from shutil import rmtree

        current = self._pointer()
        stale = [
            path
            for path in self.folder.iterdir()
            if _NAME.match(path.name) and path.name != current and not path.is_symlink()
        ]
        for path in stale:
            rmtree(path, ignore_errors=True)
        return len(stale)

    def _pointer(self) -> str:
        try:
            name = (self.folder / _POINTER).read_bytes()[:64].decode("ascii", "replace").strip()
        except OSError as error:
            raise IndexUnavailableError("there is no index yet", code="index.missing") from error
        if not _NAME.match(name):
            raise IndexUnavailableError("the index pointer is damaged", code="index.damaged")
        return name

    def _check_private(self) -> None:
        try:
            found = self.folder.lstat()
        except OSError as error:
            raise IndexUnavailableError("there is no index yet", code="index.missing") from error
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise IndexUnavailableError(
                f"expected a private folder of this user for the index, got {self.folder}",
                hint="remove it; the index comes back by itself",
                code="index.foreign",
            )

    def _check_ours(self, index: WhooshIndex) -> None:
        if index.manifest.store_id != self._store_id:
            raise IndexUnavailableError("the index is of another store", code="index.other-store")
        if index.manifest.settings != self._settings:
            raise IndexUnavailableError(
                "the index was made with other settings", code="index.other-schema"
            )


def _mark(folder: Path) -> tuple[object, ...] | None:
    """Returns what tells a manifest from any that replaces it; ``None`` when there is none."""
    try:
        found = (folder / MANIFEST_NAME).stat()
    except OSError:
        return None
    return folder, found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _take(descriptor: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        else:
            return True
