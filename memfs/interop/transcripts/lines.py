"""Lines of a transcript that may grow, be cut or be written anew while it is read.

One line is in memory at a time. Each is known by its place and by a digest of all that stands
before it, so that a later pass can tell whether it may go on from there. What is no JSON
object, too long or nested too deep is counted and passed over; a last line without its end is
taken when it is whole all the same, and left for the next pass otherwise.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from memfs.domains.sessions.turns import START, Mark, MarkMismatchError, ReadReport
from memfs.interop.sources import SourceFile, open_source
from memfs.model.frozen import frozen
from memfs.model.values import JsonValue

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""Pictures stand in transcripts as text."""
_CHUNK: Final = 1 << 20
_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"


@frozen(kw_only=False)
class Line:
    """One object of a transcript and where it stands."""

    mark: Mark
    value: Mapping[str, JsonValue]


class TranscriptLines:
    """The objects of a file of JSON lines, from a mark to where the file ended at the start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = hashlib.sha256()
        self._offset = 0
        self.lines = 0
        self.broken = 0
        self.is_cut = False

    def read(self, mark: Mark = START) -> Iterator[Line]:
        """Yields each object behind ``mark``.

        Raises:
            MarkMismatchError: Other bytes stand before the mark, or too few.
            SourceError: The file is none that can be read.
        """
        name = self._path.name
        with open_source(SourceFile(path=self._path, relative=name, is_named=True)) as stream:
            size = os.fstat(stream.fileno()).st_size
            self._skip(stream, mark)
            yield from self._rest(stream, size)

    @property
    def place(self) -> Mark:
        """Where the next line begins."""
        return Mark(self._offset, self._digest.hexdigest())

    def report(self, skipped: int) -> ReadReport:
        """Returns what was come upon; ``skipped`` is the reader's own count."""
        return ReadReport(
            end=self.place,
            lines=self.lines,
            skipped=skipped,
            broken=self.broken,
            is_cut=self.is_cut,
        )

    def _skip(self, stream: BinaryIO, mark: Mark) -> None:
        left = mark.offset
        while left > 0:
            piece = stream.read(min(left, _CHUNK))
            if not piece:
                break
            self._take(piece)
            left -= len(piece)
        if left or (mark.offset and self._digest.hexdigest() != mark.digest):
            raise MarkMismatchError("the transcript is not the one that was read before")

    def _rest(self, stream: BinaryIO, size: int) -> Iterator[Line]:
        while self._offset < size:
            line = stream.readline(MAX_LINE_BYTES)
            if not line:
                return
            place = self.place
            if len(line) >= MAX_LINE_BYTES and not line.endswith(b"\n"):
                self._pass_over(stream, line)
                continue
            data = line.removeprefix(_BOM) if place.offset == 0 else line
            value = _object_in(data.strip(_SPACE))
            if value is None and not line.endswith(b"\n"):
                self.is_cut = True
                return
            self._take(line)
            if not data.strip(_SPACE):
                continue
            self.lines += 1
            if value is None:
                self.broken += 1
            else:
                yield Line(place, value)

    def _pass_over(self, stream: BinaryIO, line: bytes) -> None:
        """Takes a line that is too long, unless its end has not been written yet."""
        digest, offset = self._digest.copy(), self._offset
        while line:
            self._take(line)
            if line.endswith(b"\n"):
                self.lines += 1
                self.broken += 1
                return
            line = stream.readline(_CHUNK)
        self._digest, self._offset = digest, offset
        self.is_cut = True

    def _take(self, piece: bytes) -> None:
        self._digest.update(piece)
        self._offset += len(piece)


def _object_in(data: bytes) -> Mapping[str, JsonValue] | None:
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
