"""Origin: who said something, through which channel, and from which source.

The channel is set by the entry point that received the text, never by the text or by
what the caller says of itself (A3). Which class a channel gives is policy.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen

_IMPORTED: Final = "import:"
_PRINCIPAL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+/-]{0,63}\Z")


class PrincipalKind(StrEnum):
    """Who can act."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    SYSTEM = "system"


@frozen(kw_only=False)
class Principal:
    """An acting party, written ``user:ana`` or ``agent:claude``."""

    kind: PrincipalKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_person(self) -> bool:
        """Whether this is a human being."""
        return self.kind is PrincipalKind.USER

    @classmethod
    def parse(cls, text: str) -> Principal:
        """Parses ``kind:name``.

        Raises:
            ValueError: Unknown kind or odd characters in the name.
        """
        kind_text, _, name = text.partition(":")
        try:
            kind = PrincipalKind(kind_text)
        except ValueError:
            choices = ", ".join(PrincipalKind)
            raise ValueError(f"expected a principal of {choices}, got {text!r}") from None
        if not _PRINCIPAL.match(name):
            raise ValueError(f"expected {kind}:NAME with a plain name, got {text!r}")
        return cls(kind, name)


class Channel(StrEnum):
    """How a text reached memfs."""

    TERMINAL = "terminal"
    """A person at a terminal."""
    EDITOR = "editor"
    """A person in ``memfs edit`` or ``memfs review edit``."""
    PAGE = "page"
    """A person on the review page with its session token."""
    FORM = "form"
    """A person in a form that the client of a protocol server showed them, once for each act."""
    SCRIPTED = "scripted"
    """A script that acts for a person in a store set up for that."""
    PROMPT_HOOK = "prompt-hook"
    """The host's own record of what the person typed."""
    HOST = "host"
    """The host's own observation: exit code, test result, path."""
    WORKSPACE = "workspace"
    """Files in the workspace, hand edits found later, foreign commits."""
    TOOL = "tool"
    """Tool output, web, protocol servers, mail, documents."""
    AGENT = "agent"
    """An agent or a model says so; summaries, extraction, distillation."""
    IMPORT = "import"
    """Memory that another system kept."""
    SYSTEM = "system"
    """memfs itself: holds, receipts, expiry, repair."""


class OriginClass(StrEnum):
    """What an origin is worth; the default authority follows from it."""

    USER_STATED = "user_stated"
    HOST_OBSERVED = "host_observed"
    WORKSPACE = "workspace"
    REMOTE = "remote"
    AGENT_STATED = "agent_stated"
    IMPORTED = "imported"
    SYSTEM = "system"


@frozen
class Origin:
    """Where a claim came from.

    Attributes:
        origin_class: Class given by policy from the channel.
        principal: Who acted.
        channel: How it arrived.
        source: Pointer into the source, such as ``session:abc#12`` (turn 12),
            ``file:docs/setup.md`` or ``import:claude-memory/topic.md``; may be empty.
        digest: Digest of the source text (see ``memfs.model.digests``); may be empty.
        speaker: Who said it according to the transport (O51), never to the text; may be empty.
    """

    origin_class: OriginClass
    principal: Principal
    channel: Channel
    source: str = ""
    digest: str = ""
    speaker: str = ""

    @property
    def imported_from(self) -> str:
        """Which system an import came from, as ``import:claude-memory``; empty for no import."""
        is_imported = self.source.startswith(_IMPORTED)
        return self.source.partition("/")[0].partition("#")[0] if is_imported else ""


@frozen(kw_only=False)
class Actor:
    """The principal that runs an operation and the channel it came through."""

    principal: Principal
    channel: Channel

    def __str__(self) -> str:
        return f"{self.principal} ({self.channel})"

    @property
    def is_person(self) -> bool:
        """Whether a human being decides here, directly or through a store set up for scripts."""
        return self.principal.is_person and self.channel in (
            Channel.TERMINAL,
            Channel.EDITOR,
            Channel.PAGE,
            Channel.FORM,
            Channel.SCRIPTED,
        )


SYSTEM_ACTOR: Final = Actor(Principal(PrincipalKind.SYSTEM, "memfs"), Channel.SYSTEM)
