"""``memfs hook``: what Git's hooks and those of coding agents run.

A Git hook never stands in the way of Git, with one exception: ``pre-commit`` refuses staged
files that are not valid records or that hold a secret. Any other trouble is told on
stderr and the hook ends with 0. The shims see to it that a hook does not call itself. A coding
agent's hook goes to ``memfs.cli.hook``, mostly without coming by here (see ``memfs.cli.start``).
"""

from __future__ import annotations

import os

import click

from memfs.agents.clients import NAMES
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import problem_lines, say, say_error
from memfs.errors import MemfsError
from memfs.model.problem import Severity
from memfs.model.result import ResultStatus

GIT = "git"
GIT_HOOKS = ("pre-commit", "post-commit", "post-merge", "post-checkout", "post-rewrite")


@click.command("hook", short_help="Run what a hook of Git or of a coding agent asks for.")
@click.option("--client", type=click.Choice((*NAMES, GIT)), help="Whose hook it is.")
@click.argument("event")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@shared_options
def command(
    invocation: Invocation, client: str | None, event: str, arguments: tuple[str, ...]
) -> int:
    """Run what the hook EVENT asks for; hooks that init and install set up call this.

    A coding agent's EVENT is session-start, prompt, stop, pre-compact, post-compact,
    session-end or tool, or the agent's own name of it. The payload is read from stdin, the
    answer is one JSON object or nothing, and the exit status is always 0. A hook of Git is
    written hook git NAME.
    """
    if event == GIT and arguments:
        return _git(invocation, arguments[0])
    if client == GIT:
        return _git(invocation, event)
    if client is None:
        raise click.UsageError("Missing option '--client'.")
    from memfs.cli.hook import main

    store = () if invocation.store is None else ("--store", str(invocation.store))
    return main((event, "--client", client, *store), env=os.environ)


def _git(invocation: Invocation, name: str) -> int:
    if name not in GIT_HOOKS:
        raise click.UsageError(f"{name!r} is not one of {', '.join(GIT_HOOKS)}.")
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
