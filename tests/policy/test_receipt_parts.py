"""An account of any size fits into parts, and each name of it is in exactly one of them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from memfs.model.limits import LIST_ITEMS, MATTER_BYTES, TEXT_CHARS
from memfs.model.values import JsonValue
from memfs.policy.receipt_parts import PART_BYTES, ReceiptPart, receipt_parts


def name(number: int, prefix: str = "mem") -> str:
    return f"{prefix}_{number:026d}"


def account(number: int) -> dict[str, JsonValue]:
    """Returns the details of a withdrawal that reached so many."""
    return {
        "what": "memory forgotten",
        "levels": {"read paths": "withdrawn", "inbox": "managed"},
        "reached": number,
        "restored": [f"{name(item)}@2" for item in range(number)],
        "withheld": [name(item, "role") for item in range(number // 2)],
        "canary": {"asked": number, "paths": ["list", "show"]},
        "beyond_reach": {"publications": [f"{name(item)} offered to Ü" for item in range(number)]},
        "nothing": [],
    }


def size_of(part: ReceiptPart) -> int:
    """Returns what a part takes where it stands in the file of a record."""
    value = {"id": "", "targets": list(part.targets), "details": part.details}
    return len(json.dumps(value, indent=2, ensure_ascii=False).encode())


def joined(parts: tuple[ReceiptPart, ...]) -> tuple[list[str], dict[str, JsonValue]]:
    """Puts the parts of an account together again."""
    whole: dict[str, JsonValue] = {}
    for part in parts:
        _join(whole, part.details)
    return [target for part in parts for target in part.targets], whole


def _join(whole: dict[str, JsonValue], more: Mapping[str, JsonValue]) -> None:
    for key, value in more.items():
        here = whole.get(key)
        if isinstance(value, Mapping) and isinstance(here, dict):
            _join(here, value)
        elif isinstance(value, list) and isinstance(here, list):
            here.extend(value)
        else:
            assert here is None, key
            whole[key] = json.loads(json.dumps(value))


@pytest.mark.parametrize("number", [0, 1, 300, 999, 1_000, 1_001, 1_600, 4_000])
def test_every_part_stays_within_its_bound_and_together_they_are_the_account(number: int) -> None:
    targets, details = [f"{name(item)}@1" for item in range(number)], account(number)
    parts = receipt_parts(targets, details)
    assert joined(parts) == (targets, details)
    for part in parts:
        assert size_of(part) <= PART_BYTES + 64 < MATTER_BYTES
        assert len(part.targets) <= LIST_ITEMS
    # No part is wasted, and what is counted is told first.
    assert len(parts) <= 1 + 4 * number / 1_000
    assert parts[0].details["reached"] == number


def test_an_account_that_fits_is_told_as_it_is() -> None:
    details: dict[str, JsonValue] = {
        "one": {},
        "two": [],
        "three": {"four": [{"five": None}]},
        "long": "x" * 5_000,
    }
    assert receipt_parts(["mem_1"], details) == (ReceiptPart(targets=("mem_1",), details=details),)


def test_many_places_and_long_words_fit_as_well() -> None:
    scanned: dict[str, JsonValue] = {
        f"session {item}": {"looked_at": item, "found": 0} for item in range(3_000)
    }
    parts = receipt_parts([], {"scanned": scanned, "report": ["sentence"], "words": "ü" * 100_000})
    assert all(size_of(part) < MATTER_BYTES for part in parts)
    _, whole = joined(parts)
    assert whole["scanned"] == scanned
    words = whole["words"]
    assert isinstance(words, str)
    assert len(words) == TEXT_CHARS
    assert words.endswith("…")
