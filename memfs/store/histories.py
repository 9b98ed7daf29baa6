"""A history before and after it was rewritten: refs, the stash, and what is to leave it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.store import scrub
from memfs.store.git import run_git

STASH: Final = "refs/stash"


@frozen
class HistoryRewrite:
    """What is to leave the history.

    Attributes:
        blobs: Blob ids that go from every path.
        paths: Paths that go from every commit.
        records: Ids whose operations get an opaque subject.
        phrases: Byte strings that are replaced wherever else they stand: in files, names of
            files and refs, messages and the names of people.
    """

    blobs: frozenset[str] = frozenset()
    paths: frozenset[bytes] = frozenset()
    records: frozenset[str] = frozenset()
    phrases: tuple[bytes, ...] = ()

    @property
    def scrub(self) -> scrub.Scrub:
        """The same rules as they are applied to text outside of the history."""
        return scrub.Scrub(
            blobs=frozenset(item.encode("ascii") for item in self.blobs),
            paths=self.paths,
            records=frozenset(item.encode("ascii") for item in self.records),
            phrases=self.phrases,
        )


@frozen
class RefState:
    """A ref with the object that it names and that one's type; a tag's target type as well."""

    name: str
    oid: str
    kind: str
    target: str

    @property
    def is_history(self) -> bool:
        """Whether it leads to a commit, as nearly every ref does."""
        return "commit" in (self.kind, self.target)


@frozen
class StashEntry:
    """One line of the stash's log."""

    oid: str
    rest: str


@frozen
class Rewritten:
    """A rewritten history, ready to take the place of the old one.

    Attributes:
        before: The refs as they were when the rewrite began.
        refs: New object id by ref name; a ref of before that is missing here goes.
        commits: New commit id by old one.
        stash: The stash's log, oldest first, with new ids.
        index_tree: What was staged, rewritten; empty for what the branch says.
        packs: Files of the scratch's packs, without folder.
        scratch: The scratch repository.
    """

    before: tuple[RefState, ...]
    refs: Mapping[str, str]
    commits: Mapping[str, str]
    stash: tuple[StashEntry, ...]
    index_tree: str
    packs: tuple[str, ...]
    scratch: Path


def list_refs(git_dir: Path) -> tuple[RefState, ...]:
    """Returns every ref that is not symbolic, by name."""
    form = "%(refname)%00%(objectname)%00%(objecttype)%00%(*objecttype)%00%(symref)"
    lines = run_git(git_dir, None, "for-each-ref", f"--format={form}").split(b"\n")
    found = []
    for line in lines:
        fields = os.fsdecode(line).split("\0")
        if len(fields) == 5 and not fields[4]:
            found.append(RefState(name=fields[0], oid=fields[1], kind=fields[2], target=fields[3]))
    return tuple(found)


def read_stash(git_dir: Path) -> tuple[StashEntry, ...]:
    """Returns the entries of the stash, oldest first."""
    try:
        lines = (git_dir / "logs" / STASH).read_bytes().split(b"\n")
    except OSError:
        return ()
    fields = [os.fsdecode(line).split(" ", 2) for line in lines]
    return tuple(StashEntry(oid=item[1], rest=item[2]) for item in fields if len(item) == 3)


def read_commit_map(path: Path) -> dict[str, str]:
    """Returns new commit id by old one, as git-filter-repo leaves it behind."""
    found = {}
    for line in path.read_text("ascii", "replace").splitlines()[1:]:
        old, _, new = line.partition(" ")
        if len(old) == len(new) == 40:
            found[old] = new
    return found
