"""How the parts of an envelope read: each reader takes plain data or raises ``ValueError``.

Types are strict: a number is no text and text is no number, ``true`` is no ``1``. Patterns and
bounds stand here once; ``record_models`` and the exported schemas use the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from memfs.model.authority import Sink
from memfs.model.instants import parse_instant
from memfs.model.limits import LABEL_CHARS, LINE_CHARS, LIST_ITEMS, TEXT_CHARS
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.relation import Relation, RelationKind
from memfs.model.scope import Scope
from memfs.model.values import JsonValue

LINE_PATTERN: Final = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$"
ID_PATTERN: Final = r"^[a-z]{2,8}_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$"
REFERENCE_PATTERN: Final = r"^[a-z]{2,8}_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}(@[1-9][0-9]{0,8})?$"
_LINE: Final = re.compile(LINE_PATTERN.replace("$", r"\Z"))
_ID: Final = re.compile(ID_PATTERN.replace("$", r"\Z"))
_REFERENCE: Final = re.compile(REFERENCE_PATTERN.replace("$", r"\Z"))


def read_line_of(limit: int) -> Callable[[JsonValue], str]:
    """Returns a reader of one line of at most ``limit`` characters, not empty."""

    def read(value: JsonValue) -> str:
        if not isinstance(value, str) or len(value) > limit or not _LINE.match(value):
            raise ValueError(f"expected one line of at most {limit} characters")
        return value

    return read


def read_text(value: JsonValue) -> str:
    """Reads text of any number of lines."""
    if not isinstance(value, str) or len(value) > TEXT_CHARS or "\0" in value:
        raise ValueError(f"expected text of at most {TEXT_CHARS} characters")
    return value


def read_id(value: JsonValue) -> str:
    """Reads an id."""
    if not isinstance(value, str) or not _ID.match(value):
        raise ValueError("expected an id")
    return value


def read_reference(value: JsonValue) -> str:
    """Reads an id with or without a version."""
    if not isinstance(value, str) or not _REFERENCE.match(value):
        raise ValueError("expected an id")
    return value


def list_of(read_item: Callable[[JsonValue], Any]) -> Callable[[JsonValue], tuple[Any, ...]]:
    """Returns a reader of a list of what ``read_item`` reads."""

    def read(value: JsonValue) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) > LIST_ITEMS:
            raise ValueError(f"expected a list of at most {LIST_ITEMS}")
        return tuple([read_item(item) for item in value])

    return read


def integer_of(lowest: int, highest: int) -> Callable[[JsonValue], int]:
    """Returns a reader of a whole number within bounds."""

    def read(value: JsonValue) -> int:
        if type(value) is not int or not lowest <= value <= highest:
            raise ValueError(f"expected a whole number from {lowest} to {highest}")
        return value

    return read


def read_confidence(value: JsonValue) -> float:
    """Reads a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("expected a number from 0 to 1")
    return float(value)


@lru_cache(maxsize=4096)
def _parse_instant(text: str) -> datetime:
    try:
        return parse_instant(text)
    except (ValueError, OverflowError):
        is_unzoned = len(text) > len("2026-11-29") and text[:4].isdigit()
        wanted = "an instant with a zone" if is_unzoned else "an instant"
        got = repr(text) if len(text) <= 40 else f"{len(text)} characters"
        raise ValueError(f"expected {wanted} such as 2026-11-29T10:12:00Z, got {got}") from None


def read_instant(value: JsonValue) -> datetime:
    """Reads an RFC 3339 instant or a date.

    Raises:
        ValueError: It is neither, or has a time but no zone.
    """
    if not isinstance(value, str):
        raise ValueError("expected an instant")
    return _parse_instant(value)


def parsed_by(parse: Callable[[str], Any]) -> Callable[[JsonValue], Any]:
    """Returns a reader of text that ``parse`` understands; results are kept."""
    cached = lru_cache(maxsize=1024)(parse)

    def read(value: JsonValue) -> Any:
        if not isinstance(value, str):
            raise ValueError("expected text")
        return cached(value)

    return read


def label_of(values: Mapping[str, Any]) -> Callable[[JsonValue], Any]:
    """Returns a reader of one of the given names."""

    def read(value: JsonValue) -> Any:
        if not isinstance(value, str) or value not in values:
            raise ValueError(f"expected one of {', '.join(values)}")
        return values[value]

    return read


read_scope: Final = parsed_by(Scope.parse)
_read_principal: Final = parsed_by(Principal.parse)
_read_class: Final = label_of({item.value: item for item in OriginClass})
_read_channel: Final = label_of({item.value: item for item in Channel})
_read_relation_kind: Final = label_of({item.value: item for item in RelationKind})
read_line: Final = read_line_of(LINE_CHARS)
read_label: Final = read_line_of(LABEL_CHARS)
_ORIGIN_KEYS: Final = frozenset(("class", "principal", "channel", "source", "digest", "speaker"))


def read_origin(value: JsonValue) -> Origin:
    """Reads the origin."""
    if not isinstance(value, dict) or not value.keys() <= _ORIGIN_KEYS:
        raise ValueError("expected class, principal and channel")
    try:
        return Origin(
            origin_class=_read_class(value["class"]),
            principal=_read_principal(value["principal"]),
            channel=_read_channel(value["channel"]),
            source=read_line(value["source"]) if "source" in value else "",
            digest=read_line(value["digest"]) if "digest" in value else "",
            speaker=read_line(value["speaker"]) if "speaker" in value else "",
        )
    except KeyError as error:
        raise ValueError(f"expected {error.args[0]}") from None


def write_origin(origin: Origin) -> JsonValue:
    """Writes the origin, empty parts left out."""
    values: dict[str, JsonValue] = {
        "class": origin.origin_class.value,
        "principal": str(origin.principal),
        "channel": origin.channel.value,
    }
    for name in ("source", "digest", "speaker"):
        if text := getattr(origin, name):
            values[name] = text
    return values


def read_relation(value: JsonValue) -> Relation:
    """Reads one relation."""
    if not isinstance(value, dict) or not value.keys() <= {"kind", "target", "label"}:
        raise ValueError("expected kind and target")
    if "kind" not in value or "target" not in value:
        raise ValueError("expected kind and target")
    return Relation(
        _read_relation_kind(value["kind"]),
        read_line(value["target"]),
        read_line(value["label"]) if "label" in value else "",
    )


def write_relation(relation: Relation) -> JsonValue:
    """Writes one relation."""
    values: dict[str, JsonValue] = {"kind": relation.kind.value, "target": relation.target}
    if relation.label:
        values["label"] = relation.label
    return values


def read_sinks(value: JsonValue) -> frozenset[Sink]:
    """Reads the sinks."""
    return frozenset(_read_sink_list(value))


def read_taint(value: JsonValue) -> tuple[str, ...]:
    """Reads taint labels, sorted and unique."""
    return tuple(sorted(set(read_labels(value))))


_read_sink_list: Final = list_of(label_of({item.value: item for item in Sink}))
read_labels: Final = list_of(read_label)
