"""``memfs remember``: keeps one claim."""

from __future__ import annotations

import click

from memfs.cli.claim_options import claim_options, text_or_stdin
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "remember",
    cls=ExampleCommand,
    short_help="Keep one claim.",
    examples=(
        'memfs remember "FastAPI for every Python backend, never Flask" --kind preference',
        "git log -1 --format=%B | memfs remember --kind decision --tag release",
    ),
)
@claim_options
@shared_options
def command(
    invocation: Invocation,
    text: str | None,
    kind: str,
    title: str,
    tags: tuple[str, ...],
    subject: str,
    scope: str,
    importance: int | None,
    sensitivity: str,
    key: str,
) -> int:
    """Keep TEXT (or stdin) as one claim.

    What a person says about themselves and their project counts at once. What an agent
    says waits in the inbox. Either way the answer names the rule that decided.
    """
    words = text_or_stdin(text)
    with invocation.open() as memory:
        result = memory.remember(
            words,
            kind=kind,
            title=title,
            tags=tags,
            subject=subject,
            scope=scope,
            importance=importance,
            sensitivity=sensitivity,
            key=key,
        )
    return respond(invocation, result)
