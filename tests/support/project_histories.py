"""Invented histories of a project, written in one go."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

BEGAN: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One commit to be: its message, and what it writes, moves and removes.

    Attributes:
        message: Subject and body.
        files: Path to content; ``None`` removes.
        moves: Pairs of paths.
        at: When it is written; a day after the one before by default.
        onto: Index of a second parent among those made before; ``None`` for no merge.
        parent: Index of the parent; the one before by default.
    """

    message: str
    files: Mapping[str, str | None] = field(default_factory=dict)
    moves: Sequence[tuple[str, str]] = ()
    at: datetime | None = None
    onto: int | None = None
    parent: int | None = None


def write_history(project: Path, commits: Sequence[Made], *, first: int = 0) -> tuple[str, ...]:
    """Writes commits to ``main`` of a project and checks the last one out; returns their ids.

    Args:
        project: A folder with a Git repository.
        commits: Oldest first.
        first: Number of the first one; from 1 on it follows what is on ``main``.
    """
    lines: list[bytes] = []
    for number, made in enumerate(commits, 1):
        at = made.at or BEGAN + timedelta(days=first + number)
        stamp = f"Dana Doe <dana@example.invalid> {int(at.timestamp())} +0000"
        message = made.message.encode()
        lines += [b"commit refs/heads/main", f"mark :{number}".encode()]
        lines += [f"author {stamp}".encode(), f"committer {stamp}".encode()]
        lines += [b"data %d" % len(message), message]
        if made.parent is not None:
            lines.append(f"from :{made.parent + 1}".encode())
        elif number == 1 and first:
            lines.append(b"from refs/heads/main^0")
        if made.onto is not None:
            lines.append(f"merge :{made.onto + 1}".encode())
        for path, content in made.files.items():
            if content is None:
                lines.append(b"D " + _quoted(path))
                continue
            data = content.encode()
            lines += [b"M 100644 inline " + _quoted(path), b"data %d" % len(data), data]
        lines += [b"R " + _quoted(old) + b" " + _quoted(new) for old, new in made.moves]
        lines.append(b"")
    marks = project / ".git" / "made-marks"
    command = ["git", "fast-import", "--quiet", "--force", f"--export-marks={marks}"]
    subprocess.run(command, cwd=project, input=b"\n".join(lines) + b"\n", check=True)
    subprocess.run(["git", "reset", "-q", "--hard", "main"], cwd=project, check=True)
    found = dict(line.split() for line in marks.read_text().splitlines())
    return tuple(found[f":{number}"] for number in range(1, len(commits) + 1))


def _quoted(path: str) -> bytes:
    plain = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + plain.encode() + b'"'
