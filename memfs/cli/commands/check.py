"""``memfs check``: every problem with its place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import counted, problem_lines, say, write, write_json
from memfs.cli.values import problem_value
from memfs.model.problem import Problem, Severity


@click.command(
    "check",
    cls=ExampleCommand,
    short_help="Validate files and name every problem with its line.",
    examples=("memfs check", "memfs check --secrets notes/*.md"),
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--files", is_flag=True, help="PATHS are records outside any store.")
@click.option("--secrets", is_flag=True, help="Look in PATHS, in or outside a store, for secrets.")
@click.option("--projections", is_flag=True, help="Refuse PATHS that memfs generates.")
@shared_options
def command(
    invocation: Invocation, paths: tuple[Path, ...], files: bool, secrets: bool, projections: bool
) -> int:
    """Validate PATHS, or the whole store, and print path:line:column: code: message.

    Ends with 1 when there is an error, so that it can stand in a commit hook.
    """
    if files or secrets or projections:
        problems = _outside(paths, files=files, secrets=secrets, projections=projections)
    else:
        with invocation.open() as memory:
            problems = memory.check(paths)
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    if invocation.is_json:
        write_json([problem_value(problem) for problem in problems])
    else:
        for problem in problems:
            write(problem_lines(problem))
        warnings = len(problems) - errors
        parts = ((errors, "error"), (warnings, "warning"))
        found = ", ".join(counted(number, what) for number, what in parts if number)
        say(found or "no problems")
    return 1 if errors else 0


def _outside(
    paths: Sequence[Path], *, files: bool, secrets: bool, projections: bool
) -> tuple[Problem, ...]:
    from memfs.cli.loose_files import check_projections, check_records, check_secrets

    problems: list[Problem] = []
    if files:
        problems += check_records(paths)
    if secrets:
        problems += check_secrets(paths)
    if projections:
        problems += check_projections(paths)
    return tuple(sorted(problems))
