"""``memfs intention``: what a person wants to be asked about later."""

from __future__ import annotations

import sys

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.intention_text import list_lines, page
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import say, write, write_json

_STATES = ("pending", "due", "blocked", "completed", "cancelled", "superseded", "expired")
_key_option = click.option(
    "--key", default="", metavar="KEY", help="Makes a repetition with the same key harmless."
)


@click.group("intention", short_help="Say what to be asked about later, and when.")
def command() -> None:
    """Keep what you want to be asked about later; memfs asks, and never acts.

    Only a person at a terminal, in an editor or in a form states an intention; what an agent
    proposes waits for one. REF is an id, the end of one, or a file.
    """


@command.command(
    "add",
    cls=ExampleCommand,
    examples=(
        'memfs intention add "Renew the certificate" --at 2027-03-01T09:00 --zone Europe/Amsterdam',
        'memfs intention add "Read the error log" --at 2027-03-01T09:00 --zone Europe/Amsterdam '
        '--rrule "FREQ=WEEKLY;COUNT=10" --window 2d',
        'memfs intention add "Tell the team" --on run --match workflow=release --match state=done',
        'memfs intention add "Remove the workaround" --once issue=iss_…:resolved',
    ),
)
@click.argument("text")
@click.option("--at", default="", metavar="TIME", help="A time to come, with an offset or --zone.")
@click.option("--zone", default="", metavar="ZONE", help="Whose clock, such as Europe/Amsterdam.")
@click.option("--rrule", default="", metavar="RULE", help="How it comes again (RFC 5545), bounded.")
@click.option(
    "--on",
    default="",
    type=click.Choice(("", "run", "issue", "timeline")),
    show_choices=False,
    metavar="run|issue|timeline",
    help="Something that happens.",
)
@click.option("--match", multiple=True, metavar="NAME=VALUE", help="What it has to be like.")
@click.option("--most", type=click.IntRange(1, 1000), default=1, help="So many of them.")
@click.option(
    "--once",
    default="",
    metavar="STATE",
    help="path=FILE, no-path=FILE, issue=ID:STATE or commit=ID@BRANCH.",
)
@click.option("--window", default="", metavar="DURATION", help="How long it is worth asking.")
@click.option("--ends", default="", metavar="WHEN", help="When it ends, whatever came of it.")
@click.option("--after", multiple=True, metavar="REF", help="What has to be done before.")
@click.option("--replaces", default="", metavar="REF", help="Which one it takes the place of.")
@click.option("--scope", default="", metavar="SCOPE", help="Where it belongs.")
@click.option("--sensitivity", default="", metavar="LABEL", help="How closely it is kept.")
@_key_option
@shared_options
def add_command(
    invocation: Invocation,
    text: str,
    at: str,
    zone: str,
    rrule: str,
    on: str,
    match: tuple[str, ...],
    most: int,
    once: str,
    window: str,
    ends: str,
    after: tuple[str, ...],
    replaces: str,
    scope: str,
    sensitivity: str,
    key: str,
) -> int:
    """Say what to be asked about, and when; - reads the words from stdin."""
    with invocation.open() as memory:
        result = memory.add_intention(
            sys.stdin.read() if text == "-" else text,
            at=at,
            zone=zone,
            rrule=rrule,
            on=on,
            match=match,
            most=most,
            once=once,
            window=window,
            ends=ends,
            after=after,
            replaces=replaces,
            scope=scope,
            sensitivity=sensitivity,
            key=key,
        )
    return respond(invocation, result)


@command.command("list")
@click.option("--all", "is_all", is_flag=True, help="Also those that are over.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(_STATES),
    help="Only what stands so; may be repeated.",
)
@shared_options
def list_command(invocation: Invocation, is_all: bool, states: tuple[str, ...]) -> int:
    """List what is to be asked about: due ones first, then by when they ask."""
    with invocation.open() as memory:
        found = memory.list_intentions(states=states, is_all=is_all)
    if invocation.is_json:
        from memfs.domains.intentions.views import intention_value

        write_json([intention_value(view) for view in found])
    elif found:
        write(list_lines(found))
    else:
        say("no intention is like that" if states or is_all else "nothing is intended")
    return 0


@command.command("show")
@click.argument("reference", metavar="REF")
@shared_options
def show_command(invocation: Invocation, reference: str) -> int:
    """Show one intention: when it asks, and how it stands."""
    with invocation.open() as memory:
        view = memory.show_intention(reference)
    if invocation.is_json:
        from memfs.domains.intentions.views import intention_value

        write_json(intention_value(view))
    else:
        write(page(view))
    return 0


@command.command("done")
@click.argument("reference", metavar="REF")
@_key_option
@shared_options
def done_command(invocation: Invocation, reference: str, key: str) -> int:
    """Say that it is done; one that repeats asks again."""
    with invocation.open() as memory:
        result = memory.intention_done(reference, key=key)
    return respond(invocation, result)


@command.command("cancel")
@click.argument("reference", metavar="REF")
@_key_option
@shared_options
def cancel_command(invocation: Invocation, reference: str, key: str) -> int:
    """End it, with all that it would still ask."""
    with invocation.open() as memory:
        result = memory.cancel_intention(reference, key=key)
    return respond(invocation, result)


@command.command("snooze")
@click.argument("reference", metavar="REF")
@click.argument("until", metavar="UNTIL")
@_key_option
@shared_options
def snooze_command(invocation: Invocation, reference: str, until: str, key: str) -> int:
    """Put the question off: UNTIL is a duration such as 2h, or an instant."""
    with invocation.open() as memory:
        result = memory.snooze_intention(reference, until, key=key)
    return respond(invocation, result)
