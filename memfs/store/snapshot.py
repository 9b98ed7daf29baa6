"""The store as of one commit: what the tree holds, and what of it is served.

The *served view* is what readers get: held paths give their admitted blob, or nothing. Only
regular files with names that every system allows are served; links, submodules and odd names
are listed by :meth:`Snapshot.irregular`. A hold that cannot be read withholds its path rather
than serving something that nobody admitted. A snapshot never changes and writes nothing.
"""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from memfs.errors import DataError, StoreError
from memfs.model.frozen import frozen
from memfs.model.hold import Hold
from memfs.model.ids import CommitId, is_id, short_id
from memfs.store.catfile import CatFile, ObjectCorruptError
from memfs.store.layout import HOLD_FOLDER, hold_path
from memfs.store.paths import MAX_DEPTH, component_problem
from memfs.store.tree import (
    EMPTY_TREE,
    MODE_EXECUTABLE,
    MODE_FILE,
    MODE_SYMLINK,
    MODE_TREE,
    TreeCache,
    TreeItem,
    diff_trees,
)

_SERVED: Final = frozenset({MODE_TREE, MODE_FILE, MODE_EXECUTABLE, 0o100664})
_TREE_MODE: Final = b"40000 "


class TreeEntry(NamedTuple):
    """One file of a snapshot; ``mode`` is Git's, 0o100644 as a rule."""

    path: str
    blob: str
    mode: int = MODE_FILE


@frozen(kw_only=False)
class TreeChange:
    """One path with different content in two snapshots: blob ids, ``None`` for nothing."""

    path: str
    old: str | None
    new: str | None


@frozen(kw_only=False)
class IrregularEntry:
    """Something in a tree that is never served; ``reason`` is a short stable word."""

    path: str
    mode: int
    reason: str


class Snapshot:
    """The files of one commit. Cheap to make: trees are read when they are asked for."""

    def __init__(self, objects: CatFile, commit: CommitId, *, trees: TreeCache | None = None):
        self._objects = objects
        self._trees = TreeCache(objects.read_tree) if trees is None else trees
        self._root: str | None = None
        self._holds: Mapping[str, Hold] | None = None
        self._broken: frozenset[str] = frozenset()
        self.commit = commit

    @property
    def tree(self) -> str:
        """Id of the root tree; the empty tree for the empty commit id."""
        if self._root is None:
            self._root = read_root(self._objects, self.commit)
        return self._root

    # -- one path ---------------------------------------------------------------------------

    def entry(self, path: str) -> TreeEntry | None:
        """Returns what is served at ``path``; names are compared in NFC."""
        found = self.raw_entry(path)
        actual = found.path if found is not None else path
        holds = self.holds()
        if actual not in holds and path in holds:
            actual = path
        return self._served(actual, found)

    def raw_entry(self, path: str) -> TreeEntry | None:
        """Returns the regular file that the tree itself has at ``path``, held or not."""
        if not _is_allowed(path):
            return None
        root, prefix = self.tree, ""
        *folders, name = path.split("/")
        for folder in folders:
            item = self._item(root, folder)
            if item is None or not item.is_tree:
                return None
            root, prefix = item.oid, f"{prefix}{item.name}/"
        item = self._item(root, name)
        if item is None or item.is_tree or _irregularity(item) is not None:
            return None
        return TreeEntry(prefix + item.name, item.oid, item.mode)

    def read(self, path: str) -> bytes | None:
        """Returns the bytes that are served at ``path``, ``None`` for nothing."""
        entry = self.entry(path)
        return None if entry is None else self._objects.read_blob(entry.blob)

    # -- all of them ------------------------------------------------------------------------

    def entries(self, prefix: str = "") -> Iterator[TreeEntry]:
        """Yields what is served, sorted by path.

        Args:
            prefix: Only paths that begin with it; a whole folder is ``records/``.
        """
        raw = self.raw_entries(prefix)
        holds = self.holds()
        if not holds and not self._broken:
            yield from raw
            return
        present = (entry for entry in raw if entry.path not in holds)
        held = sorted(
            (
                TreeEntry(path, hold.admitted)
                for path, hold in holds.items()
                if hold.admitted and path.startswith(prefix)
            ),
            key=_by_path,
        )
        for entry in heapq.merge(present, held, key=_by_path):
            if not self._broken or hold_path(entry.path) not in self._broken:
                yield entry

    def raw_entries(self, prefix: str = "") -> Iterator[TreeEntry]:
        """Yields the regular files of the tree itself, held or not, sorted by path."""
        folder, _, start = prefix.rpartition("/")
        root = self._folder(folder)
        if root is not None:
            yield from self._walk(root, f"{folder}/" if folder else "", start)

    def irregular(self) -> Iterator[IrregularEntry]:
        """Yields links, submodules and files with names that are not allowed, in tree order."""
        yield from self._walk_irregular(self.tree, "")

    def find_suffix(self, suffix: str) -> tuple[TreeEntry, ...]:
        """Returns the served files whose name ends with this part of an id, sorted by path.

        Args:
            suffix: The last six characters of an id, or an id.
        """
        if not suffix:
            return ()
        wanted = suffix.lower()
        tail = short_id(wanted)
        found = {
            path
            for path in (*self._find(self.tree, "", tail.encode()), *self.holds())
            if not path.startswith(f"{HOLD_FOLDER}/") and _names(path, wanted, tail)
        }
        entries = (self.entry(path) for path in sorted(found))
        return tuple(entry for entry in entries if entry is not None)

    def find_part(self, folder: str, *parts: str) -> tuple[TreeEntry, ...]:
        """Returns the served files below ``folder`` with one of ``parts`` in their names."""
        below = f"{folder}/"
        found = {*self._find(self._folder(folder) or "", below, *map(str.encode, parts))}
        held = (path for path in self.holds() if path.startswith(below))
        found |= {path for path in held if any(part in path for part in parts)}
        entries = (self.entry(path) for path in sorted(found))
        return tuple(entry for entry in entries if entry is not None)

    def shard_sizes(self, folder: str) -> Mapping[str, int]:
        """Returns how many files each folder directly below ``folder`` has in the tree."""
        root = self._folder(folder)
        if root is None:
            return MappingProxyType({})
        return MappingProxyType(
            {
                item.name: len(self._trees.items(item.oid))
                for item in self._trees.items(root).values()
                if item.is_tree
            }
        )

    def folder_id(self, folder: str) -> str:
        """Returns the id of what stands below a folder; empty when there is nothing."""
        return self._folder(folder) or ""

    # -- blobs ------------------------------------------------------------------------------

    def read_blob(self, blob: str) -> bytes:
        """Returns the content of one blob.

        Raises:
            ObjectMissingError: There is none of that id.
            ObjectCorruptError: It cannot be read.
            ObjectTooLargeError: It is larger than any record may be.
        """
        return self._objects.read_blob(blob)

    def read_blobs(self, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yields every blob of ``blobs`` that can be read, in no fixed order."""
        return self._objects.read_blobs(blobs)

    # -- holds and changes ------------------------------------------------------------------

    def holds(self) -> Mapping[str, Hold]:
        """Returns the holds of this snapshot by the path that they hold."""
        if self._holds is None:
            self._holds, self._broken = self._read_holds()
        return self._holds

    def broken_holds(self) -> tuple[str, ...]:
        """Returns the paths of hold files that cannot be read; their records are withheld."""
        self.holds()
        return tuple(sorted(self._broken))

    def changes_since(self, older: Snapshot) -> Iterator[TreeChange]:
        """Yields what is served differently here than in ``older``, reading only what changed.

        Paths come in tree order, those that are held on either side last.
        """
        special = {*self.holds(), *older.holds()}
        sealed = self._broken | older._broken
        for change in self.raw_changes_since(older):
            if change.path not in special and not (sealed and hold_path(change.path) in sealed):
                yield change
        if sealed:
            special.update(
                entry.path
                for snapshot in (older, self)
                for entry in snapshot.raw_entries()
                if hold_path(entry.path) in sealed
            )
        for path in sorted(special):
            old, new = (_blob(snapshot.entry(path)) for snapshot in (older, self))
            if old != new:
                yield TreeChange(path, old, new)

    def raw_changes_since(self, older: Snapshot) -> Iterator[TreeChange]:
        """Yields how the regular files of the two trees differ, whatever is held."""
        return self.raw_changes_since_tree(older.tree)

    def raw_changes_since_tree(self, older_tree: str) -> Iterator[TreeChange]:
        """Yields how the regular files differ from those of a tree; see ``raw_changes_since``."""
        for path, was, now in diff_trees(self._trees, older_tree, self.tree):
            old, new = _regular(path, was), _regular(path, now)
            if old != new:
                yield TreeChange(path, old, new)

    # -- inside -----------------------------------------------------------------------------

    def _served(self, path: str, found: TreeEntry | None) -> TreeEntry | None:
        hold = self.holds().get(path)
        if self._broken and hold_path(path) in self._broken:
            return None
        if hold is None:
            return found
        return TreeEntry(path, hold.admitted) if hold.admitted else None

    def _item(self, tree: str, name: str) -> TreeItem | None:
        items = self._trees.items(tree)
        exact = items.get(name)
        if exact is not None or name.isascii():
            return exact
        wanted = unicodedata.normalize("NFC", name)
        for item in items.values():
            if not item.name.isascii() and unicodedata.normalize("NFC", item.name) == wanted:
                return item
        return None

    def _folder(self, folder: str) -> str | None:
        if not folder:
            return self.tree
        if not _is_allowed(folder):
            return None
        item = self._trees.find(self.tree, folder)
        return item.oid if item is not None and item.is_tree else None

    def _walk(self, tree: str, prefix: str, start: str = "") -> Iterator[TreeEntry]:
        items: Iterable[TreeItem] = self._trees.items(tree).values()
        if start:
            items = [item for item in items if item.name.startswith(start)]
        # A stack instead of recursion: every file would pass through a generator a folder.
        stack = [(iter(items), prefix)]
        while stack:
            rest, prefix = stack[-1]
            for item in rest:
                if _irregularity(item) is not None:
                    continue
                if item.mode != MODE_TREE:
                    yield TreeEntry(prefix + item.name, item.oid, item.mode)
                elif prefix.count("/") < MAX_DEPTH - 1:
                    below = self._trees.items(item.oid).values()
                    stack.append((iter(below), f"{prefix}{item.name}/"))
                    break
            else:
                stack.pop()

    def _walk_irregular(self, tree: str, prefix: str) -> Iterator[IrregularEntry]:
        for item in self._trees.items(tree).values():
            path = prefix + item.name
            reason = _irregularity(item)
            if reason is None and path.count("/") >= MAX_DEPTH:
                reason = "depth"
            if reason is not None:
                yield IrregularEntry(path, item.mode, reason)
            elif item.is_tree:
                yield from self._walk_irregular(item.oid, path + "/")

    def _find(self, tree: str, prefix: str, *needles: bytes) -> Iterator[str]:
        if prefix.count("/") >= MAX_DEPTH:
            return
        raw = self._trees.raw(tree)
        if _TREE_MODE not in raw and not any(needle in raw for needle in needles):
            return
        texts = [needle.decode() for needle in needles]
        for item in self._trees.items(tree).values():
            if item.is_tree:
                yield from self._find(item.oid, f"{prefix}{item.name}/", *needles)
            elif any(text in item.name for text in texts) and _irregularity(item) is None:
                yield prefix + item.name

    def _read_holds(self) -> tuple[Mapping[str, Hold], frozenset[str]]:
        root = self._folder(HOLD_FOLDER)
        holds: dict[str, Hold] = {}
        broken: set[str] = set()
        for item in self._trees.items(root or "").values():
            place = f"{HOLD_FOLDER}/{item.name}"
            hold = self._read_hold(item)
            if hold is None or hold_path(hold.path) != place:
                broken.add(place)
            else:
                holds[hold.path] = hold
        return MappingProxyType(holds), frozenset(broken)

    def _read_hold(self, item: TreeItem) -> Hold | None:
        from memfs.formats.hold_codec import decode_hold  # most snapshots have no hold

        if not item.is_file:
            return None
        try:
            return decode_hold(self._objects.read_blob(item.oid), f"{HOLD_FOLDER}/{item.name}")
        except (DataError, StoreError):
            return None


def read_root(objects: CatFile, commit: str) -> str:
    """Returns the id of the root tree of a commit; an empty commit id has the empty tree.

    Raises:
        ObjectMissingError: There is no such commit.
        ObjectCorruptError: The object is no commit.
    """
    if not commit:
        return EMPTY_TREE
    head = objects.read_kind(commit, "commit")[:46]
    if not head.startswith(b"tree ") or head[45:] != b"\n":
        raise ObjectCorruptError(f"expected the commit {commit} to name its tree")
    return head[5:45].decode("ascii")


def _irregularity(item: TreeItem) -> str | None:
    if item.mode not in _SERVED:
        return "symlink" if item.mode == MODE_SYMLINK else "submodule"
    problem = component_problem(item.name)
    return None if problem is None else problem[0]


def _regular(path: str, item: TreeItem | None) -> str | None:
    if item is None or _irregularity(item) is not None or not _is_allowed(path):
        return None
    return item.oid


def _is_allowed(path: str) -> bool:
    parts = path.split("/")
    return len(parts) <= MAX_DEPTH and all(component_problem(part) is None for part in parts)


def _names(path: str, wanted: str, tail: str) -> bool:
    stem = path.rpartition("/")[2].rpartition(".")[0].lower()
    if is_id(stem):
        return stem == wanted if is_id(wanted) else stem.endswith(wanted)
    return stem.endswith(f"-{tail}") and (is_id(wanted) or wanted == tail)


def _blob(entry: TreeEntry | None) -> str | None:
    return None if entry is None else entry.blob


def _by_path(entry: TreeEntry) -> str:
    return entry.path
