"""Values of foreign JSON, looked at with care: a value of another type counts as absent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from memfs.model.values import JsonValue

_PICTURE: Final = "[a picture, left out]"
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_DEPTH: Final = 12
_PICTURES: Final = frozenset({"image", "input_image", "output_image", "document"})


def word(value: Mapping[str, JsonValue], name: str) -> str:
    """Returns a string; empty where there is none."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def inner(value: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    """Returns an object; an empty one where there is none."""
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def objects(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    """Returns the objects of a list."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def count(value: Mapping[str, JsonValue], name: str) -> int:
    """Returns a whole number of 0 or more; 0 where there is none."""
    found = value.get(name)
    is_number = isinstance(found, int) and not isinstance(found, bool)
    return max(0, min(found, 10**9)) if is_number and isinstance(found, int) else 0


def instant(value: Mapping[str, JsonValue], name: str = "timestamp") -> datetime | None:
    """Returns an instant in UTC; ``None`` for anything else."""
    try:
        moment = datetime.fromisoformat(word(value, name)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if 1990 <= moment.year <= 9000 else None


def words_of(content: JsonValue) -> str:
    """Returns the text of a message's content: a string, or a list of blocks."""
    if isinstance(content, str):
        return content
    parts = []
    for block in objects(content):
        if word(block, "type") in _PICTURES:
            parts.append(_PICTURE)
        elif word(block, "type") in _TEXTS or "text" in block:
            parts.append(word(block, "text"))
    return "\n".join(part for part in parts if part)


def laid_out(value: JsonValue) -> str:
    """Returns the arguments of a call as text: a name and a value a line, long texts as they are.

    So a line that must not be kept can be left out without the others, and what belongs
    together stands on one line and is seen together: the words of a command, and a name with its
    value, as in ``{"name": "TOKEN", "value": "…"}``.
    """
    return "\n".join(_lines(value, 0))


def _lines(value: JsonValue, depth: int) -> list[str]:
    if depth > _DEPTH:
        return [_plain(value)]
    if isinstance(value, Mapping):
        pair = _pair(value)
        named = {pair[0]: pair[1], **pair[2]} if pair is not None else value
        return [line for name, item in named.items() for line in _named(name, item, depth)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not any(isinstance(item, Mapping | list) for item in value):
            return [" ".join(map(_plain, value))]
        return [line for item in value for line in _lines(item, depth + 1)]
    return [_plain(value)]


def _named(name: str, item: JsonValue, depth: int) -> list[str]:
    lines = _lines(item, depth + 1)
    is_nested = isinstance(item, Mapping | list) and len(lines) > 1
    if len(lines) == 1 and not is_nested and "\n" not in lines[0]:
        return [f"{name}: {lines[0]}"]
    return [f"{name}:", *(f"  {line}" for line in lines)] if is_nested else [f"{name}:", *lines]


def _pair(
    value: Mapping[str, JsonValue],
) -> tuple[str, JsonValue, Mapping[str, JsonValue]] | None:
    """Returns what names what in ``{"name": …, "value": …}``, and what else stands there."""
    label = next((name for name in ("name", "key") if word(value, name)), "")
    if not label or not isinstance(value.get("value"), str):
        return None
    rest = {name: item for name, item in value.items() if name not in (label, "value")}
    return word(value, label), value["value"], rest


def decoded(text: str) -> JsonValue:
    """Returns the JSON that stands in a string; the string itself where none does."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _plain(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return ""
