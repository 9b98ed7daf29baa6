"""The compiled context: cards within a budget, and what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from memfs.model.frozen import frozen
from memfs.model.record import StoredRecord


class MemoryState(StrEnum):
    """How the answer came about; agents are told."""

    OK = "ok"
    EMPTY = "empty"
    DEGRADED = "degraded"
    OFF = "off"
    SHADOW = "shadow"


@frozen
class ScoredRecord:
    """A hit with the parts of its score (A55).

    Attributes:
        stored: The record as re-read from the ledger.
        score: Sum of the weighted components.
        components: Weighted part of each signal by name.
        rank: 1 for the best.
    """

    stored: StoredRecord
    score: float
    components: Mapping[str, float]
    rank: int


@frozen
class LeftOut:
    """A record that matched and is not in the packet."""

    id: str
    code: str
    message: str


@frozen
class Card:
    """One record in a packet: rendered text and what it cost."""

    hit: ScoredRecord
    text: str
    tokens: int


@frozen
class Entry:
    """One thing in a section of a packet, whole: a run, a next step, an open issue.

    Attributes:
        reference: The record behind it, ``run_…@1``.
        text: Rendered and escaped.
        place: Which of several things that one record says; 0 for the record itself.
        store: Id of the store that the record is in; empty for the one that answers.
    """

    reference: str
    text: str
    place: int = 0
    store: str = ""


@frozen
class Section:
    """A part of a packet before its cards: how work stands, and what stands always.

    Attributes:
        name: Stable name, such as ``open_issues``.
        heading: The line above its entries, escaped.
        entries: In the order in which they matter.
        beyond: How many more there are that were not looked at for this packet.
        more: The command that shows the rest; empty for none.
    """

    name: str
    heading: str
    entries: tuple[Entry, ...]
    beyond: int = 0
    more: str = ""


@frozen
class Packet:
    """What an agent gets.

    Attributes:
        cards: In rank order, whole records only.
        left_out: Everything that matched and did not fit or may not be shown.
        state: Health of the answer.
        reason: Stable reason code when the state is not ``ok``.
        ledger: Commit that the answer was computed from.
        store: Id of the store that answered.
        tokens: Estimated size of the rendered packet.
        text: The rendered, fenced text; empty when there is nothing to say.
        sections: How work stands, as far as it fits; empty for a plain answer.
        told: Of what was left out, what the text names.
        id: ``pkt_…``, by which it can be made again; empty for one that is not kept.
    """

    cards: tuple[Card, ...]
    left_out: tuple[LeftOut, ...]
    state: MemoryState
    reason: str
    ledger: str
    store: str
    tokens: int
    text: str
    sections: tuple[Section, ...] = ()
    told: tuple[LeftOut, ...] = ()
    id: str = ""


def silent_packet(state: MemoryState, store: str) -> Packet:
    """Returns the packet of a memory that is off or only looks on: no text at all."""
    return Packet(
        cards=(),
        left_out=(),
        state=state,
        reason=f"mode.{state}",
        ledger="",
        store=store,
        tokens=0,
        text="",
    )
