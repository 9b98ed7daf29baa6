"""JSON from elsewhere, one item at a time: lines of a JSON Lines file, elements of an array.

Both readers hold one item in memory, never the file. An item that is too large, no text
or no JSON is a value with its line, and the next item is read all the same. Duplicate
keys, ``NaN`` and half surrogates are refused: two readers would not agree on them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final, NoReturn

from memfs.interop.sources import text_problem
from memfs.model.frozen import frozen
from memfs.model.problem import Problem
from memfs.model.values import JsonValue

MAX_ITEM_BYTES: Final = 1024 * 1024
_CHUNK: Final = 256 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_OUTSIDE: Final = re.compile(rb'["\[\]{},]')
_INSIDE: Final = re.compile(rb'["\\]')
_SPACE: Final = b" \t\r\n"


@frozen(kw_only=False)
class RawItem:
    """The bytes of one item, and what is already known to be wrong with it.

    Attributes:
        line: 1-based line on which it begins.
        data: Its bytes without surrounding white space; the beginning only when too large.
        problem: Code and message, both empty when nothing is known to be wrong.
    """

    line: int
    data: bytes
    problem: tuple[str, str] = ("", "")


class _RefusedError(ValueError):
    """A JSON text that other readers would read differently."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def iter_lines(stream: BinaryIO) -> Iterator[RawItem]:
    """Yields the lines that are not blank, without their ends and a leading byte order mark."""
    number = 0
    while line := stream.readline(MAX_ITEM_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BOM)
        if len(line) > MAX_ITEM_BYTES and not line.endswith(b"\n"):
            yield _too_large(number)
            while (rest := stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
                pass
            continue
        if data := line.strip(_SPACE):
            yield RawItem(number, data)


def iter_elements(stream: BinaryIO) -> Iterator[RawItem]:
    """Yields the elements of a top-level JSON array.

    Elements are cut at balanced brackets, so that an element whose inside is wrong does
    not hide its neighbours. A file that ends inside the array yields what there is of the
    last element and says that it is cut off; so is whatever stands after the array.
    """
    splitter = _Splitter()
    chunk = stream.read(_CHUNK).removeprefix(_BOM)
    if chunk.lstrip(_SPACE)[:1] not in (b"[", b""):
        yield RawItem(1, b"", ("import.not-an-array", "expected a JSON array"))
        return
    while chunk and not splitter.is_closed:
        yield from splitter.feed(chunk)
        chunk = stream.read(_CHUNK)
    yield from splitter.finish()


class _Splitter:
    """Cuts a byte stream into the elements of its outermost array."""

    def __init__(self) -> None:
        self.is_closed = False
        self._depth = 0
        self._in_string = False
        self._skips_byte = False
        self._line = 1
        self._item = bytearray()
        self._item_line = 1
        self._is_oversized = False

    def feed(self, chunk: bytes) -> Iterator[RawItem]:
        """Takes the next bytes and yields the elements that they complete."""
        start = 0
        at = 1 if self._skips_byte else 0
        self._skips_byte = False
        while not self.is_closed:
            match = (_INSIDE if self._in_string else _OUTSIDE).search(chunk, at)
            if match is None:
                break
            at = match.end()
            if match[0] == b"\\":
                at += 1
                # The escaped byte may be the first of the next chunk.
                self._skips_byte = at > len(chunk)
            elif match[0] == b'"':
                self._in_string = not self._in_string
            elif self._is_boundary(match[0]):
                self._take(chunk[start : match.start()])
                yield from self._cut()
                start = at
        self._take(chunk[start:])

    def finish(self) -> Iterator[RawItem]:
        """Yields what is left: the piece that was cut off, or what stands after the array."""
        rest = bytes(self._item).strip(_SPACE)
        if not self.is_closed:
            message = "expected the end of the array, got the end of the file"
            line = self._item_line if rest else self._line
            yield RawItem(line, rest, ("import.truncated", message))
        elif rest:
            message = "expected nothing after the array, got more"
            yield RawItem(self._item_line, rest, ("import.malformed", message))

    def _is_boundary(self, token: bytes) -> bool:
        if token in b"[{":
            self._depth += 1
            return self._depth == 1
        if token in b"]}":
            self._depth -= 1
            self.is_closed = self._depth == 0
            return self.is_closed
        return self._depth == 1

    def _take(self, piece: bytes) -> None:
        if not self._item:
            blank = len(piece) - len(piece.lstrip(_SPACE))
            self._line += piece.count(b"\n", 0, blank)
            self._item_line = self._line
            piece = piece[blank:]
        self._line += piece.count(b"\n")
        self._is_oversized = self._is_oversized or len(self._item) + len(piece) > MAX_ITEM_BYTES
        if not self._is_oversized:
            self._item += piece

    def _cut(self) -> Iterator[RawItem]:
        data = bytes(self._item).strip(_SPACE)
        self._item.clear()
        if self._is_oversized:
            self._is_oversized = False
            yield _too_large(self._item_line)
        elif data:
            yield RawItem(self._item_line, data)


def _too_large(line: int) -> RawItem:
    message = f"expected an item of at most {MAX_ITEM_BYTES} bytes, got more"
    return RawItem(line, b"", ("import.too-large", message))


def parse_item(item: RawItem, shown: str) -> Mapping[str, JsonValue] | Problem:
    """Returns the JSON object of an item, or what is wrong with it."""
    code, message = item.problem
    if code:
        return Problem(shown, item.line, 0, code, message)
    problem = text_problem(item.data, shown)
    if problem is not None:
        return Problem(shown, item.line + problem.line - 1, 0, problem.code, problem.message)
    try:
        value = json.loads(item.data, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except json.JSONDecodeError as error:
        line = item.line + error.lineno - 1
        return Problem(shown, line, error.colno, "import.malformed", f"no JSON: {error.msg}")
    except UnicodeEncodeError:
        message = "expected text, got half of a surrogate pair"
        return Problem(shown, item.line, 0, "import.not-utf8", message)
    except _RefusedError as error:
        return Problem(shown, item.line, 0, error.code, str(error))
    except (ValueError, RecursionError):
        message = "expected plain JSON, got a number out of range or nesting too deep"
        return Problem(shown, item.line, 0, "import.malformed", message)
    if not isinstance(value, dict):
        message = f"expected a JSON object, got {type(value).__name__}"
        return Problem(shown, item.line, 0, "import.not-an-object", message)
    return value


def _unique_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for key, value in pairs:
        if key in found:
            raise _RefusedError(
                "import.duplicate-key", f"expected each key once, got {key!r} twice"
            )
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise _RefusedError("import.malformed", f"expected a number, got {name}")
