"""Reads and writes configuration files of a person's: never through a trap, never by halves.

A link is followed to what it stands for, so that a file that is kept elsewhere stays a link; in
a project it may not lead out of the project. What is read is a regular file with one name, of a
bearable size, in UTF-8, that its owner may write. What is written replaces the file in one
step, with its access rights, and only if it is still what was read.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memfs.agents.install.refusals import InstallRefusedError
from memfs.errors import ConflictError

MOST_BYTES: Final = 16 * 1024 * 1024
NEW_MODE: Final = 0o644
PRIVATE_MODE: Final = 0o600
_BOM: Final = "\ufeff"
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SUFFIX: Final = ".memfs-new"


class ConfigChangedError(ConflictError):
    """Somebody wrote the file between reading and writing."""

    code = "install.changed-meanwhile"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A file as it was read.

    Attributes:
        path: As it is named.
        real: What it stands for, free of links.
        content: Its bytes; ``None`` where there is no file.
        mode: Its access rights; those of a new file where there is none.
        owner: User and group; ``None`` where there is no file.
    """

    path: Path
    real: Path
    content: bytes | None
    mode: int
    owner: tuple[int, int] | None

    @property
    def text(self) -> str | None:
        """Its text without a byte order mark; ``None`` where there is no file.

        Raises:
            InstallRefusedError: It is not UTF-8.
        """
        if self.content is None:
            return None
        return _decoded(self.content)

    def bytes_of(self, text: str | None) -> bytes | None:
        """Returns a new text as bytes, with the byte order mark that the file had."""
        if text is None:
            return None
        has_mark = self.content is not None and self.content.startswith(_BOM.encode())
        return ((_BOM if has_mark else "") + text).encode()


def real_path(path: Path) -> Path:
    """Returns what a path stands for, free of links; of links in a circle, one of them."""
    return Path(os.path.realpath(path))


def may_hold(path: Path, word: bytes) -> bool:
    """Tells whether a file may have a word in it; one that cannot be told may.

    A file without it is nobody's to take anything out of, in whatever state it is.
    """
    try:
        state = path.stat()
        is_bearable = stat.S_ISREG(state.st_mode) and state.st_size <= MOST_BYTES
        return word in path.read_bytes() if is_bearable else stat.S_ISREG(state.st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def seen_text(path: Path) -> str | None:
    """Returns the text of a file that is only looked at, whoever may write it.

    ``None`` where there is none, or none of a bearable size in UTF-8.
    """
    try:
        descriptor = os.open(real_path(path), _READ)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        try:
            content = stream.read(MOST_BYTES + 1)
            return _decoded(content) if len(content) <= MOST_BYTES else None
        except (OSError, InstallRefusedError):
            return None


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InstallRefusedError("expected UTF-8, got something else", line=line) from error


def read_config(
    path: Path, *, within: Path | None, mode: int = NEW_MODE, in_git: bool = False
) -> ConfigFile:
    """Reads a file that may be changed.

    Args:
        path: Absolute.
        within: Folder that the file may not lie outside of; ``None`` for anywhere.
        mode: Access rights that it gets when it is new.
        in_git: The file belongs into a Git directory.

    Raises:
        InstallRefusedError: It is not one that memfs changes.
    """
    real = real_path(path)
    if path.is_symlink() and not os.path.lexists(real):
        raise InstallRefusedError(f"expected a file, got a link to {real}, which is not there")
    if ".git" in real.parts and not in_git:
        raise InstallRefusedError(f"expected a file outside of any .git folder, got {real}")
    if within is not None and not real.is_relative_to(os.path.realpath(within)):
        raise InstallRefusedError(
            f"expected a file inside of the project, got a link to {real}",
            hint="put a file of its own there",
        )
    try:
        descriptor = os.open(real, _READ)
    except FileNotFoundError:
        _check_folder(real)
        return ConfigFile(path=path, real=real, content=None, mode=mode, owner=None)
    except OSError as error:
        raise InstallRefusedError(f"expected a file, got: {error.strerror}") from error
    try:
        state = os.fstat(descriptor)
        _check_state(state)
        _check_folder(real)
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            content = stream.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(content) > MOST_BYTES:
        raise InstallRefusedError(f"expected at most {MOST_BYTES} bytes, got more")
    return ConfigFile(
        path=path,
        real=real,
        content=content,
        mode=stat.S_IMODE(state.st_mode),
        owner=(state.st_uid, state.st_gid),
    )


def _check_state(state: os.stat_result) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise InstallRefusedError("expected a regular file, got something else")
    if state.st_nlink > 1:
        raise InstallRefusedError(
            f"expected a file with one name, got one with {state.st_nlink}",
            hint="replacing it would part it from its other names",
        )
    if not state.st_mode & stat.S_IWUSR:
        raise InstallRefusedError(
            "expected a file that may be written, got one that may only be read",
            hint="make it writable first",
        )
    if os.geteuid() not in (0, state.st_uid):
        raise InstallRefusedError("expected a file of this account, got another's")


def _check_folder(real: Path) -> None:
    """Sees to it that the folder is there to be written, or can be made."""
    for folder in real.parents:
        if not folder.exists():
            continue
        if not folder.is_dir():
            raise InstallRefusedError(f"expected a folder at {folder}, got something else")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise InstallRefusedError(f"expected a folder that may be written, got {folder}")
        return


def missing_folders(real: Path) -> tuple[Path, ...]:
    """Returns the folders that are made for a file, the outermost first."""
    return tuple(folder for folder in reversed(real.parents) if not folder.exists())


def write_config(file: ConfigFile, content: bytes | None) -> None:
    """Gives a file new bytes, or takes it away, if it is still what was read.

    Raises:
        ConfigChangedError: Somebody else wrote it meanwhile.
    """
    if content is None:
        _check_unchanged(file)
        file.real.unlink(missing_ok=True)
        _flush_folder(file.real.parent)
        return
    file.real.parent.mkdir(parents=True, exist_ok=True)
    beside = file.real.with_name(file.real.name + _SUFFIX)
    # Only memfs writes by that name and one installer runs at a time: what is there is left
    # over from one that was killed.
    beside.unlink(missing_ok=True)
    try:
        _write(beside, content, file)
        _check_unchanged(file)
        beside.replace(file.real)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _flush_folder(file.real.parent)


def _write(place: Path, content: bytes, file: ConfigFile) -> None:
    descriptor = os.open(place, _CREATE, file.mode)
    with os.fdopen(descriptor, "wb") as stream:
        if file.owner is not None:
            os.fchmod(descriptor, file.mode)
            if os.geteuid() == 0:
                os.fchown(descriptor, *file.owner)
        stream.write(content)
        stream.flush()
        os.fsync(descriptor)


def _check_unchanged(file: ConfigFile) -> None:
    try:
        now: bytes | None = file.real.read_bytes()
    except FileNotFoundError:
        now = None
    if now != file.content:
        raise ConfigChangedError(
            "expected the file as it was read, got another",
            hint="run the command again",
            path=str(file.path),
        )


def remove_folders(folders: tuple[Path, ...]) -> None:
    """Takes away folders that are empty, the innermost first."""
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _flush_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
