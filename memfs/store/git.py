"""Runs Git as a child process, for one bounded question at a time.

Invariants: the child sees no ``GIT_*`` variable of the caller, no user or system
configuration, no hooks, no prompts, no pager and no file system monitor; it fetches nothing,
not even an object that is missing; it never waits longer than its timeout; the repository is
always named, never discovered. Commands that only read take no optional lock, so that they
cannot disturb a writer.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memfs.errors import GitError

DEFAULT_TIMEOUT_S: Final = 120.0

_OVERRIDES: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "credential.helper=",
    "log.showSignature=false",
    "diff.external=",
)
"""Settings that must not come from the repository either: each could run a foreign program."""


class GitMissingError(GitError):
    """There is no ``git`` program on this machine's search path."""

    code = "git.missing"


class GitFailedError(GitError):
    """A Git command ended with an error or ran out of time.

    Attributes:
        status: Exit status of Git; 0 when it was ended for its timeout.
        stderr: What Git wrote to standard error, decoded.
    """

    code = "git.failed"

    def __init__(self, message: str, *, status: int, stderr: str, code: str = "") -> None:
        super().__init__(message, code=code)
        self.status = status
        self.stderr = stderr


def git_environment(*, is_read: bool = True, index_file: Path | None = None) -> dict[str, str]:
    """Returns the environment that a Git child of memfs runs in."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for name in ("LANGUAGE", "LC_MESSAGES", "SSH_ASKPASS", "XDG_CONFIG_HOME"):
        clean.pop(name, None)
    clean |= {
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_EDITOR": ":",
        "GIT_PAGER": "cat",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_OPTIONAL_LOCKS": "0" if is_read else "1",
        # An object that is missing would be fetched, by whatever program the repository names.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    if index_file is not None:
        clean["GIT_INDEX_FILE"] = str(index_file)
    return clean


def git_command(git_dir: Path, work_tree: Path | None, *args: str) -> list[str]:
    """Returns the command line for ``git <args>`` in one named repository."""
    command = ["git", "--no-pager", f"--git-dir={git_dir}"]
    if work_tree is not None:
        command.append(f"--work-tree={work_tree}")
    for setting in _OVERRIDES:
        command += ("-c", setting)
    command += args
    return command


def run_git(
    git_dir: Path,
    work_tree: Path | None,
    *args: str,
    input: bytes | None = None,  # noqa: A002  the name that subprocess uses
    timeout_s: float = DEFAULT_TIMEOUT_S,
    is_read: bool = True,
    index_file: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> bytes:
    """Runs one Git command and returns its standard output.

    Args:
        git_dir: The repository.
        work_tree: Its working tree, also the child's working directory; ``None`` for commands
            that need none.
        *args: Sub-command and arguments; untrusted text must stand behind ``--``.
        input: Bytes for standard input; nothing is readable there otherwise.
        timeout_s: The child is killed after this many seconds.
        is_read: Takes no optional locks; ``False`` for commands that write.
        index_file: A private index file instead of the repository's own.
        settings: Further ``-c`` settings.

    Raises:
        GitMissingError: Git is not installed.
        GitFailedError: The command failed (code ``git.failed``) or took too long (``git.timeout``).
    """
    import subprocess  # most reads need no process

    extra = [part for name, value in (settings or {}).items() for part in ("-c", f"{name}={value}")]
    command = git_command(git_dir, work_tree, *extra, *args)
    try:
        done = subprocess.run(
            command,
            input=b"" if input is None else input,
            capture_output=True,
            env=git_environment(is_read=is_read, index_file=index_file),
            cwd=work_tree if work_tree is not None else git_dir,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError as error:
        if error.filename == "git":
            raise missing_git() from error
        raise GitFailedError(
            f"expected a repository at {git_dir}, found none", status=128, stderr=""
        ) from error
    except subprocess.TimeoutExpired as error:
        raise GitFailedError(
            f"git {args[0]} did not end within {timeout_s:g} s",
            status=0,
            stderr="",
            code="git.timeout",
        ) from error
    if done.returncode != 0:
        stderr = done.stderr.decode("utf-8", "replace").strip()
        raise GitFailedError(
            f"git {args[0]} ended with status {done.returncode}: {stderr[:500]}",
            status=done.returncode,
            stderr=stderr,
        )
    return done.stdout


def init_repository(root: Path, *, is_bare: bool = False) -> None:
    """Makes the folder's own repository on branch ``main``, or leaves an existing one as it is.

    A bare one is the folder itself and has no working tree.

    Raises:
        GitMissingError: Git is not installed.
        GitFailedError: The repository cannot be made.
    """
    import subprocess

    # Naming a Git directory or a working tree here would write core.worktree, hence no run_git.
    command = ["git", "init", "--quiet", "--template=", "--initial-branch=main"]
    command += ["--bare"] if is_bare else []
    command.append(str(root))
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=git_environment(is_read=False),
            timeout=DEFAULT_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise missing_git() from error
    if done.returncode != 0:
        stderr = done.stderr.decode("utf-8", "replace").strip()
        raise GitFailedError(
            f"git init failed: {stderr[:500]}", status=done.returncode, stderr=stderr
        )


def missing_git() -> GitMissingError:
    """Returns the error that says that Git is not installed."""
    return GitMissingError(
        "expected a git program on PATH, found none",
        hint="install Git 2.34 or newer",
    )
