"""The history of the project itself, read and never written: commits, and what one changed.

Git is asked in the project's own repository with everything switched off that could run a
program, each answer is bounded in size and time, and names that somebody typed can be neither
an option nor a path.
"""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

from memfs.errors import ConflictError, StoreError
from memfs.model.project import ProjectChange, ProjectCommit
from memfs.store.discovery import GitProject, find_git_project
from memfs.store.git import GitFailedError, git_command, git_environment, missing_git, run_git

TIMEOUT_S: Final = 20.0
MOST_COMMITS: Final = 500
MOST_FILES: Final = 2_000
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./@^~{}+-]{0,199}\Z")
_FORMAT: Final = "%H%x00%ct%x00%an%x00%s%x00%b%x00%x01"
_LIST_BYTES: Final = 4 * 1024 * 1024
_BODY_CHARS: Final = 2_000


class NoProjectHistoryError(StoreError):
    """The store belongs to no project, or the project has no Git repository."""

    code = "project.no-history"


class UnknownCommitError(ConflictError):
    """The project has no such commit."""

    code = "project.unknown-commit"


class HiddenPlaces:
    """Folders of a project that are never shown with it: what stands in one is ``in`` them."""

    def __init__(self, project: GitProject, folders: Sequence[Path]) -> None:
        self._places = tuple(
            place.relative_to(project.top).as_posix()
            for place in folders
            if place.is_relative_to(project.top) and place != project.top
        )

    def __contains__(self, path: str) -> bool:
        return any(path == place or path.startswith(f"{place}/") for place in self._places)


class ProjectHistory:
    """The Git repository of a project."""

    def __init__(self, project: GitProject, hidden: Sequence[Path]) -> None:
        self._project = project
        self._hidden = HiddenPlaces(project, hidden)

    @classmethod
    def of(cls, folder: Path | None, hidden: Sequence[Path] = ()) -> Self:
        """Returns the history around a folder.

        Args:
            folder: The project; ``None`` for none.
            hidden: Folders in it whose changes are not shown: memory is read through memory.

        Raises:
            NoProjectHistoryError: There is none.
        """
        project = find_git_project(folder.resolve()) if folder is not None else None
        if project is None:
            raise NoProjectHistoryError(
                "expected a project with a Git repository, got none",
                hint="make one with git init, or name the project's store with --store",
            )
        return cls(project, [place.resolve() for place in hidden])

    def commits(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        path: str = "",
        limit: int,
    ) -> tuple[ProjectCommit, ...]:
        """Returns commits of what is checked out, the newest first.

        Raises:
            NoProjectHistoryError: Git cannot read the repository.
        """
        options = [f"--max-count={max(1, min(limit, MOST_COMMITS))}"]
        if since is not None:
            options.append(f"--max-age={int(since.timestamp())}")
        if until is not None:
            options.append(f"--min-age={int(until.timestamp()) - 1}")
        if not self._has_commits():
            return ()
        output, _ = self._ask(
            "log", f"--format={_FORMAT}", *options, "HEAD", "--", *([path] if path else [])
        )
        return tuple(_commit(item) for item in output.split("\x01") if "\0" in item)

    def commit(self, name: str) -> ProjectCommit:
        """Returns one commit by any name that Git knows it by.

        Raises:
            UnknownCommitError: There is no such commit, or it is no name of one.
        """
        told, _ = self._ask(
            "log", "--max-count=1", f"--format={_FORMAT}", self._resolved(name), "--"
        )
        return _commit(told.partition("\x01")[0])

    def change(self, name: str, *, path: str = "", limit_bytes: int) -> ProjectChange:
        """Returns what one commit changed; of a merge what it changed against its first parent.

        Raises:
            UnknownCommitError: There is no such commit, or it is no name of one.
        """
        commit = self._resolved(name)
        told, _ = self._ask("log", "--max-count=1", f"--format={_FORMAT}", commit, "--")
        chosen = ("--", *([path] if path else []))
        comparing = (
            "diff-tree",
            "-r",
            "--root",
            "--diff-merges=first-parent",
            "--no-commit-id",
            "-M",
        )
        listed, is_list_cut = self._ask(*comparing, "-z", "--name-status", commit, *chosen)
        files = [item for item in _files(listed) if item[1] not in self._hidden]
        diff, is_cut = "", False
        if files:
            names = [item[1] for item in files[:MOST_FILES]]
            wanted = ("--", *names)
            diff, is_cut = self._ask(
                *comparing, "-p", "--no-ext-diff", "--no-textconv", "--no-color", commit, *wanted,
                limit_bytes=limit_bytes,
            )  # fmt: skip
        return ProjectChange(
            commit=_commit(told.partition("\x01")[0]),
            files=tuple(files[:MOST_FILES]),
            diff=diff,
            is_cut=is_cut or is_list_cut or len(files) > MOST_FILES,
        )

    def _has_commits(self) -> bool:
        try:
            run_git(self._project.git_dir, None, "rev-parse", "--verify", "--quiet", "HEAD")
        except GitFailedError as error:
            if error.status == 1:
                return False
            raise NoProjectHistoryError(
                "Git cannot read the repository of the project", hint="try: git log"
            ) from error
        return True

    def _resolved(self, name: str) -> str:
        if _NAME.match(name) is None or ".." in name:
            raise UnknownCommitError(f"expected the name of a commit, got {name[:80]!r}")
        try:
            question = f"{name}^{{commit}}"
            words = ("rev-parse", "--verify", "--quiet", "--end-of-options", question)
            found = run_git(self._project.git_dir, None, *words)
        except GitFailedError as error:
            raise UnknownCommitError(
                f"expected a commit of the project, got {name[:80]!r}", hint="see: memfs git-log"
            ) from error
        return found.decode("ascii", "replace").strip()

    def _ask(self, *words: str, limit_bytes: int = _LIST_BYTES) -> tuple[str, bool]:
        """Runs one command and returns what it printed, up to a size, and whether it was more."""
        command = git_command(self._project.git_dir, None, *words)
        environment = git_environment()
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=self._project.top,
            )
        except FileNotFoundError as error:
            raise missing_git() from error
        # A child that hangs is ended; reading then comes to an end too.
        timer = threading.Timer(TIMEOUT_S, child.kill)
        timer.start()
        try:
            assert child.stdout is not None
            with child.stdout as stream:
                output = stream.read(limit_bytes + 1)
            is_cut = len(output) > limit_bytes
            if is_cut:
                child.kill()
            status = child.wait()
        finally:
            timer.cancel()
        if status != 0 and not is_cut:
            raise NoProjectHistoryError(
                f"git {words[0]} ended with status {status} in the project", hint="try: git log"
            )
        return output[:limit_bytes].decode("utf-8", "replace"), is_cut


def _commit(text: str) -> ProjectCommit:
    fields = [*text.strip("\n").split("\0"), "", "", "", "", ""]
    seconds = int(fields[1]) if fields[1].isdigit() else 0
    return ProjectCommit(
        id=fields[0],
        at=datetime.fromtimestamp(seconds, UTC),
        author=fields[2],
        subject=fields[3],
        body=fields[4].strip()[:_BODY_CHARS],
    )


def _files(listed: str) -> list[tuple[str, str]]:
    fields = iter(listed.split("\0"))
    found: list[tuple[str, str]] = []
    for status in fields:
        if not status:
            continue
        path = next(fields, "")
        if status[0] in "RC":
            path = next(fields, path)
        found.append((status[0], path))
    return found
