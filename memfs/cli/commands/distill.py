"""``memfs distill``: find in sessions, commits and runs what is worth keeping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import columns, printable, write

if TYPE_CHECKING:
    from memfs.model.result import Result

STAGES = ("collect", "extract", "link", "reconcile", "project")
SOURCES = ("commits", "runs", "sessions")
SHOWN_FILES = 20


@click.command("distill", short_help="Find what is worth keeping in sessions, commits and runs.")
@click.argument("stage", required=False, type=click.Choice(STAGES))
@click.option("--since", metavar="WHEN", default="", help="Only commits made then or later.")
@click.option("--session", metavar="ID", default="", help="Only this session, idle or not.")
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Choice(SOURCES),
    help="Only this source; may be given again.",
)
@click.option("--backfill", is_flag=True, help="Also what lies before the first look, once.")
@click.option(
    "--rounds", type=click.IntRange(1), metavar="N", help="At most so many rounds, then stop."
)
@click.option("--model", "with_model", is_flag=True, help="Let the configured model read turns.")
@shared_options
def command(
    invocation: Invocation,
    stage: str | None,
    since: str,
    session: str,
    sources: tuple[str, ...],
    backfill: bool,
    rounds: int | None,
    with_model: bool,
) -> int:
    """Find events, entities, edges and claims in what is new since the last time.

    Five stages, each of which can be run alone by its name: collect, extract, link, reconcile,
    project. What memfs saw itself is kept; what somebody said waits for review. Nothing is told
    twice, and a pass that was interrupted is gone on with.
    """
    with invocation.open() as memory:
        result = memory.distill(
            stage or "",
            since=since,
            session=session,
            sources=sources,
            is_backfill=backfill,
            most_rounds=rounds or 0,
            with_model=with_model,
        )
    if not invocation.is_json:
        _write_report(result)
    return respond(invocation, result)


def _write_report(result: Result) -> None:
    stages = result.data.get("stages")
    if isinstance(stages, Mapping) and stages:
        write(columns((name, _counts(stages[name])) for name in STAGES if name in stages))
    changed = result.data.get("changed")
    files = changed if isinstance(changed, list | tuple) else ()
    for item in files[:SHOWN_FILES]:
        if isinstance(item, Mapping):
            write(f"{item.get('change')}  {printable(str(item.get('path')))}")
    count = result.data.get("changed_files")
    if isinstance(count, int) and count > SHOWN_FILES:
        write(f"{count - SHOWN_FILES} more files changed; see: memfs log")


def _counts(value: object) -> str:
    if not isinstance(value, Mapping):
        return ""
    return ", ".join(f"{count} {name}" for name, count in value.items() if count) or "nothing"
