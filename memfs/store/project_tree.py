"""The working tree of the project, for the one case in which memfs commits there.

Only where a person set it so (``runs: {commit_turns: true}``). Git runs with the person's own
configuration, since filters and ignored files are theirs, and with no hook, no signing and no
prompt. What is committed is what changed in a tree that was clean; nothing is ever discarded.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memfs.store.discovery import GitProject, find_git_project
from memfs.store.git import GitFailedError, missing_git
from memfs.store.project_history import HiddenPlaces, NoProjectHistoryError

_TIMEOUT_S: Final = 20.0
_SWITCHED_OFF: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
    "core.quotePath=false",
    "commit.template=",
    "gc.auto=0",
    "maintenance.auto=false",
)
_UNFINISHED: Final = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
)
_FIELDS: Final = {"1": 8, "2": 9, "u": 10, "?": 1}
"""How many fields stand before the path of an entry, by its first letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeState:
    """How a working tree stands.

    Attributes:
        head: The commit that is checked out; empty before the first.
        branch: Its branch; empty where none is checked out.
        changed: Paths that differ from that commit, also untracked ones that are not ignored.
        is_unfinished: A merge, a rebase or the like is under way.
    """

    head: str
    branch: str
    changed: tuple[str, ...]
    is_unfinished: bool

    @property
    def is_clean(self) -> bool:
        """Whether nothing differs and nothing is under way."""
        return not self.changed and not self.is_unfinished


class ProjectTree:
    """The working tree of one project."""

    def __init__(self, project: GitProject, hidden: Sequence[Path]) -> None:
        self._project = project
        self._hidden = HiddenPlaces(project, hidden)

    @classmethod
    def of(cls, folder: Path | None, hidden: Sequence[Path] = ()) -> ProjectTree:
        """Returns the tree around a folder.

        Args:
            folder: The project; ``None`` for none.
            hidden: Folders in it that are never looked at: the store.

        Raises:
            NoProjectHistoryError: There is none.
        """
        project = find_git_project(folder.resolve()) if folder is not None else None
        if project is None:
            raise NoProjectHistoryError("expected a project with a Git repository, got none")
        return cls(project, [place.resolve() for place in hidden])

    def state(self) -> TreeState:
        """Returns how the tree stands.

        Raises:
            GitFailedError: Git cannot tell.
        """
        words = ("status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all")
        output = self._git(*words).decode("utf-8", "surrogateescape")
        head, branch, changed = "", "", list[str]()
        items = iter(output.split("\0"))
        for item in items:
            if item.startswith("# branch.oid "):
                head = item[13:].strip("()").replace("initial", "")
            elif item.startswith("# branch.head "):
                branch = "" if item[14:] == "(detached)" else item[14:]
            elif item[:1] in _FIELDS:
                changed.append(item.split(" ", _FIELDS[item[0]])[-1])
                if item[0] == "2":
                    changed.append(next(items, ""))
        return TreeState(
            head=head,
            branch=branch,
            changed=tuple(path for path in changed if path and path not in self._hidden),
            is_unfinished=any((self._project.git_dir / name).exists() for name in _UNFINISHED),
        )

    def stage(self, paths: Sequence[str], *, limit_bytes: int) -> bytes | None:
        """Stages paths and returns what is new in them; ``None`` where that is more than a size.

        Raises:
            GitFailedError: Git refuses.
        """
        listed = "\0".join(paths).encode("utf-8", "surrogateescape")
        self._git("add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul", given=listed)
        change = self._git("diff", "--cached", "--no-ext-diff", "--no-color", "-U0")
        return change if len(change) <= limit_bytes else None

    def unstage(self) -> None:
        """Takes everything out of the index again; the files stay as they are."""
        self._git("reset", "-q")

    def commit(self, message: str, *, author: str) -> str:
        """Commits what is staged and returns the commit.

        Raises:
            GitFailedError: Git refuses.
        """
        name, _, rest = author.partition(" <")
        person = {"NAME": name, "EMAIL": rest.rstrip(">")}
        known = {
            f"GIT_{who}_{key}": value
            for who in ("AUTHOR", "COMMITTER")
            for key, value in person.items()
        }
        given = message.encode("utf-8", "replace")
        self._git(
            "commit", "-q", "--no-verify", "--cleanup=verbatim", "-F", "-", given=given, env=known
        )
        return self._git("rev-parse", "HEAD").decode("ascii").strip()

    def _git(self, *words: str, given: bytes = b"", env: dict[str, str] | None = None) -> bytes:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        clean |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": ":", "GIT_PAGER": "cat"}
        clean |= {"GIT_LITERAL_PATHSPECS": "1", **(env or {})}
        command = ["git", "--no-pager", "-C", str(self._project.top)]
        for setting in _SWITCHED_OFF:
            command += ("-c", setting)
        try:
            done = subprocess.run(
                [*command, *words],
                input=given,
                capture_output=True,
                env=clean,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise missing_git() from error
        except subprocess.TimeoutExpired as error:
            raise GitFailedError(
                f"git {words[0]} did not end in time", status=0, stderr="", code="git.timeout"
            ) from error
        if done.returncode != 0:
            stderr = done.stderr.decode("utf-8", "replace").strip()
            raise GitFailedError(
                f"git {words[0]} ended with status {done.returncode} in the project",
                status=done.returncode,
                stderr=stderr[:500],
            )
        return done.stdout
