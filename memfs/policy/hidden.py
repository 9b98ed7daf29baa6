"""Finds characters that people do not see and programs do: bidi, tags, zero width.

glyphguard looks where it is installed; without it a table of code points does, which is
coarser but misses none of the smuggling families. Pure ASCII is answered at once.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.model.frozen import frozen

_TECHNIQUES: Final = frozenset(
    {
        "GG-INV-001",
        "GG-INV-002",
        "GG-INV-004",
        "GG-INV-005",
        "GG-INV-007",
        "GG-SMUG-001",
        "GG-SMUG-002",
        "GG-SMUG-003",
        "GG-SMUG-004",
        "GG-BIDI-001",
        "GG-BIDI-002",
        "GG-BIDI-003",
        "GG-MARK-001",
        "GG-CONF-001",
    }
)
"""What is held; lookalikes only inside one word, since mixed scripts are ordinary."""

_FAMILIES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("bidi", re.compile("[\u202a-\u202e\u2066-\u2069]")),
    ("tag", re.compile("[\U000e0000-\U000e007f]")),
    ("variation-selector", re.compile("[\ufe00-\ufe0f]{2,}|[\U000e0100-\U000e01ef]{2,}")),
    (
        "zero-width",
        re.compile("[\u200b\u2060\ufeff\u180e]|(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])"),
    ),
    ("invisible-operator", re.compile("[\u2061-\u2064\u206a-\u206f\ufff9-\ufffb]")),
    ("blank", re.compile("[\u115f\u1160\u3164\uffa0\u2800]")),
)


@frozen(kw_only=False)
class HiddenFinding:
    """Where a text holds something unseen.

    Attributes:
        family: Name of the technique.
        start: Position of its first character.
    """

    family: str
    start: int


def scan_hidden(text: str) -> tuple[HiddenFinding, ...]:
    """Returns what cannot be seen in ``text``, by position."""
    if text.isascii():
        return ()
    try:
        from glyphguard import detect
    except ImportError:
        return scan_code_points(text)
    findings = (
        HiddenFinding(finding.technique_id, finding.start)
        for finding in detect(text)
        if finding.technique_id in _TECHNIQUES
    )
    return tuple(sorted(findings, key=lambda item: (item.start, item.family)))


def scan_code_points(text: str) -> tuple[HiddenFinding, ...]:
    """Does the same from a table of code points alone."""
    findings = (
        HiddenFinding(family, match.start())
        for family, pattern in _FAMILIES
        for match in pattern.finditer(text)
    )
    return tuple(sorted(findings, key=lambda item: (item.start, item.family)))


def visible_text(text: str) -> str:
    """Returns ``text`` in the form that rules look at: compatibility forms, nothing hidden."""
    if text.isascii():
        return text
    try:
        from glyphguard import sanitize
    except ImportError:
        return _plain(text)
    return _plain(sanitize(text).text)


def _plain(text: str) -> str:
    import unicodedata

    for _, pattern in _FAMILIES:
        text = pattern.sub("", text)
    return unicodedata.normalize("NFKC", text)
