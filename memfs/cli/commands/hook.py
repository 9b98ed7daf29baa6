"""``memfs hook``: what the shims in ``.git/hooks`` run.

A hook never stands in the way of Git, with one exception: ``pre-commit`` refuses staged
files that are not valid records or that hold a secret. Any other trouble is told on
stderr and the hook ends with 0. The shims see to it that a hook does not call itself.
"""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import problem_lines, say, say_error
from memfs.errors import MemfsError
from memfs.model.problem import Severity
from memfs.model.result import ResultStatus

GIT_HOOKS = ("pre-commit", "post-commit", "post-merge", "post-checkout", "post-rewrite")


@click.group("hook", short_help="Run what a Git hook asks for.")
def command() -> None:
    """Run what a hook asks for; the hooks that init installs call this."""


@command.command("git")
@click.argument("name", type=click.Choice(GIT_HOOKS))
@click.argument("arguments", nargs=-1)
@shared_options
def git_command(invocation: Invocation, name: str, arguments: tuple[str, ...]) -> int:
    """Run the Git hook NAME in a store."""
    try:
        return _pre_commit(invocation) if name == "pre-commit" else _reconcile(invocation)
    except MemfsError as error:
        say_error(error, is_json=False)
        return 0


def _pre_commit(invocation: Invocation) -> int:
    with invocation.open() as memory:
        problems = memory.check_staged()
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    for problem in problems:
        say(problem_lines(problem))
    if errors:
        say("hint: git commit --no-verify commits anyway; nothing of it is served before review")
    return 1 if errors else 0


def _reconcile(invocation: Invocation) -> int:
    with invocation.open() as memory:
        result = memory.reconcile()
    if result.status is not ResultStatus.NOTHING:
        say(result.message)
    return 0
