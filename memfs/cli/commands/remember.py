"""``memfs remember``: keeps one claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.claim_options import claim_options
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond

if TYPE_CHECKING:
    from memfs.app.drafts import ClaimOptions


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
def command(invocation: Invocation, text: str, claim: ClaimOptions) -> int:
    """Keep TEXT (or stdin) as one claim.

    What a person says about themselves and their project counts at once. What an agent
    says waits in the inbox. Either way the answer names the rule that decided.
    """
    with invocation.open() as memory:
        result = memory.remember(text, **claim)
    return respond(invocation, result)
