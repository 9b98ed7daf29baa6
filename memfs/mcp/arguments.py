"""Arguments of a tool: one table says what a client is told and what is let in.

Nothing is dropped or guessed: an unknown name, a wrong type or a value out of range refuses
the whole call, and says of every fault what was expected. A misspelt ``dry_run`` that is
silently ignored would do the very thing that was not wanted.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from memfs.errors import UsageError
from memfs.model.values import JsonValue

MOST_CHARS: Final = 20_000
"""How long a text may be unless its field says otherwise."""
MOST_ITEMS: Final = 20
_SHOWN_CHARS: Final = 40


class ArgumentError(UsageError):
    """A tool was called with arguments that it does not take; the message names each fault."""

    code = "usage.arguments"


class FieldType(StrEnum):
    """What a field holds."""

    TEXT = "string"
    TEXTS = "array"
    NUMBER = "integer"
    FLAG = "boolean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument of a tool.

    Attributes:
        name: Its name in the call.
        type: What it holds.
        help: What it means, for a model; empty where the name says it.
        choices: The only values that are taken; empty for any.
        least: Smallest number.
        most: Largest number, or the most characters of a text, or items of a list.
        is_required: Whether a call without it is refused.
    """

    name: str
    type: FieldType = FieldType.TEXT
    help: str = ""
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    is_required: bool = False

    def schema(self) -> dict[str, JsonValue]:
        """Returns the JSON Schema of the field, as short as it can be."""
        said: dict[str, JsonValue] = {"type": str(self.type)}
        if self.type is FieldType.TEXTS:
            said["items"] = {"type": "string"}
        if self.choices:
            said["enum"] = list(self.choices)
        if self.type is FieldType.NUMBER:
            said |= {"minimum": self.least, "maximum": self.most}
        if self.help:
            said["description"] = self.help
        return said


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call, every one of the type that its field has."""

    values: Mapping[str, JsonValue]

    def text(self, name: str) -> str:
        """Returns a text; empty where it was not given."""
        value = self.values.get(name, "")
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns a list of texts; empty where it was not given."""
        value = self.values.get(name, ())
        return tuple(map(str, value)) if isinstance(value, list | tuple) else ()

    def number(self, name: str, default: int) -> int:
        """Returns a whole number."""
        value = self.values.get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        """Returns whether a flag was set."""
        return self.values.get(name) is True


def input_schema(fields: Sequence[Field]) -> dict[str, JsonValue]:
    """Returns the JSON Schema of a tool's arguments: a plain object and nothing beside it."""
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {field.name: field.schema() for field in fields},
        "additionalProperties": False,
    }
    required: list[JsonValue] = [field.name for field in fields if field.is_required]
    return schema | {"required": required} if required else schema


def read_arguments(fields: Sequence[Field], given: Mapping[str, JsonValue]) -> Arguments:
    """Returns the arguments of a call; one that is ``null`` counts as not given.

    Raises:
        ArgumentError: One is unknown, missing, of another type or out of range.
    """
    by_name = {field.name: field for field in fields}
    faults: list[str] = []
    hints: list[str] = []
    values: dict[str, JsonValue] = {}
    for name, value in given.items():
        field = by_name.get(name)
        if field is None:
            faults.append(f"unknown argument {_shown(name)}")
            hints.extend(_meant(name, by_name))
        elif value is not None:
            fault = _fault(field, value)
            values[name] = value
            if fault:
                faults.append(f"{name}: {fault}")
    missing = [
        field.name for field in fields if field.is_required and values.get(field.name) in (None, "")
    ]
    faults.extend(
        f"{name}: expected a value, got {'an empty text' if name in values else 'none'}"
        for name in missing
    )
    if faults:
        taken = f"arguments: {', '.join(by_name)}" if by_name else "it takes no arguments"
        raise ArgumentError("; ".join(faults), hint="; ".join([*hints, taken]))
    return Arguments(values)


def _meant(name: str, known: Mapping[str, Field]) -> list[str]:
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return [f"did you mean {near[0]}?"] if near else []


def _fault(field: Field, value: JsonValue) -> str:
    """Returns what is wrong with a value; empty for nothing."""
    match field.type:
        case FieldType.TEXT:
            return _text_fault(field, value)
        case FieldType.TEXTS:
            return _texts_fault(field, value)
        case FieldType.NUMBER:
            if isinstance(value, bool) or not isinstance(value, int):
                return f"expected a whole number, got {_named(value)}"
            is_in_range = field.least <= value <= field.most
            return "" if is_in_range else f"expected {field.least} to {field.most}, got {value}"
        case FieldType.FLAG:
            return "" if isinstance(value, bool) else f"expected true or false, got {_named(value)}"
        case _:
            assert_never(field.type)


def _text_fault(field: Field, value: JsonValue) -> str:
    if not isinstance(value, str):
        return f"expected a text, got {_named(value)}"
    most = field.most or MOST_CHARS
    if len(value) > most:
        return f"expected at most {most} characters, got {len(value)}"
    if not _is_unicode(value):
        return "expected text in Unicode, got half a character"
    if field.choices and value not in field.choices:
        return f"expected one of {', '.join(field.choices)}, got {_shown(value)}"
    return ""


def _texts_fault(field: Field, value: JsonValue) -> str:
    if not isinstance(value, list):
        return f"expected a list of texts, got {_named(value)}"
    most = field.most or MOST_ITEMS
    if len(value) > most:
        return f"expected at most {most} items, got {len(value)}"
    single = Field(name=field.name, choices=field.choices)
    return next((fault for item in value if (fault := _text_fault(single, item))), "")


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _named(value: JsonValue) -> str:
    match value:
        case bool():
            return "true or false"
        case str():
            return f"the text {_shown(value)}"
        case int() | float():
            return f"the number {value}"
        case list() | tuple():
            return "a list"
        case _:
            return "an object"


def _shown(text: str) -> str:
    """Returns the start of what a caller sent, on one line and in ASCII."""
    cut = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    return ascii(cut)
