"""Edits of frontmatter that a person may have written: own keys only, every other byte as it was.

The text of one value is replaced, a line is put in or taken out; order, quoting, comments, line
ends and the body stay. The result is read again and compared with what was asked; where they
differ nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping

from memfs.errors import DataError
from memfs.formats.canonical import emit_key, emit_value, plain_data
from memfs.formats.envelope import FIELD_ORDER
from memfs.formats.matter import FENCE, Document, split
from memfs.formats.text import decode_text
from memfs.formats.yaml_core import ParsedYaml, Span, parse_yaml
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
    newline = document.newline.decode("ascii")
    before = _parse(document, path)
    text = decode_text(document.matter, path=path)
    for key, value in changes.items():
        parsed = parse_yaml(text, path=path, first_line=document.matter_line)
        if parsed.values and not parsed.spans:
            raise _refusal("expected one 'key: value' a line, got one flow mapping", path)
        if value is None:
            text = _without(text, parsed, key)
        else:
            text = _with(text, parsed, key, value, newline)
    edited = _joined(data, document, text)
    _verify(before, changes, edited, document, path)
    return edited


def _parse(document: Document, path: str) -> ParsedYaml:
    text = decode_text(document.matter, path=path)
    return parse_yaml(text, path=path, first_line=document.matter_line)


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
        found = _parse(after, path).values
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


def _with(text: str, parsed: ParsedYaml, key: str, value: JsonValue, newline: str) -> str:
    written = emit_value(value)
    span = parsed.spans.get(key)
    if span is None:
        return _inserted(text, parsed, f"{emit_key(key)}: {written}", key, newline)
    if span.style == "inline":
        return text[: span.value] + written + text[span.end :]
    colon = text.index(":", span.key + len(_key_text(text, span)))
    if span.style == "empty":
        return text[: colon + 1] + " " + written + text[colon + 1 :]
    ending = newline if text[: span.end].endswith("\n") else ""
    return text[: colon + 1] + " " + written + ending + text[span.end :]


def _key_text(text: str, span: Span) -> str:
    quote = text[span.key]
    if quote not in "\"'":
        return ""
    return text[span.key : text.index(quote, span.key + 1) + 1]


def _without(text: str, parsed: ParsedYaml, key: str) -> str:
    span = parsed.spans.get(key)
    if span is None:
        return text
    start = text.rfind("\n", 0, span.key) + 1
    return text[:start] + text[_line_end(text, span) :]


def _line_end(text: str, span: Span) -> int:
    """Returns the offset after the entry's last line, a comment at its end included."""
    if span.end and text[span.end - 1] == "\n" and span.style == "block":
        return span.end
    end = text.find("\n", span.end)
    return len(text) if end < 0 else end + 1


def _inserted(text: str, parsed: ParsedYaml, line: str, key: str, newline: str) -> str:
    """Puts a line where the canonical order has it: after the nearest key that precedes it."""
    indent = " " * next(iter(parsed.spans.values())).column if parsed.spans else ""
    rank = _rank(key)
    before = [span for name, span in parsed.spans.items() if _rank(name) <= rank]
    if before:
        position = _line_end(text, before[-1])
    elif parsed.spans:
        position = text.rfind("\n", 0, next(iter(parsed.spans.values())).key) + 1
    else:
        position = len(text)
    return text[:position] + indent + line + newline + text[position:]


def _rank(key: str) -> int:
    return FIELD_ORDER.index(key) if key in FIELD_ORDER else len(FIELD_ORDER)


def _refusal(message: str, path: str) -> RoundTripError:
    return RoundTripError(message, path=path, hint="change the file by hand and hand it in")
