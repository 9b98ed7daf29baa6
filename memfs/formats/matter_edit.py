"""Edits of frontmatter that a person may have written: own keys only, every other byte as it was.

The text of one value is replaced, a line is put in or taken out; order, quoting, comments, line
ends and the body stay. The result is read again and compared with what was asked; where they
differ nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memfs.errors import DataError
from memfs.formats.canonical import emit_key, emit_value, plain_data
from memfs.formats.envelope import FIELD_ORDER
from memfs.formats.fast_matter import find_spans, read_fast
from memfs.formats.matter import FENCE, Document, split
from memfs.formats.text import decode_text
from memfs.formats.yaml_core import parse_yaml
from memfs.formats.yaml_spans import ParsedYaml, Span
from memfs.model.values import JsonValue


class RoundTripError(DataError):
    """The file cannot be changed without changing what it should keep."""

    code = "frontmatter.round-trip"


def edit_matter(data: bytes, changes: Mapping[str, JsonValue | None], *, path: str) -> bytes:
    """Sets or removes top-level keys and guarantees that nothing else changes.

    Args:
        data: The file, fences included.
        changes: New value a key; ``None`` removes the key.
        path: Named in errors.

    Raises:
        RoundTripError: The edit cannot be made without other changes; nothing is repaired.
        FrontmatterError: The file has no proper fences.
        YamlError: The frontmatter is no YAML that memfs works with.
        UnwritableError: A new value has no form in a file.
    """
    decode_text(data, path=path)
    document = split(data, path=path)
    text = document.matter.decode("utf-8")
    before = _parse(text, document, path)
    if before.values and not before.spans:
        raise _refusal("expected one 'key: value' a line, got one flow mapping", path)
    pieces = [_edit(text, before.spans, key, value, document) for key, value in changes.items()]
    edited = _joined(data, document, _applied(text, pieces))
    _verify(before, changes, edited, document, path)
    return edited


def _parse(text: str, document: Document, path: str) -> ParsedYaml:
    values = read_fast(text)
    spans = find_spans(text) if values is not None else None
    if values is None or spans is None:
        return parse_yaml(text, path=path, first_line=document.matter_line)
    return ParsedYaml(values=values, places={}, spans=spans)


@dataclass(frozen=True, slots=True, order=True)
class _Piece:
    """A stretch of text and what stands there afterwards; ``rank`` orders insertions."""

    start: int
    end: int
    rank: int
    text: str


def _applied(text: str, pieces: list[_Piece]) -> str:
    parts: list[str] = []
    position = 0
    for piece in sorted(pieces):
        parts += (text[position : piece.start], piece.text)
        position = piece.end
    return "".join([*parts, text[position:]])


def _joined(data: bytes, document: Document, text: str) -> bytes:
    start = len(FENCE) + len(document.newline)
    return data[:start] + text.encode("utf-8") + data[start + len(document.matter) :]


def _verify(
    before: ParsedYaml,
    changes: Mapping[str, JsonValue | None],
    edited: bytes,
    document: Document,
    path: str,
) -> None:
    wanted = dict(before.values)
    for key, value in changes.items():
        if value is None:
            wanted.pop(key, None)
        else:
            wanted[key] = plain_data(value)
    try:
        after = split(edited, path=path)
        found = _parse(after.matter.decode("utf-8"), after, path).values
    except DataError as error:
        raise _refusal(f"the result would not read back: {error.message}", path) from error
    if not same_data(found, wanted) or after.body != document.body:
        raise _refusal("the result would say something else", path)


def same_data(left: JsonValue, right: JsonValue) -> bool:
    """Tells whether two values are equal and of equal types throughout (``1`` is not ``true``)."""
    return repr(_sorted(left)) == repr(_sorted(right))


def _sorted(value: JsonValue) -> object:
    if isinstance(value, Mapping):
        return sorted((key, _sorted(item)) for key, item in value.items())
    if isinstance(value, str) or not isinstance(value, list | tuple):
        return str(value) if isinstance(value, str) else value
    return [_sorted(item) for item in value]


def _edit(
    text: str, spans: Mapping[str, Span], key: str, value: JsonValue, document: Document
) -> _Piece:
    span = spans.get(key)
    newline = document.newline.decode("ascii")
    if value is None:
        return _removal(text, span)
    written = emit_value(value)
    if span is None:
        return _insertion(text, spans, key, f"{emit_key(key)}: {written}{newline}")
    if span.style == "inline":
        return _Piece(span.value, span.end, 0, written)
    after_colon = text.index(":", span.key + len(_key_text(text, span))) + 1
    if span.style == "empty":
        return _Piece(after_colon, after_colon, 0, f" {written}")
    ending = newline if text[: span.end].endswith("\n") else ""
    return _Piece(after_colon, span.end, 0, f" {written}{ending}")


def _key_text(text: str, span: Span) -> str:
    quote = text[span.key]
    if quote not in "\"'":
        return ""
    return text[span.key : text.index(quote, span.key + 1) + 1]


def _removal(text: str, span: Span | None) -> _Piece:
    if span is None:
        return _Piece(0, 0, 0, "")
    return _Piece(text.rfind("\n", 0, span.key) + 1, _line_end(text, span), 0, "")


def _line_end(text: str, span: Span) -> int:
    """Returns the offset after the entry's last line, a comment at its end included."""
    if span.end and text[span.end - 1] == "\n" and span.style == "block":
        return span.end
    end = text.find("\n", span.end)
    return len(text) if end < 0 else end + 1


def _insertion(text: str, spans: Mapping[str, Span], key: str, line: str) -> _Piece:
    """Puts a line where the canonical order has it: after the nearest key that precedes it."""
    first = next(iter(spans.values()), None)
    rank = _rank(key)
    before = [span for name, span in spans.items() if _rank(name) <= rank]
    if before:
        position = _line_end(text, before[-1])
    elif first is not None:
        position = text.rfind("\n", 0, first.key) + 1
    else:
        position = len(text)
    return _Piece(position, position, rank, " " * (first.column if first else 0) + line)


def _rank(key: str) -> int:
    return FIELD_ORDER.index(key) if key in FIELD_ORDER else len(FIELD_ORDER)


def _refusal(message: str, path: str) -> RoundTripError:
    return RoundTripError(message, path=path, hint="change the file by hand and hand it in")
