"""``memfs outcome``: says how using a record turned out."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "outcome",
    cls=ExampleCommand,
    short_help="Say how using a record turned out.",
    examples=(
        "memfs outcome 1z5c0d success",
        "memfs outcome 1z5c0d failure --evidence ev_01kb8x3v6yq4m9t2r7w5z1c0d1",
        "memfs outcome 1z5c0d success --verifier path=src/app.py",
    ),
)
@click.argument("reference", metavar="ID")
@click.argument("result", metavar="success|partial|failure")
@click.option(
    "--evidence", multiple=True, metavar="EV", help="What the host observed; may be repeated."
)
@click.option(
    "--verifier",
    "verifiers",
    multiple=True,
    metavar="KIND=VALUE",
    help="What to look up, such as path=src/app.py or commit=4f2c1a9; may be repeated.",
)
@shared_options
def command(
    invocation: Invocation,
    reference: str,
    result: str,
    evidence: tuple[str, ...],
    verifiers: tuple[str, ...],
) -> int:
    """Record that using ID was a success, helped in part, or failed.

    A person's word counts. A program names what the host observed since, or something to look
    up that the record speaks of; what it only says, or how often it cites a record, counts for
    nothing. Records that worked rank a little higher, those that failed a little lower.
    """
    with invocation.open() as memory:
        answer = memory.outcome(reference, result, evidence=evidence, verifiers=verifiers)
    return respond(invocation, answer)
