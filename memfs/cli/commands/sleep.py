"""``memfs sleep``: going over memory at rest."""

from __future__ import annotations

from collections.abc import Iterator

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import printable, say
from memfs.model.values import JsonValue

STAGES = ("light", "deep", "rem")


@click.command("sleep", short_help="Go over memory: group, put forward, make the core anew.")
@click.argument("stage", metavar="[light|deep|rem]", type=click.Choice(STAGES), required=False)
@click.option(
    "--due",
    "is_due",
    is_flag=True,
    help="Only where the nightly pass is due; for a scheduler of your own.",
)
@shared_options
def command(invocation: Invocation, stage: str | None, is_due: bool) -> int:
    """Go over memory at rest.

    Light groups what says the same, or nearly. Deep proposes what was recalled often, and for
    different questions, as lasting claims, and makes core.md anew. Rem asks the configured model
    what it all comes to. Without a stage, all of them. Nothing is admitted that policy does not
    admit; one sleep runs at a time.
    """
    with invocation.open() as memory:
        result = memory.sleep(stage or "", is_due=is_due)
    status = respond(invocation, result)
    if not invocation.is_json:
        for line in _alike(result.data.get("groups")):
            say(line)
    return status


def _alike(groups: JsonValue) -> Iterator[str]:
    """Yields a line for each group of what says the same."""
    for group in groups if isinstance(groups, list) else ():
        if not isinstance(group, dict) or not isinstance(group.get("members"), list):
            continue
        members = group["members"]
        assert isinstance(members, list)
        names = (member.get("id") for member in members if isinstance(member, dict))
        yield printable(f"  {group.get('alike')}: {', '.join(str(name) for name in names)}")
