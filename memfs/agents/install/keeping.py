"""What is kept of a file before memfs changes it: a copy, and how it was without memfs.

Kept privately in memfs's own folder and not beside the file, where it would turn up in a
project. Order counts: what is kept is on disk before the file is touched, so that a process
that is killed in between has changed nothing. A file that nobody else wrote since is given back
byte for byte when memfs is taken out.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from memfs.agents.install.config_files import ConfigFile

_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
_NOTE: Final = "note.json"
_ORIGINAL: Final = "original"
_LAST: Final = "before-last-change"
_STATES: Final = 4
"""How many states that memfs wrote are told from one that somebody else wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is known of one file.

    Attributes:
        original: Its bytes without memfs; ``None`` where there was no file.
        written: Digests of what memfs wrote since, the newest last.
        folders: Folders that were made for it.
        programs: What memfs wrote as the program that runs it.
    """

    original: bytes | None
    written: tuple[str, ...]
    folders: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    def is_as_written(self, content: bytes | None) -> bool:
        """Whether nobody but memfs wrote the file since ``original``."""
        return _digest(content) in self.written


class Keeper:
    """The private folder of what is kept.

    Args:
        folder: Made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Lets one installer at a time change files."""
        self.folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def kept(self, real: Path) -> Kept | None:
        """Returns what is known of a file; ``None`` for nothing, or for what cannot be read."""
        place = self.place(real)
        try:
            note = json.loads((place / _NOTE).read_text(encoding="utf-8"))
            original = (place / _ORIGINAL).read_bytes() if note["existed"] else None
            return Kept(
                original=original,
                written=tuple(map(str, note["written"])),
                folders=tuple(map(str, note["folders"])),
                programs=tuple(map(str, note["programs"])),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, file: ConfigFile, kept: Kept, after: bytes | None) -> Path | None:
        """Keeps a file before it becomes ``after``.

        Returns:
            The copy of it as it is now; ``None`` where there is no file yet.
        """
        place = self.place(file.real)
        place.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        if file.content is not None:
            _put(place / _LAST, file.content)
        if kept.original is not None:
            _put(place / _ORIGINAL, kept.original)
        written = (*kept.written, _digest(after))[-_STATES:]
        note = {
            "path": str(file.real),
            "existed": kept.original is not None,
            "written": written,
            "folders": kept.folders,
            "programs": kept.programs,
        }
        _put(place / _NOTE, json.dumps(note, indent=2).encode())
        return place / _LAST if file.content is not None else None

    def forget(self, real: Path, *, with_copy: bool) -> None:
        """Drops what is known of a file that memfs has no part in any more.

        Args:
            real: The file.
            with_copy: Drop the copy too, where nobody but memfs wrote anything in it.
        """
        place = self.place(real)
        for name in (_NOTE, _ORIGINAL, *((_LAST,) if with_copy else ())):
            (place / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            place.rmdir()

    def place(self, real: Path) -> Path:
        """Returns the folder of what is kept of one file."""
        digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:16]
        return self.folder / f"{real.name.lstrip('.')}-{digest}"


def first_kept(content: bytes | None, folders: Sequence[Path]) -> Kept:
    """Returns what is known of a file in which memfs has no part yet."""
    return Kept(original=content, written=(), folders=tuple(map(str, folders)))


def with_program(kept: Kept, program: str) -> Kept:
    """Returns what is known, with one more program that memfs wrote."""
    others = tuple(name for name in kept.programs if name != program)
    return replace(kept, programs=(*others, program))


def _digest(content: bytes | None) -> str:
    return hashlib.sha256(content).hexdigest() if content is not None else "absent"


def _put(place: Path, content: bytes) -> None:
    """Writes a private file in one step."""
    beside = place.with_name(place.name + ".new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(descriptor)
    beside.replace(place)
