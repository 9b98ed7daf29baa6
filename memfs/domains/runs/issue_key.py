"""Identity of issues: the same words, or the same entry of a tracker, are the same issue (C17).

The key is exact after folding; nothing is the same because it looks alike (C20 of the lessons).
The id, and with it the place of the file, follows from the store and the key, so that two clones
that open the same issue open the same file.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.model.ids import ISSUE_PREFIX, derived_id
from memfs.model.limits import LINE_CHARS
from memfs.model.text import normalise_text

TRACKER: Final = "tracker"
"""How keys of imported issues begin: ``tracker bd-12``; no title's key does."""
_MARKS: Final = re.compile("[`*\"'“”‘’„«»]")
_EDGES: Final = " \t.,;:!?…-–—#>"


def issue_key(title: str) -> str:
    """Returns what two titles of the same issue have in common; empty for a title without words.

    Case, white space, quotation marks, emphasis and a final full stop are no difference. A title
    that begins like the key of a tracker's entry is kept apart from one.
    """
    folded = normalise_text(title)
    key = " ".join(_MARKS.sub("", folded).split()).strip(_EDGES) or folded
    if key.startswith(f"{TRACKER}:"):
        key = key.replace(":", " ", 1)
    return key[:LINE_CHARS].strip()


def tracker_key(identifier: str) -> str:
    """Returns the key of an entry of a tracker; identifiers are compared exactly."""
    return f"{TRACKER}:{identifier}"


def issue_id(store_id: str, key: str, *, attempt: int = 0) -> str:
    """Returns the id of the issue with a key in a store.

    Args:
        store_id: The store.
        key: See :func:`issue_key`.
        attempt: Above 0 where the issue of that key is none that its opener may know of.
    """
    return derived_id(ISSUE_PREFIX, store_id, key, *([str(attempt)] if attempt else []))
