"""What a record says in so many characters: for lists, pages and pictures of the graph (M36).

Made from the record at hand each time and stored nowhere, so that it follows every change.
"""

from __future__ import annotations

import unicodedata

from memfs.model.authority import Sensitivity
from memfs.model.graph import PREVIEW_CHARS
from memfs.model.record import Record

_LOOKED_AT = 8
"""So many times the characters that are shown are looked at for words."""


def preview_of(record: Record, most: int = PREVIEW_CHARS) -> str:
    """Returns the beginning of a record's summary, else of its text or title, on one line.

    What is sealed is told by its title alone: its text is no text.
    """
    if record.sensitivity is Sensitivity.SEALED:
        return one_line(record.title, most)
    words = (record.summary, record.body.lstrip("# \n"), record.title)
    return next((line for text in words if (line := one_line(text, most))), "")


def one_line(text: str, most: int) -> str:
    """Returns the beginning of a text on one line, without what hides, reorders or breaks it.

    Args:
        text: Any text.
        most: Characters at most; a text that is longer ends with an ellipsis.
    """
    shown = text[: most * _LOOKED_AT]
    if not (shown.isascii() and shown.isprintable()):
        shown = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in shown)
    line = " ".join(shown.split())
    is_cut = len(line) > most or len(shown) < len(text.rstrip())
    return f"{line[: most - 1].rstrip()}…" if is_cut and line else line
