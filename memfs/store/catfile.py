"""Reads Git objects: loose files directly, packed ones through one kept `git cat-file --batch`.

Nothing is written. What is read is checked: a loose object is hashed before it is believed,
and an object larger than the limit is refused before it is unpacked. The child process is
started at the first packed object, restarted once when it died, and ended with ``close``.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from memfs.errors import DataError, StoreError
from memfs.store.git import git_command, git_environment, missing_git

MAX_OBJECT_BYTES: Final = 64 * 1024 * 1024
"""No record is near this; a larger blob is a file that does not belong in a store."""

if TYPE_CHECKING:
    import subprocess

_OID: Final = re.compile(r"[0-9a-f]{40}\Z")
_HEADER_BYTES: Final = 64
_CHUNK: Final = 800
"""Questions sent at once: 41 bytes each, below the 64 KiB that a pipe takes without a reader."""


class ObjectMissingError(StoreError):
    """The repository has no such object."""

    code = "store.object-missing"


class ObjectCorruptError(StoreError):
    """An object cannot be unpacked or is not what its name says."""

    code = "store.object-corrupt"


class ObjectTooLargeError(DataError):
    """An object is larger than any record may be."""

    code = "data.object-too-large"


class GitObject(NamedTuple):
    """One object: ``blob``, ``tree``, ``commit`` or ``tag``, and its content."""

    kind: str
    data: bytes


class CatFile:
    """Reads objects of one repository; safe to share between threads."""

    def __init__(self, git_dir: Path, *, limit_bytes: int = MAX_OBJECT_BYTES) -> None:
        self.git_dir = git_dir
        self._objects = os.fspath(git_dir / "objects")
        self._limit = limit_bytes
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> CatFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the child process, if one was started."""
        with self._lock:
            self._stop()

    def read(self, oid: str) -> GitObject:
        """Returns one object.

        Raises:
            ObjectMissingError: There is none of that id.
            ObjectCorruptError: It cannot be read.
            ObjectTooLargeError: It is larger than the limit.
        """
        found = self._read_loose(oid)
        if found is not None:
            return found
        with self._lock:
            for _, item in self._ask((oid,)):
                if item is not None:
                    return item
        raise ObjectMissingError(f"expected the Git object {oid}, found none")

    def read_kind(self, oid: str, kind: str) -> bytes:
        """Returns the content of one object of a known kind.

        Raises:
            ObjectCorruptError: The object is of another kind, or cannot be read.
            ObjectMissingError: There is none of that id.
            ObjectTooLargeError: It is larger than the limit.
        """
        found = self.read(oid)
        if found.kind != kind:
            raise ObjectCorruptError(f"expected {oid} to be a {kind}, got a {found.kind}")
        return found.data

    def read_blob(self, oid: str) -> bytes:
        """Returns the content of one blob; raises what :meth:`read_kind` raises."""
        return self.read_kind(oid, "blob")

    def read_tree(self, oid: str) -> bytes:
        """Returns the bytes of one tree; raises what :meth:`read_kind` raises."""
        return self.read_kind(oid, "tree")

    def read_blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yields each blob that can be read, in no fixed order.

        What is missing, corrupt, too large or no blob is left out, so that one bad object does
        not hide the others; the caller knows what it asked for.
        """
        packed: list[str] = []
        for oid in oids:
            try:
                found = self._read_loose(oid)
            except (ObjectCorruptError, ObjectTooLargeError):
                continue
            if found is None:
                packed.append(oid)
            elif found.kind == "blob":
                yield oid, found.data
            if len(packed) == _CHUNK:
                yield from self._read_packed(packed)
                packed = []
        if packed:
            yield from self._read_packed(packed)

    def _read_packed(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with self._lock:
            answers = list(self._ask(oids, skip_large=True))
        for oid, item in answers:
            if item is not None and item.kind == "blob":
                yield oid, item.data

    def _read_loose(self, oid: str) -> GitObject | None:
        """Returns a loose object, ``None`` when it is not loose (it may be packed)."""
        if not _OID.match(oid):
            raise ObjectMissingError(f"expected an object id, got {oid!r}")
        try:
            descriptor = os.open(f"{self._objects}/{oid[:2]}/{oid[2:]}", os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            with os.fdopen(descriptor, "rb", buffering=0) as stream:
                packed = stream.read()
            return unpack_loose(oid, packed, limit_bytes=self._limit)
        except (OSError, zlib.error, ValueError) as error:
            raise ObjectCorruptError(f"the Git object {oid} cannot be read: {error}") from error

    def _ask(
        self, oids: Sequence[str], *, skip_large: bool = False
    ) -> Iterator[tuple[str, GitObject | None]]:
        """Asks the child for objects, in order; ``None`` for missing ones. Holds the lock."""
        question = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        for attempt in (1, 2):
            child = self._start()
            try:
                assert child.stdin is not None
                child.stdin.write(question)
                child.stdin.flush()
                answers = [self._answer(child, oid, skip_large=skip_large) for oid in oids]
            except (BrokenPipeError, EOFError) as error:
                self._stop()
                if attempt == 2:
                    raise ObjectCorruptError("git cat-file ended while it was asked") from error
            except ObjectTooLargeError:
                self._stop()
                raise
            else:
                yield from answers
                return

    def _answer(
        self, child: subprocess.Popen[bytes], oid: str, *, skip_large: bool
    ) -> tuple[str, GitObject | None]:
        assert child.stdout is not None
        line = child.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        parts = line.split()
        if len(parts) != 3:
            return oid, None
        size = int(parts[2])
        if size > self._limit:
            if not skip_large:
                raise _too_large(oid, size, self._limit)
            _discard(child, size + 1)
            return oid, None
        data = child.stdout.read(size + 1)
        if len(data) != size + 1:
            raise EOFError
        return oid, GitObject(parts[1].decode("ascii"), data[:-1])

    def _start(self) -> subprocess.Popen[bytes]:
        import subprocess  # loose objects need no process

        child = self._child
        if child is not None and child.poll() is None:
            return child
        self._stop()
        try:
            child = subprocess.Popen(
                git_command(self.git_dir, None, "cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=git_environment(),
            )
        except FileNotFoundError as error:
            raise missing_git() from error
        self._child = child
        return child

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        from subprocess import TimeoutExpired

        # Closing its input ends it; one that is blocked on a large answer gets SIGPIPE.
        try:
            child.wait(timeout=5)
        except TimeoutExpired:
            child.kill()
            child.wait()


def unpack_loose(oid: str, packed: bytes, *, limit_bytes: int = MAX_OBJECT_BYTES) -> GitObject:
    """Unpacks the bytes of a loose object file and checks them against its name.

    Raises:
        ObjectTooLargeError: The header promises more than ``limit_bytes``.
        ValueError: The bytes are no object, or not the one that is named.
        zlib.error: The bytes are not deflated data.
    """
    stream = zlib.decompressobj()
    head = stream.decompress(packed, _HEADER_BYTES)
    header, separator, start = head.partition(b"\0")
    kind, _, size_text = header.partition(b" ")
    if not separator or not size_text.isdigit():
        raise ValueError("it has no header")
    size = int(size_text)
    if size > limit_bytes:
        raise _too_large(oid, size, limit_bytes)
    if len(start) > size:
        raise ValueError(f"expected {size} bytes, got more")
    # A zero limit would mean "no limit" to zlib, hence the extra byte.
    data = start + stream.decompress(stream.unconsumed_tail, size - len(start) + 1)
    if len(data) != size or not stream.eof:
        raise ValueError(f"expected {size} bytes, got {len(data)}")
    digest = hashlib.sha1(header + b"\0", usedforsecurity=False)
    digest.update(data)
    if digest.hexdigest() != oid:
        raise ValueError("its content is not what its name says")
    return GitObject(kind.decode("ascii"), data)


def _too_large(oid: str, size: int, limit: int) -> ObjectTooLargeError:
    return ObjectTooLargeError(f"expected an object of at most {limit} bytes, got {size} in {oid}")


def _discard(child: subprocess.Popen[bytes], size: int) -> None:
    assert child.stdout is not None
    while size > 0:
        piece = child.stdout.read(min(size, 1 << 20))
        if not piece:
            raise EOFError
        size -= len(piece)
