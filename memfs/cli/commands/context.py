"""``memfs context``: what an agent is given before it starts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say, say_spent, write, write_json
from memfs.errors import UsageError
from memfs.model.packet import MemoryState, Packet

if TYPE_CHECKING:
    from memfs.app.container import Memory
    from memfs.domains.runs.replay import Replay


@click.command(
    "context",
    cls=ExampleCommand,
    short_help="Give an agent what it should know before it starts.",
    examples=(
        "memfs context --session-start",
        'memfs context --session-start --opening "where were we with the importer?"',
        'memfs context --task "make the importer resume" --budget 1500',
        "memfs context --task-file prompt.txt --prepend",
        "memfs context --replay",
    ),
)
@click.option("--task", default="", metavar="TEXT", help="What is to be done.")
@click.option(
    "--task-file",
    type=click.Path(path_type=Path, allow_dash=True, dir_okay=False),
    metavar="FILE",
    help="Read the task from a file; - for standard input.",
)
@click.option("--session-start", is_flag=True, help="Nothing is asked yet.")
@click.option(
    "--opening",
    default="",
    metavar="TEXT",
    help="What the session opens with; of a trivial opening nothing is looked up.",
)
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help="Hard size of the packet.")
@click.option("--limit", type=click.IntRange(0, 64), help="At most so many records.")
@click.option("--purpose", default="", metavar="LABEL", help="What it is for, for grants.")
@click.option("--prepend", is_flag=True, help="Print the task behind the packet, as one prompt.")
@click.option(
    "--replay",
    is_flag=False,
    flag_value="last",
    default=None,
    metavar="PACKET",
    help="Make a packet again by its name; without a name, the last one.",
)
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@shared_options
def command(
    invocation: Invocation,
    task: str,
    task_file: Path | None,
    session_start: bool,
    opening: str,
    budget: int | None,
    limit: int | None,
    purpose: str,
    prepend: bool,
    replay: str | None,
    explain: bool,
) -> int:
    """Print one packet: how work stands, what is open, and the records that bear on a task.

    With MEMFS=off nothing is printed, and with --prepend exactly the task.
    """
    words = _task(task, task_file)
    with invocation.open() as memory:
        if replay is not None:
            return _replayed(invocation, memory, "" if replay == "last" else replay)
        packet = memory.context(
            task=words,
            is_session_start=session_start,
            budget=budget,
            items=limit,
            purpose=purpose,
            opening=opening,
        )
    if invocation.is_json:
        from memfs.cli.values import packet_value

        write_json(packet_value(packet))
    elif prepend:
        from memfs.services.packet_text import prepended

        prompt = prepended(packet.text, words)
        click.echo(prompt.encode("utf-8", "surrogateescape"), nl=False)
    else:
        _write(packet, explain=explain)
    return 0


def _task(task: str, task_file: Path | None) -> str:
    if task_file is None:
        return task
    if task:
        raise UsageError("expected --task or --task-file, got both")
    if str(task_file) == "-":
        content = sys.stdin.buffer.read()
    else:
        try:
            content = task_file.read_bytes()
        except OSError as error:
            raise UsageError(f"the task cannot be read: {error.strerror}") from error
    return content.decode("utf-8", "surrogateescape")


def _write(packet: Packet, *, explain: bool) -> None:
    if packet.text:
        click.echo(packet.text, nl=False)
    if explain:
        from memfs.cli.text import hit_lines

        write(hit_lines([card.hit for card in packet.cards], explain=True))
        for left in packet.left_out:
            write(f"left out  {left.id}  {left.code}: {left.message}")
        write(f"{packet.tokens} tokens, ledger {packet.ledger[:8]}, packet {packet.id}")
    say_spent(packet.reason)
    match packet.state:
        case MemoryState.OK | MemoryState.OFF:
            pass
        case MemoryState.EMPTY:
            say("nothing is remembered yet that an agent should know first")
        case MemoryState.DEGRADED | MemoryState.SHADOW:
            say(f"memory state: {packet.state} ({packet.reason})")


def _replayed(invocation: Invocation, memory: Memory, name: str) -> int:
    found = memory.replay_context(name)
    if invocation.is_json:
        from memfs.cli.packet_values import replay_value

        write_json(replay_value(found))
    else:
        _write_replay(found)
    return 0 if found.is_identical else 1


def _write_replay(found: Replay) -> None:
    if found.text:
        click.echo(found.text, nl=False)
    for item in found.missing:
        say(f"missing: {item.id}: {item.code}: {item.message}")
    if found.is_identical:
        say(f"{found.manifest.id}, given {found.manifest.at}: the same bytes")
    else:
        say(f"{found.manifest.id}, given {found.manifest.at}: not the same any more")
