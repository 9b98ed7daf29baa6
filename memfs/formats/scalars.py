"""What an unquoted word of YAML means: the one rule of the fast reader and the full one.

YAML 1.2 core, with one tightening: a word is a number only when writing the number gives the
word back but for closing zeros. ``1234e56`` (a short Git id), ``00012345``,
``0x1F``, ``1e400``, ``.inf`` and ``12:30:45`` stay the text that they are; so do ``no``, ``on``
and every date, until a schema says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from memfs.model.values import JsonScalar

_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\Z")
_FRACTION: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,30})\.[0-9]{1,50}\Z")
_EXACT_DIGITS: Final = 15
"""Every decimal fraction of so many digits survives the way to a float and back."""
TYPED_WORDS: Final[Mapping[str, JsonScalar]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_MAY_BE_TYPED: Final = frozenset("0123456789-~nNtTfF")


def resolve_plain(text: str) -> JsonScalar:
    """Returns what the plain scalar ``text`` means: null, a boolean, a number or itself."""
    if text and text[0] not in _MAY_BE_TYPED:
        return text
    if text in TYPED_WORDS:
        return TYPED_WORDS[text]
    if text == "-0":
        return text
    if _INTEGER.match(text):
        return int(text)
    if _FRACTION.match(text) and _is_exact(text):
        return float(text)
    return text


def is_typed(text: str) -> bool:
    """Tells whether the plain scalar ``text`` means anything but itself."""
    return text in TYPED_WORDS or (text[0] in _MAY_BE_TYPED and resolve_plain(text) is not text)


def format_number(value: float) -> str:
    """Returns a number without an exponent, in the shortest form that gives it back.

    Infinite and extreme values come back in the form of ``repr``, which no reader takes for a
    number.
    """
    text = repr(value)
    digits, mark, exponent_text = text.partition("e")
    if not mark or abs(exponent := int(exponent_text)) > 30:
        return text
    sign, digits = ("-", digits[1:]) if digits[0] == "-" else ("", digits)
    whole, _, part = digits.partition(".")
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{whole}{part}"
    return f"{sign}{whole}{part.ljust(exponent, '0')}.0"


def _is_exact(text: str) -> bool:
    digits = text.lstrip("-").replace(".", "").strip("0")
    if len(digits) <= _EXACT_DIGITS:
        return True
    return format_number(float(text)).rstrip("0") == text.rstrip("0")
