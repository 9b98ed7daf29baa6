"""``memfs check``: every problem with its place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import counted, problem_lines, say, write, write_json
from memfs.cli.values import problem_value
from memfs.errors import UsageError
from memfs.model.problem import Problem, Severity
from memfs.model.values import JsonValue

_LIST: Final = "list them with: memfs check --links"


@click.command(
    "check",
    cls=ExampleCommand,
    short_help="Validate files and name every problem with its line.",
    examples=("memfs check", "memfs check --links", "memfs check --secrets notes/*.md"),
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--files", is_flag=True, help="PATHS are records outside any store.")
@click.option("--secrets", is_flag=True, help="Look in PATHS, in or outside a store, for secrets.")
@click.option("--projections", is_flag=True, help="Refuse PATHS that memfs generates.")
@click.option("--links", is_flag=True, help="List the links in prose that lead nowhere.")
@shared_options
def command(
    invocation: Invocation,
    paths: tuple[Path, ...],
    files: bool,
    secrets: bool,
    projections: bool,
    links: bool,
) -> int:
    """Validate PATHS, or the whole store, and print path:line:column: code: message.

    Ends with 1 when there is an error, so that it can stand in a commit hook. Links in prose that
    lead nowhere are no problem of a file: they are counted, and listed with --links.
    """
    if links and (paths or files or secrets or projections):
        raise UsageError("expected no PATHS with --links", hint="links are those of the store")
    if files or secrets or projections:
        found = _outside(paths, files=files, secrets=secrets, projections=projections)
    else:
        with invocation.open() as memory:
            found = memory.check(paths)
    broken = tuple(problem for problem in found if problem.is_broken_link)
    problems = tuple(problem for problem in found if not problem.is_broken_link)
    if invocation.is_json:
        write_json(_value(problems, broken, is_listing=links))
    else:
        _tell(problems, broken, is_listing=links)
    return 1 if _errors(problems) else 0


def _tell(problems: Sequence[Problem], broken: Sequence[Problem], *, is_listing: bool) -> None:
    for problem in (*problems, *(broken if is_listing else ())):
        write(problem_lines(problem))
    if broken:
        where = counted(len({problem.path for problem in broken}), "file")
        one = "1 link in prose leads nowhere"
        many = f"{len(broken)} links in prose lead nowhere"
        told = f"{one if len(broken) == 1 else many}, in {where}"
        say(told if is_listing else f"{told}; {_LIST}")
    errors = _errors(problems)
    parts = ((errors, "error"), (len(problems) - errors, "warning"))
    say(", ".join(counted(number, what) for number, what in parts if number) or "no problems")


def _value(
    problems: Sequence[Problem], broken: Sequence[Problem], *, is_listing: bool
) -> JsonValue:
    links: dict[str, JsonValue] = {
        "broken": len(broken),
        "files": len({problem.path for problem in broken}),
    }
    if is_listing:
        links["list"] = [problem_value(problem) for problem in broken]
    return {"problems": [problem_value(problem) for problem in problems], "links": links}


def _errors(problems: Sequence[Problem]) -> int:
    return sum(problem.severity is Severity.ERROR for problem in problems)


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
