"""``memfs recall``: a packet for a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.query_options import query_options
from memfs.cli.terminal import say, say_spent, write, write_json
from memfs.cli.text import hit_lines
from memfs.cli.values import packet_value
from memfs.model.packet import MemoryState, Packet

if TYPE_CHECKING:
    from memfs.app.drafts import QuestionOptions


@click.command(
    "recall",
    cls=ExampleCommand,
    short_help="Answer a question from memory, within a token budget.",
    examples=(
        'memfs recall "which web framework" --budget 1500',
        'memfs recall "what broke the release" --since 2026-10-01 --explain',
    ),
)
@query_options
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help="Hard size of the answer.")
@shared_options
def command(
    invocation: Invocation,
    text: str,
    question: QuestionOptions,
    explain: bool,
    budget: int | None,
) -> int:
    """Answer TEXT from memory with whole records and where they come from.

    Only what is active at the ledger's head is served. When nothing is close enough the
    answer is empty: recall may abstain.
    """
    with invocation.open() as memory:
        packet = memory.recall(text, budget=budget, **question)
    if invocation.is_json:
        write_json(packet_value(packet))
    else:
        _write_packet(packet, explain=explain)
    return 0


def _write_packet(packet: Packet, *, explain: bool) -> None:
    if packet.text:
        write(packet.text)
    if explain:
        write(hit_lines([card.hit for card in packet.cards], explain=True))
        for left in packet.left_out:
            write(f"left out  {left.id}  {left.code}: {left.message}")
        write(f"{packet.tokens} tokens, ledger {packet.ledger[:8]}")
    say_spent(packet.reason)
    match packet.state:
        case MemoryState.OK:
            pass
        case MemoryState.EMPTY:
            say("nothing in memory is close enough to that")
        case MemoryState.DEGRADED | MemoryState.OFF | MemoryState.SHADOW:
            say(f"memory state: {packet.state} ({packet.reason})")
