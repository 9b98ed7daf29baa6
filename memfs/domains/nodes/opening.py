"""What a session opens with: something that memory has nothing to do with, or perhaps not (M27).

A trivial opening is answered with the scoring rules alone, one question to the store; any other
with the rules and with what is known of its topic, two questions. When in doubt, memory is asked:
a question too many costs milliseconds, one too few costs the answer. Pure.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

TRIVIAL_CHARS: Final = 20
TOPIC: Final = 5
"""How many records on its topic a session is given."""
_OWN: Final = re.compile(
    r"\b(?:i|i'm|me|my|mine|we|we're|us|our|ours|you|your|he|she|they|him|her|his|their|them|"
    r"it|its|this|that|these|those|here|again|still|last|yesterday|earlier)\b",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w-]*|\b\w+[A-Z]\w*|\d|[/\\#@_`]|\w\.\w")
_GENERIC: Final = re.compile(
    r"\s*(?:hi|hello|hey|hallo|hola|bonjour|привет|good (?:morning|evening|afternoon)|thanks|"
    r"thank you|ok|okay|yes|no|help|how (?:do|to|can|does)\b.*|what (?:is|are|does)\b.*|"
    r"why (?:is|are|does|do)\b.*|explain\b.*|define\b.*|convert\b.*|translate\b.*)[\s.!?]*\Z",
    re.IGNORECASE | re.DOTALL,
)


class Opening(StrEnum):
    """What sort of opening a session has."""

    TRIVIAL = "trivial"
    CONTEXT = "context"


def opening_of(text: str) -> Opening:
    """Returns what sort of opening a text is.

    Trivial is only what is at most 20 characters, generic, and names nobody and nothing: no
    capital within a sentence, no digit, no path, no pronoun.
    """
    said = " ".join(text.split())
    is_short = len(said) <= TRIVIAL_CHARS
    if not said or (is_short and _GENERIC.match(said) and not _is_about_something(said)):
        return Opening.TRIVIAL
    return Opening.CONTEXT


def _is_about_something(text: str) -> bool:
    return _OWN.search(text) is not None or _NAME.search(text) is not None
