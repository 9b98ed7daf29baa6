"""``memfs intentions``: what is to be asked now."""

from __future__ import annotations

import click

from memfs.cli.intention_text import list_lines
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say, write, write_json


@click.group("intentions", short_help="Find what is due, and ask about it.")
def command() -> None:
    """Find what is due; nothing is ever done about it but that it is asked."""


@command.command("due")
@shared_options
def due_command(invocation: Invocation) -> int:
    """List what is due, and mark what became due just now.

    Each occurrence becomes due once, however often and wherever it is looked at; until it is
    answered it is listed. For a scheduler of your own, or run: memfs watch.
    """
    with invocation.open() as memory:
        answer = memory.intentions_due()
    if invocation.is_json:
        from memfs.domains.intentions.views import intention_value

        write_json(
            {
                "due": [intention_value(view) for view in answer.due],
                "new": list(answer.new),
                "unreadable": list(answer.unreadable),
            }
        )
    elif answer.due:
        write(list_lines(answer.due))
        say("answer with: memfs intention done REF, snooze REF 2h, or cancel REF")
    else:
        say("nothing is due")
    for name in () if invocation.is_json else answer.unreadable:
        say(f"{name} cannot be read here; see: memfs intention show {name[-6:]}")
    return 0
