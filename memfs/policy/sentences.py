"""Whether a sentence forbids what it mentions: "never push --force" grants nothing."""

from __future__ import annotations

import re
from typing import Final

_BREAK: Final = re.compile(r"[.!?;\n]")
_FORBIDS: Final = re.compile(
    r"\b(?:never|not|cannot|can't|don't|don’t|doesn't|didn't|won't|mustn't|shouldn't|must\s+not|"
    r"avoid(?:s|ed|ing)?|forbid(?:s|den)?|prohibit(?:s|ed)?|refus(?:e|es|ed|ing)|disallow(?:s|ed)?|"
    r"nobody|no\s+one|no\s+agent|nie|niemals|nicht|kein|jamais|nunca)\b"
    r"(?!\s+(?:hesitat|forget|fail|only|just|mind|ask|wait|stop|necessarily)\w*)",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"\A[^.!?;\n]{0,60}\b(?:is|are)\s+(?:strictly\s+)?(?:forbidden|prohibited|not\s+allowed|banned|"
    r"dangerous)\b",
    re.IGNORECASE,
)
_REACH: Final = 160


def is_forbidden(text: str, start: int, end: int) -> bool:
    """Tells whether the sentence around ``text[start:end]`` forbids it.

    Only a negation before the match in its own sentence counts, or a judgement right after
    it, and not one that turns into its opposite ("do not hesitate to").
    """
    before = text[max(0, start - _REACH) : start]
    sentence = _BREAK.split(before)[-1]
    # The match itself may open with the negation ("do not push without approval").
    head = text[start:end]
    return (
        _FORBIDS.search(sentence) is not None
        or _FORBIDS.match(head.lstrip()) is not None
        or _AFTER.match(text[end : end + _REACH]) is not None
    )
