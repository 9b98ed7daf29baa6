"""``memfs timeline``: what happened when."""

from __future__ import annotations

import sys

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.query_options import moment_options
from memfs.cli.respond import respond
from memfs.cli.terminal import say, write, write_json
from memfs.model.event import EventSort

_SORTS = tuple(str(sort) for sort in EventSort)


@click.group(
    "timeline",
    invoke_without_command=True,
    short_help="See what happened when, and record what did.",
)
@click.option("--since", default="", metavar="WHEN", help="What happened then or later.")
@click.option("--until", default="", metavar="WHEN", help="What happened before.")
@click.option("--entity", default="", metavar="NAME", help="What it is about: a name or an id.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(_SORTS), help="May be repeated.")
@click.option("--session", default="", metavar="ID", help="In which session it happened.")
@click.option("--commit", default="", metavar="ID", help="The commit that it is known from.")
@click.option("--learned-since", default="", metavar="WHEN", help="Learned then or later.")
@click.option("--learned-until", default="", metavar="WHEN", help="Learned before.")
@moment_options
@click.option("--all", "is_all", is_flag=True, help="Also what was told anew since.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="At most so many events, the newest; 0 for all.",
)
@click.option("--oldest-first", is_flag=True, help="Begin with the oldest of them.")
@click.option("--chart", is_flag=True, help="Draw how much happened when.")
@shared_options
def command(
    invocation: Invocation,
    since: str,
    until: str,
    entity: str,
    kinds: tuple[str, ...],
    session: str,
    commit: str,
    learned_since: str,
    learned_until: str,
    valid_at: str,
    as_of: str,
    is_all: bool,
    limit: int,
    oldest_first: bool,
    chart: bool,
) -> int:
    """See what happened when, the newest first; without a word of its own it lists.

    An event that begins a period is in it, one that ends it is not. Times are of UTC.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return 0
    with invocation.open() as memory:
        found = memory.timeline(
            since=since,
            until=until,
            learned_since=learned_since,
            learned_until=learned_until,
            entity=entity,
            kinds=kinds,
            session=session,
            commit=commit,
            valid_at=valid_at,
            as_of=as_of,
            is_all=is_all,
            limit=limit + 1 if limit else 0,
        )
    events = found[:limit] if limit else found
    shown = tuple(reversed(events)) if oldest_first else events
    if invocation.is_json:
        from memfs.domains.timeline.lines import event_value

        write_json([event_value(event) for event in shown])
    elif shown:
        from memfs.cli.timeline_text import chart_lines, event_lines

        write(chart_lines(shown) if chart else event_lines(shown))
    else:
        say("nothing is known to have happened")
    if len(events) < len(found):
        say(f"the newest {limit} are shown; --limit 0 lists all")
    return 0


@command.command(
    "add",
    cls=ExampleCommand,
    short_help="Record that something happened.",
    examples=(
        'memfs timeline add "Moved the API to Uvicorn" --kind decision --at 2026-11-03',
        'memfs timeline add "The cache broke under load" --kind learning --entity Redis',
    ),
)
@click.argument("text")
@click.option(
    "--kind", type=click.Choice(_SORTS), default="event", show_default=True, help="Its sort."
)
@click.option("--at", default="", metavar="WHEN", help="By default the commit's time, or now.")
@click.option("--entity", "entities", multiple=True, metavar="NAME", help="What it is about.")
@click.option("--commit", default="", metavar="COMMIT", help="A commit of the project.")
@click.option("--session", default="", metavar="ID", help="In which session.")
@click.option("--turn", "turns", multiple=True, metavar="TURN", help="A turn of that session.")
@click.option("--run", default="", metavar="ID", help="In which run.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be repeated.")
@click.option("--importance", type=click.IntRange(1, 10), help="1 to 10; 5 by default.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="How sure it is.")
@click.option("--sensitivity", default="", metavar="LABEL", help="How closely it is kept.")
@click.option("--fact", default="", metavar="KEY", help="Takes the place of what was told of it.")
@click.option("--replaces", multiple=True, metavar="REF", help="An event that it replaces.")
@click.option("--cites", multiple=True, metavar="ID", help="Evidence that it rests on.")
@click.option("--key", default="", metavar="KEY", help="Makes a repetition harmless.")
@shared_options
def add_command(
    invocation: Invocation,
    text: str,
    kind: str,
    at: str,
    entities: tuple[str, ...],
    commit: str,
    session: str,
    turns: tuple[str, ...],
    run: str,
    tags: tuple[str, ...],
    importance: int | None,
    confidence: float | None,
    sensitivity: str,
    fact: str,
    replaces: tuple[str, ...],
    cites: tuple[str, ...],
    key: str,
) -> int:
    """Record that something happened; - reads the words from stdin.

    What an agent tells waits in the inbox until a person has looked at it.
    """
    with invocation.open() as memory:
        result = memory.record_event(
            sys.stdin.read() if text == "-" else text,
            kind=kind,
            at=at,
            entities=entities,
            commit=commit,
            session=session,
            turns=turns,
            run=run,
            tags=tags,
            importance=importance,
            confidence=confidence,
            sensitivity=sensitivity,
            subject=fact,
            replaces=replaces,
            cites=cites,
            key=key,
        )
    return respond(invocation, result)
