"""What of a prompt a person typed: what they pasted into it is somebody else's words (A1, A3).

A host's hook gets a prompt as one text. What stands in a fence, behind a quotation mark, indented
like code, between tags or in a quotation of several sentences was put there and not said; and so
was, somewhere, much of a prompt that is longer than anybody types. What is left out here can
still be evidence, and lends no claim a person's worth. Whoever pastes without any mark is not
found out: the text says nothing of it.
"""

from __future__ import annotations

import re
from typing import Final

TYPED_CHARS: Final = 4_000
"""A longer prompt has something in it that was not typed."""
_FENCE: Final = re.compile(r"^[ \t]{0,3}(?:```|~~~).*?(?:^[ \t]{0,3}(?:```|~~~)|\Z)", re.M | re.S)
_TAG: Final = r"<([A-Za-z][\w:-]{0,60})\b[^<>\n]{0,300}>"
_TAGGED: Final = re.compile(rf"{_TAG}.*?</\1\s*>", re.DOTALL)
_TAG_LEFT_OPEN: Final = re.compile(rf"^[ \t]*{_TAG}.*", re.MULTILINE | re.DOTALL)
_PUT: Final = re.compile(r"^(?:[ \t]*[>|]|    |\t).*$", re.MULTILINE)
_QUOTED: Final = re.compile('"[^"]*(?:"|\\Z)|“[^”]*(?:”|\\Z)|«[^»]*(?:»|\\Z)')
_SEVERAL: Final = re.compile(r"[.!?。！？]\s+\S|\n")
_GAP: Final = "\n\n"
"""Ends a sentence: what stands on both sides was not said in one."""
_CUT: Final = "…"
"""Stays within a sentence, so that no half of it passes for a whole one."""


def typed_words(prompt: str) -> str:
    """Returns a prompt without what was put into it; empty for one that nobody types."""
    if len(prompt) > TYPED_CHARS:
        return ""
    text = prompt.replace("\r\n", "\n").replace("\r", "\n")
    for pattern in (_FENCE, _TAGGED, _TAG_LEFT_OPEN, _PUT):
        text = pattern.sub(_GAP, text)
    return _QUOTED.sub(lambda found: _CUT if _SEVERAL.search(found[0]) else found[0], text)
