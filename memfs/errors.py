"""Error families of memfs: a stable code and an exit number for each.

A *no* is a value (a decision, a problem, a status). An exception means that an
operation could not be carried out. Concrete exceptions live beside the code that
raises them and derive from one of these families; this module imports nothing.
"""

from __future__ import annotations


class MemfsError(Exception):
    """The root of everything memfs raises on purpose.

    Attributes:
        code: Stable dotted identifier, part of the API (``store.not-found``).
        exit_status: Process exit number of the family.
        message: What is wrong, one sentence, expected before got.
        hint: What to do about it; empty when there is nothing useful to say.
        path: The file concerned, relative to the store where possible.
        line: 1-based line in ``path``; ``None`` when the whole file is meant.
        column: 1-based column in ``line``.
    """

    code = "memfs.error"
    exit_status = 3

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        path: str = "",
        line: int | None = None,
        column: int | None = None,
        code: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path
        self.line = line
        self.column = column
        if code:
            self.code = code

    def __str__(self) -> str:
        place = ":".join(
            str(part) for part in (self.path, self.line, self.column) if part not in ("", None)
        )
        head = f"{place}: {self.code}" if place else self.code
        return f"{head}: {self.message}"


class UsageError(MemfsError):
    """The caller asked in a way that cannot be understood."""

    code = "usage"
    exit_status = 2


class StoreError(MemfsError):
    """No store here, a locked one, or one in a newer format."""

    code = "store.error"
    exit_status = 10


class DataError(MemfsError):
    """A record, candidate or settings file cannot be read or may not be written."""

    code = "data.error"
    exit_status = 20


class AccessError(MemfsError):
    """This actor may not do this."""

    code = "access.denied"
    exit_status = 30


class ConflictError(MemfsError):
    """The ledger moved, a precondition failed, or a name is ambiguous."""

    code = "conflict"
    exit_status = 40


class IndexUnavailableError(MemfsError):
    """The search index or an embedder cannot be used; it can be rebuilt."""

    code = "index.unavailable"
    exit_status = 50


class GitError(MemfsError):
    """Git is missing, too old, or a Git command failed."""

    code = "git.failed"
    exit_status = 60
