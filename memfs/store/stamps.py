"""Stamps of working files: what tells, without reading a file, that it is still the same.

A stamp is type, link count, inode, size and both times to the nanosecond. The table of stamps
remembers which blob a file with a stamp held, so that only files with a new stamp are read; it
is a cache under ``.git/memfs`` and may be deleted at any moment. Git's own index cannot serve:
it compares whole seconds, and misses an edit of the same length within one.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from memfs.errors import DataError
from memfs.model.frozen import frozen
from memfs.store.files import (
    FileRefusedError,
    atomic_write,
    digest_open,
    open_folder,
    open_regular,
    open_root,
    read_file,
)
from memfs.store.paths import MAX_DEPTH, check_path

TABLE_PATH: Final = "memfs/stamps"

_MAGIC: Final = b"memfs-stamps 1\n"
_FIELDS: Final = 6
_OID_BYTES: Final = 20
_UNKNOWN: Final = bytes(_OID_BYTES)
_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_MAX_TABLE_BYTES: Final = 1 << 30
_SETTLED_NS: Final = 100_000_000
_SETTLED_COARSE_NS: Final = 3_000_000_000


class Scan(NamedTuple):
    """All files of a working tree, in the order met: their paths, and six numbers for each.

    ``closed`` names the folders that could not be entered although they are there: nothing is
    known of what is in them, least of all that it is gone.
    """

    paths: list[str]
    numbers: list[int]
    closed: list[str]

    def stamp(self, at: int) -> tuple[int, ...]:
        """Returns the stamp of the file at a position."""
        return tuple(self.numbers[at * _FIELDS : (at + 1) * _FIELDS])

    def is_regular(self, at: int) -> bool:
        """Whether the file at a position is a regular one with a single name."""
        mode, links = self.numbers[at * _FIELDS : at * _FIELDS + 2]
        return stat.S_ISREG(mode) and links == 1


@frozen
class StampTable:
    """What the last comparison found.

    Attributes:
        tree: Tree that the files were compared with; empty for none.
        paths: Paths in the order of the scan.
        stamps: Six numbers for each path.
        blobs: Twenty bytes for each path, zero where the content must be read again.
        suspects: Paths that differed from the tree.
    """

    tree: str = ""
    paths: list[str] = field(default_factory=list)
    stamps: bytes = b""
    blobs: bytes = b""
    suspects: tuple[str, ...] = ()

    def known(self) -> Mapping[str, tuple[tuple[int, ...], str]]:
        """Returns stamp and blob id by path, of those whose content is known."""
        numbers = array("q")
        numbers.frombytes(self.stamps)
        found = {}
        for at, path in enumerate(self.paths):
            blob = self.blobs[at * _OID_BYTES : (at + 1) * _OID_BYTES]
            if blob != _UNKNOWN:
                found[path] = (tuple(numbers[at * _FIELDS : (at + 1) * _FIELDS]), blob.hex())
        return found

    def says(self, paths: list[str], stamps: bytes) -> bool:
        """Whether these are the very files of the table, and the content of each is known."""
        if stamps != self.stamps or paths != self.paths:
            return False
        return not any(
            self.blobs[at : at + _OID_BYTES] == _UNKNOWN for at in self._zeros(len(self.blobs))
        )

    def contents_of(self, wanted: Iterable[str]) -> dict[str, str]:
        """Returns the blob ids of those ``wanted`` paths that are in the table."""
        if not (names := frozenset(wanted)):
            return {}
        return {
            path: self.blobs[at * _OID_BYTES : (at + 1) * _OID_BYTES].hex()
            for at, path in enumerate(self.paths)
            if path in names
        }

    def _zeros(self, size: int) -> Iterator[int]:
        at = self.blobs.find(_UNKNOWN)
        while at != -1 and at < size:
            yield at - at % _OID_BYTES
            at = self.blobs.find(_UNKNOWN, at + 1)


def scan_files(root_fd: int, skipped: frozenset[str]) -> Scan:
    """Returns every file below the root that is no folder; links are not followed.

    Args:
        root_fd: Descriptor of the root.
        skipped: Names directly below the root that are not looked at.
    """
    scan = Scan([], [], [])
    _scan_folder(os.dup(root_fd), "", scan, skipped)
    return scan


def _scan_folder(descriptor: int, prefix: str, scan: Scan, skipped: frozenset[str]) -> None:
    folders: list[str] = []
    add_path, add_numbers = scan.paths.append, scan.numbers.extend
    try:
        with os.scandir(descriptor) as found:
            for entry in found:
                name = entry.name
                if name in skipped:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # removed while we look
                    continue
                add_path(prefix + name)
                add_numbers(
                    (
                        status.st_mode,
                        status.st_nlink,
                        status.st_ino,
                        status.st_size,
                        status.st_mtime_ns,
                        status.st_ctime_ns,
                    )
                )
        if prefix.count("/") >= MAX_DEPTH:
            return
        for name in folders:
            try:
                deeper = os.open(name, _FOLDER, dir_fd=descriptor)
            except (FileNotFoundError, NotADirectoryError):  # removed or replaced by a link
                continue
            except OSError as error:
                if error.errno != errno.ELOOP:
                    scan.closed.append(f"{prefix}{name}/")
                continue
            _scan_folder(deeper, f"{prefix}{name}/", scan, frozenset({".git"}))
    except OSError:
        scan.closed.append(prefix)
    finally:
        os.close(descriptor)


def digest_files(root_fd: int, paths: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yields path and Git blob id of many files; ``None`` for what is absent or cannot be read.

    Quick when files of one folder stand together.
    """
    for folder, group in groupby(paths, key=lambda path: path.rpartition("/")[0]):
        members = list(group)
        try:
            with open_folder(root_fd, folder) as parent:
                yield from ((path, _digest_in(parent, path)) for path in members)
        except (OSError, DataError):
            yield from ((path, None) for path in members)


def _digest_in(parent: int, path: str) -> str | None:
    try:
        check_path(path)
        descriptor = open_regular(parent, path.rpartition("/")[2], path)
    except (OSError, DataError):
        return None
    try:
        return digest_open(descriptor)
    except OSError:  # the disk fails; what it holds is unknown
        return None
    finally:
        os.close(descriptor)


def is_settled_at(stamp: tuple[int, ...], started_ns: int) -> bool:
    """Whether a file with this stamp cannot have changed again without a new stamp.

    Args:
        stamp: Its stamp.
        started_ns: Real time when its folder was scanned.
    """
    modified, changed = stamp[-2:]
    # File systems with whole seconds show it in the times themselves.
    is_coarse = modified % 1_000_000_000 == 0 and changed % 1_000_000_000 == 0
    margin = _SETTLED_COARSE_NS if is_coarse else _SETTLED_NS
    return max(modified, changed) < started_ns - margin


def pack_stamps(scan: Scan) -> bytes:
    """Returns the numbers of a scan as the table keeps them."""
    return array("q", scan.numbers).tobytes()


def load_table(git_dir: Path) -> StampTable:
    """Reads the table; an empty one when there is none that can be believed."""
    try:
        descriptor = open_root(git_dir)
        try:
            data = read_file(descriptor, TABLE_PATH, limit_bytes=_MAX_TABLE_BYTES)
        finally:
            os.close(descriptor)
    except (OSError, DataError):
        return StampTable()
    return _decode(data) if data is not None else StampTable()


def save_table(git_dir: Path, table: StampTable) -> None:
    """Writes the table; a file system that refuses only makes the next look slower."""
    try:
        descriptor = open_root(git_dir)
        try:
            atomic_write(descriptor, TABLE_PATH, _encode(table), durable=False)
        finally:
            os.close(descriptor)
    except (OSError, FileRefusedError):
        return


def _encode(table: StampTable) -> bytes:
    sections = (
        table.tree.encode("ascii"),
        os.fsencode("\0".join(table.paths)),
        table.stamps,
        table.blobs,
        os.fsencode("\0".join(table.suspects)),
    )
    body = b"".join(len(section).to_bytes(8, "big") + section for section in sections)
    head = _MAGIC + sys.byteorder[:1].encode("ascii")
    return head + zlib.crc32(body).to_bytes(4, "big") + body


def _decode(data: bytes) -> StampTable:
    head = _MAGIC + sys.byteorder[:1].encode("ascii")
    body = data[len(head) + 4 :]
    checksum = data[len(head) : len(head) + 4]
    if not data.startswith(head) or zlib.crc32(body).to_bytes(4, "big") != checksum:
        return StampTable()
    sections: list[bytes] = []
    at = 0
    while at < len(body):
        size = int.from_bytes(body[at : at + 8], "big")
        sections.append(body[at + 8 : at + 8 + size])
        at += 8 + size
    tree, paths, stamps, blobs, suspects = sections
    return StampTable(
        tree=tree.decode("ascii"),
        paths=_split(paths),
        stamps=stamps,
        blobs=blobs,
        suspects=tuple(_split(suspects)),
    )


def _split(names: bytes) -> list[str]:
    return os.fsdecode(names).split("\0") if names else []
