"""``memfs watch``: reconciles whenever a file is saved."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import json_text, say
from memfs.cli.text import write_result
from memfs.cli.values import result_value
from memfs.model.result import Result


@click.command("watch", short_help="Reconcile whenever a file is saved.")
@click.option("--once", is_flag=True, help="Make one pass and end.")
@shared_options
def command(invocation: Invocation, once: bool) -> int:
    """Watch the store and put hand edits up for review as they are saved.

    Nothing depends on it: what it misses, the next command finds. End it with Ctrl-C.
    """
    with invocation.open() as memory:
        if not (once or invocation.is_json):
            say("watching; Ctrl-C ends it")
        try:
            for result in memory.watch(once=once):
                _write(invocation, result)
        except KeyboardInterrupt:
            # The way to end it that the help page names: not an interruption of anything.
            return 0
    return 0


def _write(invocation: Invocation, result: Result) -> None:
    if invocation.is_json:
        # One line a pass, so that a reader can follow.
        click.echo(json_text(result_value(result)))
    else:
        write_result(result)
