"""A cursor goes on with its own question to its own state of its own ledger, and no other."""

from __future__ import annotations

import base64
import json

import pytest

from memfs.mcp.cursors import CursorError, cursor_at, position_of
from memfs.model.values import JsonValue

GIVEN: dict[str, JsonValue] = {"query": "heron", "limit": 5}
CURSOR = cursor_at(10, tool="memory_search", given=GIVEN, store="/a/.memfs", ledger="c0ffee")


def position(cursor: str, **changes: object) -> int:
    asked = {"tool": "memory_search", "given": GIVEN, "store": "/a/.memfs", "ledger": "c0ffee"}
    return position_of(cursor, **(asked | changes))  # type: ignore[arg-type]  # varied by name


def forged(parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def test_a_cursor_gives_its_position_back_whatever_cursor_came_with_it() -> None:
    assert position(CURSOR) == 10
    assert position(CURSOR, given={**GIVEN, "cursor": CURSOR, "kinds": None}) == 10
    assert position("") == 0
    assert cursor_at(0, tool="t", given={}, store="s", ledger="l") == ""


@pytest.mark.parametrize(
    ("changes", "code", "told"),
    [
        ({"store": "/b/.memfs"}, "usage.cursor", "of this store"),
        ({"given": {"query": "egret", "limit": 5}}, "usage.cursor", "of this very call"),
        ({"tool": "memory_get"}, "usage.cursor", "of this very call"),
        ({"ledger": "decade"}, "usage.cursor-stale", "has changed since"),
    ],
)
def test_a_cursor_of_something_else_is_refused(
    changes: dict[str, object], code: str, told: str
) -> None:
    with pytest.raises(CursorError) as caught:
        position(CURSOR, **changes)

    assert caught.value.code == code
    assert told in caught.value.message


@pytest.mark.parametrize(
    "cursor",
    [
        "abc",
        "é",
        "[]",
        forged([]),
        forged({"a": 1}),
        forged([1, "a", "b"]),
        forged([0, "a", "b", "c"]),
        forged([-3, "a", "b", "c"]),
        forged([True, "a", "b", "c"]),
        forged([10**12, "a", "b", "c"]),
        forged([1, 2, 3, 4]),
        forged("[" * 5_000),
        base64.urlsafe_b64encode(b"[" * 5_000).decode(),
    ],
    ids=range(13),
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(CursorError):
        position(cursor)
