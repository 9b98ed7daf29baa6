"""Two clones that learned the same thing made the same record; only when and where differs.

What follows from a commit or a run has the same id, the same place and the same words wherever it
is distilled. Merged, the earlier of the two stands, byte for byte. Anything else that differs is
for a person: nothing is guessed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.errors import ConflictError, DataError
from memfs.formats.record_codec import read_record
from memfs.model.kinds import KindRegistry
from memfs.model.record import Record

_HINT: Final = "keep the one that is right, then: git add"


class LearnedMergeError(ConflictError):
    """Two versions of a record differ in more than when and where they were learned."""

    code = "conflict.record-merge"


def merge_learned(ours: bytes, theirs: bytes, *, path: str, registry: KindRegistry) -> bytes:
    """Returns the version that was learned first; the same bytes whichever side is ours.

    Args:
        ours: One version.
        theirs: The other.
        path: Where the file stands in the store.
        registry: The kinds.

    Raises:
        LearnedMergeError: They differ in anything else, or are no records.
    """
    try:
        sides = [(read_record(side, path=path, registry=registry), side) for side in (ours, theirs)]
    except DataError as error:
        raise LearnedMergeError("expected two records, got something else", hint=_HINT) from error
    (first, _), (second, _) = sides
    if _learned(first) != _learned(second):
        raise LearnedMergeError(
            "expected two records that differ in when they were learned, got more than that",
            hint=_HINT,
        )
    return min(sides, key=lambda side: (str(side[0].observed), side[1]))[1]


def _learned(record: Record) -> Record:
    """Returns a record without when, from which place and on which branch it was learned."""
    origin = replace(record.origin, source="") if record.origin is not None else None
    return replace(record, observed=None, branch="", origin=origin)
