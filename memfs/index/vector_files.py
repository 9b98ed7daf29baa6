"""Vectors in files of the private cache folder: one folder a model, a manifest and the lines.

The manifest says which line is whose; each line says so too, and a line that says otherwise is no
point. So a reader that meets a file of another moment finds less, and never the wrong vector.
Writers take turns through a lock that dies with its process. Everything here can be deleted.
"""

from __future__ import annotations

import fcntl
import math
import os
import stat
import time
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.index.cosine import cosine, many_cosines, unit
from memfs.index.manifest import replace_file
from memfs.index.vector_lines import decode_line, encode_line, padded, vector_of, width_of
from memfs.index.vector_port import VectorHit, VectorManifest, VectorPoint
from memfs.index.vector_table import Lines, encode_table, model_of, no_lines, read_table

MANIFEST_FILE: Final = "manifest.json"
VECTORS_FILE: Final = "vectors.jsonl"
_LOCK: Final = "lock"
_MOST_BYTES: Final = 256 * 1024 * 1024
_WAIT_S: Final = 2.0
_POLL_S: Final = 0.01


class FileVectors:
    """Holds the vectors of one model in one folder.

    Args:
        folder: Private folder of this model alone; made when something is put there.
        model: Name of the model.
    """

    def __init__(self, folder: Path, model: str) -> None:
        self.folder = folder
        self._model = model

    @property
    def is_remote(self) -> bool:
        """Whether points leave this machine: never."""
        return False

    def others(self) -> Iterator[FileVectors]:
        """Yields the places of other models beside this one."""
        return (it for it in places_below(self.folder.parent) if it.folder != self.folder)

    def manifest(self) -> VectorManifest:
        """Returns what it holds; of a place that nobody wrote to, nothing."""
        return self._lines().manifest

    def held(self) -> Mapping[str, str]:
        """Returns the blob by id of every point that can be read, each looked at."""
        lines = self._lines()
        content = self._content(lines)
        found = {}
        for name, row in lines.rows.items():
            point = self._point(lines, content, row)
            if point is not None and (point.id, point.blob) == (name, lines.blob_of(name)):
                found[name] = point.blob
        return found

    def points(self) -> Iterator[VectorPoint]:
        """Yields every point that can be read, by id."""
        lines = self._lines()
        content = self._content(lines)
        for name in sorted(lines.rows):
            point = self._point(lines, content, lines.rows[name])
            if point is not None and point.id == name:
                yield point

    def put(self, points: Sequence[VectorPoint]) -> None:
        """Adds points, each in the place of the one that its record had.

        Raises:
            IndexUnavailableError: The cache cannot be written, or somebody else writes.
        """
        if not points:
            return
        dimension = len(points[0].vector)
        new = [encode_line(point, self._model) for point in points]
        with self._writing():
            lines = self._lines()
            content, entries, rows = b"", dict(lines.manifest.entries), dict(lines.rows)
            if lines.manifest.dimension != dimension:
                # Vectors of another space are compared with nothing that comes from now on.
                entries, rows, lines = {}, {}, no_lines(self._model)
            width = max(lines.width, width_of(new))
            is_appended = width == lines.width and self._size() >= lines.count * width
            start = lines.count
            if not is_appended:
                kept = self._live(lines)
                content = b"".join(padded(line, width) for _, line in kept)
                rows, start = {name: row for row, (name, _) in enumerate(kept)}, len(kept)
                entries = {name: entries[name] for name in rows}
            for number, point in enumerate(points, start=start):
                rows[point.id], entries[point.id] = number, (point.blob, point.domain)
            added = b"".join(padded(line, width) for line in new)
            if is_appended:
                self._append(added, at=start * width)
            else:
                self._replace(VECTORS_FILE, content + added)
            manifest = VectorManifest(model=self._model, dimension=dimension, entries=entries)
            self._write(manifest, width, start + len(new), rows)

    def settle(self, kept: Collection[str], *, ledger: str, stale: Collection[str] = ()) -> int:
        """Takes away every point but those of ``kept``; no line of another one is left.

        Returns:
            How many were taken away.

        Raises:
            IndexUnavailableError: The cache cannot be written, or somebody else writes.
        """
        wanted = frozenset(kept)
        with self._writing():
            lines = self._lines()
            names = [name for name in lines.rows if name in wanted]
            rows: Mapping[str, int] = lines.rows
            if len(names) < lines.count or self._size() != lines.count * lines.width:
                live = [(name, line) for name, line in self._live(lines) if name in wanted]
                self._replace(VECTORS_FILE, b"".join(padded(line, lines.width) for _, line in live))
                rows = {name: row for row, (name, _) in enumerate(live)}
            entries = lines.manifest.entries
            manifest = VectorManifest(
                model=self._model,
                dimension=lines.manifest.dimension if rows else 0,
                ledger=ledger,
                entries={name: entries[name] for name in rows},
                stale=tuple(sorted(stale)),
            )
            self._write(manifest, lines.width if rows else 0, len(rows), rows)
            return len(lines.rows) - len(rows)

    def scores(self, vector: Sequence[float], blobs: Collection[str]) -> Mapping[str, float]:
        """Returns the cosines of the points of ``blobs``, by blob; those it does not have lack."""
        lines = self._lines()
        names = [lines.by_blob[blob] for blob in dict.fromkeys(blobs) if blob in lines.by_blob]
        if not names or len(vector) != lines.manifest.dimension:
            return {}
        asked, found = unit(vector), {}
        with self._opened() as descriptor:
            for name in names:
                line = os.pread(descriptor, lines.width, lines.rows[name] * lines.width)
                blob = lines.blob_of(name)
                near = vector_of(line, name, blob, lines.manifest.dimension)
                if near is not None and math.isfinite(score := cosine(asked, near)):
                    found[blob] = score
        return found

    def nearest(
        self, vector: Sequence[float], limit: int, domains: Collection[str]
    ) -> tuple[VectorHit, ...]:
        """Returns the nearest points of ``domains``, nearest first, ties by id."""
        lines = self._lines()
        if not lines.rows or limit < 1 or len(vector) != lines.manifest.dimension:
            return ()
        content, asked, wanted = self._content(lines), unit(vector), frozenset(domains)
        every = many_cosines(content, lines.width, asked, lines.manifest.dimension)
        scored = []
        for name, row in lines.rows.items():
            if lines.manifest.entries[name][1] not in wanted:
                continue
            if every is not None:
                scored.append((-every[row] if math.isfinite(every[row]) else math.inf, name))
                continue
            line = content[row * lines.width : (row + 1) * lines.width]
            near = vector_of(line, name, lines.blob_of(name), lines.manifest.dimension)
            if near is not None and math.isfinite(score := cosine(asked, near)):
                scored.append((-score, name))
        return tuple(self._told(lines, content, asked, sorted(scored), limit))

    def _told(
        self,
        lines: Lines,
        content: bytes,
        asked: array[float],
        scored: Sequence[tuple[float, str]],
        limit: int,
    ) -> Iterator[VectorHit]:
        """Yields the best of what was compared, each line looked at and compared again."""
        count = 0
        for _, name in scored:
            point = self._point(lines, content, lines.rows[name])
            if point is None or (point.id, point.blob) != (name, lines.blob_of(name)):
                continue
            yield VectorHit(id=name, blob=point.blob, score=cosine(asked, point.vector))
            count += 1
            if count == limit:
                return

    # Reading -----------------------------------------------------------------------------

    def _lines(self) -> Lines:
        try:
            self._check_private()
            found = (self.folder / MANIFEST_FILE).stat()
        except OSError:
            return no_lines(self._model)
        mark = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)
        lines = read_table(self.folder / MANIFEST_FILE, mark, self._model)
        # A file that is shorter than it should be was cut by something else.
        is_whole = self._size() >= lines.count * lines.width
        return lines if is_whole else no_lines(self._model)

    def _content(self, lines: Lines) -> bytes:
        try:
            with self._opened() as descriptor, os.fdopen(os.dup(descriptor), "rb") as stream:
                return stream.read(min(_MOST_BYTES * 16, lines.count * lines.width))
        except IndexUnavailableError:
            return b""

    def _point(self, lines: Lines, content: bytes, row: int) -> VectorPoint | None:
        line = content[row * lines.width : (row + 1) * lines.width]
        return decode_line(line, self._model, lines.manifest.dimension)

    def _live(self, lines: Lines) -> list[tuple[str, bytes]]:
        """Returns the lines that stand for a point, in their order, without padding."""
        content = self._content(lines)
        live = []
        for name, row in sorted(lines.rows.items(), key=lambda item: item[1]):
            point = self._point(lines, content, row)
            if point is not None and (point.id, point.blob) == (name, lines.blob_of(name)):
                line = content[row * lines.width : (row + 1) * lines.width]
                live.append((name, line.rstrip(b" \n")))
        return live

    @contextmanager
    def _opened(self) -> Iterator[int]:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self.folder / VECTORS_FILE, flags)
        except OSError as error:
            raise IndexUnavailableError(
                "the vectors are not there", code="vectors.missing"
            ) from error
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _size(self) -> int:
        try:
            return (self.folder / VECTORS_FILE).lstat().st_size
        except OSError:
            return -1

    # Writing -----------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Holds the folder, and makes it where it is not there."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._check_private()
            descriptor = os.open(self.folder / _LOCK, flags, 0o600)
            try:
                _take(descriptor)
                yield
            finally:
                os.close(descriptor)
        except OSError as error:
            raise IndexUnavailableError(
                f"the vectors cannot be written: {error.strerror}", code="vectors.read-only"
            ) from error

    def _append(self, content: bytes, *, at: int) -> None:
        """Writes behind what is there; what a killed process left behind that is overwritten."""
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self.folder / VECTORS_FILE, flags), "r+b") as stream:
            stream.truncate(at)
            stream.seek(at)
            stream.write(content)

    def _replace(self, name: str, content: bytes) -> None:
        replace_file(self.folder / name, content)

    def _write(
        self, manifest: VectorManifest, width: int, count: int, rows: Mapping[str, int]
    ) -> None:
        lines = Lines(manifest=manifest, width=width, count=count, rows=rows, by_blob={})
        self._replace(MANIFEST_FILE, encode_table(lines))

    def _check_private(self) -> None:
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise IndexUnavailableError(
                f"expected a private folder of this user for vectors, got {self.folder}",
                hint="remove it; the vectors come back by themselves",
                code="vectors.foreign",
            )


def places_below(folder: Path) -> Iterator[FileVectors]:
    """Yields the place of every model that has one below ``folder``, whatever it holds.

    A manifest that cannot be read is taken away with its vectors: nobody can say whose they are.
    """
    try:
        found = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return
    for path in found:
        if path.is_symlink():
            continue
        model = model_of(path / MANIFEST_FILE)
        if model is None:
            for name in (MANIFEST_FILE, VECTORS_FILE):
                with suppress(OSError):
                    (path / name).unlink(missing_ok=True)
            continue
        yield FileVectors(path, model)


def _take(descriptor: int) -> None:
    deadline = time.monotonic() + _WAIT_S
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if time.monotonic() >= deadline:
            raise IndexUnavailableError(
                "another process writes the vectors", hint="try again", code="vectors.busy"
            )
        time.sleep(_POLL_S)
