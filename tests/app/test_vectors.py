"""Vectors through the whole of memfs: configured by the environment, told to people, kept out of
what a program may not see, and gone with what is forgotten (A39, C25, E35, E45, E47)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memfs.app.container import Memory, open_memory
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.services.vectors import VECTORS_FOLDER, read_vectors
from tests.support.memory import AGENT, ANA, memory_of, new_project, store_root

READER = Actor(Principal.parse("agent:reader"), Channel.AGENT)
TEAM = "team:ward"
NOTES = (
    "The office opens at nine and the door code changes weekly",
    "Lovelace Street is where the office moved",
    "Parking at the office is free after nine",
)


@contextmanager
def opened(project: Path, actor: Actor = ANA, embedder: str = "hashing") -> Iterator[Memory]:
    # Nobody listens at that address; a model of a name is asked there.
    env = {**os.environ, "MEMFS_EMBEDDINGS": embedder, "MEMFS_MODEL_URL": "http://127.0.0.1:9"}
    with open_memory(start=project, env=env) as memory:
        memory.actor = actor
        yield memory


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three open notes and a record that an agent sees in part."""
    made = new_project(tmp_path_factory.mktemp("vectors"))
    with opened(made) as ana:
        for text in NOTES:
            ana.remember(text, kind="note")
        ana.remember(
            "diagnosis: the door of the office at nine",
            kind="fact",
            title="door office nine weekly",
            scope=TEAM,
            record_class="clinical",
            fields={"name": "Ada Lovelace", "diagnosis": "door office nine weekly parking"},
        )
        ana.accept(None)
        ana.grant("agent:reader", scopes=[TEAM], record_classes=["clinical"], shown_fields=["name"])
    return made


@pytest.fixture(autouse=True)
def embedded(project: Path) -> None:
    """Each test has a cache of its own."""
    with opened(project) as ana:
        ana.rebuild()


def points(memory: Memory) -> set[str]:
    return set(read_vectors(memory.workspace))


def classed(project: Path) -> Record:
    with memory_of(project) as ana:
        return next(r.record for r in ana.list_records() if r.record.record_class)


def test_a_person_is_told_how_vectors_stand_and_a_program_is_not(project: Path) -> None:
    with opened(project) as ana:
        told, counted = ana.status().data["vectors"], ana.stats().data["vectors"]
        held = len(points(ana))
    with opened(project, AGENT) as bot:
        assert "vectors" not in bot.status().data
        assert "vectors" not in bot.stats().data
    with memory_of(project) as plain:
        assert "vectors" not in plain.status().data

    assert told == counted
    assert told == {
        "model": "hashing:64",
        "dimension": 64,
        "place": "files",
        "held": held,
        "stale": 0,
        "ghosts": 0,
        "lacking": 0,
        "unpurged": 0,
        "current": True,
        "trouble": "",
    }


def test_of_a_record_that_is_seen_in_part_the_vector_says_nothing(project: Path) -> None:
    hidden = classed(project).id
    questions = ("Lovelace office", "Lovelace door office nine weekly parking", "Lovelace door")
    for question in questions:
        with opened(project, READER) as reader:
            hits = {hit.stored.record.id: hit.components for hit in reader.search(question)}
        with memory_of(project, READER) as plain:
            found = {hit.stored.record.id for hit in plain.search(question)}
        assert hidden in hits
        assert "vector" not in hits[hidden]
        assert set(hits) == found
        assert any("vector" in parts for parts in hits.values())


def test_a_hidden_record_moves_nothing_for_a_stranger(project: Path, tmp_path: Path) -> None:
    other = new_project(tmp_path)
    with memory_of(project, AGENT) as bot:
        open_to_all = [item.record.body for item in bot.list_records()]
    with opened(other) as ana:
        for text in reversed(open_to_all):
            ana.remember(text, kind="note")
        ana.rebuild()

    def parts(where: Path) -> list[tuple[str, float | None]]:
        with opened(where, AGENT) as bot:
            found = bot.search("office door weekly nine diagnosis")
        return [(hit.stored.record.body, hit.components.get("vector")) for hit in found]

    assert parts(project) == parts(other)


def test_what_is_forgotten_leaves_the_vectors_and_the_receipt_says_so(project: Path) -> None:
    with opened(project) as ana:
        made = ana.remember("The spare key lies with the porter", kind="note").target
        ana.rebuild()
        name = made.partition("@")[0]
        assert name in points(ana)
    # Whoever forgets need not have an embedder: the files of every model are gone through.
    with memory_of(project) as ana:
        assert ana.forget([name]).status is ResultStatus.DONE
        folder = ana.workspace.cache_dir / VECTORS_FOLDER
        text = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    receipts = sorted((store_root(project) / "receipts").rglob("*.json"), key=os.path.getmtime)

    assert name not in text
    assert '"vectors":"managed"' in receipts[-1].read_text().replace(": ", ":")


def test_a_question_puts_the_refresh_off_and_the_next_command_does_it(project: Path) -> None:
    with memory_of(project) as ana:
        ana.remember("The office cat is called Turing", kind="note")
    with opened(project, AGENT) as bot:
        bot.search("office cat")
        assert [job.kind for job in bot.jobs()] == ["refresh-vectors"]
    with opened(project) as ana:
        (done,) = ana.run_jobs()
        assert done.message == "1 embedded, 0 dropped, 0 left"
        assert ana.jobs() == ()
        assert json.dumps(ana.status().data["vectors"]).count('"lacking": 0')


def test_a_job_without_an_embedder_does_nothing(project: Path) -> None:
    with memory_of(project) as ana:
        ana.remember("The office plant is a fern", kind="note")
    with opened(project, AGENT) as bot:
        bot.search("office fern")
    with memory_of(project) as ana:
        (done,) = ana.run_jobs()
        assert (done.status, done.message) == (
            ResultStatus.NOTHING,
            "no embedder is configured here",
        )


def test_an_embedder_that_is_not_there_keeps_nobody_from_answers(project: Path) -> None:
    with opened(project, embedder="no-such-model") as ana:
        assert ana.search("office")
        assert ana.rebuild().data["vectors_trouble"]
        assert ana.status().data["vectors"]
