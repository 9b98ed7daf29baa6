"""``memfs git-show``: what one commit of the project changed."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.session_values import change_value
from memfs.cli.terminal import columns, printable, say, write, write_json
from memfs.model.instants import format_instant

_BYTES = 20_000


@click.command(
    "git-show",
    cls=ExampleCommand,
    short_help="Show what one commit of the project changed.",
    examples=("memfs git-show HEAD~2", "memfs git-show 3f9c21ab --path src"),
)
@click.argument("commit")
@click.option("--path", default="", metavar="PATH", help="Only this file or folder.")
@click.option(
    "--bytes", "size", type=click.IntRange(1), default=_BYTES, metavar="N", show_default=True,
    help="Print so much of the diff at most.",
)  # fmt: skip
@shared_options
def command(invocation: Invocation, commit: str, path: str, size: int) -> int:
    """Show what COMMIT of the project changed: its files and its diff.

    An agent gets no line that holds a secret, and nobody what changed in the store of memory:
    see memfs history for that.
    """
    with invocation.open() as memory:
        change = memory.project_change(commit, path=path, limit_bytes=size)
    if invocation.is_json:
        write_json(change_value(change))
        return 0
    told = change.commit
    write(f"{told.id}\n{printable(told.author)}, {format_instant(told.at)}\n")
    write(printable(told.subject))
    if told.body:
        write(f"\n{printable(told.body, keep_lines=True)}")
    write("\n" + columns((status, printable(name)) for status, name in change.files))
    if change.diff:
        write("\n" + printable(change.diff, keep_lines=True))
    if change.is_cut:
        say("it is longer than what is shown; --bytes shows more")
    return 0
