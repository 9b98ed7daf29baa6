"""What distillation reads: commits, ended runs and turns of sessions, as plain values.

Whoever reads a source screens its words; nothing here holds a person's name or address.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A file that a commit or a turn changed: ``A`` added, ``M`` changed, ``D`` deleted, ``R``
    renamed from ``before``.
    """

    status: str
    path: str
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSeen:
    """One commit of the project.

    Attributes:
        id: Its full name.
        written: When its author wrote it; the same however often it is moved.
        at: When that was, as far as it can be believed.
        is_merge: It joins two lines.
        subject: Its first line, screened.
        body: The rest without trailers, screened.
        files: What it changed; of a merge what it brought to its first parent.
        busy: Paths among ``files`` that many commits touch.
        reverted: The commit that it says it takes back, where it is there; ``None`` for none.
    """

    id: str
    written: int
    at: datetime
    is_merge: bool
    subject: str
    body: str
    files: tuple[FileTouched, ...]
    busy: frozenset[str] = frozenset()
    reverted: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeen:
    """One recorded run.

    Attributes:
        reference: Its id with the version.
        state: How it ended.
        task: What it was asked.
        summary: What came of it.
        at: When it ended.
        session: The session that dispatched it, as its host names it; empty for none.
        commit: Commit that was checked out at its end; empty for unknown.
        issues: Ids of the issues whose state it changed.
        replaces: Ids of the runs that it is a correction of.
        remedies: The failed run that it came after, where it did the same task; empty for none.
    """

    reference: str
    state: str
    task: str
    summary: str
    at: datetime
    session: str = ""
    commit: str = ""
    issues: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    remedies: str = ""

    @property
    def id(self) -> str:
        """Its id."""
        return self.reference.partition("@")[0]


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said in a turn: who, and the words without packets."""

    speaker: str
    words: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool: its name, its first argument line, the file it is about, how it ended."""

    tool: str
    command: str
    path: str
    is_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSeen:
    """One turn of a session.

    Attributes:
        session: ``ses_…``.
        host_id: Its id as its host names it.
        client: The coding agent.
        number: Number of the turn.
        nodes: Ids of its messages.
        at: When its last message was said.
        said: What was said, in order.
        calls: Calls of tools, in order: files that were read or changed, and commands.
        proposed: Digests of key facts that were proposed of this session before.
    """

    session: str
    host_id: str
    client: str
    number: int
    nodes: tuple[str, ...]
    at: datetime
    said: tuple[Said, ...] = ()
    calls: tuple[Called, ...] = ()
    proposed: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        """The pointer to it."""
        return f"session:{self.host_id}#{self.number}"


Material: TypeAlias = CommitSeen | RunSeen | TurnSeen
