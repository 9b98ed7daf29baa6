"""Lines of a generated view that carry the record behind them, written and read back.

A line is ``- [words](path) <!-- id@version -->``: words for people, a link that opens the file,
and a marker by which a change of the line is handed to review as a proposal for that record. A
view begins with a header whose digest tells whether anybody wrote in it. Nothing here reads or
writes a file.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.record import Record

_MARKER: Final = re.compile(r"\s*<!--\s*(?P<reference>[a-z]{2,8}_[0-9a-z]{26}@[0-9]+)\s*-->\s*\Z")
_LINK: Final = re.compile(r"\[(?P<text>(?:\\.|[^\\\]])*)\]\((?P<target>[^)]*)\)\Z")
_BULLET: Final = re.compile(r"[-*+]\s+(?P<text>.*\S)\s*\Z")
_ESCAPED: Final = re.compile(r"[\\\[\]<>`*_]")
_UNESCAPED: Final = re.compile(r"\\(?P<mark>[\\\[\]<>`*_])")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")
SHORTENED: Final = "…"


@frozen(kw_only=False)
class MarkedLine:
    """What a list line says: its words, and the record that it names; empty for none."""

    text: str
    record_id: str = ""
    version: int = 0


def marked_line(record: Record, path: str, words: str, *, before: str = "", after: str = "") -> str:
    """Returns the line of a record, without its line end.

    Args:
        record: The record behind it.
        path: Where its words lead.
        words: The words, which a person may change.
        before: What stands before them, as it is to stand in the file.
        after: What stands behind them.
    """
    link = f"[{escaped(words)}]({link_target(path)})"
    return f"- {before}{link}{after} <!-- {record.reference} -->"


def escaped(text: str) -> str:
    """Returns words as they are written in Markdown, so that they are only words."""
    return _ESCAPED.sub(lambda match: f"\\{match[0]}", text)


def unescaped(text: str) -> str:
    """Returns what was written, without what :func:`escaped` put before its marks."""
    return _UNESCAPED.sub(r"\g<mark>", text)


def link_target(path: str) -> str:
    """Returns a path as the target of a link."""
    return path.replace("%", "%25").replace(" ", "%20").replace(")", "%29")


def read_line(line: str) -> MarkedLine | None:
    """Reads a list line; ``None`` for any other."""
    marker = _MARKER.search(line)
    bullet = _BULLET.match(line[: marker.start()] if marker else line)
    if bullet is None:
        return None
    record_id, version = split_version(marker["reference"]) if marker else ("", None)
    return MarkedLine(_plain(bullet["text"]), record_id, version or 0)


def visible_words(record: Record, limit: int) -> str:
    """Returns the words of a record's line, which takes ``limit`` characters at most."""
    if record.sensitivity.is_opaque:
        return f"({record.sensitivity.label})"
    title = flat(record.title) or record.id
    # Escapes count: they are seen in the file that a person edits.
    most = limit - len("- []") - len(_ESCAPED.findall(title))
    return title if len(title) <= most else title[: most - 1] + SHORTENED


def flat(text: str) -> str:
    """Returns a text on one line; what no record can hold, and nobody sees, counts as a blank."""
    return " ".join(_CONTROL.sub(" ", text).split())


def view_digest(body: str) -> str:
    """Returns what a header says of the text below it."""
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_as_made(text: str, header: re.Pattern[str]) -> bool:
    """Tells whether a view is exactly as it was made, though perhaps long ago.

    Args:
        text: The view.
        header: Matches its first line, and names the digest of what stands below it ``digest``.
    """
    head, _, body = text.partition("\n")
    match = header.match(head)
    return match is not None and match["digest"] == view_digest(body)


def _plain(text: str) -> str:
    """Returns the words of a line: link target and escapes taken away."""
    link = _LINK.match(text)
    shown = link["text"] if link else text
    return flat(unescaped(shown))
