"""Git tree objects as values: parsing, serialising and comparing them.

Pure apart from the reader that :class:`TreeCache` is given. Names are decoded as UTF-8 with
surrogate escapes, so that every tree, however odd, comes back byte for byte.
"""

from __future__ import annotations

import contextlib
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from memfs.errors import StoreError
from memfs.store.paths import MAX_DEPTH

MODE_TREE: Final = 0o040000
MODE_FILE: Final = 0o100644
MODE_EXECUTABLE: Final = 0o100755
MODE_SYMLINK: Final = 0o120000

EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_CACHED_TREES: Final = 4096
_OID_BYTES: Final = 20
_LINE: Final = re.compile(rb"([0-7]{1,7}) ([^\0]+)\0(.{20})", re.DOTALL)
_MODES: Final = MappingProxyType(
    {b"%o" % mode: mode for mode in (MODE_TREE, MODE_FILE, MODE_EXECUTABLE, MODE_SYMLINK)}
)


class TreeCorruptError(StoreError):
    """A tree object is not what Git writes."""

    code = "store.tree-corrupt"


class TreeItem(NamedTuple):
    """One line of a tree object: a named blob, subtree, symbolic link or submodule."""

    name: str
    mode: int
    oid: str

    @property
    def is_tree(self) -> bool:
        """Whether this is a folder."""
        return self.mode == MODE_TREE

    @property
    def is_file(self) -> bool:
        """Whether this is a regular file."""
        return self.mode & 0o170000 == 0o100000


class TreeDifference(NamedTuple):
    """One path that two trees have differently; ``None`` stands for absent."""

    path: str
    old: TreeItem | None
    new: TreeItem | None


def parse_tree(data: bytes) -> dict[str, TreeItem]:
    """Parses the content of a tree object into items by name, in Git's order.

    Raises:
        TreeCorruptError: The bytes end early, or a name stands twice.
    """
    items: dict[str, TreeItem] = {}
    size = 0
    lines = _LINE.findall(data)
    for mode, raw, oid in lines:
        name = raw.decode("utf-8", "surrogateescape")
        items[name] = TreeItem(name, _MODES.get(mode) or int(mode, 8), oid.hex())
        size += len(mode) + len(raw) + 2 + _OID_BYTES
    if size != len(data):
        raise TreeCorruptError(f"expected a tree object, got {len(data)} other bytes")
    if len(items) != len(lines):
        raise TreeCorruptError("expected each name once in a tree object, got one twice")
    return items


def serialise_tree(items: Iterable[TreeItem]) -> bytes:
    """Returns the content of the tree object that holds ``items``, in Git's order."""
    lines: list[tuple[bytes, bytes]] = []
    for name, mode, oid in items:
        raw = name.encode("utf-8", "surrogateescape")
        key = raw + b"/" if mode == MODE_TREE else raw
        lines.append((key, b"%o %s\0" % (mode, raw) + bytes.fromhex(oid)))
    lines.sort()
    return b"".join(line for _, line in lines)


class TreeCache:
    """Reads trees through a given reader and keeps the most recent ones.

    Trees are immutable, so an entry can never be out of date. Safe to share between threads.
    """

    __slots__ = ("_capacity", "_parsed", "_read")

    def __init__(self, read: Callable[[str], bytes], *, capacity: int = _CACHED_TREES) -> None:
        self._read = read
        self._capacity = capacity
        self._parsed: OrderedDict[str, Mapping[str, TreeItem]] = OrderedDict()

    def items(self, oid: str) -> Mapping[str, TreeItem]:
        """Returns the items of one tree by name, in Git's order; an empty id is an empty tree."""
        found = self._parsed.get(oid)
        if found is not None:
            with contextlib.suppress(KeyError):  # another thread has just dropped it
                self._parsed.move_to_end(oid)
            return found
        if oid in ("", EMPTY_TREE):
            return {}
        parsed = parse_tree(self._read(oid))
        self.add(oid, parsed)
        return parsed

    def raw(self, oid: str) -> bytes:
        """Returns the bytes of one tree without keeping them."""
        return b"" if oid in ("", EMPTY_TREE) else self._read(oid)

    def add(self, oid: str, items: Mapping[str, TreeItem]) -> None:
        """Remembers a tree that the caller has just built."""
        self._parsed[oid] = items
        while len(self._parsed) > self._capacity:
            with contextlib.suppress(KeyError):
                self._parsed.popitem(last=False)

    def find(self, root: str, path: str) -> TreeItem | None:
        """Returns the item at ``path`` below the tree ``root``, or ``None``."""
        parts = path.split("/")
        for part in parts[:-1]:
            item = self.items(root).get(part)
            if item is None or not item.is_tree:
                return None
            root = item.oid
        return self.items(root).get(parts[-1])


def walk_tree(cache: TreeCache, root: str, prefix: str = "") -> Iterator[tuple[str, TreeItem]]:
    """Yields every item that is not a folder below ``root`` with its path, in path order.

    What lies deeper than any path of a store can, or has a slash in its name, is not looked at.
    """
    if prefix.count("/") > MAX_DEPTH:
        return
    for item in cache.items(root).values():
        path = prefix + item.name
        if "/" in item.name:
            continue
        if item.mode == MODE_TREE:
            yield from walk_tree(cache, item.oid, path + "/")
        else:
            yield path, item


def diff_trees(cache: TreeCache, old: str, new: str, prefix: str = "") -> Iterator[TreeDifference]:
    """Yields what differs between two trees, reading only subtrees that differ.

    Paths come in path order, except that a folder that became a file (or the reverse) gives
    its lines where the name stands. Items that are not files are reported like files. What lies
    deeper than any path of a store can, or has a slash in its name, is not looked at.
    """
    if old == new or prefix.count("/") > MAX_DEPTH:
        return
    before, after = cache.items(old), cache.items(new)
    for name in _merged_names(before, after):
        was, now = before.get(name), after.get(name)
        if was == now or "/" in name:  # such a name would look like a path below a folder
            continue
        was_tree = was is not None and was.is_tree
        now_tree = now is not None and now.is_tree
        path = prefix + name
        if (was is not None and not was_tree) or (now is not None and not now_tree):
            yield TreeDifference(path, None if was_tree else was, None if now_tree else now)
        if was_tree or now_tree:
            yield from diff_trees(
                cache,
                was.oid if was is not None and was_tree else "",
                now.oid if now is not None and now_tree else "",
                path + "/",
            )


def _merged_names(before: Mapping[str, TreeItem], after: Mapping[str, TreeItem]) -> Iterable[str]:
    """Returns the names of both trees once each, in Git's order."""
    if before.keys() == after.keys():
        return after
    if not before:
        return after
    if not after:
        return before
    keyed = {
        item.name.encode("utf-8", "surrogateescape") + (b"/" if item.is_tree else b""): item.name
        for item in (*before.values(), *after.values())
    }
    names: dict[str, None] = {}
    for key in sorted(keyed):
        names[keyed[key]] = None
    return names
