"""What a suite prints: figures beside the bar that they are held to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report.

    Attributes:
        suite: Name of the suite.
        case: File or group of cases that it is about.
        name: What was measured.
        value: As printed, such as ``15 of 15`` or ``0.83``.
        bar: What is asked for; empty where nothing is.
        holds: Whether the bar is met; ``None`` where there is none.
    """

    suite: str
    case: str
    name: str
    value: str
    bar: str = ""
    holds: bool | None = None

    def __str__(self) -> str:
        mark = {True: "ok  ", False: "MISS", None: "    "}[self.holds]
        bar = f"  (bar {self.bar})" if self.bar else ""
        return f"{mark} {self.suite:<14} {self.case:<34} {self.name:<44} {self.value}{bar}"


class Suite(Protocol):
    """A module of this folder."""

    def run(self, data: Path, scratch: Path) -> Iterator[Figure]:
        """Runs the suite.

        Args:
            data: Folder with the case files, in the layout of the public suites; a file that
                is not there leaves its figures out.
            scratch: Empty folder for stores.
        """
        ...


def share(name: str, part: int, whole: int) -> str:
    """Returns a share in words and per cent: ``412 of 415 admitted (99.3 %)``."""
    per_cent = 100 * part / whole if whole else 0.0
    return f"{part} of {whole} {name} ({per_cent:.1f} %)".replace("  ", " ")
