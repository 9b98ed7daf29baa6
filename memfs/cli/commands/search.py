"""``memfs search``: records that match, with their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.query_options import query_options
from memfs.cli.respond import say_trouble
from memfs.cli.terminal import say, write, write_json
from memfs.cli.text import hit_lines
from memfs.cli.values import hit_value

if TYPE_CHECKING:
    from memfs.app.drafts import QuestionOptions


@click.command(
    "search",
    cls=ExampleCommand,
    short_help="Find records and show how they score.",
    examples=('memfs search "web framework" --kind preference --explain',),
)
@query_options
@shared_options
def command(
    invocation: Invocation,
    text: str,
    question: QuestionOptions,
    explain: bool,
) -> int:
    """Find the records that match TEXT, best first."""
    with invocation.open() as memory:
        hits = memory.search(text, **question)
        say_trouble(memory.trouble_beside)
    if invocation.is_json:
        write_json([hit_value(hit) for hit in hits])
    elif hits:
        write(hit_lines(hits, explain=explain))
    else:
        say("nothing matches")
    return 0
