"""A conversation as a host keeps it: messages in file order, and what stands between them.

A reader of a host's transcript yields these values and knows nothing of turns. Who said a
message follows from where the host put it, never from what it says (O51).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from memfs.errors import ConflictError

_PLAIN_ID: Final = re.compile(r"[0-9a-f]{32}\Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")

NO_LINKS: Final[Mapping[str, str | None]] = MappingProxyType({})


def node_id(foreign: str) -> str:
    """Returns the id of a message as files, branches and commits name it.

    A UUID stays as it is; anything else could be words and becomes a digest.
    """
    lowered = foreign.lower()
    if _PLAIN_ID.match(lowered):
        return lowered
    return hashlib.sha256(foreign.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Role(StrEnum):
    """Who said a message, as the host tells."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"

    @property
    def letter(self) -> str:
        """The letter in the name of a node file."""
        return self.value[0]


class PartKind(StrEnum):
    """What a part of a message is."""

    TEXT = "text"
    CALL = "call"
    RESULT = "result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a message, as the host has it: nothing is screened yet.

    Attributes:
        kind: Words, a call of a tool, or what a tool answered.
        text: The words; of a call its arguments.
        name: The tool that is called.
        call: The host's id of the call, by which a result finds it.
        is_error: The tool failed.
    """

    kind: PartKind
    text: str
    name: str = ""
    call: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a transcript was read, and what stood before that place.

    Attributes:
        offset: Bytes from its beginning, at the start of a line.
        digest: SHA-256 of these bytes.
    """

    offset: int
    digest: str


START = Mark(0, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message.

    Attributes:
        id: Id of it (see :func:`node_id`), the same whenever the transcript is read.
        parent: Id of what it follows; ``None`` for whatever came before it in the file, empty
            for the beginning of a conversation.
        role: Who said it.
        parts: What was said, in order.
        at: When; ``None`` where the host does not tell.
        is_prompt: A person asks something: a turn begins.
        group: The host's id of the answer that it is a piece of; retries have another one.
        ends_turn: The host says that nothing follows before the next prompt.
        tokens: Output tokens that the host counted for it.
        mark: Where it stands in the transcript.
    """

    id: str
    parent: str | None
    role: Role
    parts: tuple[Part, ...]
    at: datetime | None
    is_prompt: bool = False
    group: str = ""
    ends_turn: bool = False
    tokens: int = 0
    mark: Mark = START


@dataclass(frozen=True, slots=True)
class Title:
    """A name of the conversation.

    Attributes:
        text: The name.
        rank: 2 for the person's own, 1 for one that the host made, 0 for a summary.
    """

    text: str
    rank: int


@dataclass(frozen=True, slots=True)
class Rollback:
    """The person took the last turns back; what follows stands beside them."""

    turns: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The host says that the turn is over."""


Entry: TypeAlias = Message | Title | Rollback | TurnEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a transcript says of itself.

    Attributes:
        client: Plain name of the coding agent.
        host_id: The session's id as that client names it; empty when it names none.
        started: When it began.
        folder: Where the agent worked; empty when it does not tell.
        resumed_from: Host id of the session that it says it forks or resumes.
        is_side: It is another agent's side conversation and no session of a person.
        has_unique_ids: No other conversation has messages of the same ids, but a copy of it.
    """

    client: str
    host_id: str
    started: datetime | None = None
    folder: str = ""
    resumed_from: str = ""
    is_side: bool = False
    has_unique_ids: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReport:
    """What reading a transcript came upon.

    Attributes:
        end: The end of the last whole line.
        lines: Whole lines that were read.
        skipped: Lines that are no part of the conversation, or of a form that is not known.
        broken: Lines that are no JSON, no object or too long.
        is_cut: The last line has no end yet.
        links: The last lines that were passed over, with the message that each stands for:
            what comes later may follow one of them.
    """

    end: Mark
    lines: int = 0
    skipped: int = 0
    broken: int = 0
    is_cut: bool = False
    links: Mapping[str, str | None] = field(default_factory=lambda: NO_LINKS)


class MarkMismatchError(ConflictError):
    """A transcript is not the one that was read before: it was written anew or cut."""

    code = "session.transcript-changed"


class Transcript(Protocol):
    """One transcript of one client, read as a stream."""

    def head(self) -> Head:
        """Returns what it says of itself; reads only its beginning."""
        ...

    def entries(
        self, mark: Mark = START, links: Mapping[str, str | None] = NO_LINKS
    ) -> Iterator[Entry]:
        """Yields what stands behind ``mark``, in file order, one at a time.

        Args:
            mark: Where an earlier pass ended.
            links: What that pass reported of lines that it passed over.

        Raises:
            MarkMismatchError: Something else stands before the mark now.
        """
        ...

    def report(self) -> ReadReport:
        """Returns what the last pass came upon, once it has ended."""
        ...
