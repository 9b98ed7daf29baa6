"""Holds as JSON files: which blob of a path is served until someone decides."""

from __future__ import annotations

import re
from typing import Final

from memfs.errors import DataError
from memfs.formats.json_codec import emit_json, parse_json
from memfs.model.hold import Hold
from memfs.model.ids import CANDIDATE_PREFIX, is_id

_BLOB: Final = re.compile(r"(?:[0-9a-f]{40})?\Z")
_MEMBERS: Final = frozenset(("path", "admitted", "found", "candidate"))


class HoldError(DataError):
    """The file is no hold."""

    code = "hold.unreadable"


def encode_hold(hold: Hold) -> bytes:
    """Returns the canonical file of a hold."""
    return emit_json(
        {
            "path": hold.path,
            "admitted": hold.admitted,
            "found": hold.found,
            "candidate": hold.candidate,
        }
    )


def decode_hold(data: bytes, path: str) -> Hold:
    """Reads a hold back.

    Raises:
        HoldError: A member is missing, unknown or wrong.
        DataError: The file is no JSON that memfs works with.
    """
    values = parse_json(data, path=path)
    if values.keys() != _MEMBERS:
        raise HoldError(f"expected {', '.join(sorted(_MEMBERS))}", path=path, line=1)
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    if len(texts) != len(_MEMBERS) or not texts["path"]:
        raise HoldError("expected text throughout", path=path, line=1)
    if not _BLOB.match(texts["admitted"]) or not _BLOB.match(texts["found"]):
        raise HoldError("expected blob ids of 40 digits", path=path, line=1)
    # A foreign version that cannot even be proposed is held without a candidate.
    if texts["candidate"] and not is_id(texts["candidate"], CANDIDATE_PREFIX):
        raise HoldError("expected the id of a candidate", path=path, line=1)
    return Hold(**texts)
