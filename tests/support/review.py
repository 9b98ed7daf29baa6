"""Questions that tests of the services ask of a store, from outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

from memfs.model.candidate import Candidate
from memfs.model.origin import Actor
from tests.support.memory import ANA, git, memory_of, store_root

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
"""Before a Git command: the hooks of the store, which each start a process, stay out."""


def said(project: Path, actor: Actor = ANA) -> list[str]:
    """Returns what is served, one line a record, sorted."""
    with memory_of(project, actor) as memory:
        return sorted(stored.record.body.rstrip("\n") for stored in memory.list_records())


def waiting(project: Path, actor: Actor = ANA) -> tuple[Candidate, ...]:
    """Returns what waits for a decision."""
    with memory_of(project, actor) as memory:
        return memory.candidates()


def edit(path: Path, old: str, new: str) -> bytes:
    """Changes the last place in a file that says ``old``; returns what stands there now."""
    head, found, tail = path.read_bytes().rpartition(old.encode())
    if not found:
        raise AssertionError(f"{old!r} is not in {path}")
    path.write_bytes(head + new.encode() + tail)
    return path.read_bytes()


def is_clean(project: Path) -> bool:
    """Whether Git finds nothing to commit in the store."""
    return git(store_root(project), "status", "--porcelain") == ""


def log_of(project: Path) -> str:
    """Returns every commit message of the store, newest first."""
    return git(store_root(project), "log", "--format=%an%n%B")


def tree_of(project: Path, folder: str = "") -> list[str]:
    """Returns the paths of the branch tip under ``folder``."""
    return git(store_root(project), "ls-tree", "-r", "--name-only", "main", folder or ".").split()


def inbox_files(project: Path) -> list[Path]:
    """Returns the files in the inbox, sorted."""
    return sorted((store_root(project) / "inbox").glob("*"))


def places_with(words: str, *folders: Path) -> list[str]:
    """Returns every file, file name and Git object under ``folders`` that holds ``words``."""
    needle = words.encode()
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            if words in path.name or (path.is_file() and needle in path.read_bytes()):
                found.append(str(path))
        if (folder / ".git").is_dir():
            objects = subprocess.run(
                ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"],
                cwd=folder,
                check=True,
                capture_output=True,
            ).stdout
            if needle in objects:
                found.append(f"{folder}: a Git object")
    return found
