"""Builds the trees of a commit from the trees of its parent and a set of changed paths.

Only the folders on the way to a changed path are read and written again; an empty folder
disappears. Pure apart from the tree cache's reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memfs.errors import ConflictError
from memfs.store.objects import EncodedObject, encode_object
from memfs.store.tree import (
    EMPTY_TREE,
    MODE_FILE,
    MODE_TREE,
    TreeCache,
    TreeItem,
    serialise_tree,
)

_FOLDER: Final = "/"


class PathTakenError(ConflictError):
    """A folder is needed where a file stands, or a file where a folder stands."""

    code = "conflict.path-taken"


def build_tree(
    cache: TreeCache, base: str, changes: Mapping[str, str | None]
) -> tuple[str, tuple[EncodedObject, ...]]:
    """Returns the id of the tree ``base`` with ``changes`` applied, and the new tree objects.

    Args:
        cache: Where trees are read; the new ones are added to it.
        base: Tree id, empty for none.
        changes: Blob id by path; ``None`` removes the path.

    Raises:
        PathTakenError: A change needs a folder where the result has a file, or the reverse.
    """
    objects: list[EncodedObject] = []
    root = _build(cache, base, changes, "", objects)
    if root == EMPTY_TREE:
        objects.append(encode_object("tree", b""))
    return root, tuple(objects)


def _build(
    cache: TreeCache,
    base: str,
    changes: Mapping[str, str | None],
    prefix: str,
    objects: list[EncodedObject],
) -> str:
    items = dict(cache.items(base))
    folders: dict[str, dict[str, str | None]] = {}
    files: dict[str, str | None] = {}
    for path, blob in changes.items():
        name, slash, rest = path.partition(_FOLDER)
        if slash:
            folders.setdefault(name, {})[rest] = blob
        else:
            files[name] = blob
    # Files that go away first: their place may be taken by a folder.
    for name, blob in files.items():
        if blob is None:
            items.pop(name, None)
    for name, inner in folders.items():
        _build_folder(cache, items, name, inner, prefix, objects)
    for name, blob in files.items():
        if blob is not None:
            _put_file(items, name, blob, prefix)
    return _finish(cache, items, objects)


def _build_folder(
    cache: TreeCache,
    items: dict[str, TreeItem],
    name: str,
    inner: Mapping[str, str | None],
    prefix: str,
    objects: list[EncodedObject],
) -> None:
    old = items.get(name)
    if old is not None and not old.is_tree:
        if all(blob is None for blob in inner.values()):
            return
        raise PathTakenError("expected a folder here, the ledger has a file", path=prefix + name)
    oid = _build(cache, old.oid if old else "", inner, f"{prefix}{name}/", objects)
    if oid == EMPTY_TREE:
        items.pop(name, None)
    else:
        items[name] = TreeItem(name, MODE_TREE, oid)


def _put_file(items: dict[str, TreeItem], name: str, blob: str, prefix: str) -> None:
    old = items.get(name)
    if old is not None and old.is_tree:
        raise PathTakenError("expected a file here, the ledger has a folder", path=prefix + name)
    items[name] = TreeItem(name, MODE_FILE, blob)


def _finish(cache: TreeCache, items: dict[str, TreeItem], objects: list[EncodedObject]) -> str:
    if not items:
        return EMPTY_TREE
    encoded = encode_object("tree", serialise_tree(items.values()))
    objects.append(encoded)
    cache.add(encoded.oid, items)
    return encoded.oid
