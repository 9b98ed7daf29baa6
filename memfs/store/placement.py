"""Puts the files of a committed transaction into the working tree, never over a person's text.

A working file is replaced or removed only when it holds exactly the blob that the branch had
before, or a text that the plan says was handed in. It is looked at immediately before, swapped
out rather than overwritten, and looked at again: an editor that saves in between gets its text
back. Everything else stays as the person left it and is reported as kept. Every folder on the
way is opened without following links.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from memfs.errors import DataError
from memfs.store.effects import Effects
from memfs.store.files import FILE_MODE, FileRefusedError, open_file, open_folder, open_root
from memfs.store.gitindex import IndexEdit
from memfs.store.journal import Placed
from memfs.store.staging import Staging
from memfs.store.tree import MODE_FILE

IRREGULAR: Final = "irregular"
"""Stands where a blob id is expected for a link, a folder or a special file."""

_PIECE: Final = 1 << 18
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Placement(NamedTuple):
    """What became of the working files: index entries to set, and paths left as they were."""

    edits: tuple[IndexEdit, ...]
    kept: tuple[str, ...]


class WorkingFiles:
    """The working tree of one store, for one transaction or recovery; a context manager."""

    def __init__(self, root: Path, staging: Staging, effects: Effects) -> None:
        self._staging = staging
        self._effects = effects
        self._root = open_root(root)

    def __enter__(self) -> WorkingFiles:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    def look(self, path: str) -> tuple[str, os.stat_result | None]:
        """Returns blob id and stat result of a working file.

        The id is empty for an absent file and :data:`IRREGULAR` for anything that is none.
        """
        try:
            with open_file(self._root, path) as descriptor:
                return _read_digest(descriptor)
        except (FileNotFoundError, NotADirectoryError):
            return "", None
        except (DataError, OSError):
            return IRREGULAR, None

    def place(self, files: Sequence[Placed], stage: Callable[[Placed], str]) -> Placement:
        """Brings working files in step with a commit.

        Args:
            files: What to do, path by path.
            stage: Gives a temporary file with the new content of one of them.
        """
        edits: list[IndexEdit] = []
        kept: list[str] = []
        # Removals first: a folder may take the place of a file.
        for item in sorted(files, key=lambda item: bool(item.new)):
            status = self._place_one(item, stage)
            if status is _KEPT:
                kept.append(item.path)
                status = None
            assert not isinstance(status, _Kept)
            edits.append(IndexEdit(os.fsencode(item.path), MODE_FILE, item.new, status))
            self._effects.step("placed")
        return Placement(tuple(edits), tuple(sorted(kept)))

    def _place_one(
        self, item: Placed, stage: Callable[[Placed], str]
    ) -> os.stat_result | _Kept | None:
        digest, status = self.look(item.path)
        if digest == item.new:
            return self._adopt(item.path, digest, status)
        if digest != item.old and digest not in item.replaces:
            return _KEPT
        try:
            if item.new:
                return self._put(item.path, stage(item), digest)
            return self._remove(item.path, digest)
        except (FileRefusedError, FileExistsError, FileNotFoundError):
            # A person is changing the file or its folder at this very moment; theirs stands.
            return _KEPT
        except (IsADirectoryError, NotADirectoryError):
            return _KEPT

    def _adopt(
        self, path: str, digest: str, status: os.stat_result | None
    ) -> os.stat_result | _Kept | None:
        """Takes a file that a person wrote as it is, but for its owner only (O60)."""
        if status is None or stat.S_IMODE(status.st_mode) == FILE_MODE:
            return status
        try:
            with open_file(self._root, path) as descriptor:
                self._effects.make_plain(descriptor)
        except (FileNotFoundError, FileRefusedError):
            return _KEPT
        found, status = self.look(path)
        return status if found == digest else _KEPT

    def _put(self, path: str, temporary: str, digest: str) -> os.stat_result | _Kept:
        folder, _, name = path.rpartition("/")
        self._make_folders(folder)
        with open_folder(self._root, folder) as parent:
            if not digest:
                self._effects.rename_new(temporary, name, target_folder=parent)
            elif self._effects.exchange(temporary, name, target_folder=parent):
                if _digest_of(temporary) != digest:
                    self._effects.exchange(temporary, name, target_folder=parent)
                    return _KEPT
                self._effects.unlink(temporary)
            else:
                self._effects.rename(temporary, name, target_folder=parent)
            self._staging.forget(temporary)
            return os.stat(name, dir_fd=parent, follow_symlinks=False)

    def _make_folders(self, folder: str) -> None:
        try:
            with open_folder(self._root, folder):
                return
        except FileNotFoundError:
            parent = folder.rpartition("/")[0]
        if parent:
            self._make_folders(parent)
        with open_folder(self._root, parent) as descriptor:
            self._effects.mkdir(folder.rpartition("/")[2], folder=descriptor)

    def _remove(self, path: str, digest: str) -> _Kept | None:
        folder, _, name = path.rpartition("/")
        taken = self._staging.new_name()
        with open_folder(self._root, folder) as parent:
            self._effects.take(name, taken, source_folder=parent)
            if _digest_of(taken) != digest:
                self._effects.rename_new(taken, name, target_folder=parent)
                return _KEPT
        self._effects.unlink(taken)
        self._staging.forget(taken)
        while folder:
            above, _, name = folder.rpartition("/")
            with contextlib.suppress(OSError), open_folder(self._root, above) as parent:
                self._effects.rmdir(name, folder=parent)
                folder = above
                continue
            break
        return None


def _digest_of(temporary: str) -> str:
    """Returns the blob id of what was just taken out of the working tree."""
    try:
        descriptor = os.open(temporary, _READ)
    except OSError:
        return IRREGULAR
    try:
        return _read_digest(descriptor)[0]
    finally:
        os.close(descriptor)


def _read_digest(descriptor: int) -> tuple[str, os.stat_result]:
    status = os.fstat(descriptor)
    digest = hashlib.sha1(b"blob %d\0" % status.st_size, usedforsecurity=False)
    while piece := os.read(descriptor, _PIECE):
        digest.update(piece)
    return digest.hexdigest(), status


class _Kept:
    """Marks a working file that was left alone."""


_KEPT: Final = _Kept()
