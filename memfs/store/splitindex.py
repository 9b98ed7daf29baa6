"""Writes into a split index: new and replaced entries go into its small file.

The ``link`` extension names the shared file and stays as it is. Git lets an entry with a name
override the shared one, so additions and replacements need no bitmap; a removal of a shared
entry does, and is left to Git.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memfs.store.gitindex import IndexEdit, IndexImage, UnknownIndexError, apply_edits

MAX_DELTA_ENTRIES: Final = 1000
"""Beyond this Git folds the delta into a new shared file."""


def apply_split_edits(image: IndexImage, edits: Sequence[IndexEdit]) -> None:
    """Applies edits to the image of a split index.

    Raises:
        UnknownIndexError: An entry is to be removed.
    """
    if any(not edit.oid for edit in edits):
        raise UnknownIndexError("a removal in a split index")
    # Entries without a name stand for replaced shared ones and must come first: the empty path
    # sorts before every other, so the search below never gets among them.
    apply_edits(image, edits)
