"""A flood of words asks no more of the index than a long question does (A83)."""

from __future__ import annotations

from pathlib import Path

from memfs.model.packet import MemoryState
from tests.support.memory import AGENT, memory_of, new_project

FLOOD = " ".join(f"word{number}" for number in range(200_000))


def test_of_a_flood_of_words_only_the_beginning_is_asked(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("Batches are 500 rows", kind="fact")
    with memory_of(project, AGENT) as memory:
        found = memory.search(f"batches {FLOOD}")
        beyond = memory.search(f"{FLOOD} batches")
    assert [hit.stored.record.body for hit in found] == ["Batches are 500 rows\n"]
    assert beyond == ()


def test_a_flood_of_words_gets_an_answer_and_no_error(tmp_path: Path) -> None:
    with memory_of(new_project(tmp_path), AGENT) as memory:
        packet = memory.recall(FLOOD)
    assert packet.state is MemoryState.EMPTY
