"""Keeps Git's index in step with a transaction, without a process where the form allows it.

The caller holds ``index.lock``. A plain version 2 index is rewritten from its entries, a split
index gets a small delta (:mod:`memfs.store.splitindex`), and every other form is edited by Git
itself in a private copy. In each case the new file replaces the old one by a rename, so a
reader sees one or the other. What is not understood is never guessed: an unknown version or
mandatory extension takes Git's way.
"""

from __future__ import annotations

import hashlib
import os
import struct
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memfs.store.cachetree import invalidate_cache_tree

SIGNATURE: Final = b"DIRC"
VERSION: Final = 2
HEADER: Final = struct.Struct(">4sLL")
ENTRY: Final = struct.Struct(">10L20sH")
ENTRY_BYTES: Final = ENTRY.size
CHECKSUM_BYTES: Final = 20

LINK: Final = b"link"
CACHE_TREE: Final = b"TREE"
UNTRACKED: Final = b"UNTR"
RESOLVE_UNDO: Final = b"REUC"
# Offsets into the file: wrong after a rewrite, and Git does without them.
_DROPPED: Final = (b"EOIE", b"IEOT")
_KEPT: Final = (CACHE_TREE, UNTRACKED, RESOLVE_UNDO)

_NAME_MASK: Final = 0x0FFF
_STAGE_MASK: Final = 0x3000
_EXTENDED: Final = 0x4000

_MANY: Final = 64
"""From here on a merge of all entries is cheaper than single insertions."""


class UnknownIndexError(Exception):
    """The index is in a form that only Git itself should edit; never leaves the store."""


class IndexEdit(NamedTuple):
    """One entry to set or to remove.

    Attributes:
        path: Path as bytes.
        mode: Git mode of the entry.
        oid: Blob id; empty removes the entry.
        status: Stat result of the working file when it holds exactly that blob; without one the
            entry makes Git look at the file's content.
    """

    path: bytes
    mode: int
    oid: str
    status: os.stat_result | None = None


@dataclass(slots=True)
class IndexImage:
    """The content of a version 2 index: sorted paths, their entries, and extensions in order."""

    paths: list[bytes] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)
    extensions: list[tuple[bytes, bytes]] = field(default_factory=list)

    @property
    def is_split(self) -> bool:
        """Whether most entries are in a shared file."""
        return any(name == LINK for name, _ in self.extensions)


def parse_index(data: bytes) -> IndexImage:
    """Parses the bytes of an index file.

    Entries of a split index that stand for replaced shared ones have empty paths and come first.

    Raises:
        UnknownIndexError: Another version, unmerged or extended entries, an unknown mandatory
            extension, or a damaged file.
    """
    if len(data) < HEADER.size + CHECKSUM_BYTES:
        raise UnknownIndexError("too short")
    signature, version, count = HEADER.unpack_from(data)
    if signature != SIGNATURE or version != VERSION:
        raise UnknownIndexError(f"version {version}")
    image = IndexImage()
    at = _parse_entries(data, count, image)
    end = len(data) - CHECKSUM_BYTES
    while at < end:
        if at + 8 > end:
            raise UnknownIndexError("a cut extension")
        name = data[at : at + 4]
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if name[:1].islower() and name != LINK:
            raise UnknownIndexError(f"extension {name!r}")
        if at + 8 + size > end:
            raise UnknownIndexError("a cut extension")
        if name == LINK or name in _KEPT:
            image.extensions.append((name, data[at + 8 : at + 8 + size]))
        elif name not in _DROPPED:
            # A file system monitor's bitmap counts entries; only Git can shift it.
            raise UnknownIndexError(f"extension {name!r}")
        at += 8 + size
    return image


def _parse_entries(data: bytes, count: int, image: IndexImage) -> int:
    at = HEADER.size
    add_path, add_entry = image.paths.append, image.entries.append
    end = len(data) - CHECKSUM_BYTES
    for _ in range(count):
        flags = data[at + 60] << 8 | data[at + 61]
        if flags & (_STAGE_MASK | _EXTENDED):
            raise UnknownIndexError("unmerged or extended entries")
        start = at + ENTRY_BYTES
        length = flags & _NAME_MASK
        if length == _NAME_MASK:
            length = data.index(b"\0", start) - start
        stop = at + ((ENTRY_BYTES + length + 8) & ~7)
        if stop > end:
            raise UnknownIndexError("a cut entry")
        add_path(data[start : start + length])
        add_entry(data[at:stop])
        at = stop
    return at


def encode_entry(edit: IndexEdit) -> bytes:
    """Returns the bytes of one entry."""
    status = edit.status
    if status is None:
        # All-zero stat data never matches a file, so Git compares the content.
        numbers = (0, 0, 0, 0, 0, 0, edit.mode, 0, 0, 0)
    else:
        numbers = (
            _low(status.st_ctime_ns // 1_000_000_000),
            status.st_ctime_ns % 1_000_000_000,
            _low(status.st_mtime_ns // 1_000_000_000),
            status.st_mtime_ns % 1_000_000_000,
            _low(status.st_dev),
            _low(status.st_ino),
            edit.mode,
            _low(status.st_uid),
            _low(status.st_gid),
            _low(status.st_size),
        )
    flags = min(len(edit.path), _NAME_MASK)
    head = ENTRY.pack(*numbers, bytes.fromhex(edit.oid), flags)
    padding = 8 - (ENTRY_BYTES + len(edit.path)) % 8
    return head + edit.path + bytes(padding)


def distrust_recent(image: IndexImage, root: bytes, since_s: int) -> None:
    """Makes Git look at the content of files that changed in the second the index was written.

    Git compares whole seconds: an edit of the same length within that second is seen only
    while the index is not newer than the file. The index that is written next will be, so
    entries whose file is not to the nanosecond what they say lose their stat data now.

    Args:
        image: The index as it was; its entries are replaced in place.
        root: Root of the working tree.
        since_s: When that index was written, in whole seconds.
    """
    stamp = _low(since_s).to_bytes(4, "big")
    recent = [at for at, entry in enumerate(image.entries) if entry[8:12] >= stamp]
    for at in recent:
        entry, path = image.entries[at], image.paths[at]
        if not path:
            continue
        try:
            status = os.lstat(os.path.join(root, path))  # noqa: PTH118  bytes
        except OSError:
            continue
        said = int.from_bytes(entry[8:12], "big"), int.from_bytes(entry[12:16], "big")
        if divmod(status.st_mtime_ns, 1_000_000_000) != said:
            image.entries[at] = bytes(24) + entry[24:28] + bytes(12) + entry[40:]


def _low(number: int) -> int:
    return number & 0xFFFFFFFF


def apply_edits(image: IndexImage, edits: Sequence[IndexEdit]) -> None:
    """Applies edits to the named entries of an image and to the extensions that depend on them."""
    paths, entries = image.paths, image.entries
    if len(edits) > _MANY and not image.is_split:
        _apply_many(image, edits)
    else:
        for edit in edits:
            at = bisect_left(paths, edit.path)
            is_there = at < len(paths) and paths[at] == edit.path
            if not edit.oid:
                if is_there:
                    del paths[at], entries[at]
            elif is_there:
                entries[at] = encode_entry(edit)
            else:
                paths.insert(at, edit.path)
                entries.insert(at, encode_entry(edit))
    _drop_conflicting_folders(image, edits)
    # A removed entry may leave a file behind that the untracked cache does not know.
    has_removals = any(not edit.oid for edit in edits)
    image.extensions = [
        (
            name,
            invalidate_cache_tree(data, [edit.path for edit in edits])
            if name == CACHE_TREE
            else data,
        )
        for name, data in image.extensions
        if not (name == UNTRACKED and has_removals)
    ]


def _apply_many(image: IndexImage, edits: Sequence[IndexEdit]) -> None:
    merged = dict(zip(image.paths, image.entries, strict=True))
    for edit in edits:
        if edit.oid:
            merged[edit.path] = encode_entry(edit)
        else:
            merged.pop(edit.path, None)
    image.paths = sorted(merged)
    image.entries = [merged[path] for path in image.paths]


def _drop_conflicting_folders(image: IndexImage, edits: Sequence[IndexEdit]) -> None:
    """Refuses an index that would hold both ``a`` and ``a/b``; Git sorts such cases out."""
    paths = image.paths
    for edit in edits:
        if not edit.oid:
            continue
        at = bisect_left(paths, edit.path + b"/")
        if at < len(paths) and paths[at].startswith(edit.path + b"/"):
            raise UnknownIndexError("a file where a folder was")
        parent = edit.path
        while b"/" in parent:
            parent = parent.rpartition(b"/")[0]
            at = bisect_left(paths, parent)
            if at < len(paths) and paths[at] == parent:
                raise UnknownIndexError("a folder where a file was")


def encode_index(image: IndexImage) -> bytes:
    """Returns the bytes of an index file, checksum included."""
    parts = [HEADER.pack(SIGNATURE, VERSION, len(image.entries)), *image.entries]
    for name, data in image.extensions:
        parts += (name, len(data).to_bytes(4, "big"), data)
    body = b"".join(parts)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()
