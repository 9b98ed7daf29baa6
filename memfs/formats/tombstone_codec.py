"""Tombstones as JSON files: content-free, and read generously.

Whatever else a newer memfs may write into one, what it bars stays barred: unknown members are
passed over, and only a file that names nothing at all is no tombstone.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from memfs.errors import DataError
from memfs.formats.json_codec import emit_json, parse_json
from memfs.model.instants import format_instant, parse_instant
from memfs.model.tombstone import Tombstone
from memfs.model.values import JsonValue

_UNKNOWN: Final = datetime(1970, 1, 1, tzinfo=UTC)


class TombstoneError(DataError):
    """The file bars nothing that could be recognised."""

    code = "tombstone.unreadable"


def encode_tombstone(tombstone: Tombstone) -> bytes:
    """Returns the canonical file of a tombstone."""
    values: dict[str, JsonValue] = {
        "id": tombstone.id,
        "kind": tombstone.kind,
        "at": format_instant(tombstone.at),
        "fingerprint": tombstone.fingerprint,
    }
    if tombstone.marks:
        values["marks"] = list(tombstone.marks)
    return emit_json(values)


def decode_tombstone(data: bytes, path: str) -> Tombstone:
    """Reads a tombstone back.

    Raises:
        TombstoneError: It names neither an id nor a fingerprint.
        DataError: The file is no JSON that memfs works with.
    """
    values = parse_json(data, path=path)
    identifier, fingerprint = _text(values.get("id")), _text(values.get("fingerprint"))
    if not identifier and not fingerprint:
        raise TombstoneError("expected an id or a fingerprint, got neither", path=path, line=1)
    marks = values.get("marks")
    return Tombstone(
        id=identifier,
        kind=_text(values.get("kind")),
        at=_when(_text(values.get("at"))),
        fingerprint=fingerprint,
        marks=tuple(filter(None, map(_text, marks))) if isinstance(marks, list | tuple) else (),
    )


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _when(text: str) -> datetime:
    try:
        return parse_instant(text)
    except ValueError:
        return _UNKNOWN
