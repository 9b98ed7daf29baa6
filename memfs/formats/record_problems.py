"""Faults of a record as problems: one sentence each, with its place and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from memfs.errors import DataError
from memfs.formats.yaml_spans import Place, Position
from memfs.model.frozen import frozen
from memfs.model.problem import Problem, Severity

if TYPE_CHECKING:
    from pydantic import ValidationError

_TYPE_NAMES: Final = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
_BOUNDS: Final = {"greater_than_equal": ("ge", "at least"), "less_than_equal": ("le", "at most")}
_QUOTED_CHARS: Final = 40
_SENTENCE_CHARS: Final = 200


@frozen(kw_only=False)
class Fault:
    """Something wrong with a value, before its place in the file is known.

    Attributes:
        place: Keys and 0-based positions from the outside in; empty for the file as a whole.
        code: Stable dotted code.
        message: Expected before got.
        hint: What to do; may be empty.
        severity: Error or warning.
    """

    place: Place
    code: str
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR


@frozen
class Locator:
    """Finds the position of a field in one file.

    Attributes:
        path: Store-relative path.
        places: Known positions; a value without one takes that of what holds it.
        fallback: Position of the record as a whole.
    """

    path: str
    places: Mapping[Place, Position]
    fallback: Position = (1, 1)

    def problem(self, fault: Fault) -> Problem:
        """Returns a fault as a problem at its place or at the nearest thing around it."""
        line, column = self.position(fault.place)
        return Problem(
            self.path, line, column, fault.code, fault.message, fault.hint, fault.severity
        )

    def position(self, place: Place) -> Position:
        """Returns line and column of ``place`` or of the nearest thing around it."""
        while place:
            if place in self.places:
                return self.places[place]
            place = place[:-1]
        return self.fallback


def problem_from(error: DataError, path: str) -> Problem:
    """Returns an exception about a file as a problem of that file."""
    return Problem(
        error.path or path,
        error.line or 0,
        error.column or 0,
        error.code,
        error.message,
        error.hint,
    )


def faults_from(error: ValidationError) -> Iterator[Fault]:
    """Yields one fault for each that pydantic found, in the order of the model."""
    for found in error.errors(include_url=False):
        place = found["loc"]
        code, message, hint = _sentence(found)
        yield Fault(place, code, f"{_name(place)}: {message}", hint)


def _name(place: Place) -> str:
    name = ""
    for part in place:
        name += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def _sentence(fault: Any) -> tuple[str, str, str]:
    kind, context, value = fault["type"], fault.get("ctx", {}), fault["input"]
    if kind in _TYPE_NAMES:
        return (
            "record.type",
            f"expected {_TYPE_NAMES[kind]}, got {describe(value)}",
            _hint(kind, value),
        )
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return "record.range", f"expected {words} {context[key]}, got {describe(value)}", ""
    match kind:
        case "missing":
            return "record.missing", "expected a value, got none", ""
        case "literal_error":
            expected = str(context["expected"]).replace("'", "").replace(" or ", ", ")
            hint = closest(str(value), expected.split(", "))
            return "record.choice", f"expected one of {expected}, got {describe(value)}", hint
        case "string_pattern_mismatch":
            hint = "leave it out and memfs fills it in" if fault["loc"] == ("id",) else ""
            return "record.pattern", _pattern(str(context["pattern"])), hint
        case "string_too_long":
            limit = context["max_length"]
            return "record.length", f"expected at most {limit} characters, got {len(value)}", ""
        case "too_long":
            limit = context["max_length"]
            return "record.length", f"expected at most {limit} items, got {len(value)}", ""
        case "extra_forbidden":
            return "record.unknown-key", "expected no such key here", ""
        case "value_error":
            return "record.value", str(context["error"])[:_SENTENCE_CHARS], ""
        case _:
            return "record.value", str(fault["msg"]), ""


def _pattern(pattern: str) -> str:
    if "25}" in pattern:
        prefix = pattern[1 : pattern.index("_")]
        example = f"{prefix}_01kb8x3v6yq4m9t2r7w5z1c0de" if prefix.isalpha() else "mem_01kb8…"
        return f"expected an id such as {example}"
    return "expected one line of text, not empty and without control characters"


def _hint(kind: str, value: object) -> str:
    if kind == "string_type" and isinstance(value, int | float):
        return "put it in double quotes"
    if kind == "list_type" and isinstance(value, str):
        return "put it in square brackets"
    if kind != "string_type" and isinstance(value, str):
        return "write it without quotes, as a plain decimal number or list"
    return ""


def describe(value: object) -> str:
    """Names a value for a message; long text is never repeated."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return repr(value) if len(value) <= _QUOTED_CHARS else f"{len(value)} characters"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "a mapping"
        case _:
            return type(value).__name__


def closest(word: str, choices: Iterable[str]) -> str:
    """Returns a hint that names the choice nearest to ``word``, or an empty string."""
    import difflib

    near = difflib.get_close_matches(word, list(choices), n=1, cutoff=0.75)
    return f"did you mean {near[0]!r}?" if near else ""
