"""``memfs doctor``: the health of a store (A99)."""

from __future__ import annotations

import os
from pathlib import Path

import click

from memfs.cli.client_text import client_rows, client_values
from memfs.cli.health import health_facts, health_rows
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, counted, printable, problem_lines, say, write, write_json
from memfs.cli.values import problem_value


@click.command("doctor", short_help="Examine the store, and repair what can be repaired.")
@click.option("--fix", is_flag=True, help="Repair what can be repaired without losing anything.")
@shared_options
def command(invocation: Invocation, fix: bool) -> int:
    """Examine locks, refs, Git's own checks, configuration and the index.

    Names mode, places and states, whether readers and writers agree, and never content.
    Tries each command that is installed for a coding agent, in a sample store.
    Ends with 1 when something is wrong.
    """
    with invocation.open() as memory:
        problems = memory.doctor(fix=fix)
        facts = health_facts(memory.status())
    from memfs.app.client_health import examined

    clients, more = examined(Path.cwd(), os.environ)
    problems = (*problems, *more, *(item for client in clients for item in client.problems))
    if invocation.is_json:
        found = [problem_value(problem) for problem in problems]
        write_json({**facts, "clients": client_values(clients), "problems": found})
    else:
        rows = (*health_rows(facts), *client_rows(clients))
        write(columns([(name, printable(text)) for name, text in rows]))
        for client in clients:
            for note in client.notes:
                say(printable(f"note: {client.client}: {note}"))
        for problem in problems:
            write(problem_lines(problem))
        say(counted(len(problems), "problem") if problems else "the store is sound")
    return 1 if problems else 0
