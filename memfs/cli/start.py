"""Where the process begins: a coding agent's hook goes its own short way, all else to the commands.

A hook is started at every prompt. What the command line costs to import and to take apart, it
does not pay.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final, NoReturn

_CLIENT: Final = "--client"
_GIT: Final = "git"
_HELP: Final = frozenset({"-h", "--help"})


def run() -> NoReturn:
    """Runs what the command line of the process asks for, and ends the process."""
    arguments = agent_hook(sys.argv[1:])
    if arguments is not None:
        from memfs.cli.hook import run as run_hook

        run_hook(arguments)
    from memfs.cli.entry import run as run_command

    run_command()


def agent_hook(arguments: Sequence[str]) -> Sequence[str] | None:
    """Returns what stands behind ``hook`` for a coding agent's hook; ``None`` for anything else."""
    if not arguments or arguments[0] != "hook":
        return None
    rest = arguments[1:]
    named = [word for word in rest if word == _CLIENT or word.startswith(f"{_CLIENT}=")]
    is_git = rest[:1] == [_GIT] or f"{_CLIENT}={_GIT}" in rest or _pair(rest) == _GIT
    return None if not named or is_git or _HELP & set(rest) else rest


def _pair(rest: Sequence[str]) -> str:
    at = list(rest).index(_CLIENT) if _CLIENT in rest else len(rest)
    return rest[at + 1] if at + 1 < len(rest) else ""
