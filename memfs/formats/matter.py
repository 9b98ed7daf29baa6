"""One record file taken apart at its fences, strictly and without losing a byte.

A fence is exactly ``---`` on a line of its own, the first on line 1. What follows the second is
the body: raw bytes that are never parsed, stripped or encoded again. Files with LF or CRLF are
accepted as they are; what memfs could not give back byte for byte is refused with its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from memfs.errors import DataError
from memfs.formats.fast_matter import read_fast
from memfs.formats.text import decode_text, find_lone_cr, place_of
from memfs.formats.yaml_spans import Place, Position
from memfs.model.frozen import frozen
from memfs.model.limits import MATTER_BYTES
from memfs.model.values import JsonValue

FENCE: Final = b"---"
_CLOSING: Final = re.compile(rb"^(?:---[ \t\r]*|\.\.\.[ \t\r]*)(?:\n|\Z)", re.MULTILINE)
_KEY_LINE: Final = re.compile(r"(?P<indent>\ *)(?P<key>[A-Za-z_][\w.-]*):", re.ASCII)


class FrontmatterError(DataError):
    """The file cannot be taken apart into frontmatter and body."""

    code = "frontmatter.error"


@frozen
class Document:
    """A file in two parts.

    Attributes:
        matter: Bytes between the fences, ending in a line end unless empty.
        body: Bytes after the closing fence's line, exactly.
        newline: Line end of the opening fence: LF or CRLF.
        matter_line: 1-based line on which ``matter`` starts.
        body_line: 1-based line on which ``body`` starts.
        has_matter: Whether the file has fences at all; only a draft may go without.
    """

    matter: bytes
    body: bytes
    newline: bytes
    matter_line: int = 2
    body_line: int = 1
    has_matter: bool = True


@frozen
class Matter:
    """What the frontmatter says.

    Attributes:
        values: In the order of the file; numbers, booleans and null as ``scalars`` reads them.
        places: Position of each key, nested ones where the full reader was used.
    """

    values: Mapping[str, JsonValue]
    places: Mapping[Place, Position]


def split(data: bytes, *, path: str) -> Document:
    """Takes a file apart at its fences.

    Raises:
        FrontmatterError: No fence on line 1 (``frontmatter.missing``), no closing fence
            (``frontmatter.unclosed``), a fence with anything after it (``frontmatter.fence``),
            stray line ends (``frontmatter.line-ends``) or too long (``frontmatter.size``).
    """
    for newline in (b"\n", b"\r\n"):
        if data.startswith(FENCE + newline):
            return _split_after(data, newline, path)
    first = data.lstrip(b" \t\r\n")[:4]
    if data[:3] != FENCE and not first.startswith(FENCE):
        raise _refusal("missing", "expected '---' on line 1", path, 1)
    raise _refusal("fence", "expected '---' alone on line 1", path, 1)


def _split_after(data: bytes, newline: bytes, path: str) -> Document:
    start = len(FENCE) + len(newline)
    for match in _CLOSING.finditer(data, start):
        line = data[match.start() : match.end()]
        if line not in (FENCE + newline, FENCE):
            number = place_of(data, match.start())[0]
            raise _refusal("fence", f"expected '---' alone, got {_shown(line)}", path, number)
        matter = data[start : match.start()]
        _check_matter(matter, path)
        return Document(
            matter=matter,
            body=data[match.end() :],
            newline=newline,
            body_line=data.count(b"\n", 0, match.end()) + 1,
        )
    raise _refusal("unclosed", "expected a second '---' line", path, 1)


def _check_matter(matter: bytes, path: str) -> None:
    if len(matter) > MATTER_BYTES:
        message = f"expected at most {MATTER_BYTES} bytes, got {len(matter)}"
        raise _refusal("size", message, path, 2)
    if b"\r" in matter and (lone := find_lone_cr(matter)) >= 0:
        message = "a carriage return without a line feed"
        raise _refusal("line-ends", message, path, place_of(matter, lone)[0] + 1)


def parse_matter(document: Document, *, path: str) -> Matter:
    """Reads the frontmatter of a document.

    Raises:
        YamlError: It is no YAML that memfs works with; code, line and column say where.
        TextError: It is no UTF-8 text.
    """
    text = decode_text(document.matter, path=path, first_line=document.matter_line)
    values = read_fast(text)
    if values is not None:
        return Matter(values=values, places=_top_places(text, document.matter_line))
    return parse_fully(text, path=path, line=document.matter_line)


def parse_fully(text: str, *, path: str, line: int) -> Matter:
    """Reads frontmatter with the full reader, places of nested values included."""
    from memfs.formats.yaml_core import parse_yaml

    parsed = parse_yaml(text, path=path, first_line=line)
    return Matter(values=parsed.values, places=parsed.places)


def _top_places(text: str, first_line: int) -> Mapping[Place, Position]:
    places: dict[Place, Position] = {}
    for number, line in enumerate(text.split("\n"), first_line):
        match = _KEY_LINE.match(line)
        if match and not match["indent"]:
            places.setdefault((match["key"],), (number, 1))
    return places


def _shown(line: bytes) -> str:
    return repr(line.decode("utf-8", "replace").rstrip("\n"))


def _refusal(code: str, message: str, path: str, line: int) -> FrontmatterError:
    hints = {
        "missing": "start the file with '---', 'kind: note' and '---'",
        "fence": "remove everything else from that line, blanks included",
        "unclosed": "put '---' on a line of its own below the last key",
        "line-ends": "save the file with one kind of line ends",
        "size": "move long text below the frontmatter",
    }
    return FrontmatterError(
        message, code=f"frontmatter.{code}", path=path, line=line, hint=hints[code]
    )
