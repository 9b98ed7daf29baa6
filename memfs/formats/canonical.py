"""The canonical form of frontmatter, and the normal form in which claims are compared.

One key a line, flow lists and flow mappings, LF. A string stands plain only when no YAML reader,
1.1 or 1.2, can take it for anything else; every other string is quoted as JSON. Equal values
give equal bytes, so a difference in Git is a difference in meaning.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from memfs.errors import DataError
from memfs.formats.scalars import format_number, resolve_plain
from memfs.formats.text import is_encodable
from memfs.model.digests import content_digest
from memfs.model.limits import TITLE_CHARS
from memfs.model.record import Record
from memfs.model.values import JsonValue

_BLOCK_SAFE: Final = re.compile(
    r"[^\W\d](?:[\w ,()+./;=@&*!$%^'<>?|~\[\]{}-]++|:(?! |\Z)|(?<! )#)*+\Z"
)
_FLOW_SAFE: Final = re.compile(r"[^\W\d](?:[\w ()+./;=@&*!$%^'<>|~-]++|:(?! |\Z)|(?<! )#)*+\Z")
_KEY_SAFE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_MUST_ESCAPE: Final = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")
_YAML_11_WORDS: Final = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan")
)
_BLANKS: Final = re.compile(r"\s+")
_LEADING_MARKS: Final = re.compile(r"(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+")


class UnwritableError(DataError):
    """A value has no form in a file that would read back as the same value."""

    code = "data.unwritable"


class Verbatim(str):
    """Text that is known to be safe unquoted: an instant."""

    __slots__ = ()


def emit_matter(values: Mapping[str, JsonValue]) -> str:
    """Returns one line a key, in the order given, each ending in a line feed."""
    return "".join(f"{emit_key(key)}: {emit_value(value)}\n" for key, value in values.items())


def emit_key(key: str) -> str:
    """Returns a key, quoted where it could be read as anything but itself."""
    is_plain = _KEY_SAFE.match(key) and key.lower() not in _YAML_11_WORDS
    return key if is_plain else _quote(key)


def emit_value(value: JsonValue, *, is_flow: bool = False) -> str:
    """Returns a value on one line.

    Raises:
        UnwritableError: Infinite or not a number, half of a surrogate pair, or no plain data.
    """
    if isinstance(value, str):
        return emit_string(value, is_flow=is_flow)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _emit_number(value)
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{emit_key(key)}: {emit_value(item, is_flow=True)}" for key, item in value.items()
        )
        return f"{{{inner}}}"
    return f"[{', '.join(emit_value(item, is_flow=True) for item in value)}]"


def emit_string(text: str, *, is_flow: bool = False) -> str:
    """Returns text, plain where every YAML reader takes it for this text and quoted elsewhere."""
    if isinstance(text, Verbatim):
        return str(text)
    pattern = _FLOW_SAFE if is_flow else _BLOCK_SAFE
    if (
        not pattern.match(text)
        or text[-1] == " "
        or text.lower() in _YAML_11_WORDS
        or _MUST_ESCAPE.search(text)
    ):
        return _quote(text)
    return text


def _emit_number(value: float) -> str:
    text = format_number(value)
    again = resolve_plain(text)
    if isinstance(again, str) or again != value:
        raise UnwritableError(f"the number {text} has no exact form; write it as text")
    return text


def _quote(text: str) -> str:
    if not is_encodable(text):
        raise UnwritableError("half of a surrogate pair cannot be written")
    quoted = json.dumps(text, ensure_ascii=False)
    return _MUST_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def normalise(text: str) -> str:
    """Folds what does not change a claim: Unicode form, white space, case and a final full stop."""
    folded = unicodedata.normalize("NFC", _BLANKS.sub(" ", text).strip()).casefold()
    return unicodedata.normalize("NFC", folded).rstrip(".").rstrip()


def claim_key(record: Record) -> str:
    """Returns the digest by which two records say the same: kind, scope, subject, title, body."""
    title = record.title or title_of(record.body)
    parts = [
        record.kind,
        str(record.scope or ""),
        normalise(record.subject),
        normalise(title),
        normalise(record.body),
    ]
    if not record.body and record.fields:
        parts.append(json.dumps(plain_data(record.fields), sort_keys=True, ensure_ascii=True))
    return content_digest("claim", json.dumps(parts, ensure_ascii=True).encode("ascii"))


def title_of(body: str) -> str:
    """Returns a title for a body that has none: its first words, at most 200 characters.

    Empty for an empty body. List and heading marks are dropped, blanks and control characters
    folded.
    """
    for line in body.splitlines():
        words = "".join(" " if _is_control(char) else char for char in line)
        text = _LEADING_MARKS.sub("", _BLANKS.sub(" ", words).strip(), count=1).strip()
        if text:
            break
    else:
        return ""
    if len(text) <= TITLE_CHARS:
        return text
    cut = text[: TITLE_CHARS - 1]
    head, _, _ = cut.rpartition(" ")
    return (head if len(head) > TITLE_CHARS // 2 else cut).rstrip() + "…"


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029\ufeff"


def plain_data(value: object) -> JsonValue:
    """Returns a value as dicts and lists throughout, so that equal data compare equal.

    Raises:
        UnwritableError: It is no plain data.
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain_data(item) for key, item in value.items()}
    if isinstance(value, datetime):
        raise UnwritableError("expected plain data, got a datetime; write it as RFC 3339 text")
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain_data(item) for item in value]
    raise UnwritableError(f"expected plain data, got {type(value).__name__}")
