"""Records that are JSON: strict reading, one canonical form, edits that touch only own members.

Duplicate members, ``NaN``, numbers that lose digits, half surrogate pairs and deep nesting are
refused. An edit replaces the text of one member and is read again before it counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from memfs.errors import DataError
from memfs.formats.canonical import plain_data
from memfs.formats.text import decode_text, is_encodable, place_of
from memfs.formats.yaml_spans import Place, Position, YamlError
from memfs.model.limits import DEPTH, MATTER_BYTES
from memfs.model.values import JsonValue

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_SAFE_INTEGER: Final = 2**53


class JsonError(DataError):
    """The file is no JSON that memfs works with."""

    code = "json.syntax"


def parse_json(data: bytes, *, path: str) -> dict[str, JsonValue]:
    """Reads one JSON object.

    Raises:
        JsonError: With a code (``json.duplicate-key``, ``json.number`` …) and a place.
        TextError: It is no UTF-8 text.
    """
    text = decode_text(data, path=path, limit_bytes=MATTER_BYTES)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, path=path, line=error.lineno, column=error.colno) from None
    except _RefusedJson as error:
        line = _line_of(text, error.text)
        raise JsonError(str(error), code=error.code, path=path, line=line) from None
    except RecursionError:
        raise JsonError("nested too deeply", code="json.depth", path=path) from None
    if not isinstance(value, dict):
        raise JsonError("expected an object", code="json.object", path=path, line=1)
    _check_depth(value, 1, path)
    return value


def emit_json(values: Mapping[str, JsonValue]) -> bytes:
    """Returns the canonical file: two spaces, order as given, one final line feed.

    Raises:
        UnwritableError: A value is no plain data.
    """
    return (_dump(plain_data(values), 0) + "\n").encode("utf-8")


def edit_json(data: bytes, changes: Mapping[str, JsonValue | None], *, path: str) -> bytes:
    """Sets or removes top-level members and leaves every other byte as it is.

    Args:
        data: The file.
        changes: New value a member; ``None`` removes it.
        path: Named in errors.

    Raises:
        RoundTripError: The result would not say exactly what was asked.
    """
    from memfs.formats.matter_edit import RoundTripError, same_data

    before = parse_json(data, path=path)
    text = data.decode("utf-8")
    for name, value in changes.items():
        text = _set_member(text, name, None if value is None else plain_data(value))
    edited = text.encode("utf-8")
    wanted = {k: v for k, v in {**before, **changes}.items() if k not in changes or v is not None}
    try:
        is_exact = same_data(parse_json(edited, path=path), plain_data(wanted))
    except JsonError as error:
        raise RoundTripError(error.message, path=path) from error
    if not is_exact:
        raise RoundTripError("the file cannot be edited without other changes", path=path)
    return edited


def json_places(text: str, *, path: str) -> Mapping[Place, Position]:
    """Returns the position of each member; empty where YAML reads the text differently."""
    from memfs.formats.yaml_core import parse_yaml

    try:
        return parse_yaml(text, path=path).places
    except YamlError:
        return {}


class _RefusedJson(ValueError):  # noqa: N818 - becomes a JsonError with its place
    def __init__(self, code: str, message: str, text: str) -> None:
        super().__init__(message)
        self.code = code
        self.text = text


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            message = f"the member {name!r} stands here twice"
            raise _RefusedJson("json.duplicate-key", message, json.dumps(name))
        if not is_encodable(name) or (isinstance(value, str) and not is_encodable(value)):
            message = "expected characters, got half of a pair"
            raise _RefusedJson("json.surrogate", message, json.dumps(name))
        members[name] = value
    return members


def _integer(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > _SAFE_INTEGER:
        raise _RefusedJson("json.number", "expected at most 2^53; write it as text", text)
    return int(text)


def _fraction(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _RefusedJson("json.number", f"the number {text} is out of range", text)
    return value


def _constant(text: str) -> NoReturn:
    raise _RefusedJson("json.number", f"{text} is no JSON", text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_members,
    parse_int=_integer,
    parse_float=_fraction,
    parse_constant=_constant,
)
_SCANNER: Final = json.JSONDecoder()


def _check_depth(value: JsonValue, depth: int, path: str) -> None:
    if depth > DEPTH:
        raise JsonError(f"expected at most {DEPTH} levels", code="json.depth", path=path)
    if isinstance(value, str):
        if not is_encodable(value):
            raise JsonError("half of a surrogate pair", code="json.surrogate", path=path)
    elif isinstance(value, Mapping):
        for item in value.values():
            _check_depth(item, depth + 1, path)
    elif isinstance(value, list):
        for item in value:
            _check_depth(item, depth + 1, path)


def _line_of(text: str, needle: str) -> int:
    position = text.rfind(needle)
    return place_of(text.encode("utf-8"), len(text[: max(position, 0)].encode("utf-8")))[0]


def _dump(value: JsonValue, level: int) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return text.replace("\n", "\n" + "  " * level) if level else text


def _member_spans(text: str) -> list[tuple[str, int, int, int]]:
    """Returns name, start of the name, start and end of the value, in the order of the file."""
    spans: list[tuple[str, int, int, int]] = []
    position = _skip(text, _skip(text, 0) + 1)
    while text[position] != "}":
        start = position
        name, position = _SCANNER.raw_decode(text, position)
        value_start = _skip(text, _skip(text, position) + 1)
        _, end = _SCANNER.raw_decode(text, value_start)
        spans.append((name, start, value_start, end))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return spans


def _set_member(text: str, name: str, value: JsonValue) -> str:
    spans = _member_spans(text)
    names = [span[0] for span in spans]
    if name in names:
        number = names.index(name)
        _, start, value_start, end = spans[number]
        if value is not None:
            return text[:value_start] + _dump(value, 1) + text[end:]
        if number + 1 < len(spans):
            return text[:start] + text[spans[number + 1][1] :]
        return text[: spans[number - 1][3] if number else start] + text[end:]
    if value is None:
        return text
    member = f"{json.dumps(name, ensure_ascii=False)}: {_dump(value, 1)}"
    if not spans:
        return "{\n  " + member + "\n}\n"
    end = spans[-1][3]
    lead = text[_skip(text, 0) + 1 : spans[0][1]]
    return text[:end] + "," + lead + member + text[end:]


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
