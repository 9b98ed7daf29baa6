"""``memfs erase``: forget records and take their bytes out of every place memfs manages."""

from __future__ import annotations

import sys

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.errors import UsageError


@click.command(
    "erase",
    cls=ExampleCommand,
    short_help="Erase records: their bytes too, and with --history the Git history.",
    examples=("memfs erase 1z5c0d --dry-run", "memfs erase 1z5c0d --history"),
)
@click.argument("references", metavar="ID...", nargs=-1)
@click.option("--history", "is_history", is_flag=True, help="Rewrite the Git history as well.")
@click.option(
    "--text", "has_text", is_flag=True, help="Read further words to erase from stdin, one a line."
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Only tell what would be erased.")
@shared_options
def command(
    invocation: Invocation,
    references: tuple[str, ...],
    *,
    is_history: bool,
    has_text: bool,
    is_dry_run: bool,
) -> int:
    """Erase the records ID..., wherever memfs keeps something of them.

    They are forgotten first: nothing serves them any more, nor what rested on them. Then their
    bytes go from files, inbox, index and caches, with --history from every commit, branch, tag
    and stash as well, and everything is searched for what is left. Only a person can do this;
    it cannot be undone. Exit status 1 means that something remains, and says where.
    """
    texts = _texts() if has_text else ()
    with invocation.open() as memory:
        if not (is_dry_run or invocation.yes):
            _ask(references, has_text=has_text, is_history=is_history)
        result = memory.erase(references, texts=texts, is_history=is_history, is_dry_run=is_dry_run)
    return respond(invocation, result)


def _texts() -> tuple[str, ...]:
    lines = (line.strip() for line in sys.stdin.read().splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))


def _ask(references: tuple[str, ...], *, has_text: bool, is_history: bool) -> None:
    """Lets a person at a terminal think again; a script says --yes.

    Raises:
        UsageError: Nobody can be asked.
    """
    if has_text or not sys.stdin.isatty():
        raise UsageError(
            "expected --yes, since nobody can be asked", hint="look first with: --dry-run"
        )
    where = "everywhere, the Git history included" if is_history else "everywhere but in Git"
    names = ", ".join(references)
    click.confirm(f"Erase {names} for good, {where}?", abort=True, err=True)
