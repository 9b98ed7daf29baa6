"""Where sessions lie: one folder each below the user's folder of memfs, for their owner only.

A new session is made under another name and appears whole; a removed one leaves its name first.
What a process that died left under such a name goes at the next write. One lock a session (of
a fixed number of lock files, which tell nothing) keeps two writers from making or changing the
same one. No link is followed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from memfs.errors import DataError
from memfs.model.ids import SESSION_PREFIX, is_id
from memfs.store.files import make_private
from memfs.store.git import init_repository
from memfs.store.lock import WriteLock
from memfs.store.session_repository import METADATA, SessionRefusedError, read_metadata
from memfs.store.staging import is_token_alive, own_token

FOLDER: Final = "sessions"
_NEW: Final = ".new-"
_GONE: Final = ".gone-"
_LOCKS: Final = ".locks"
_FORGOTTEN: Final = ".forgotten"
_LOCK_TIMEOUT_S: Final = 60.0


class SessionFolders:
    """The folders of all sessions of one user."""

    def __init__(self, home: Path, *, lock_timeout_s: float = _LOCK_TIMEOUT_S) -> None:
        self.root = home / FOLDER
        self._lock_timeout_s = lock_timeout_s

    def path(self, session: str) -> Path:
        """Returns where a session lies or would lie."""
        if not is_id(session, SESSION_PREFIX):
            raise ValueError(session)
        return self.root / session

    def ids(self) -> tuple[str, ...]:
        """Returns the ids of what may be sessions, sorted; links and other names are left out."""
        try:
            with os.scandir(self.root) as scan:
                names = [entry.name for entry in scan if entry.is_dir(follow_symlinks=False)]
        except OSError:
            return ()
        return tuple(sorted(name for name in names if is_id(name, SESSION_PREFIX)))

    def metadata(self, session: str) -> bytes | None:
        """Returns the metadata of a session; ``None`` where there is none that may be read."""
        path = self.path(session)
        try:
            return read_metadata(path)
        except DataError:
            return None

    @contextmanager
    def locked(self, session: str) -> Iterator[None]:
        """Holds a session's lock.

        Raises:
            LockTimeoutError: Somebody else kept it.
            LockUnavailableError: This account may not write here.
        """
        self._make_root()
        with WriteLock(str(self.root / _LOCKS / session[-2:]), self._lock_timeout_s):
            self.sweep()
            yield

    def make(self, session: str) -> Path:
        """Makes the folder and the repository of a session, or leaves them as they are.

        The caller holds the lock.

        Raises:
            SessionRefusedError: Something else stands there.
        """
        path = self.path(session)
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise SessionRefusedError(f"expected a folder for {session}, got something else")
        if (path / ".git" / "HEAD").is_file():
            return path
        if path.exists():
            self._found(path)
            return path
        new = self.root / f"{_NEW}{own_token(os.getpid())}.{session}"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        self._found(new)
        new.rename(path)
        return path

    def remove(self, session: str) -> bool:
        """Removes a session with all that it has; the caller holds the lock.

        Returns:
            Whether there was one.
        """
        path = self.path(session)
        gone = self.root / f"{_GONE}{own_token(os.getpid())}.{session}"
        try:
            path.rename(gone)
        except FileNotFoundError:
            return False
        if gone.is_symlink():
            gone.unlink()
        else:
            shutil.rmtree(gone)
        return True

    def unfinished(self) -> tuple[Path, ...]:
        """Returns what is being made or removed, or was by a process that died."""
        try:
            with os.scandir(self.root) as scan:
                names = sorted(item.name for item in scan if item.name.startswith((_NEW, _GONE)))
        except OSError:
            return ()
        return tuple(self.root / name for name in names)

    def sweep(self) -> None:
        """Removes what a process that died was making or removing."""
        for path in self.unfinished():
            token = path.name.partition("-")[2].partition(".")[0]
            if not is_token_alive(token):
                with suppress(OSError):
                    shutil.rmtree(path)

    def bar(self, session: str) -> None:
        """Notes, without a word of it, that a session was forgotten and must not come back."""
        self._make_root()
        folder = self.root / _FORGOTTEN
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / session).touch(mode=0o600)

    def is_barred(self, session: str) -> bool:
        """Whether a session was forgotten."""
        return is_id(session, SESSION_PREFIX) and (self.root / _FORGOTTEN / session).exists()

    def _found(self, path: Path) -> None:
        init_repository(path)
        with (path / ".git" / "config").open("a", encoding="ascii") as config:
            # What Git itself writes here, such as packs, is for the owner only as well.
            config.write("[core]\n\tsharedRepository = 0600\n")
        info = path / ".git" / "info"
        info.mkdir(mode=0o700, exist_ok=True)
        (info / "exclude").write_text(f"/{METADATA}\n/.memfs-*\n", encoding="ascii")
        make_private(path)

    def _make_root(self) -> None:
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.root.is_symlink():
            raise SessionRefusedError(f"expected a folder, got a link: {self.root}")
