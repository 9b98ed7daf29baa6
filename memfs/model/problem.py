"""A problem: something wrong with a file, as a value with its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memfs.errors import MemfsError

BROKEN_LINK: Final = "link.broken"
"""The code of a link in prose that leads nowhere: untidy, and wrong with nothing but itself."""


class Severity(StrEnum):
    """``error`` keeps a file from being served or written; ``warning`` does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One finding, printed as ``path:line:column: code: message``.

    Attributes:
        path: Store-relative path, or the path as given.
        line: 1-based; 0 when the whole file is meant.
        column: 1-based; 0 when the whole line is meant.
        code: Stable dotted code.
        message: Expected before got; never quotes a secret.
        hint: What to do; may be empty.
        severity: Error or warning.
    """

    path: str
    line: int
    column: int
    code: str
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR

    @property
    def is_broken_link(self) -> bool:
        """Whether it only says that a link in prose leads nowhere."""
        return self.code == BROKEN_LINK

    def __str__(self) -> str:
        place = self.path
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        return f"{place}: {self.code}: {self.message}"


def problem_from(error: MemfsError, path: str) -> Problem:
    """Returns what an error says as a problem; of ``path`` when it names no file itself."""
    return Problem(
        path=error.path or path,
        line=error.line or 0,
        column=error.column or 0,
        code=error.code,
        message=error.message,
        hint=error.hint,
    )
