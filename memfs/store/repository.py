"""GitPython's view of the store's repository: blame and configuration, read only.

It is opened for one question and closed again, since it keeps child processes; it gets the
clean environment of every other Git child. Its index and object classes are not used (see
``docs/adr/0003``), and nothing on the way of a question to recall imports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.store.git import GitFailedError, git_environment, missing_git

if TYPE_CHECKING:
    from git import Repo


@contextmanager
def opened_repository(git_dir: Path) -> Iterator[Repo]:
    """Opens the repository for the duration of a ``with`` block.

    Raises:
        GitMissingError: Git is not installed.
        GitFailedError: A command failed.
    """
    try:
        from git import GitCommandError, GitCommandNotFound, Repo
    except ImportError as error:
        # GitPython looks for Git when it is imported.
        raise missing_git() from error
    repository = Repo(git_dir.parent, expand_vars=False)
    try:
        repository.git.update_environment(**git_environment(is_read=True))
        yield repository
    except GitCommandNotFound as error:
        raise missing_git() from error
    except GitCommandError as error:
        stderr = str(error.stderr).strip()
        status = error.status if isinstance(error.status, int) else 0
        raise GitFailedError(
            f"git ended with status {status}: {stderr[:500]}", status=status, stderr=stderr
        ) from error
    finally:
        repository.close()


def read_configuration(git_dir: Path) -> Mapping[str, str]:
    """Returns the repository's own configuration: lower-case name to the value as written.

    A name that is given several times has its last value, as for Git. Of a file that cannot
    be read nothing is known: every setting that memfs needs then counts as missing.
    """
    return _parsed_configuration(git_dir) or {}


def is_configuration_broken(git_dir: Path) -> bool:
    """Whether the repository's own configuration cannot be read at all."""
    return _parsed_configuration(git_dir) is None


def _parsed_configuration(git_dir: Path) -> Mapping[str, str] | None:
    from configparser import Error

    from git.config import GitConfigParser

    place = str(git_dir / "config")
    try:
        with GitConfigParser(place, read_only=True, merge_includes=False) as parser:
            return {
                f"{_section(section)}.{option}".lower(): str(value)
                for section in parser.sections()
                for option, value in parser.items(section)
            }
    except (Error, UnicodeDecodeError):
        return None


def _section(name: str) -> str:
    """Returns a section as Git's own names write it: ``merge "x"`` is ``merge.x``."""
    head, quote, rest = name.partition(' "')
    return f"{head}.{rest.removesuffix(quote[-1:])}" if quote else name


def blamed_commits(git_dir: Path, commit: str, path: str) -> Mapping[int, str]:
    """Returns the commit id that wrote each line of ``path`` in ``commit``, by 1-based number.

    Raises:
        GitFailedError: The file is not in ``commit``.
    """
    with opened_repository(git_dir) as repository:
        return {
            number: entry.commit.hexsha
            # A text converter is a program that the repository's own configuration names.
            for entry in repository.blame_incremental(commit, path, no_textconv=True)
            for number in entry.linenos
        }
