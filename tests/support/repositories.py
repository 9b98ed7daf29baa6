"""Real Git repositories for the tests of reading: ordinary ones, and ones no Git would make."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memfs.model.ids import CommitId
from memfs.store.catfile import CatFile
from memfs.store.objects import encode_object
from memfs.store.snapshot import Snapshot
from memfs.store.tree import MODE_FILE, MODE_TREE, TreeItem, serialise_tree


@dataclass(frozen=True)
class Repository:
    """One repository with a working tree, driven by the Git command line as a person would."""

    root: Path

    @classmethod
    def create(cls, root: Path) -> Repository:
        """Makes an empty repository on branch main."""
        root.mkdir(parents=True, exist_ok=True)
        repository = cls(root)
        repository.git("init", "--quiet", "-b", "main", "--template=")
        return repository

    @property
    def git_dir(self) -> Path:
        return self.root / ".git"

    def git(self, *args: str, data: bytes = b"", at: int | None = None) -> str:
        """Runs Git as a person; ``at`` fixes both times of a commit."""
        return self.git_bytes(*args, data=data, at=at).decode("utf-8", "surrogateescape").strip()

    def git_bytes(self, *args: str, data: bytes = b"", at: int | None = None) -> bytes:
        environment = dict(os.environ)
        if at is not None:
            environment |= {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
        # The hooks of a store would answer a commit with one of their own.
        command = ["git", "-C", str(self.root), "-c", "core.hooksPath=/dev/null", *args]
        done = subprocess.run(command, input=data, capture_output=True, env=environment)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Writes working files; ``None`` removes one."""
        for path, content in files.items():
            target = self.root / path
            if content is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(
        self, files: Mapping[str, str | bytes | None], message: str = "edit", at: int | None = None
    ) -> CommitId:
        """Writes working files and commits everything."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", message, at=at)
        return self.head()

    def head(self) -> CommitId:
        return CommitId(self.git("rev-parse", "HEAD"))

    def blob(self, content: bytes) -> str:
        """Writes a blob."""
        return self.git("hash-object", "-w", "--stdin", data=content)

    def tree(self, items: Iterable[tuple[str, int, str]]) -> str:
        """Writes a tree object as it is given, however hostile."""
        data = serialise_tree(TreeItem(*item) for item in items)
        return self.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin", data=data)

    def put(self, kind: str, content: bytes) -> str:
        """Writes one loose object without starting Git."""
        item = encode_object(kind, content)
        target = self.git_dir / "objects" / item.oid[:2] / item.oid[2:]
        target.parent.mkdir(exist_ok=True)
        if not target.exists():
            target.write_bytes(item.packed)
        return item.oid

    def put_files(self, files: Mapping[str, bytes]) -> CommitId:
        """Commits exactly these files, without starting Git, branch or working tree."""
        tree = self._put_folder(files)
        content = f"tree {tree}\nauthor T <t> 0 +0000\ncommitter T <t> 0 +0000\n\nfiles\n"
        return CommitId(self.put("commit", content.encode()))

    def _put_folder(self, files: Mapping[str, bytes]) -> str:
        items: list[TreeItem] = []
        folders: dict[str, dict[str, bytes]] = {}
        for path, content in files.items():
            name, separator, rest = path.partition("/")
            if separator:
                folders.setdefault(name, {})[rest] = content
            else:
                items.append(TreeItem(name, MODE_FILE, self.put("blob", content)))
        items += [TreeItem(name, MODE_TREE, self._put_folder(f)) for name, f in folders.items()]
        return self.put("tree", serialise_tree(items))

    def commit_tree(self, tree: str, *parents: str) -> CommitId:
        """Commits a tree without touching branch or working tree."""
        options = [part for parent in parents for part in ("-p", parent)]
        return CommitId(self.git("commit-tree", "-m", "tree", *options, tree))

    def fill(self, count: int, *, folder: str = "records/note") -> CommitId:
        """Commits ``count`` small records, 500 a folder, as a pack; no working files."""
        stream = [b"commit refs/heads/main\ncommitter T <t@example.invalid> 0 +0000\ndata 0\n"]
        for number in range(count):
            path = f"{folder}/2026-01.{number // 500 + 1}/note-{number:06d}.md"
            body = f"---\nid: mem_{number:026d}\nkind: note\n---\nNote {number}.\n".encode()
            stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(body), body))
        self.git("-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", data=b"".join(stream))
        return self.head()

    def snapshot(self, commit: CommitId | None = None) -> Snapshot:
        """Returns a snapshot with a reader of its own."""
        return Snapshot(CatFile(self.git_dir), commit or self.head())
