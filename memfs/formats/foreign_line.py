"""Lines of JSON that other systems write: read field by field, and handed out as they came.

A foreign line says some things otherwise than a line of ours would: a time in another zone,
``null``, a field of its own. What differs is kept with the record, and goes out again as it was
said for as long as the record still means the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.model.authority import Sensitivity
from memfs.model.instants import parse_instant
from memfs.model.limits import LINE_CHARS, LIST_ITEMS
from memfs.model.record import DEFAULT_IMPORTANCE
from memfs.model.values import JsonValue

FOREIGN: Final = "foreign_fields"
"""The unknown field of a record that keeps what its source said otherwise."""
_OTHERWISE: Final = "otherwise"
_WITHOUT: Final = "without"

Line = Mapping[str, JsonValue]


class LineError(ValueError):
    """A line is not what its format says; the message tells why, the code what sort of fault."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class LineFields:
    """The fields of a line, read one by one."""

    values: Line

    def text(self, name: str, most: int = LINE_CHARS) -> str:
        """Returns a text without white space around it; empty where there is none.

        Raises:
            LineError: It is longer than ``most`` characters.
        """
        value = self.values.get(name)
        text = value.strip() if isinstance(value, str) else ""
        if len(text) > most:
            raise LineError("import.too-large", f"expected {name} of at most {most} characters")
        return text

    def label(self, name: str) -> str:
        """Returns a text of one line.

        Raises:
            LineError: It has several lines, or something that hides.
        """
        text = self.text(name)
        if not text.isprintable() and any(map(_is_hiding, text)):
            raise LineError("import.bad-field", f"expected {name} on one line")
        return text

    def labels(self, name: str) -> tuple[str, ...]:
        """Returns a list of texts, each once; numbers among them are written out.

        Raises:
            LineError: It is no list of texts, or too long.
        """
        value = self.values.get(name)
        if value in (None, "", []):
            return ()
        items = list(value) if isinstance(value, list | tuple) else [None]
        is_plain = all(isinstance(it, str | int) and not isinstance(it, bool) for it in items)
        if not is_plain or len(items) > LIST_ITEMS:
            raise LineError("import.bad-field", f"expected {name} as a list of texts")
        return tuple(dict.fromkeys(str(item) for item in items if str(item).strip()))

    def moment(self, name: str) -> datetime | None:
        """Returns an instant; ``None`` where there is none.

        Raises:
            LineError: It has no zone, so that nobody can know which it is, or is none.
        """
        value = self.values.get(name)
        if value in (None, ""):
            return None
        message = f"expected {name} to be an instant with a zone, got {value!r:.60}"
        if not isinstance(value, str):
            raise LineError("import.no-time", message)
        try:
            return parse_instant(value.strip())
        except (ValueError, OverflowError) as error:
            raise LineError("import.no-time", message) from error

    def share(self, name: str) -> float | None:
        """Returns a number from 0 to 1; ``None`` where there is none."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            return None
        return float(value)


def importance_from(value: JsonValue) -> int:
    """Returns an importance of 1 to 10; what is no number says none, and is the usual one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return DEFAULT_IMPORTANCE
    return max(1, min(10, round(value)))


def sensitivity_from(label: str) -> Sensitivity:
    """Returns the sensitivity of a label; no label is a normal one.

    Raises:
        LineError: There is no such label: it is not guessed how much may be shown.
    """
    if not label:
        return Sensitivity.NORMAL
    try:
        return Sensitivity.from_label(label)
    except ValueError as error:
        raise LineError("import.bad-field", str(error)) from None


def _is_hiding(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in ("Zl", "Zp")


def kept_otherwise(
    format_name: str, said: Line, own: Line, *, later: tuple[str, ...] = ()
) -> dict[str, JsonValue]:
    """Returns the unknown field that keeps what a line says otherwise than ours would.

    Args:
        format_name: Name of the format.
        said: The line as it came.
        own: The line that the record would go out as.
        later: Fields that every line of ours has once the record is stored.
    """
    otherwise = {
        name: value for name, value in said.items() if name not in own or own[name] != value
    }
    every = dict.fromkeys((*own, *later))
    without: list[JsonValue] = [name for name in every if name not in said]
    kept: dict[str, JsonValue] = {"format": format_name}
    kept |= {_OTHERWISE: otherwise} if otherwise else {}
    kept |= {_WITHOUT: without} if without else {}
    return {FOREIGN: kept} if len(kept) > 1 else {}


@dataclass(frozen=True, slots=True)
class Kept:
    """What a record keeps of the line that it came in as.

    Attributes:
        otherwise: Fields that it said otherwise than ours would.
        without: Names of fields that it did not have.
    """

    otherwise: Line
    without: tuple[str, ...]


def kept_of(format_name: str, unknown: Mapping[str, JsonValue]) -> Kept | None:
    """Returns what a record keeps of a line of one format; ``None`` where it came in otherwise."""
    kept = unknown.get(FOREIGN)
    if not isinstance(kept, Mapping) or kept.get("format") != format_name:
        return None
    otherwise, without = kept.get(_OTHERWISE), kept.get(_WITHOUT)
    return Kept(
        otherwise=otherwise if isinstance(otherwise, Mapping) else {},
        without=tuple(map(str, without)) if isinstance(without, list | tuple) else (),
    )


def as_it_came(
    format_name: str,
    own: dict[str, JsonValue],
    unknown: Mapping[str, JsonValue],
    reread: Callable[[Line], Line],
    *,
    fixed: frozenset[str],
) -> dict[str, JsonValue]:
    """Returns a line of ours with what its source said otherwise, where that still means the same.

    Args:
        format_name: Name of the format.
        own: The line of ours.
        unknown: The unknown fields of the record.
        reread: Returns the line of ours that a foreign line becomes.
        fixed: Fields that never change after they came in, such as an id.
    """
    kept = kept_of(format_name, unknown)
    if kept is None:
        return own
    said, missing = kept.otherwise, kept.without
    came = {name: value for name, value in {**own, **said}.items() if name not in missing}
    try:
        again = reread(came)
    except LineError:
        return own

    def is_same(name: str) -> bool:
        return name in fixed or again.get(name) == own.get(name)

    line = {name: value for name, value in own.items() if name not in missing or not is_same(name)}
    return line | {name: value for name, value in said.items() if is_same(name)}
