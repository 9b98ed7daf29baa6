"""Cursors: where a long answer goes on, and of which answer it is.

A cursor belongs to one question to one state of one ledger. Between two pages a record may be
forgotten or withheld, and pages of two states would repeat and skip entries: what came in
between ends the listing, with a hint to ask again. A cursor opens nothing. It holds a position,
and each page is asked of the ledger and the read gate anew, so that forging one is harmless.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Final

from memfs.errors import UsageError
from memfs.model.values import JsonValue

FIELD: Final = "cursor"
MOST_CHARS: Final = 400
_MOST_POSITION: Final = 100_000_000
_DIGEST_CHARS: Final = 16


class CursorError(UsageError):
    """A cursor is none, or of another question, store or state of the ledger."""

    code = "usage.cursor"


def cursor_at(
    position: int, *, tool: str, given: Mapping[str, JsonValue], store: str, ledger: str
) -> str:
    """Returns the cursor for the entries from ``position`` on; empty for position 0."""
    if not position:
        return ""
    parts = [position, _digest(tool, given), _digest(store, {}), _digest(ledger, {})]
    packed = json.dumps(parts, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def position_of(
    cursor: str, *, tool: str, given: Mapping[str, JsonValue], store: str, ledger: str
) -> int:
    """Returns where to go on; 0 without a cursor.

    Raises:
        CursorError: It is no cursor of this question to this ledger as it is now.
    """
    if not cursor:
        return 0
    position, question, place, state = _unpacked(cursor)
    if place != _digest(store, {}):
        raise CursorError("expected a cursor of this store, got one of another", hint=_AGAIN)
    if question != _digest(tool, given):
        raise CursorError(
            "expected a cursor of this very call, got one of another",
            hint="repeat the call with the same arguments and the cursor that it gave",
        )
    if state != _digest(ledger, {}):
        raise CursorError(
            "the ledger has changed since that page", hint=_AGAIN, code="usage.cursor-stale"
        )
    return position


_AGAIN: Final = "ask again without a cursor"


def _unpacked(cursor: str) -> tuple[int, str, str, str]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        position, question, place, state = parts
    except (ValueError, TypeError, RecursionError) as error:
        raise CursorError("expected a cursor that a call gave, got something else") from error
    is_position = type(position) is int and 0 < position <= _MOST_POSITION
    if not is_position or not all(isinstance(it, str) for it in (question, place, state)):
        raise CursorError("expected a cursor that a call gave, got something else")
    return position, question, place, state


def _digest(name: str, given: Mapping[str, JsonValue]) -> str:
    """Returns a short digest of what must be the same; the cursor itself is no part of it."""
    asked = {key: value for key, value in given.items() if key != FIELD and value is not None}
    text = json.dumps([name, asked], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:_DIGEST_CHARS]
