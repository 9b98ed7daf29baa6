"""Brings Git's index in step under ``index.lock``, and heals what others left behind in it.

``git commit`` reads the index before it locks it and may write the older one back; the next
commit would then drop what memfs had added in between. Therefore the identity of the index
that memfs wrote last is remembered, and when another one is found, every entry that differs
from the branch although the working file agrees with the branch is set right. What a person
has staged differs in the working file too and is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from memfs.model.settings import IndexMode
from memfs.store.effects import Effects
from memfs.store.git import GitFailedError, run_git
from memfs.store.gitindex import (
    IndexEdit,
    IndexImage,
    UnknownIndexError,
    apply_edits,
    distrust_recent,
    encode_index,
    parse_index,
)
from memfs.store.journal import NO_FILE, StatKey
from memfs.store.lock import FileLock
from memfs.store.splitindex import MAX_DELTA_ENTRIES, apply_split_edits
from memfs.store.staging import Staging

SPLIT_FROM_FILES: Final = 10_000
"""With ``index: auto``, the number of tracked files from which the index is split."""

_ABSENT_OID: Final = "0" * 40


class StaleEntry(NamedTuple):
    """An index entry that differs from the branch: what the branch has, empty for nothing."""

    path: str
    mode: int
    oid: str
    found: str


@dataclass(slots=True)
class _Cached:
    key: StatKey
    image: IndexImage


class IndexKeeper:
    """The index of one repository. Remembers its parsed form between transactions."""

    def __init__(self, root: Path, git_dir: Path, effects: Effects) -> None:
        self._root = root
        self._git_dir = git_dir
        self._effects = effects
        self._cached: _Cached | None = None
        self.path = f"{git_dir}/index"

    def key(self) -> StatKey:
        """Returns the identity of the index file as it is now."""
        return StatKey.of_path(self.path)

    def update(
        self, lock: FileLock, edits: Sequence[IndexEdit], mode: IndexMode, staging: Staging
    ) -> StatKey:
        """Applies ``edits`` and returns the identity of the new index file.

        The caller holds ``lock`` on the index; it is released by the rename.

        Raises:
            GitError: Git had to edit the index and failed.
            OSError: The new index could not be written; the old one stands.
        """
        try:
            image = self._edited(edits, mode)
        except UnknownIndexError:
            return self._update_with_git(lock, edits, mode, staging)
        if _wants_split(image, mode):
            return self._split(lock, image, staging)
        key = self._write(lock, encode_index(image))
        self._cached = _Cached(key, image)
        return key

    def bring_in_step(
        self,
        lock: FileLock,
        edits: Sequence[IndexEdit],
        mode: IndexMode,
        staging: Staging,
        commit: str,
    ) -> StatKey:
        """Applies ``edits``, or makes the index anew from ``commit`` where Git cannot read it.

        Raises:
            GitError: Git failed at a new index as well.
            OSError: The new index could not be written; the old one stands.
        """
        try:
            return self.update(lock, edits, mode, staging)
        except GitFailedError:
            return self.rebuild(lock, commit, staging)

    def rebuild(self, lock: FileLock, commit: str, staging: Staging) -> StatKey:
        """Makes a new index from a commit, for a repository whose index is gone or damaged."""
        private = Path(staging.new_name())
        self._git("read-tree", commit, index=private)
        self._refresh(private)
        return self._adopt(lock, private)

    def stale_entries(self, commit: str) -> tuple[StaleEntry, ...]:
        """Returns every entry that differs from ``commit``.

        Raises:
            GitError: Git cannot read the index.
        """
        output = self._git(
            "diff-index", "--cached", "--raw", "-z", "--no-renames", "--abbrev=40", commit
        )
        parts = output.split(b"\0")
        entries = []
        for head, path in zip(parts[0::2], parts[1::2], strict=False):
            old_mode, _, old_oid, new_oid, status = head[1:].decode("ascii").split(" ")
            if status == "U":
                continue
            entries.append(
                StaleEntry(
                    os.fsdecode(path), int(old_mode, 8), _present(old_oid), _present(new_oid)
                )
            )
        return tuple(entries)

    def find_unmerged(self, paths: Sequence[str]) -> frozenset[bytes]:
        """Returns those of ``paths`` that are in conflict in the index.

        Raises:
            GitError: Git cannot read the index.
        """
        wanted = {os.fsencode(path) for path in paths}
        listing = self._git("ls-files", "--unmerged", "-z").split(b"\0")
        return frozenset(wanted & {line.partition(b"\t")[2] for line in listing})

    def _edited(self, edits: Sequence[IndexEdit], mode: IndexMode) -> IndexImage:
        current = self.key()
        cached, self._cached = self._cached, None
        if cached is not None and cached.key == current:
            image = cached.image
        elif current == NO_FILE:
            image = IndexImage()
        else:
            image = parse_index(Path(self.path).read_bytes())
        distrust_recent(image, os.fsencode(self._root), current.mtime_ns // 1_000_000_000)
        if image.is_split:
            if mode is IndexMode.FULL:
                raise UnknownIndexError("split, but wanted whole")
            apply_split_edits(image, edits)
        else:
            apply_edits(image, edits)
        return image

    def _split(self, lock: FileLock, image: IndexImage, staging: Staging) -> StatKey:
        """Lets Git move the entries into a new shared file; the stat data is known already."""
        private = Path(staging.new_name())
        os.close(self._effects.create(str(private), encode_index(image)))
        self._git("update-index", "--split-index", index=private)
        return self._adopt(lock, private)

    def _write(self, lock: FileLock, content: bytes) -> StatKey:
        descriptor = os.open(lock.twin, os.O_WRONLY | os.O_CLOEXEC)
        try:
            self._effects.write(descriptor, content, self.path)
            # Taken from our own descriptor: after the rename it could be somebody else's file.
            key = StatKey.of(os.fstat(descriptor))
        finally:
            os.close(descriptor)
        lock.publish(self.path)
        return key

    def _update_with_git(
        self, lock: FileLock, edits: Sequence[IndexEdit], mode: IndexMode, staging: Staging
    ) -> StatKey:
        private = Path(staging.new_name())
        if self.key() != NO_FILE:
            os.close(self._effects.create(str(private), Path(self.path).read_bytes()))
        lines = []
        for edit in edits:
            number = f"{edit.mode:o} {edit.oid}" if edit.oid else f"0 {_ABSENT_OID}"
            lines.append(number.encode("ascii") + b"\t" + edit.path + b"\0")
        options = ("--no-split-index",) if mode is IndexMode.FULL else ()
        listing = b"".join(lines)
        self._git("update-index", *options, "-z", "--index-info", index=private, stdin=listing)
        self._refresh(private)
        return self._adopt(lock, private)

    def _refresh(self, private: Path) -> None:
        try:
            self._git("update-index", "-q", "--refresh", index=private)
        except GitFailedError as error:
            # Status 1 says that some working file differs, which is for a person to settle.
            if error.status != 1:
                raise

    def _adopt(self, lock: FileLock, private: Path) -> StatKey:
        key = StatKey.of_path(str(private))
        self._effects.rename(str(private), self.path)
        lock.release()
        self._cached = None
        return key

    def _git(self, *args: str, index: Path | None = None, stdin: bytes | None = None) -> bytes:
        is_read = index is None
        return run_git(
            self._git_dir, self._root, *args, input=stdin, index_file=index, is_read=is_read
        )


def _wants_split(image: IndexImage, mode: IndexMode) -> bool:
    """Tells whether entries should move to a new shared file."""
    count = len(image.paths)
    match mode:
        case IndexMode.FULL:
            return False
        case IndexMode.SPLIT:
            return not image.is_split or count > MAX_DELTA_ENTRIES
        case IndexMode.AUTO:
            return count > (MAX_DELTA_ENTRIES if image.is_split else SPLIT_FROM_FILES)


def _present(oid: str) -> str:
    return "" if oid == _ABSENT_OID else oid


def heal_edits(
    entries: Sequence[StaleEntry], look: Callable[[str], tuple[str, os.stat_result | None]]
) -> tuple[IndexEdit, ...]:
    """Returns the edits that set right entries whose working file agrees with the branch.

    Args:
        entries: Entries that differ from the branch.
        look: Gives blob id and stat result of a working file; an empty id for an absent one, a
            non-id for anything that is no regular file.
    """
    edits = []
    for entry in entries:
        digest, status = look(entry.path)
        if digest == entry.oid:
            edits.append(IndexEdit(os.fsencode(entry.path), entry.mode, entry.oid, status))
    return tuple(edits)
