"""Recognises the commands that memfs put into a configuration, however they are spelled.

Pure. A command counts as memfs's own only where it runs memfs and nothing else; anything with
a pipe, a redirection or a second command is a person's, and is told apart as a mention.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

PROGRAM: Final = "memfs"
HOOK: Final = "hook"
SERVER: Final = "mcp"

_SHELL: Final = re.compile(r"[;&|<>`$\n(){}*?]")
_QUOTED: Final = re.compile(r"'[^'\n]*'")
_MENTION: Final = re.compile(r"\bmemfs\b[^\n]*\b(hook|mcp)\b")
_LAUNCHERS: Final = 8
"""How many words may stand before ``memfs``, as in ``uvx --from memfs-ledger memfs hook``."""


class Kinship(StrEnum):
    """Whose a command is.

    ``current``: what this version would write. ``other``: memfs's own, with another program or
    other arguments, as an older version wrote it. ``wrapped``: it runs memfs through something
    else, as a person arranged. ``mention``: a shell line in which memfs occurs. ``foreign``:
    nothing to do with memfs.
    """

    CURRENT = "current"
    OTHER = "other"
    WRAPPED = "wrapped"
    MENTION = "mention"
    FOREIGN = "foreign"

    @property
    def runs_memfs(self) -> bool:
        """Whether the command ends up running memfs."""
        return self is not Kinship.FOREIGN

    @property
    def is_ours(self) -> bool:
        """Whether an installer wrote it, this one or an older one."""
        return self in (Kinship.CURRENT, Kinship.OTHER)

    @property
    def is_removable(self) -> bool:
        """Whether it does nothing but run memfs."""
        return self.is_ours or self is Kinship.WRAPPED


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command that runs memfs.

    Attributes:
        program: What runs memfs: ``memfs``, a path to it, or ``python`` with ``-m memfs``.
        arguments: What memfs is told, from ``hook`` or ``mcp`` on.
        is_wrapped: Whether something else stands in front.
    """

    program: str
    arguments: tuple[str, ...]
    is_wrapped: bool

    @property
    def words(self) -> tuple[str, ...]:
        """The command as one runs it without a shell."""
        return (*self.program.split(" -m "), *self.arguments)


def shell_line(program: str, arguments: Sequence[str]) -> str:
    """Returns a command as one line for a shell; the same for the same words, always."""
    return shlex.join((program, *arguments))


def call_from(words: Sequence[str]) -> Call | None:
    """Returns the call of memfs that some words make; ``None`` where they make none."""
    for place, word in enumerate(words[:_LAUNCHERS]):
        rest = tuple(words[place + 1 :])
        if _name(word) == PROGRAM and rest[:1] in ((HOOK,), (SERVER,)):
            is_module = place >= 2 and words[place - 1] == "-m" and "python" in _name(words[0])
            if is_module and place == 2:
                return Call(program=f"{words[0]} -m {word}", arguments=rest, is_wrapped=False)
            return Call(program=word, arguments=rest, is_wrapped=place > 0)
    return None


def call_in_line(line: str) -> Call | None:
    """Returns the call that a shell line makes and that is all it does."""
    if _SHELL.search(_QUOTED.sub("", line)):
        return None
    try:
        return call_from(shlex.split(line))
    except ValueError:
        return None


def kinship(call: Call | None, line: str, expected: Sequence[str]) -> Kinship:
    """Tells whose a command is.

    Args:
        call: The call that it makes.
        line: The whole of it, as text.
        expected: The words that this version writes, program first.
    """
    if call is None:
        return Kinship.MENTION if _MENTION.search(line) else Kinship.FOREIGN
    if call.is_wrapped:
        return Kinship.WRAPPED
    if (call.program, *call.arguments) == tuple(expected):
        return Kinship.CURRENT
    return Kinship.OTHER


def _name(word: str) -> str:
    """Returns the name of a program, without its folder and ``.exe``."""
    name = PureWindowsPath(word).name if "\\" in word else PurePosixPath(word).name
    return name.lower().removesuffix(".exe")
