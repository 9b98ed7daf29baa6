"""Writes the objects of a large plan as one pack, through ``git fast-import``.

The commit that fast-import makes is only a handle: it stands under a temporary ref that keeps
the new objects from being pruned until the caller has made its own commit of the tree. Nothing
that fast-import reports is believed; the tree is read back and every blob of it compared.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Final

from memfs.errors import StoreError
from memfs.model.digests import blob_id
from memfs.model.frozen import frozen
from memfs.store.catfile import CatFile
from memfs.store.git import GitFailedError, git_command, git_environment, missing_git, run_git
from memfs.store.paths import check_path
from memfs.store.snapshot import read_root
from memfs.store.tree import TreeCache

BULK_REFS: Final = "refs/memfs/bulk/"
BULK_CHANGES: Final = 500
"""From this many changes on, one pack is quicker than loose objects."""

_COMMITTER: Final = b"committer memfs <memfs@memfs.invalid> 0 +0000\n"


class BulkFailedError(StoreError):
    """What fast-import wrote is not what it was given; nothing refers to it."""

    code = "store.bulk-failed"


@frozen
class BulkTree:
    """What was written.

    Attributes:
        tree: Id of the new root tree.
        blobs: Blob id of each file by path; removed files are not in it.
    """

    tree: str
    blobs: Mapping[str, str]


@contextlib.contextmanager
def write_bulk(
    git_dir: Path, base: str, changes: Iterable[tuple[str, bytes | None]]
) -> Iterator[BulkTree]:
    """Writes the tree that ``base`` becomes with ``changes``; the objects are safe inside.

    Args:
        git_dir: The store's Git directory.
        base: Commit to start from; empty for none.
        changes: Path and new content, ``None`` to remove; consumed once, one at a time.

    Raises:
        PathRefusedError: A path that no file of a store may have.
        GitFailedError: fast-import failed.
        BulkFailedError: What it wrote is not what it was given.
    """
    ref = f"{BULK_REFS}{os.getpid()}-{os.urandom(8).hex()}"
    try:
        expected = _import(git_dir, ref, base, changes)
        yield _read_back(git_dir, ref, expected)
    finally:
        run_git(git_dir, None, "update-ref", "-d", ref, is_read=False)


def sweep_bulk_refs(git_dir: Path) -> int:
    """Removes temporary refs of processes that are gone; returns how many there were."""
    output = run_git(git_dir, None, "for-each-ref", "--format=%(refname)", BULK_REFS)
    swept = 0
    for ref in output.decode("ascii").split():
        owner = ref.removeprefix(BULK_REFS).partition("-")[0]
        if owner.isdigit() and _is_gone(int(owner)):
            run_git(git_dir, None, "update-ref", "-d", ref, is_read=False)
            swept += 1
    return swept


def _import(
    git_dir: Path, ref: str, base: str, changes: Iterable[tuple[str, bytes | None]]
) -> dict[str, str | None]:
    import subprocess

    command = git_command(git_dir, None, "-c", "fastimport.unpackLimit=1", "fast-import")
    command += ["--quiet", "--done", "--force"]
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=git_environment(is_read=False),
            cwd=git_dir,
        )
    except FileNotFoundError as error:
        raise missing_git() from error
    assert child.stdin is not None
    assert child.stderr is not None
    expected: dict[str, str | None] = {}
    try:
        with contextlib.suppress(BrokenPipeError), child.stdin as stream:
            _feed(stream, ref, base, changes, expected)
        stderr = child.stderr.read().decode("utf-8", "replace").strip()
        status = child.wait()
    except BaseException:
        child.kill()
        raise
    finally:
        child.stderr.close()
        child.wait()
    if status != 0:
        raise GitFailedError(
            f"git fast-import ended with status {status}: {stderr[:500]}",
            status=status,
            stderr=stderr,
        )
    return expected


def _feed(
    stream: IO[bytes],
    ref: str,
    base: str,
    changes: Iterable[tuple[str, bytes | None]],
    expected: dict[str, str | None],
) -> None:
    stream.write(b"commit %s\n%sdata 0\n" % (ref.encode("ascii"), _COMMITTER))
    if base:
        stream.write(b"from %s\n" % base.encode("ascii"))
    for path, content in changes:
        check_path(path)
        name = _quote(path)
        if content is None:
            stream.write(b"D %s\n" % name)
            expected[path] = None
        else:
            stream.write(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(content), content))
            expected[path] = blob_id(content)
    stream.write(b"done\n")


def _read_back(git_dir: Path, ref: str, expected: Mapping[str, str | None]) -> BulkTree:
    commit = run_git(git_dir, None, "rev-parse", "--verify", ref).decode("ascii").strip()
    with CatFile(git_dir) as objects:
        tree = read_root(objects, commit)
        trees = TreeCache(objects.read_tree)
        for path, blob in expected.items():
            item = trees.find(tree, path)
            found = item.oid if item is not None and item.is_file else None
            if found != blob:
                raise BulkFailedError(f"expected blob {blob}, got {found}", path=path)
    blobs = {path: blob for path, blob in expected.items() if blob is not None}
    return BulkTree(tree=tree, blobs=blobs)


def _quote(path: str) -> bytes:
    raw = path.encode()
    # No path of a store has a line break or a backslash; only a leading quote needs care.
    return b'"' + raw.replace(b'"', b'\\"') + b'"' if raw.startswith(b'"') else raw


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
