"""What a procedure was tried with: digests of its script and tools, compared with what is here.

A name is a file of the project, or else a program that is found like a shell finds it. Both are
read and never run. A program is pinned as it is on this machine: on another one it is another
tool, and the procedure has to be tried with it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.procedure import TRIED, stage_of
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.services.ports import Workspace
from memfs.services.project_files import inner_parts, plain_mode

MOST_PINS: Final = 16
_WHOLE_BYTES: Final = 4_194_304
_END_BYTES: Final = 1_048_576
_PROGRAM: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}\Z")


@frozen
class Pins:
    """Digests of what a procedure depends on, ``name sha256:…``, and the names not found here."""

    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def pins_of(workspace: Workspace, record: Record) -> Pins:
    """Returns the digests of a procedure's script and tools as they are here and now."""
    found: list[str] = []
    missing: list[str] = []
    for name in _names(record):
        digest = _digest(workspace.project_dir, name)
        if digest:
            found.append(f"{name} {digest}")
        else:
            missing.append(name)
    return Pins(found=tuple(found), missing=tuple(missing))


def drift_of(workspace: Workspace, record: Record) -> tuple[str, ...]:
    """Returns which of a procedure's script and tools are not what was tried, in order.

    What was never tried was never pinned, and drifts from nothing.
    """
    names = _names(record)
    if not names or stage_of(record) not in TRIED:
        return ()
    pinned = dict(item.rsplit(" ", 1) for item in texts_field(record, "pins") if " " in item)
    return tuple(
        name
        for name in names
        if name not in pinned or pinned[name] != _digest(workspace.project_dir, name)
    )


def _names(record: Record) -> tuple[str, ...]:
    named = (text_field(record, "script"), *texts_field(record, "tools"))
    return tuple(dict.fromkeys(name for name in named if name))[:MOST_PINS]


def _digest(project: Path | None, name: str) -> str:
    """Returns the digest of what a name means; empty where there is no such thing."""
    path = _in_project(project, name) or _program(name)
    if path is None:
        return ""
    try:
        mark = hashlib.sha256(b"pin\0v1\0")
        for part in _parts(path):
            mark.update(part)
    except OSError:
        return ""
    return f"sha256:{mark.hexdigest()}"


def _parts(path: Path) -> Iterator[bytes]:
    """Yields a file whole; of one that is very large, its size, its beginning and its end."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= _WHOLE_BYTES:
            yield file.read(_WHOLE_BYTES)
            return
        yield b"%d\0" % size
        yield file.read(_END_BYTES)
        file.seek(-_END_BYTES, os.SEEK_END)
        yield file.read(_END_BYTES)


def _in_project(project: Path | None, name: str) -> Path | None:
    """Returns a plain file of the project; links are not followed, nor is Git's own folder."""
    parts = inner_parts(name)
    if project is None or not parts or not stat.S_ISREG(plain_mode(project, parts)):
        return None
    return project.joinpath(*parts)


def _program(name: str) -> Path | None:
    if _PROGRAM.match(name) is None:
        return None
    found = shutil.which(name)
    return Path(found).resolve() if found else None
