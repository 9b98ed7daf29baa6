"""Encodes Git objects and puts them into the repository as loose files.

An object is complete under a temporary name before its own name appears, so a reader never
sees a part of one. An object that is there already is written again: its fresh time keeps a
concurrent ``git gc`` from pruning it.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Final, NamedTuple

from memfs.store.effects import Effects
from memfs.store.staging import Staging

_LEVEL: Final = 1
"""Fast; the objects are packed again by maintenance."""
_ATTEMPTS: Final = 10


class EncodedObject(NamedTuple):
    """An object id and the bytes of its loose file."""

    oid: str
    packed: bytes


def encode_object(kind: str, content: bytes) -> EncodedObject:
    """Returns the loose form of one object of ``kind`` ``blob``, ``tree`` or ``commit``."""
    whole = b"%s %d\0" % (kind.encode("ascii"), len(content)) + content
    digest = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    return EncodedObject(digest, zlib.compress(whole, _LEVEL))


class ObjectWriter:
    """Collects the objects of one transaction and publishes them together."""

    def __init__(self, git_dir: str, staging: Staging, effects: Effects) -> None:
        self._folder = f"{git_dir}/objects"
        self._staging = staging
        self._effects = effects
        self._staged: dict[str, str] = {}

    def add(self, item: EncodedObject) -> None:
        """Writes one object under a temporary name."""
        if item.oid not in self._staged:
            self._staged[item.oid] = self._staging.put(item.packed, mode=0o400)

    def publish(self, *, is_synced: bool = False) -> None:
        """Gives every collected object its name; the staging must have been flushed before.

        Args:
            is_synced: Makes the names durable at once instead of with the refs.
        """
        folders = {f"{self._folder}/{oid[:2]}" for oid in self._staged} if is_synced else set()
        for oid, temporary in self._staged.items():
            self._publish_one(temporary, f"{self._folder}/{oid[:2]}", oid[2:])
            self._staging.forget(temporary)
        self._staged.clear()
        for folder in folders:
            self._effects.fsync_folder(folder)

    def _publish_one(self, temporary: str, folder: str, name: str) -> None:
        for _ in range(_ATTEMPTS):
            try:
                self._effects.rename(temporary, f"{folder}/{name}")
                return
            except FileNotFoundError:
                # The folder is not there yet, or a repack has just removed it as empty.
                self._effects.mkdir(folder)
        self._effects.rename(temporary, f"{folder}/{name}")
