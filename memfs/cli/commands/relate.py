"""``memfs relate``: say how one thing bears on another."""

from __future__ import annotations

import click

from memfs.cli.claim_options import time_options
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "relate",
    cls=ExampleCommand,
    short_help="Say how one record or entity bears on another.",
    examples=(
        'memfs relate "sync service" postgres uses',
        'memfs relate "sync service" harbour-2 "runs on" --valid-from 2026-03-01',
    ),
)
@click.argument("start", metavar="A")
@click.argument("end", metavar="B")
@click.argument("relation", default="related")
@time_options
@click.option("--confidence", type=click.FloatRange(0, 1), help="0 to 1: how sure that is.")
@click.option("--importance", type=click.IntRange(1, 10), help="1 to 10; 5 by default.")
@click.option("--cite", "cites", multiple=True, metavar="ID", help="Evidence of it; repeatable.")
@click.option("--scope", default="", metavar="SCOPE", help="Namespace; the store's by default.")
@click.option(
    "--key", default="", metavar="KEY", help="Makes a repetition with the same key harmless."
)
@shared_options
def command(
    invocation: Invocation,
    *,
    start: str,
    end: str,
    relation: str,
    valid_from: str,
    valid_until: str,
    event_time: str,
    confidence: float | None,
    importance: int | None,
    cites: tuple[str, ...],
    scope: str,
    key: str,
) -> int:
    """Draw an edge from A to B; both ends show it.

    A and B are ids, ends of ids, files, or names of entities. RELATION is any label; of what a
    thing has one of at a time, such as "runs on", a new edge takes the place of the one before,
    which stays readable for its time.
    """
    with invocation.open() as memory:
        result = memory.relate(
            start,
            end,
            relation,
            valid_from=valid_from,
            valid_until=valid_until,
            event_time=event_time,
            confidence=confidence,
            importance=importance,
            cites=cites,
            scope=scope,
            key=key,
        )
    return respond(invocation, result)
