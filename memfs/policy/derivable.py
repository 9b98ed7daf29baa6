"""Whether a text says only what code, Git or a lock file says anyway (A19)."""

from __future__ import annotations

import re
from typing import Final

_DERIVABLE: Final[tuple[tuple[str, re.Pattern[str], int], ...]] = (
    ("commit ", re.compile(r"^commit [0-9a-f]{40}\b", re.MULTILINE), 3),
    ("diff --git a/", re.compile(r"^diff --git a/", re.MULTILINE), 2),
    ("@@ -", re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE), 4),
    ("integrity", re.compile(r"\"?integrity\"?:? \"?sha(?:1|256|384|512)-", re.MULTILINE), 3),
    ("[[package]]", re.compile(r"^\[\[package\]\]\s*$", re.MULTILINE), 3),
    ("── ", re.compile(r"^[│| \t]*[├└]── ", re.MULTILINE), 25),
)
"""A literal of what is looked for, what it looks like, and how often it must stand there."""
_FENCED: Final = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)
_CODE_LINES: Final = 60
_CODE_SHARE: Final = 0.8


def is_derivable(body: str) -> bool:
    """Tells whether a body is mostly what code, Git or a lock file says anyway."""
    for literal, pattern, least in _DERIVABLE:
        if literal in body and len(pattern.findall(body)) >= least:
            return True
    if "```" not in body and "~~~" not in body:
        return False
    code = sum(match[2].count("\n") for match in _FENCED.finditer(body))
    lines = body.count("\n") + 1
    return code >= _CODE_LINES and code >= _CODE_SHARE * lines
