"""``memfs doctor``: the health of a store (A99)."""

from __future__ import annotations

import click

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
    Ends with 1 when something is wrong.
    """
    with invocation.open() as memory:
        problems = memory.doctor(fix=fix)
        facts = health_facts(memory.status())
    if invocation.is_json:
        write_json({**facts, "problems": [problem_value(problem) for problem in problems]})
    else:
        write(columns([(name, printable(text)) for name, text in health_rows(facts)]))
        for problem in problems:
            write(problem_lines(problem))
        say(counted(len(problems), "problem") if problems else "the store is sound")
    return 1 if problems else 0
