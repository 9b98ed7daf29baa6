"""The merge driver of a store: what Git runs where two clones changed one file.

It works on the three files that Git names and opens no store: a merge may be under way in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memfs.app.registry import REGISTRY

_LEARNED: Final = ("timeline/", "graph/")


def merge_issue_files(base: Path, ours: Path, theirs: Path, *, path: str) -> None:
    """Merges an issue, or what two clones learned alike, into ``ours``.

    A file that cannot be merged stays as it is.

    Args:
        base: What both started from.
        ours: The version that the result is written to.
        theirs: The other version.
        path: Where the file stands in the store.

    Raises:
        IssueMergeError: They cannot be merged without a person.
        LearnedMergeError: They cannot be merged without a person.
    """
    if path.startswith(_LEARNED):
        from memfs.formats.learned_merge import merge_learned

        sides = ours.read_bytes(), theirs.read_bytes()
        ours.write_bytes(merge_learned(*sides, path=path, registry=REGISTRY))
        return
    from memfs.domains.runs.issue_merge import merge_issues

    name = path if path.endswith(".md") else "issue.md"
    merged = merge_issues(
        base.read_bytes() if base.exists() else b"",
        ours.read_bytes(),
        theirs.read_bytes(),
        path=name,
        registry=REGISTRY,
    )
    ours.write_bytes(merged)
