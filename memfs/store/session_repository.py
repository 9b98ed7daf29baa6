"""The Git repository of one session: one commit a turn, written by one writer at a time.

Objects and branches are written by memfs itself and complete under a temporary name before
their own name appears, so that a kill at any moment leaves the turns before or the turns
after. Branches only ever grow: nothing here rewrites a commit. The files of the newest turn's
branch lie in the folder for people to read; they, Git's index and the packing are put right at
the next write when one was cut short.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from memfs.errors import StoreError
from memfs.model.frozen import frozen
from memfs.model.settings import Durability
from memfs.store.catfile import CatFile
from memfs.store.effects import REAL_EFFECTS, Effects
from memfs.store.files import atomic_write, open_root, read_file, remove_file
from memfs.store.git import GitFailedError, run_git
from memfs.store.message import COMMITTER, git_time
from memfs.store.objects import ObjectWriter, encode_object
from memfs.store.refs import read_branch, read_ref
from memfs.store.staging import Staging, remove_leftovers
from memfs.store.tree import EMPTY_TREE, MODE_FILE, TreeCache, TreeItem, serialise_tree

METADATA: Final = "session.json"
MAIN: Final = "main"
_HEADS: Final = "refs/heads"
_BRANCH: Final = re.compile(r"(?:main|retry/[0-9a-f-]{32,36})\Z")
_PACKED: Final = re.compile(r"([0-9a-f]{40}) refs/heads/(\S+)\Z")
_LOOSE_FOLDERS: Final = 200
"""So many of the 256 folders of loose objects are there after some hundred turns."""
_METADATA_BYTES: Final = 1 << 20


class SessionRefusedError(StoreError):
    """A folder of sessions is a link or something else that memfs does not write to."""

    code = "session.refused"


@frozen
class SessionCommit:
    """One commit of a session: a turn."""

    id: str
    tree: str
    parents: tuple[str, ...]
    message: str


class SessionRepository:
    """Reads the repository of one session; :meth:`writer` writes to it under the session's lock."""

    def __init__(self, root: Path, effects: Effects = REAL_EFFECTS) -> None:
        self.root = root
        self.git_dir = root / ".git"
        self.effects = effects
        self._objects = CatFile(self.git_dir)
        self._trees = TreeCache(self._objects.read_tree, capacity=64)

    def __enter__(self) -> SessionRepository:
        return self

    def __exit__(self, *_: object) -> None:
        self._objects.close()

    def heads(self) -> dict[str, str]:
        """Returns the newest commit of each branch, by name, sorted."""
        found: dict[str, str] = {}
        for line in _lines(self.git_dir / "packed-refs"):
            match = _PACKED.match(line)
            if match is not None and _BRANCH.match(match[2]):
                found[match[2]] = match[1]
        for name in self._loose_branches():
            found[name] = read_ref(str(self.git_dir), f"{_HEADS}/{name}")
        return {name: oid for name, oid in sorted(found.items()) if oid}

    def head_branch(self) -> str:
        """Returns the branch of the newest turn."""
        return read_branch(str(self.git_dir)) or MAIN

    def log(self) -> tuple[SessionCommit, ...]:
        """Returns every commit of every branch, each behind its parents."""
        found: dict[str, SessionCommit] = {}
        for head in self.heads().values():
            line: list[SessionCommit] = []
            oid = head
            while oid and oid not in found:
                commit = self.commit(oid)
                line.append(commit)
                oid = commit.parents[0] if commit.parents else ""
            found.update((commit.id, commit) for commit in reversed(line))
        return tuple(found.values())

    def commit(self, oid: str) -> SessionCommit:
        """Returns one commit.

        Raises:
            ObjectMissingError: There is none of that id.
            ObjectCorruptError: It cannot be read.
        """
        content = self._objects.read_kind(oid, "commit").decode("utf-8", "replace")
        head, _, message = content.partition("\n\n")
        pairs = [line.partition(" ")[::2] for line in head.split("\n")]
        return SessionCommit(
            id=oid,
            tree=next((value for name, value in pairs if name == "tree"), ""),
            parents=tuple(value for name, value in pairs if name == "parent"),
            message=message,
        )

    def files(self, tree: str) -> Mapping[str, TreeItem]:
        """Returns the files of a tree by name, in order."""
        return self._trees.items(tree)

    def blob(self, oid: str) -> bytes:
        """Returns the content of one file."""
        return self._objects.read_blob(oid)

    def metadata(self) -> bytes | None:
        """Returns the metadata file; ``None`` where there is none that may be read."""
        return read_metadata(self.root)

    def writer(self) -> SessionWriter:
        """Returns a writer. The caller holds the session's lock for as long as it is used."""
        return SessionWriter(self, self._trees)

    def _loose_branches(self) -> Iterator[str]:
        folder = self.git_dir / _HEADS
        for place, _, names in os.walk(folder, followlinks=False):
            for name in names:
                branch = (Path(place) / name).relative_to(folder).as_posix()
                if _BRANCH.match(branch):
                    yield branch


class SessionWriter:
    """Puts turns aside and publishes them together."""

    def __init__(self, repository: SessionRepository, trees: TreeCache) -> None:
        self._repository = repository
        self._trees = trees
        self._effects = repository.effects
        self._git_dir = str(repository.git_dir)
        self._temporary = f"{self._git_dir}/memfs/tmp"
        remove_leftovers(self._temporary, self._effects)
        self._begin()

    def _begin(self) -> None:
        self._staging = Staging(self._temporary, self._effects, Durability.BATCH)
        self._objects = ObjectWriter(self._git_dir, self._staging, self._effects)

    def put(self, base: str, files: Mapping[str, bytes], kept: Mapping[str, TreeItem]) -> str:
        """Puts a tree aside: that of ``base`` with new files and with items of other trees.

        Returns:
            Its id.
        """
        items = {**self._trees.items(base), **kept}
        for name, content in files.items():
            blob = encode_object("blob", content)
            self._objects.add(blob)
            items[name] = TreeItem(name, MODE_FILE, blob.oid)
        tree = encode_object("tree", serialise_tree(items.values()))
        self._objects.add(tree)
        self._trees.add(tree.oid, items)
        return tree.oid

    def commit(
        self, tree: str, parent: str, *, message: str, author: str, at: datetime
    ) -> SessionCommit:
        """Puts a commit aside and returns it."""
        when = git_time(at)
        lines = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
        lines += [f"author {author} {when}", f"committer {COMMITTER} {when}", "", message]
        encoded = encode_object("commit", "\n".join(lines).encode("utf-8", "replace"))
        self._objects.add(encoded)
        parents = (parent,) if parent else ()
        return SessionCommit(id=encoded.oid, tree=tree, parents=parents, message=message)

    def publish(self, heads: Mapping[str, str], branch: str) -> None:
        """Makes all that was put aside part of the session, branch by branch.

        Args:
            heads: Branch to its new head, for the branches that move.
            branch: The branch of the newest turn.
        """
        try:
            moved = {name: self._staging.put(f"{oid}\n".encode()) for name, oid in heads.items()}
            pointer = self._staging.put(f"ref: {_HEADS}/{branch}\n".encode())
            self._staging.flush()
            self._objects.publish(is_synced=True)
            self._effects.step("objects")
            for name, temporary in moved.items():
                self._rename(temporary, f"{_HEADS}/{name}")
                self._effects.step(f"branch:{name}")
            self._rename(pointer, "HEAD")
            self._effects.step("head")
        finally:
            self._staging.discard()
            self._begin()

    def discard(self) -> None:
        """Drops what was put aside and not published."""
        self._staging.discard()
        self._begin()

    def write_metadata(self, content: bytes) -> None:
        """Replaces the metadata file."""
        folder = open_root(self._repository.root)
        try:
            self._effects.before("rename", METADATA)
            atomic_write(folder, METADATA, content)
        finally:
            os.close(folder)
        self._effects.step("metadata")

    def check_out(self) -> None:
        """Lays the files of the newest turn's branch into the folder, where they are not yet."""
        repository = self._repository
        head = repository.heads().get(repository.head_branch(), "")
        mark = Path(f"{self._git_dir}/memfs/checked-out")
        before = "".join(_lines(mark)[:1])
        if head == before:
            return
        wanted = repository.files(repository.commit(head).tree) if head else {}
        standing = self._standing(before)
        folder = open_root(repository.root)
        try:
            for name in standing.keys() - wanted.keys():
                remove_file(folder, name)
            for name, item in wanted.items():
                if standing.get(name) != item:
                    self._effects.before("create", name)
                    atomic_write(folder, name, repository.blob(item.oid), durable=False)
        finally:
            os.close(folder)
        self._effects.step("files")
        self._index(head)
        temporary = self._staging.put(f"{head}\n".encode())
        self._staging.flush()
        self._rename(temporary, "memfs/checked-out")

    def pack(self, *, is_forced: bool = False) -> None:
        """Packs the objects of a session that has grown; a failure is for the next time."""
        objects = Path(f"{self._git_dir}/objects")
        folders = [path for path in objects.iterdir() if len(path.name) == 2]
        if len(folders) < _LOOSE_FOLDERS and not is_forced:
            return
        try:
            run_git(Path(self._git_dir), None, "gc", "--quiet", "--prune=now", is_read=False)
        except GitFailedError:
            return

    def _standing(self, commit: str) -> Mapping[str, TreeItem]:
        """Returns what lies in the folder: the files of an earlier turn, or all that is there."""
        if commit:
            try:
                return self._repository.files(self._repository.commit(commit).tree)
            except StoreError:
                pass
        names = (entry.name for entry in os.scandir(self._repository.root) if entry.is_file())
        nodes = (name for name in names if name.endswith(".md"))
        return {name: TreeItem(name, MODE_FILE, EMPTY_TREE) for name in nodes}

    def _index(self, head: str) -> None:
        """Makes Git's index anew, so that ``git status`` has nothing to say; a nicety."""
        temporary = self._staging.new_name()
        try:
            run_git(
                Path(self._git_dir),
                None,
                "read-tree",
                head,
                is_read=False,
                index_file=Path(temporary),
            )
            self._rename(temporary, "index")
        except (GitFailedError, OSError):
            return

    def _rename(self, temporary: str, name: str) -> None:
        folder = self._git_dir
        for part in name.split("/")[:-1]:
            folder = f"{folder}/{part}"
            self._effects.mkdir(folder)
        self._effects.rename(temporary, f"{self._git_dir}/{name}")
        self._staging.forget(temporary)
        self._effects.fsync_folder(folder)


def read_metadata(root: Path) -> bytes | None:
    """Returns the metadata file of a session's folder; ``None`` where none may be read."""
    try:
        folder = open_root(root)
    except OSError:
        return None
    try:
        return read_file(folder, METADATA, limit_bytes=_METADATA_BYTES)
    finally:
        os.close(folder)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
