"""``memfs core``: what every session starts with."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import printable, say, write, write_json


@click.command("core", short_help="Show what every session starts with.")
@shared_options
def command(invocation: Invocation) -> int:
    """Show core memory: the few lines that every session starts with, and what each stands for.

    It is chosen anew by each sleep and lies in core.md, at most 2,048 bytes of it.
    """
    with invocation.open() as memory:
        core = memory.core()
    if invocation.is_json:
        lines = [{"reference": line.reference, "text": line.text} for line in core.lines]
        write_json({"lines": [*lines], "left_out": core.left, "is_there": core.is_there})
        return 0
    if not core.is_there:
        say("there is no core yet; make one with: memfs sleep")
        return 0
    for line in core.lines:
        write(printable(f"- {line.text}"))
    say(f"left out: {core.left} more" if core.left else "nothing was left out")
    return 0
