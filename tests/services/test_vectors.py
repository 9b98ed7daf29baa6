"""Vectors of records: a line a record, made anew for another model, and never needed (C25, C26)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.errors import IndexUnavailableError
from memfs.index.vector_files import FileVectors
from memfs.index.vector_port import VectorPoint, place_name
from memfs.model.authority import Sensitivity
from memfs.model.packet import ScoredRecord
from memfs.model.record import Record
from memfs.model.settings import RankSettings, RecallSettings, Settings
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome, recall, search
from memfs.services.vectors import (
    VECTORS_FOLDER,
    VectorCounts,
    drop_vectors,
    read_vectors,
    refresh_vectors,
    similarities,
)
from tests.support.memory import SteppedClock
from tests.support.recall_stores import (
    BOT,
    SAID,
    commit,
    note,
    question,
    record_id,
    workspace_with,
)
from tests.support.work import run_id, run_of

TOPICS = ("rain", "snow", "wind")


@dataclass
class CountedTopics:
    """An embedder whose vectors count words; ``asked`` holds every text that it was given."""

    name: str = "topics-1"
    is_remote: bool = False
    is_broken: bool = False
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Returns for each text how often each topic stands in it."""
        if self.is_broken:
            raise IndexUnavailableError("away", code="embedder.unreachable")
        self.asked += texts
        return tuple(tuple(float(text.count(topic)) + 0.01 for topic in TOPICS) for text in texts)


RECORDS = (
    run_of(1, "The umbrella was bought for rain rain.", task="Buy it"),
    note(2, "The umbrella was bought for snow snow."),
    note(3, "The umbrella was bought for wind wind."),
)
IDS = (run_id(1), record_id(2), record_id(3))


@contextmanager
def store_of(
    tmp_path: Path, embedder: CountedTopics | None, *records: Record, weight: float = 1.0
) -> Iterator[Workspace]:
    settings = Settings(
        store_id="store_01kb8x3v6yq4m9t2r7w5000000",
        project="demo",
        recall=RecallSettings(rank=RankSettings(vector=weight)),
    )
    with workspace_with(tmp_path, *(records or RECORDS), settings=settings) as workspace:
        yield replace(workspace, embedder=embedder, home_dir=tmp_path / "home")


def outcome(workspace: Workspace, text: str) -> RecallOutcome:
    return search(replace(workspace, clock=SteppedClock()), question(text, BOT))


def found(workspace: Workspace, text: str) -> list[ScoredRecord]:
    return list(outcome(workspace, text).hits)


def first(workspace: Workspace, text: str) -> str:
    return found(workspace, text)[0].stored.record.id


def folder_of(workspace: Workspace, model: str = "topics-1") -> Path:
    return workspace.cache_dir / VECTORS_FOLDER / place_name(model)


def test_there_is_one_line_a_run_with_its_id_the_model_and_the_vector(tmp_path: Path) -> None:
    with store_of(tmp_path, CountedTopics()) as workspace:
        assert refresh_vectors(workspace) == VectorCounts(embedded=3)
        folder = folder_of(workspace)
        lines = (folder / "vectors.jsonl").read_text().splitlines()
        points = read_vectors(workspace)

    values = [json.loads(line) for line in lines]
    assert {(value["id"], value["model"]) for value in values} == {
        (name, "topics-1") for name in IDS
    }
    assert points[IDS[0]].vector[0] == pytest.approx(1.0, abs=1e-4)
    assert "umbrella" not in "".join(lines)


def test_the_manifest_lists_ids_hashes_model_dimension_and_what_is_stale(tmp_path: Path) -> None:
    embedder = CountedTopics()
    with store_of(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        head = workspace.store.ledger_head()
        manifest = folder_of(workspace) / "manifest.json"
        whole = json.loads(manifest.read_text())
        commit(workspace.store, note(2, "The umbrella is for hail."))
        embedder.is_broken = True
        counts = refresh_vectors(workspace)
        broken = json.loads(manifest.read_text())

    assert (whole["model"], whole["dimension"], whole["ledger"]) == ("topics-1", 3, head)
    assert set(whole["entries"]) == set(IDS)
    assert all(len(blob) == 40 for blob, *_ in whole["entries"].values())
    assert counts == VectorCounts(kept=2, dropped=1, stale=1, trouble="embedder.unreachable")
    assert broken["stale"] == [IDS[1]]
    assert set(broken["entries"]) == {IDS[0], IDS[2]}


def test_another_model_is_seen_and_every_run_embedded_again(tmp_path: Path) -> None:
    with store_of(tmp_path, CountedTopics()) as workspace:
        refresh_vectors(workspace)
        assert refresh_vectors(workspace) == VectorCounts(kept=3)
        moved = replace(workspace, embedder=CountedTopics(name="topics-2"))

        assert not [hit for hit in found(moved, "umbrella snow") if "vector" in hit.components]
        assert refresh_vectors(moved) == VectorCounts(embedded=3)
        assert {item["model"] for item in lines_of(moved, "topics-2")} == {"topics-2"}
        assert first(moved, "umbrella snow snow") == IDS[1]


def lines_of(workspace: Workspace, model: str) -> list[dict[str, str]]:
    text = (folder_of(workspace, model) / "vectors.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_new_record_is_embedded_alone_and_one_that_is_gone_leaves(tmp_path: Path) -> None:
    embedder = CountedTopics()
    with store_of(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        embedder.asked.clear()
        commit(workspace.store, note(4, "More snow."), gone=(RECORDS[0],))

        assert refresh_vectors(workspace) == VectorCounts(kept=2, embedded=1, dropped=1, ghosts=1)
        assert [text for text in embedder.asked if "snow" in text] == ["More snow.\n"]
        assert set(read_vectors(workspace)) == {IDS[1], IDS[2], record_id(4)}
        assert len(lines_of(workspace, "topics-1")) == 3


def test_vectors_order_what_matches_and_bring_in_nothing(tmp_path: Path) -> None:
    with store_of(tmp_path, CountedTopics(), *RECORDS, note(4, "rain rain rain")) as workspace:
        refresh_vectors(workspace)
        for topic, name in zip(TOPICS, IDS, strict=True):
            hits = found(workspace, f"umbrella bought {topic[0]}")
            assert {hit.stored.record.id for hit in hits} == set(IDS)
            nearest = found(workspace, f"umbrella bought? {topic}{topic}")[0]
            assert nearest.stored.record.id == name
            assert nearest.components["vector"] > 0


@pytest.mark.parametrize("embedder", [None, CountedTopics(is_broken=True)])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_without_vectors_every_answer_is_that_of_a_store_that_never_had_them(
    embedder: CountedTopics | None, weight: float, tmp_path: Path
) -> None:
    with store_of(tmp_path, None, weight=0.0) as workspace:
        never = [(hit.stored, hit.components) for hit in found(workspace, "umbrella snow")]
        there = replace(workspace, embedder=CountedTopics())
        refresh_vectors(there)
        rank = replace(workspace.settings.recall.rank, vector=weight)
        recalled = replace(workspace.settings.recall, rank=rank)
        settings = replace(workspace.settings, recall=recalled)
        off = replace(workspace, embedder=embedder, settings=settings)

        assert [(hit.stored, hit.components) for hit in found(off, "umbrella snow")] == never


def test_deleting_vectors_changes_the_order_and_nothing_else(tmp_path: Path) -> None:
    with store_of(tmp_path, CountedTopics()) as workspace:
        refresh_vectors(workspace)
        asked = question("umbrella bought snowsnow", BOT)
        with_them = recall(replace(workspace, clock=SteppedClock()), asked)
        for path in folder_of(workspace).iterdir():
            path.unlink()
        without = recall(replace(workspace, clock=SteppedClock()), asked)
        silent = [recall(workspace, question(text, BOT)) for text in ("zebra", "rainfall zebra")]

    assert with_them.hits[0].stored.record.id == IDS[1]
    assert {hit.stored.blob for hit in with_them.hits} == {hit.stored.blob for hit in without.hits}
    same = ("state", "reason", "ledger", "coverage", "left_out")
    assert [getattr(with_them, name) for name in same] == [getattr(without, name) for name in same]
    assert [item.hits for item in silent] == [(), ()]


def test_a_broken_embedder_leaves_what_was_there(tmp_path: Path) -> None:
    embedder = CountedTopics()
    with store_of(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        embedder.is_broken = True
        commit(workspace.store, note(4, "More snow."))

        assert refresh_vectors(workspace) == VectorCounts(kept=3, trouble="embedder.unreachable")
        assert set(read_vectors(workspace)) == set(IDS)


def test_what_may_not_leave_is_not_sent_away(tmp_path: Path) -> None:
    embedder = CountedTopics(is_remote=True)
    hushed = note(4, "The orchard is sold.", sensitivity=Sensitivity.CONFIDENTIAL)
    with store_of(tmp_path, embedder, *RECORDS, hushed) as workspace:
        refresh_vectors(workspace)

    assert embedder.asked
    assert not [text for text in embedder.asked if "orchard" in text]


def test_of_a_sealed_record_the_title_alone_is_embedded(tmp_path: Path) -> None:
    embedder = CountedTopics()
    sealed = note(4, "age-ciphertext", title="The vault", sensitivity=Sensitivity.SEALED)
    with store_of(tmp_path, embedder, sealed) as workspace:
        refresh_vectors(workspace)

    assert embedder.asked == ["The vault"]


def test_what_was_withdrawn_has_no_vector_of_any_model(tmp_path: Path) -> None:
    with store_of(tmp_path, CountedTopics()) as workspace:
        other = replace(workspace, embedder=CountedTopics(name="topics-2"))
        refresh_vectors(workspace)
        refresh_vectors(other)
        assert drop_vectors(replace(workspace, embedder=None), [IDS[1], "mem_nothing"])

        for model in ("topics-1", "topics-2"):
            assert {item["id"] for item in lines_of(workspace, model)} == {IDS[0], IDS[2]}
            assert IDS[1] not in (folder_of(workspace, model) / "manifest.json").read_text()


def test_likeness_is_told_of_points_of_the_same_bytes_alone(tmp_path: Path) -> None:
    with store_of(tmp_path, CountedTopics()) as workspace:
        refresh_vectors(workspace)
        blobs = {name: point.blob for name, point in read_vectors(workspace).items()}
        near = similarities(workspace, "snow", {**blobs, IDS[0]: "0" * 40, "mem_ghost": "1" * 40})

    assert set(near) == {IDS[1], IDS[2]}
    assert near[IDS[1]] > 0.9 > 0.2 > near[IDS[2]]


def test_a_refresh_that_was_killed_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = CountedTopics()
    monkeypatch.setattr("memfs.services.vectors.BATCH", 1)
    monkeypatch.setattr("memfs.services.vectors.WRITTEN", 1)
    with store_of(tmp_path, embedder) as workspace, monkeypatch.context() as killed:
        real = FileVectors.put

        def dies_at_the_second(place: FileVectors, points: Sequence[VectorPoint]) -> None:
            real(place, points)
            if len(place.manifest().entries) == 2:
                raise KeyboardInterrupt

        killed.setattr(FileVectors, "put", dies_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            refresh_vectors(workspace)
        killed.undo()
        assert outcome(workspace, "umbrella snow").vectors is not None
        assert refresh_vectors(workspace) == VectorCounts(kept=2, embedded=1)
        assert sorted(read_vectors(workspace)) == sorted(IDS)


def test_what_is_withdrawn_while_vectors_are_made_gets_none(tmp_path: Path) -> None:
    embedder = CountedTopics()
    with store_of(tmp_path, embedder) as workspace:
        real = embedder.embed

        def withdrawn_meanwhile(texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
            if len(texts) > 1:
                commit(workspace.store, gone=(RECORDS[1],))
                drop_vectors(workspace, [IDS[1]])
            return real(texts)

        embedder.embed = withdrawn_meanwhile  # type: ignore[method-assign]
        refresh_vectors(workspace)

        assert set(read_vectors(workspace)) == {IDS[0], IDS[2]}
        assert {item["id"] for item in lines_of(workspace, "topics-1")} == {IDS[0], IDS[2]}


def test_another_model_under_the_same_name_is_seen_by_the_length_of_its_vectors(
    tmp_path: Path,
) -> None:
    embedder = CountedTopics()
    with store_of(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        before = [hit.components for hit in found(replace(workspace, embedder=None), "umbrella")]
        embedder.embed = lambda texts: tuple((1.0, float(len(text))) for text in texts)  # type: ignore[method-assign]

        asked = outcome(workspace, "umbrella")
        assert asked.vectors is not None
        assert (asked.vectors.trouble, asked.vectors.is_queued) == ("vectors.other-dimension", True)
        assert [hit.components for hit in asked.hits] == before
        assert refresh_vectors(workspace) == VectorCounts(embedded=3)
        assert {len(point.vector) for point in read_vectors(workspace).values()} == {2}


def test_a_question_about_the_past_takes_no_vector_of_today(tmp_path: Path) -> None:
    with store_of(tmp_path, CountedTopics()) as workspace:
        refresh_vectors(workspace)
        at = SAID + timedelta(days=400)
        commit(workspace.store, note(2, "The umbrella is for hail."), at=at)
        refresh_vectors(workspace)
        asked = question("umbrella bought", BOT, as_of=at - timedelta(days=1))
        past = search(replace(workspace, clock=SteppedClock()), asked)
        parts = {hit.stored.record.id: hit.components for hit in past.hits}

    assert "vector" in parts[IDS[0]]
    assert "vector" not in parts[IDS[1]]
    assert past.vectors is not None
    assert not past.vectors.is_queued


@pytest.mark.parametrize("answer", [(), ((1.0,), (1.0, 2.0)), ((1.0,),)])
def test_an_embedder_that_answers_nonsense_makes_no_vectors(
    answer: tuple[tuple[float, ...], ...], tmp_path: Path
) -> None:
    embedder = CountedTopics()
    with store_of(tmp_path, embedder) as workspace:
        embedder.embed = lambda texts: answer  # type: ignore[method-assign]

        assert refresh_vectors(workspace) == VectorCounts(trouble="embedder.bad-answer")
        assert len(found(workspace, "umbrella")) == 3


def test_a_bounded_refresh_does_a_part_and_says_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memfs.services.vectors.BATCH", 1)
    with store_of(tmp_path, CountedTopics()) as workspace:
        first_part = refresh_vectors(workspace, within_s=1e-9)
        assert first_part == VectorCounts(embedded=1, left=2)
        manifest = json.loads((folder_of(workspace) / "manifest.json").read_text())
        assert manifest["ledger"] == ""
        assert refresh_vectors(workspace) == VectorCounts(kept=1, embedded=2)
