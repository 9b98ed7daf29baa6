"""What is left out before a pattern is tried can never have been found by it."""

from __future__ import annotations

import random
import re

import pytest

from memfs.policy import personal
from memfs.policy.personal import scan_personal

_PIECES = (
    "passport number: X1234567", "social security 123-45-6789", "ssn is 123456789",
    "123-45-6789", "4111 1111 1111 1111", "5500005555555559", "national id 99887766",
    "\u0130dentity card 1234567", "\u0131dentity card nr 1234567", "\u017f\u017fn: 123456789",
    "NHS number 943 476 5919", "medicare id 123456789A", "med\u0131cal record 1234567",
    "driver's license D1234567", "tax id: 12-3456789", "Steuer-ID 12345678901",
    "aadhaar 1234 5678 9012", "insurance policy 12345678", "health plan: 1234567",
    "the house 12", "2026-11-30T10:00:00Z", "h\u00e9alth card 1234567",
    "\u0663\u0664\u0665\u0666\u0667", "-", "a-b", " x ",
)  # fmt: skip


def without_hints(text: str) -> list[tuple[str, str]]:
    """Tries every pattern that looks for digits, whatever the text holds."""
    found = [("payment-card", it[0]) for it in personal._CARD.finditer(text)]
    found = [(family, said) for family, said in found if personal.is_card(said)]
    found += [("identity-number", it[0]) for it in personal._SSN.finditer(text)]
    for family, lazy in (
        ("identity-number", personal._IDENTITY),
        ("health-number", personal._HEALTH),
    ):
        for match in lazy.compiled().finditer(text):
            if sum(char.isdigit() for char in match["value"]) >= 6:
                found.append((family, match[0]))
    return sorted(found)


@pytest.mark.parametrize("seed", range(4))
def test_a_pattern_that_is_not_tried_would_have_found_nothing(seed: int) -> None:
    rng = random.Random(seed)
    total = 0
    for _ in range(150):
        text = rng.choice(("", "\n", " ", ", ")).join(rng.choices(_PIECES, k=rng.randint(1, 5)))
        text = rng.choice((text, text.upper(), re.sub(" ", "-", text)))
        found = [item for item in scan_personal(text) if item.family != "iban"]
        said = sorted((item.family, text[item.start : item.end]) for item in found)
        assert said == without_hints(text), text
        total += len(said)
    assert total > 100
