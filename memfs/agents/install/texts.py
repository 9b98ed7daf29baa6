"""What an editor makes of a file: the new text, what was found, and what has to be said.

An editor is pure: it takes the text of a file, or ``None`` where there is no file, and returns
the text that it should have. It never sees a path.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from memfs.agents.install.calls import Kinship


class Part(StrEnum):
    """What is installed for a client."""

    HOOKS = "hooks"
    SERVER = "server"
    INSTRUCTIONS = "instructions"
    SKILL = "skill"
    PLUGIN = "plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing of memfs's that stands in a file.

    Attributes:
        part: What it is.
        name: The event of a hook, the name of a server, what a block is for.
        kinship: Whether this version wrote it.
        command: The words of the command; empty for what is no command.
        line: 1-based line where it stands.
        is_edited: Somebody changed it by hand.
    """

    part: Part
    name: str
    kinship: Kinship
    command: tuple[str, ...] = ()
    line: int = 0
    is_edited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """What a file becomes.

    Attributes:
        text: Its text; ``None`` where there is to be no file.
        notes: What has to be said about it, as sentences.
    """

    text: str | None
    notes: tuple[str, ...] = ()


class Editor(Protocol):
    """Puts one part of memfs into the text of a file and takes it out."""

    @property
    def part(self) -> Part:
        """What it is about."""
        ...

    def install(self, text: str | None, *, force: bool) -> Edited:
        """Returns the text with the part in it, once.

        Args:
            text: The file; ``None`` where there is none.
            force: Replace what somebody edited by hand.

        Raises:
            InstallRefusedError: The file is not in a state to be edited.
        """
        ...

    def uninstall(self, text: str) -> Edited:
        """Returns the text without the part; everything else as it is.

        Raises:
            InstallRefusedError: The file is not in a state to be edited.
        """
        ...

    def find(self, text: str) -> tuple[Found, ...]:
        """Returns what of the part stands in a text.

        Raises:
            InstallRefusedError: The file does not parse.
        """
        ...

    def is_blank(self, text: str) -> bool:
        """Tells whether a text says nothing, so that a file that memfs made can go."""
        ...


def ending_of(text: str) -> str:
    """Returns what ends the lines of a text: that of its first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
