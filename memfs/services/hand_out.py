"""Hands a packet out: within the cap of its session, and with a manifest to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from memfs.model.packet import LeftOut, MemoryState, Packet, Section
from memfs.model.query import Query
from memfs.services.beside import Beside
from memfs.services.compile_context import compile_packet
from memfs.services.packet_manifest import keep_manifest, packet_name
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome
from memfs.services.session_caps import Given, key_of, within_session

QUESTION: Final = "question"
KNOWN: Final = "packet.known"
"""Left out because the session has it already."""


def hand_out(
    workspace: Workspace,
    beside: Beside,
    query: Query,
    outcome: RecallOutcome,
    *,
    occasion: str = QUESTION,
    sections: Sequence[Section] = (),
    is_new_only: bool = False,
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
        is_new_only: What the session was given before and still has is not given again.
    """
    named = partial(packet_name, workspace, query)
    is_named = occasion != QUESTION
    packet = within_session(
        workspace,
        lambda given: compile_packet(
            workspace,
            _new_of(outcome, given) if is_new_only else outcome,
            query,
            sections=sections,
            spent_bytes=given.size_bytes,
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


def _new_of(outcome: RecallOutcome, given: Given) -> RecallOutcome:
    """Leaves out what the session has already; of that alone nothing is said again."""
    known = [hit for hit in outcome.hits if key_of(hit.stored) in given.records]
    if not known:
        return outcome
    left = tuple(
        LeftOut(id=hit.stored.record.id, code=KNOWN, message="this session was given it before")
        for hit in known
    )
    new = tuple(hit for hit in outcome.hits if hit not in known)
    is_empty = not new and outcome.state is MemoryState.OK
    return replace(
        outcome,
        hits=new,
        left_out=(*outcome.left_out, *left),
        state=MemoryState.EMPTY if is_empty else outcome.state,
        reason=KNOWN if is_empty else outcome.reason,
    )


def _ledgers(workspace: Workspace, beside: Beside, packet: Packet) -> Mapping[str, str]:
    """Returns the commit of each store that has a part in a packet."""
    ledgers = {str(workspace.store_id): packet.ledger}
    entries = (entry.store for section in packet.sections for entry in section.entries)
    for store in (*(card.hit.stored.store for card in packet.cards), *entries):
        if store and store not in ledgers:
            head = beside.ask(lambda other: (str(other.store_id), other.store.ledger_head() or ""))
            ledgers[store] = head[1] if head is not None and head[0] == store else ""
    return ledgers
