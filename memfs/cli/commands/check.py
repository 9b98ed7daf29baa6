"""``memfs check``: every problem with its place."""

from __future__ import annotations

from pathlib import Path

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import problem_lines, say, write, write_json
from memfs.cli.values import problem_value
from memfs.model.problem import Severity


@click.command("check", short_help="Validate files and name every problem with its line.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@shared_options
def command(invocation: Invocation, paths: tuple[Path, ...]) -> int:
    """Validate PATHS, or the whole store, and print path:line:column: code: message.

    Ends with 1 when there is an error, so that it can stand in a commit hook.
    """
    with invocation.open() as memory:
        problems = memory.check(paths)
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    if invocation.is_json:
        write_json([problem_value(problem) for problem in problems])
    else:
        for problem in problems:
            write(problem_lines(problem))
        say("no problems" if not problems else f"{len(problems)} found, {errors} of them errors")
    return 1 if errors else 0
