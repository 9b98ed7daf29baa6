"""``memfs explain``: why a record is what it is, who is served it, and what recall made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.explanations import explanation_lines, explanation_value, recall_lines, recall_value
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import write, write_json

if TYPE_CHECKING:
    from memfs.app.container import Memory


@click.command(
    "explain",
    cls=ExampleCommand,
    short_help="Explain a record, or the last answer.",
    examples=("memfs explain 1z5c0d", "memfs explain last"),
)
@click.argument("reference", metavar="ID|last")
@shared_options
def command(invocation: Invocation, reference: str) -> int:
    """Explain the record ID: the rule that admitted it, what it rests on, who may read it now.

    With "last", explain the last answer: what was considered, how it scored, what was packed.
    """
    with invocation.open() as memory:
        if reference == "last":
            _write_last(invocation, memory)
        else:
            explanation = memory.explain(reference)
            if invocation.is_json:
                write_json(explanation_value(explanation))
            else:
                write("\n".join(explanation_lines(explanation)))
    return 0


def _write_last(invocation: Invocation, memory: Memory) -> None:
    answer = memory.last_recall()
    if invocation.is_json:
        write_json(recall_value(answer))
    else:
        write("\n".join(recall_lines(answer)))
