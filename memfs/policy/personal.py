"""Finds identity, payment and health-insurance numbers (M39): by rule and check digit.

What a check digit or an explicit label proves is refused; what only looks like it waits for
a person. Names, addresses and telephone numbers are ordinary in notes and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memfs.model.frozen import frozen
from memfs.policy.hints import LazyPattern, is_hinted


@frozen(kw_only=False)
class PersonalFinding:
    """Where a text holds a personal number.

    Attributes:
        family: Name of the rule.
        start: First character of the match.
        end: One past its last character.
        is_held: A person decides instead of a refusal.
    """

    family: str
    start: int
    end: int
    is_held: bool


_CARD: Final = re.compile(r"(?<![\w.-])(?:[3-6]\d{3})(?:[ -]?\d){9,15}(?![\w-])")
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_IBAN_START: Final = re.compile(r"[A-Z]{2}\d{2}")
_DIGIT: Final = re.compile(r"\d")
_SSN: Final = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_LABEL: Final = (
    r"(?:[\s_:=#-]+(?:numbers?|no\.?|nr\.?|num|"
    r"id)\b)?[\s_:=#-]+(?:is\s+)?[\"'`]?(?P<value>(?=[A-Z0-9 -]*\d)[A-Z0-9][A-Z0-9 "
    r"-]{4,22}[A-Z0-9])"
)
_IDENTITY: Final = LazyPattern(
    r"\b(?:passport|social[ -]security|ssn|national[ -](?:id(?:entity)?|insurance)|identity[ "
    r"-]card|driver'?s?[ -]licen[cs]e|tax(?:payer)?[ -]id(?:entification)?|steuer-?id|"
    r"personalausweis|dni|aadhaar|codice[ -]fiscale|curp)" + _LABEL,
    re.IGNORECASE,
)
_HEALTH: Final = LazyPattern(
    r"\b(?:nhs|health[ -](?:insurance|card|plan)|medicare|medicaid|medical[ _-]record|"
    r"insurance[ -](?:policy|member)|versichertennummer)" + _LABEL,
    re.IGNORECASE,
)
_IDENTITY_HINTS: Final = (
    "passport", "social", "ssn", "national", "identity", "driver", "tax", "steuer",
    "personalausweis", "dni", "aadhaar", "codice", "curp",
)  # fmt: skip
_HEALTH_HINTS: Final = ("nhs", "health", "medi", "insurance", "versichertennummer")
"""One of these stands in every match, in some case."""
_LEAST_DIGITS: Final = 6
_CARD_DIGITS: Final = 13
_SSN_DIGITS: Final = 9


def scan_personal(text: str) -> tuple[PersonalFinding, ...]:
    """Returns every personal number in ``text``, by position."""
    digits = _digits_in(text)
    if digits == 0:
        return ()
    found: list[PersonalFinding] = []
    if _IBAN_START.search(text) is not None:
        found += [
            PersonalFinding("iban", match.start(), match.end(), True)
            for match in _IBAN.finditer(text)
            if is_iban(match[0])
        ]
    if digits >= _LEAST_DIGITS:
        found += _by_digits(text, digits)
    return tuple(sorted(found, key=lambda item: (item.start, item.end, item.family)))


def _digits_in(text: str) -> int:
    if text.isascii():
        return sum(map(text.count, "0123456789"))
    return len(_DIGIT.findall(text))


def _by_digits(text: str, digits: int) -> Iterator[PersonalFinding]:
    for match in _CARD.finditer(text) if digits >= _CARD_DIGITS else ():
        if is_card(match[0]):
            yield PersonalFinding("payment-card", match.start(), match.end(), False)
    for match in _SSN.finditer(text) if digits >= _SSN_DIGITS and "-" in text else ():
        yield PersonalFinding("identity-number", match.start(), match.end(), True)
    # Beyond ASCII a pattern that ignores case finds more than lower case tells.
    folded = text.lower() if text.isascii() else ""
    for family, pattern, hints in (
        ("identity-number", _IDENTITY, _IDENTITY_HINTS),
        ("health-number", _HEALTH, _HEALTH_HINTS),
    ):
        if folded and not is_hinted(hints, folded):
            continue
        for match in pattern.compiled().finditer(text):
            if sum(char.isdigit() for char in match["value"]) >= _LEAST_DIGITS:
                yield PersonalFinding(family, match.start(), match.end(), False)


def is_card(text: str) -> bool:
    """Tells whether the digits of ``text`` are a card number of a known length (Luhn)."""
    digits = [int(char) for char in text if char.isdigit()]
    if len(digits) not in (14, 15, 16, 19) or len(set(digits)) == 1:
        return False
    doubled = [
        digit if index % 2 == 0 else digit * 2 - (9 if digit > 4 else 0)
        for index, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0


def is_iban(text: str) -> bool:
    """Tells whether ``text`` is an account number whose check digits fit (ISO 13616)."""
    compact = text.replace(" ", "")
    if not 15 <= len(compact) <= 34:
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1
