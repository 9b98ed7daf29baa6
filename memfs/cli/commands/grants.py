"""``memfs grants``: who may read what, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, printable, say, write, write_json
from memfs.model.ids import short_id
from memfs.model.instants import format_instant
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.services.grants import StandingGrant


@click.command("grants", short_help="List who may read what, and until when.")
@click.option("--all", "is_all", is_flag=True, help="Also those that have ended.")
@shared_options
def command(invocation: Invocation, is_all: bool) -> int:
    """List the grants that count, now or later. An agent sees its own."""
    from memfs.services.grants import GrantState, words_of

    over = (GrantState.ENDED, GrantState.TAKEN_BACK)
    with invocation.open() as memory:
        found = memory.grants()
    shown = [item for item in found if is_all or item.state not in over]
    if invocation.is_json:
        write_json([_value(item) for item in shown])
    elif shown:
        write(
            columns(
                (
                    short_id(item.grant.id),
                    str(item.state),
                    printable(str(item.grant.grantee)),
                    printable(words_of(item.grant)),
                )
                for item in shown
            )
        )
    else:
        say("no grant counts")
    if len(shown) < len(found):
        say(f"{len(found) - len(shown)} that are over; --all lists them")
    return 0


def _value(item: StandingGrant) -> JsonValue:
    from memfs.services.grants import grant_value

    return {
        "id": item.grant.id,
        "state": str(item.state),
        "issuer": str(item.grant.issuer),
        "expires": format_instant(item.grant.expires),
        **grant_value(item.grant),
    }
