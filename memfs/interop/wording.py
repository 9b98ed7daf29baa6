"""Words of a foreign text as our fields want them: one line, a key, an instant, a list."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from memfs.interop.port import FOREIGN_FIELD
from memfs.model.instants import parse_instant
from memfs.model.limits import LABEL_CHARS, LIST_ITEMS
from memfs.model.record import DEFAULT_IMPORTANCE
from memfs.model.values import JsonValue

TITLE_LENGTH: Final = 120
_SPACES: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""White space and control characters: neither belongs on one line."""
_LEADING_MARKS: Final = re.compile(r"^(?:#{1,6}\s+|[-*+>]\s+|\d{1,3}[.)]\s+)+")
_NOT_KEY: Final = re.compile(r"[^\w]+")
_EXACT_INTEGER: Final = 2**53
_EPOCH_SECONDS: Final = (1e8, 1e11)
_EPOCH_MILLISECONDS: Final = (1e11, 1e14)


def one_line(text: str, limit: int = TITLE_LENGTH) -> str:
    """Returns ``text`` on one line of at most ``limit`` characters, cut at a word."""
    flat = _SPACES.sub(" ", text).strip()
    if len(flat) <= limit:
        return flat
    cut = flat[: limit - 1]
    word = cut.rpartition(" ")[0]
    return (word if len(word) > limit // 2 else cut).rstrip(" ,;:.-") + "…"


def title_from(text: str) -> str:
    """Returns the first line that says something, without Markdown's leading marks.

    A text without a letter or digit gives its signs on one line: a thumbs-up is an answer.
    """
    for line in text.splitlines():
        title = one_line(_LEADING_MARKS.sub("", line.strip()).replace("**", "").replace("`", ""))
        if any(character.isalnum() for character in title):
            return title
    return one_line(text)


def key_from(text: str) -> str:
    """Returns a stable key such as ``python-backend-framework``; letters of any script stay."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return _NOT_KEY.sub("-", folded).strip("-_")[:TITLE_LENGTH]


def tidy_body(text: str) -> str:
    """Returns ``text`` with plain line ends, no blank lines around it and one end of line."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return f"{plain}\n" if plain.strip() else ""


def foreign_instant(value: JsonValue) -> datetime | None:
    """Reads a time that another system wrote: RFC 3339, a date, or seconds since 1970.

    Returns:
        An aware instant in UTC; ``None`` for anything else, a time without a zone
        included, since guessing the zone is how memories end up hours off.
    """
    try:
        if isinstance(value, str):
            return parse_instant(value.strip())
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if _EPOCH_SECONDS[0] <= value < _EPOCH_SECONDS[1]:
                return datetime.fromtimestamp(value, UTC)
            if _EPOCH_MILLISECONDS[0] <= value < _EPOCH_MILLISECONDS[1]:
                return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError):
        return None
    return None


def foreign_tags(value: JsonValue) -> tuple[str, ...]:
    """Reads tags as a list or as words between commas; each once, in order, without ``#``."""
    if isinstance(value, str):
        words: list[JsonValue] = list(value.split(","))
    elif isinstance(value, (list, tuple)):
        words = list(value)
    else:
        return ()
    tags = (
        one_line(str(word), LABEL_CHARS).lstrip("#")
        for word in words
        if isinstance(word, (str, int))
    )
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:LIST_ITEMS]


def foreign_importance(value: JsonValue) -> int:
    """Reads an importance of 1 to 10, clamped; a fraction below 1 counts in tenths."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return DEFAULT_IMPORTANCE
    if isinstance(value, float) and 0 <= value < 1:
        value = value * 10
    return max(1, min(10, round(value)))


def foreign_fields(format_name: str, said: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """Returns the unknown field that keeps what the source said, empty values left out.

    Numbers that a record cannot hold exactly, such as ids of 19 digits, are kept as text.
    """
    kept = {key: exact(value) for key, value in said.items() if value not in ("", None, [], {}, ())}
    return {FOREIGN_FIELD: {"format": format_name, **kept}}


def exact(value: JsonValue) -> JsonValue:
    """Returns plain data with numbers that a record cannot hold exactly as text."""
    match value:
        case bool():
            return value
        case int() if abs(value) > _EXACT_INTEGER:
            return str(value)
        case float() if "e" in repr(value):
            return repr(value)
        case Mapping():
            return {key: exact(item) for key, item in value.items()}
        case list() | tuple():
            return [exact(item) for item in value]
        case _:
            return value
