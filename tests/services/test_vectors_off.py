"""Without vectors every answer is what it is in a store that never heard of them (C25)."""

from __future__ import annotations

from pathlib import Path

from memfs.model.packet import Packet
from tests.support.memory import memory_of, new_project, replaced_settings

QUESTIONS = ("which web framework", "batches of rows", "where are the tests", "nothing of this")


def answers(project: Path) -> list[Packet]:
    with memory_of(project) as memory:
        found = [memory.recall(question) for question in QUESTIONS]
    assert any(packet.cards for packet in found)
    return found


def cards(packets: list[Packet]) -> list[list[tuple[str, dict[str, float]]]]:
    """Returns texts and score parts; recency moves with the clock and is left out."""
    return [
        [
            (card.text, {k: v for k, v in card.hit.components.items() if k != "recency"})
            for card in packet.cards
        ]
        for packet in packets
    ]


def test_the_weight_of_vectors_that_are_not_there_changes_no_answer(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("FastAPI is the web framework", kind="preference")
        memory.remember("Batches are 500 rows", kind="fact")
        memory.remember("Tests are where they mirror the code", kind="note")
        memory.remember("The web framework before was Flask", kind="note")
    before = cards(answers(project))
    replaced_settings(project, "vector: 0.25", "vector: 1.0")
    after = cards(answers(project))
    assert after == before
    assert "vector" not in {name for found in after for _, parts in found for name in parts}
