"""``memfs session``: conversations with coding agents, turn by turn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.session_values import hit_value, opened_value, session_value
from memfs.cli.terminal import columns, counted, printable, say, strong, write, write_json
from memfs.cli.text import day
from memfs.model.ids import short_id

if TYPE_CHECKING:
    from memfs.domains.sessions.reading import OpenedTurns, SessionView

_LIMIT = 50
_BYTES = 20_000

_client_option = click.option(
    "--client",
    type=click.Choice(("auto", "claude", "codex")),
    default="auto",
    show_default=True,
    help="Which coding agent wrote it.",
)


@click.group("session", short_help="Keep and open conversations with coding agents.")
def command() -> None:
    """Keep what was said to a coding agent and what it did, turn by turn.

    A session lies in a Git repository of its own in the user's folder of memfs: it is what
    memory can be checked against, and never memory itself. SESSION is an id, the end of one,
    or the id that the coding agent gave it.
    """


@command.command("list", short_help="List the sessions, newest first.")
@click.option("--limit", type=click.IntRange(1), default=_LIMIT, metavar="N", show_default=True)
@click.option("--idle", is_flag=True, help="Only idle ones that were not looked at for key facts.")
@shared_options
def list_command(invocation: Invocation, limit: int, idle: bool) -> int:
    """List the sessions of this project, the newest first."""
    with invocation.open() as memory:
        found = memory.sessions()
        if idle:
            waiting = {item.id for item in memory.idle_sessions()}
            found = tuple(item for item in found if item.id in waiting)
    if invocation.is_json:
        write_json([session_value(item) for item in found[:limit]])
    elif found:
        write(columns(_row(item) for item in found[:limit]))
        if len(found) > limit:
            say(f"{len(found) - limit} more; --limit shows them")
    else:
        say("no session is kept")
    return 0


@command.command("show", short_help="Show a session: its turns, branches and runs.")
@click.argument("reference", metavar="SESSION")
@click.option("--branch", default="", metavar="NAME", help="A branch; the newest by default.")
@shared_options
def show_command(invocation: Invocation, reference: str, branch: str) -> int:
    """Show the turns and branches of SESSION, and the runs that it dispatched."""
    from memfs.cli.run_text import run_lines, run_value

    with invocation.open() as memory:
        view = memory.session(reference, branch=branch)
        if view.metadata is None:
            return _gone(invocation, reference)
        runs = memory.session_runs(reference)
    if invocation.is_json:
        write_json({**session_value(view), "runs": [run_value(run) for run in runs]})
        return 0
    write(strong(printable(view.metadata.title or view.id)))
    write(f"{view.metadata.client}  {printable(view.metadata.host_id)}  {view.id}")
    write(columns((str(turn.number), printable(turn.subject)) for turn in view.turns))
    if len(view.branches) > 1:
        write("\nbranches")
        rows = ((name, f"turn {number}") for name, number in view.branches)
        write(columns(rows, indent="  "))
    if runs:
        write("\nruns")
        write(run_lines(runs))
    return 0


@command.command(
    "open",
    cls=ExampleCommand,
    short_help="Print what was said, turn by turn.",
    examples=(
        "memfs session open g1npwt --turn 3",
        "memfs session open session:5e55a000-0000-4000-8000-000000000001#3",
    ),
)
@click.argument("reference", metavar="SESSION")
@click.option("--turn", "turns", type=click.IntRange(1), multiple=True, help="A turn; repeatable.")
@click.option("--branch", default="", metavar="NAME", help="A branch; the newest by default.")
@click.option(
    "--speaker",
    type=click.Choice(("user", "assistant", "tool")),
    help="Only what one of them said, as the coding agent tells.",
)
@click.option(
    "--bytes", "size", type=click.IntRange(1), default=_BYTES, metavar="N", show_default=True,
    help="Print so much at most.",
)  # fmt: skip
@shared_options
def open_command(
    invocation: Invocation,
    reference: str,
    turns: tuple[int, ...],
    branch: str,
    speaker: str | None,
    size: int,
) -> int:
    """Print what was said in SESSION.

    It is printed as data: quoted, in a fence that memfs strip takes out again. Secrets were
    left out before it was kept.
    """
    with invocation.open() as memory:
        opened = memory.open_session(
            reference, turns=turns, branch=branch, speaker=speaker or "", limit_bytes=size
        )
    if not opened.is_kept:
        return _gone(invocation, reference)
    return _told(invocation, opened)


@command.command("search", short_help="Find messages by their words.")
@click.argument("words")
@click.option("--speaker", type=click.Choice(("user", "assistant", "tool")), help="Who said it.")
@click.option("--limit", type=click.IntRange(1), default=20, metavar="N", show_default=True)
@shared_options
def search_command(invocation: Invocation, words: str, speaker: str | None, limit: int) -> int:
    """Find messages that hold all WORDS, those of the newest sessions first."""
    with invocation.open() as memory:
        hits = memory.search_sessions(words, speaker=speaker or "", limit=limit)
    if invocation.is_json:
        write_json([hit_value(hit) for hit in hits])
    elif hits:
        write(
            columns(
                (short_id(hit.session), f"turn {hit.turn}", hit.role, printable(hit.line))
                for hit in hits
            )
        )
    else:
        say("nothing matches")
    return 0


@command.command("import", short_help="Keep the turns of a transcript.")
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@_client_option
@click.option("--ended", is_flag=True, help="The last turn is over.")
@click.option("--here", is_flag=True, help="It belongs to this project wherever it was held.")
@shared_options
def import_command(invocation: Invocation, path: Path, client: str, ended: bool, here: bool) -> int:
    """Keep the turns of the transcript at PATH that are not kept yet.

    The file is only read. Importing it again, or while it grows, adds what is new. A turn that
    is not over is left for the next time. Secrets are left out before anything is written.
    """
    with invocation.open() as memory:
        result = memory.import_session(path, client=client, is_ended=ended, is_here=here)
    return respond(invocation, result)


@command.command("flush", short_help="Keep a transcript and propose its key facts.")
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@_client_option
@shared_options
def flush_command(invocation: Invocation, path: Path, client: str) -> int:
    """Keep the transcript at PATH and put its key facts up for review.

    Fixed rules find them, no model; each waits as a candidate that quotes what was said.
    """
    with invocation.open() as memory:
        result = memory.flush_session(path, client=client)
    return respond(invocation, result)


@command.command("forget", short_help="Delete what was said in a session, for good.")
@click.argument("reference", metavar="SESSION")
@click.option("--why", default="", metavar="TEXT", help="Why, for the receipt.")
@shared_options
def forget_command(invocation: Invocation, reference: str, why: str) -> int:
    """Delete SESSION with all that was said in it.

    It does not come back when its transcript is imported again. What was learned from it
    stays; forget that by its own id. The coding agent's own transcript is not touched.
    """
    with invocation.open() as memory:
        result = memory.forget_session(reference, why=why)
    return respond(invocation, result)


def _row(item: SessionView) -> tuple[str, ...]:
    metadata = item.metadata
    assert metadata is not None
    return (
        short_id(item.id),
        day(metadata.updated or metadata.started),
        metadata.client,
        counted(item.count, "turn"),
        printable(metadata.title),
    )


def _told(invocation: Invocation, opened: OpenedTurns) -> int:
    if invocation.is_json:
        write_json(opened_value(opened))
    else:
        write(printable(opened.text, keep_lines=True))
    return 0


def _gone(invocation: Invocation, reference: str) -> int:
    if invocation.is_json:
        write_json({"state": "source gone", "session": reference})
    else:
        say(f"source gone: no session is kept by the name {printable(reference)}")
    return 1
