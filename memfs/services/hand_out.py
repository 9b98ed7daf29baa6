"""Hands a packet out: within the cap of its session, and with a manifest to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from memfs.model.packet import MemoryState, Packet, Section
from memfs.model.query import Query
from memfs.services.beside import Beside
from memfs.services.compile_context import compile_packet
from memfs.services.packet_manifest import keep_manifest, packet_name
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome
from memfs.services.session_caps import within_session

QUESTION: Final = "question"


def hand_out(
    workspace: Workspace,
    beside: Beside,
    query: Query,
    outcome: RecallOutcome,
    *,
    occasion: str = QUESTION,
    sections: Sequence[Section] = (),
) -> Packet:
    """Returns the packet of an outcome, counted for the session of this process.

    Args:
        workspace: The store that answered, at the moment that ages are measured from.
        beside: The global store, where it has a part in the answer.
        query: The question, for its budget.
        outcome: What was found.
        occasion: ``task``, ``session-start`` or ``question``; the answer to a question does not
            say its name.
        sections: How work stands.
    """
    named = partial(packet_name, workspace, query)
    is_named = occasion != QUESTION
    packet = within_session(
        workspace,
        lambda spent: compile_packet(
            workspace,
            outcome,
            query,
            sections=sections,
            spent_bytes=spent,
            identify=named if is_named else None,
        ),
    )
    is_answer = packet.state in (MemoryState.OK, MemoryState.DEGRADED)
    if not is_answer or not (packet.cards or packet.sections):
        return packet
    kept = packet if is_named else replace(packet, id=named(packet))
    keep_manifest(
        workspace,
        query,
        kept,
        ledgers=_ledgers(workspace, beside, packet),
        occasion=occasion,
        is_named=is_named,
    )
    return kept


def _ledgers(workspace: Workspace, beside: Beside, packet: Packet) -> Mapping[str, str]:
    """Returns the commit of each store that has a part in a packet."""
    ledgers = {str(workspace.store_id): packet.ledger}
    for card in packet.cards:
        store = card.hit.stored.store
        if store and store not in ledgers:
            head = beside.ask(lambda other: (str(other.store_id), other.store.ledger_head() or ""))
            ledgers[store] = head[1] if head is not None and head[0] == store else ""
    return ledgers
