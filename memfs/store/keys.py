"""Keys of sealed records: one small file each, outside of every store (A61, A82).

They lie in the user's data folder, for their owner alone, and are written so that they survive
a crash before anything that needs them does. Names are ids, checked here; no link is followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memfs.errors import DataError, StoreError
from memfs.model.ids import STORE_PREFIX, is_id
from memfs.store.files import (
    FOLDER_MODE,
    FileKind,
    atomic_write,
    list_files,
    open_folder,
    open_root,
    read_file,
    remove_file,
)

KEY_FOLDER: Final = "keys"
_SUFFIX: Final = ".key"
_MOST_BYTES: Final = 4096


class KeyFolderError(StoreError):
    """There is no private folder to keep keys in."""

    code = "seal.no-key-folder"


class KeyRing:
    """The keys of one store's sealed records.

    Args:
        home: The user's data folder of memfs; absolute.
        store_id: Identity of the store.

    Raises:
        KeyFolderError: The folder is not absolute, or the store has no proper id.
    """

    def __init__(self, home: Path, store_id: str) -> None:
        if not home.is_absolute() or not is_id(store_id, STORE_PREFIX):
            raise KeyFolderError("expected an absolute data folder and the id of a store")
        self._home = home
        self._folder = f"{KEY_FOLDER}/{store_id}"

    def write(self, identifier: str, key: str) -> None:
        """Keeps a key durably, for its owner alone.

        Raises:
            KeyFolderError: It cannot be kept.
        """
        path = self._path(identifier)
        try:
            self._home.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            with self._opened() as root:
                with open_folder(root, self._folder, create=True) as folder:
                    os.fchmod(folder, FOLDER_MODE)
                with open_folder(root, KEY_FOLDER) as folder:
                    os.fchmod(folder, FOLDER_MODE)
                    os.fsync(folder)
                atomic_write(root, path, f"{key}\n".encode("ascii"))
        except (OSError, DataError) as error:
            raise KeyFolderError(
                f"the key of {identifier} cannot be kept: {error}",
                hint=f"check the access rights of {self._home}",
            ) from error

    def read(self, identifier: str) -> str:
        """Returns a key, empty when there is none."""
        try:
            with self._opened() as root:
                content = read_file(root, self._path(identifier), limit_bytes=_MOST_BYTES)
        except (OSError, DataError):
            return ""
        return (content or b"").decode("ascii", "replace").strip()

    def destroy(self, identifier: str) -> bool:
        """Removes a key durably; tells whether there was one.

        Raises:
            KeyFolderError: It is there and cannot be removed.
        """
        try:
            with self._opened() as root:
                return remove_file(root, self._path(identifier), durable=True)
        except FileNotFoundError:
            return False
        except (OSError, DataError) as error:
            raise KeyFolderError(f"the key of {identifier} cannot be removed: {error}") from error

    def identifiers(self) -> tuple[str, ...]:
        """Returns the records whose keys are here, sorted."""
        try:
            with self._opened() as root:
                found = [
                    Path(path).name.removesuffix(_SUFFIX)
                    for path, kind in list_files(root, self._folder)
                    if kind is FileKind.REGULAR and path.endswith(_SUFFIX)
                ]
        except (OSError, DataError):
            return ()
        return tuple(sorted(name for name in found if is_id(name)))

    def _path(self, identifier: str) -> str:
        if not is_id(identifier):
            raise KeyFolderError(f"expected the id of a record, got {identifier[:40]!r}")
        return f"{self._folder}/{identifier}{_SUFFIX}"

    @contextmanager
    def _opened(self) -> Iterator[int]:
        descriptor = open_root(self._home)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
