"""The compiled context: cards within a budget, and what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memfs.model.record import StoredRecord


class MemoryState(StrEnum):
    """How the answer came about; agents are told."""

    OK = "ok"
    EMPTY = "empty"
    DEGRADED = "degraded"
    OFF = "off"
    SHADOW = "shadow"


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A record that matched and is not in the packet."""

    id: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One record in a packet: rendered text and what it cost."""

    hit: ScoredRecord
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """

    cards: tuple[Card, ...]
    left_out: tuple[LeftOut, ...]
    state: MemoryState
    reason: str
    ledger: str
    store: str
    tokens: int
    text: str
