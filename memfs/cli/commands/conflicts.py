"""``memfs conflicts``: what stands against what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, faint, printable, say, strong, write, write_json
from memfs.cli.text import day, said_by, title_of
from memfs.cli.values import record_value
from memfs.model.ids import short_id
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.services.conflicts import StandingConflict


@click.command("conflicts", short_help="List records that say otherwise about the same subject.")
@shared_options
def command(invocation: Invocation) -> int:
    """List the open conflicts: each side, who said it, and since when it holds.

    Both sides are served, marked, until one gives way: resolve it with memfs resolve.
    """
    with invocation.open() as memory:
        found = memory.conflicts()
    if invocation.is_json:
        write_json([_value(item) for item in found])
    elif found:
        write("\n\n".join(map(_paragraph, found)))
        say("hint: memfs resolve CONFLICT --keep ID")
    else:
        say("nothing in memory contradicts anything else")
    return 0


def _paragraph(item: StandingConflict) -> str:
    conflict = item.conflict
    head = f"{strong(printable(conflict.subject))}  {conflict.about_kind}"
    rows = (
        (
            short_id(side.record.id),
            day(side.record.observed),
            said_by(side.record),
            title_of(side.record),
        )
        for side in item.sides
    )
    return f"{short_id(conflict.id)}  {head}  {faint(conflict.id)}\n{columns(rows, indent='  ')}"


def _value(item: StandingConflict) -> JsonValue:
    conflict = item.conflict
    return {
        "id": conflict.id,
        "kind": conflict.about_kind,
        "subject": conflict.subject,
        "scope": str(conflict.scope or ""),
        "members": list(conflict.members),
        "sides": [record_value(side) for side in item.sides],
    }
