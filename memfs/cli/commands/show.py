"""``memfs show``: one record as a page, or its bytes."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.query_options import moment_options
from memfs.cli.terminal import say, write, write_json
from memfs.cli.text import record_page
from memfs.cli.values import record_value


@click.command("show", short_help="Show one record.")
@click.argument("reference", metavar="ID")
@moment_options
@shared_options
def command(invocation: Invocation, reference: str, valid_at: str, as_of: str) -> int:
    """Show the record ID: what it says, where it comes from, and its file.

    ID is a whole id, its last six characters, or a version such as mem_…@1. What says
    otherwise is shown below it. At another moment it is what stood in its place then.
    """
    with invocation.open() as memory:
        stored = memory.show(reference, valid_at=valid_at, as_of=as_of)
        against = memory.sides_against(stored) if not as_of else ()
        place = memory.said_in(stored)
    if invocation.is_json:
        value = record_value(stored)
        if against:
            value["against"] = [record_value(other) for other in against]
        if place is not None:
            value["session"] = {
                "id": place.session,
                "title": place.title,
                "turn": place.turn,
                "gone": place.is_gone,
            }
        write_json(value)
    else:
        write(record_page(stored, against, place))
        if place is not None and place.hint:
            say(f"hint: {place.hint}")
    return 0
