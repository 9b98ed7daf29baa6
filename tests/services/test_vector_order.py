"""What vectors make of an answer, and what they may never make of one (A39, A72, C25, E45-E47)."""

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
from memfs.index.vector_port import VectorHit, VectorManifest, VectorPoint
from memfs.model.authority import Sensitivity
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.model.settings import Mode, RankSettings, RecallSettings, Settings
from memfs.services.embedder_hashing import HashingEmbedder
from memfs.services.explain import last_recall
from memfs.services.ports import Workspace
from memfs.services.queue import REFRESH_VECTORS, jobs
from memfs.services.recall import RecallOutcome, recall, search
from memfs.services.retrieval_log import log_search
from memfs.services.similarity import SimilarityMode, nearest
from memfs.services.vector_hits import NearRecords, near_records
from memfs.services.vector_order import VectorUse
from memfs.services.vector_status import vector_status
from memfs.services.vectors import refresh_vectors, vector_place
from tests.support.memory import SteppedClock
from tests.support.recall_stores import ANA, BOT, commit, note, question, record_id, workspace_with

SETTINGS = Settings(
    store_id="store_01kb8x3v6yq4m9t2r7w5000000",
    project="demo",
    recall=RecallSettings(rank=RankSettings(vector=1.0)),
)
BACKUP = note(1, "The nightly backup of the orders runs at two")
RESTORE = note(2, "A restored backup of the orders is checked by hand")
MENU = note(3, "The canteen serves soup on backup days")
HIDDEN = note(
    4, "The backup passphrase ceremony is on Tuesday", sensitivity=Sensitivity.CONFIDENTIAL
)
RECORDS = (BACKUP, RESTORE, MENU, HIDDEN)


@dataclass
class Counting:
    """A hashing embedder that notes what it was asked and can be away."""

    is_remote: bool = False
    is_away: bool = False
    asked: list[str] = field(default_factory=list)
    inner: HashingEmbedder = field(default_factory=HashingEmbedder)

    @property
    def name(self) -> str:
        return self.inner.name

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Returns hashed vectors."""
        self.asked += texts
        if self.is_away:
            raise IndexUnavailableError("away", code="embedder.unreachable")
        return self.inner.embed(texts)


@contextmanager
def opened(tmp_path: Path, embedder: Counting, *records: Record) -> Iterator[Workspace]:
    with workspace_with(tmp_path, *(records or RECORDS), settings=SETTINGS) as found:
        yield replace(found, embedder=embedder, home_dir=tmp_path / "home")


def asked(workspace: Workspace, text: str, actor: object = BOT) -> RecallOutcome:
    query = Query(text=text, actor=actor, limit=10)  # type: ignore[arg-type]
    return search(replace(workspace, clock=SteppedClock()), query)


def files_of(workspace: Workspace) -> FileVectors:
    assert workspace.embedder is not None
    place = vector_place(workspace, workspace.embedder)
    assert isinstance(place, FileVectors)
    return place


def queued(workspace: Workspace) -> list[str]:
    return [job.kind for job in jobs(workspace)]


def test_a_record_that_may_not_be_read_moves_nothing_in_the_order(tmp_path: Path) -> None:
    embedder = Counting()
    with opened(tmp_path / "all", embedder) as workspace:
        refresh_vectors(workspace)
        with_hidden = asked(workspace, "orders backup passphrase ceremony")
    with opened(tmp_path / "less", embedder, BACKUP, RESTORE, MENU) as workspace:
        refresh_vectors(workspace)
        without = asked(workspace, "orders backup passphrase ceremony")

    assert [hit.components for hit in with_hidden.hits] == [hit.components for hit in without.hits]
    assert record_id(4) not in {hit.stored.record.id for hit in with_hidden.hits}
    assert with_hidden.vectors == without.vectors == VectorUse(model="hashing:64", compared=3)


def test_a_changed_record_is_not_ordered_by_its_old_vector_and_a_refresh_is_put_off(
    tmp_path: Path,
) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        commit(workspace.store, note(1, "The backup of the orders moved to noon"))

        outcome = asked(workspace, "backup of the orders")
        parts = {hit.stored.record.id: hit.components for hit in outcome.hits}
        status = vector_status(workspace)

        assert "vector" in parts[record_id(2)]
        assert "vector" not in parts[record_id(1)]
        assert outcome.vectors == VectorUse(
            model="hashing:64", compared=2, lacking=1, stale=1, is_queued=True
        )
        assert queued(workspace) == [REFRESH_VECTORS]
        assert status is not None
        assert (status.held, status.stale, status.ghosts, status.lacking) == (4, 1, 0, 1)
        assert not status.is_current

        refresh_vectors(workspace)
        again = asked(workspace, "backup of the orders")
        assert again.vectors == VectorUse(model="hashing:64", compared=3)


def test_asking_twice_puts_one_refresh_off_and_a_store_that_takes_nothing_none(
    tmp_path: Path,
) -> None:
    with opened(tmp_path, Counting()) as workspace:
        reading = replace(workspace, settings=replace(SETTINGS, mode=Mode.READ_ONLY))
        asked(reading, "backup")
        assert queued(workspace) == []
        first, second = asked(workspace, "backup"), asked(workspace, "backup orders")
        assert queued(workspace) == [REFRESH_VECTORS]

    assert first.vectors == second.vectors
    assert first.vectors == VectorUse(model="hashing:64", lacking=3, is_queued=True)


def test_an_embedder_that_is_away_is_left_alone_for_a_minute(tmp_path: Path) -> None:
    embedder, clock = Counting(), SteppedClock()
    with opened(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        there = replace(workspace, clock=clock)
        by_words = search(replace(there, embedder=None), question("orders backup", BOT))
        embedder.is_away = True
        embedder.asked.clear()

        first = search(there, question("orders backup", BOT))
        second = search(there, question("orders backup", BOT))
        assert len(embedder.asked) == 1
        clock.advance(timedelta(minutes=2))
        embedder.is_away = False
        third = search(there, question("orders backup", BOT))

    assert first.vectors == VectorUse(model="hashing:64", trouble="embedder.unreachable")
    assert second.vectors == VectorUse(model="hashing:64", trouble="embedder.away")
    assert third.vectors == VectorUse(model="hashing:64", compared=3)
    for outcome in (first, second):
        assert [hit.stored.record.id for hit in outcome.hits] == [
            hit.stored.record.id for hit in by_words.hits
        ]


def test_a_question_with_a_secret_is_sent_to_no_other_machine(tmp_path: Path) -> None:
    secret = "ghp_" + "x7Kq9ZbT3mVw5RdYh2LnPc8FsJg4Ae6UoQ1i"
    embedder = Counting()
    with opened(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        embedder.is_remote = True
        embedder.asked.clear()
        outcome = asked(workspace, f"backup {secret}")
        plain = asked(workspace, "backup of the orders")

    assert embedder.asked == ["backup of the orders"]
    assert outcome.vectors == VectorUse(model="hashing:64", trouble="embedder.not-asked")
    assert plain.vectors is not None
    assert plain.vectors.compared == 3


def test_words_decide_whether_there_is_an_answer(tmp_path: Path) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        nothing = recall(workspace, question("backups? zebra crossing colours", BOT))
        plain = recall(
            replace(workspace, embedder=None), question("backups? zebra crossing colours", BOT)
        )

    assert (nothing.state, nothing.reason) == (plain.state, plain.reason)
    assert (nothing.hits, nothing.coverage) == (plain.hits, plain.coverage)


def test_the_log_says_what_vectors_had_to_say(tmp_path: Path) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        query = question("orders backup", BOT)
        log_search(workspace, query, search(workspace, query))
        logged = last_recall(workspace, ANA)

    assert logged.vectors == {"model": "hashing:64", "compared": 3}
    assert "vector" in logged.items[0].parts


# By vectors alone ------------------------------------------------------------------------


def near(workspace: Workspace, text: str, actor: object = BOT, **narrowed: object) -> NearRecords:
    query = Query(text="", actor=actor, limit=3, **narrowed)  # type: ignore[arg-type]
    return near_records(workspace, workspace.store.snapshot(), text, query)


def ids(found: NearRecords) -> list[str]:
    return [item.stored.record.id for item in found.found]


def test_vectors_alone_find_what_shares_no_word_and_only_what_may_be_read(tmp_path: Path) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        by_agent = near(workspace, "backups passphrases ceremonies")
        by_person = near(workspace, "backups passphrases ceremonies", ANA)
        soup = near(workspace, "canteens")
        tagged = near(workspace, "canteens", tags=("none",))

    assert record_id(4) not in ids(by_agent)
    assert ids(by_person)[0] == record_id(4)
    assert ids(soup)[0] == record_id(3)
    assert tagged == NearRecords()


def test_a_ghost_and_a_stale_hit_are_dropped_counted_and_mended(tmp_path: Path) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        place = files_of(workspace)
        commit(workspace.store, note(1, "The orders are backed up at noon"), gone=(MENU,))

        found = near(workspace, "the backup of the orders and the canteen")
        status = vector_status(workspace)
        assert ids(found) == [record_id(2)]
        assert (found.ghosts, found.stale) == (1, 1)
        assert queued(workspace) == [REFRESH_VECTORS]
        assert status is not None
        assert (status.stale, status.ghosts) == (1, 1)

        refresh_vectors(workspace)
        again = near(workspace, "the backup of the orders and the canteen")
        assert (again.ghosts, again.stale) == (0, 0)
        assert set(ids(again)) == {record_id(1), record_id(2)}
        assert set(place.manifest().entries) == {record_id(1), record_id(2), record_id(4)}


class Lying:
    """A place that answers what it was never given."""

    is_remote = False

    def __init__(self, inner: FileVectors, hits: Sequence[VectorHit]) -> None:
        self.inner = inner
        self.hits = hits

    def manifest(self) -> VectorManifest:
        return self.inner.manifest()

    def others(self) -> tuple[FileVectors, ...]:
        return ()

    def held(self) -> dict[str, str]:
        return dict(self.inner.held())

    def put(self, points: Sequence[VectorPoint]) -> None:
        self.inner.put(points)

    def settle(self, kept: object, *, ledger: str, stale: object = ()) -> int:
        return 0

    def scores(self, vector: Sequence[float], blobs: object) -> dict[str, float]:
        return {"0" * 40: 1.0, "../../etc": 1.0}

    def nearest(
        self, vector: Sequence[float], limit: int, domains: object
    ) -> tuple[VectorHit, ...]:
        return tuple(self.hits)


def test_a_place_that_lies_opens_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        blobs = {name: blob for name, (blob, _) in files_of(workspace).manifest().entries.items()}
        hidden = VectorHit(id=record_id(4), blob=blobs[record_id(4)], score=1.0)
        swapped = VectorHit(id=record_id(1), blob=blobs[record_id(4)], score=0.9)
        unknown = VectorHit(id="mem_' OR 1=1 --", blob="", score=5.0)
        lying = Lying(files_of(workspace), (hidden, swapped, unknown))
        fooled = replace(workspace, vectors=lying)
        found = near(fooled, "backup")
        outcome = asked(fooled, "orders backup")
        plain = asked(replace(workspace, embedder=None), "orders backup")

    assert (found.found, found.ghosts, found.stale) == ((), 1, 1)
    assert [hit.components for hit in outcome.hits] == [hit.components for hit in plain.hits]


def test_likeness_is_by_vectors_here_and_by_words_where_the_embedder_is_elsewhere(
    tmp_path: Path,
) -> None:
    embedder = Counting()
    with opened(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        snapshot = workspace.store.snapshot()
        asking = Query(text="", actor=BOT, limit=3)
        here = nearest(workspace, snapshot, "canteens", asking)
        embedder.is_remote = True
        embedder.asked.clear()
        there = nearest(workspace, snapshot, "canteens", asking)

    assert here.mode is SimilarityMode.VECTORS
    assert here.found[0].stored.record.id == record_id(3)
    assert there.mode is not SimilarityMode.VECTORS
    assert embedder.asked == []


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"[]", b"{}", b"\xff", b"[" * 9000, b'{"v":1,"model":"hashing:64"}'),
        b'{"v":1,"model":"hashing:64","dimension":64,"ledger":"","width":-1,"count":9,"stale":[],'
        b'"entries":{"a":["b","c",0]}}',
        b'{"v":1,"model":"hashing:64","dimension":64,"ledger":"","width":64,"count":1,"stale":[],'
        b'"entries":{"a":["b","c",7]}}',
    ],
)
def test_a_damaged_manifest_is_none_and_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        place = files_of(workspace)
        (place.folder / "manifest.json").write_bytes(damage)

        assert asked(workspace, "orders backup").hits
        assert place.manifest().entries == {}
        assert refresh_vectors(workspace).embedded == 4
        assert len(place.held()) == 4


def test_a_line_that_was_damaged_orders_nothing_and_comes_back(tmp_path: Path) -> None:
    with opened(tmp_path, Counting()) as workspace:
        refresh_vectors(workspace)
        place = files_of(workspace)
        path = place.folder / "vectors.jsonl"
        content = bytearray(path.read_bytes())
        width = len(content) // 4
        content[20:40] = b"\0" * 20  # in the vector of the first line
        content[width : width + 1] = b"["
        path.write_bytes(content)

        assert len(place.held()) == 2
        outcome = asked(workspace, "orders backup")
        assert outcome.vectors is not None
        assert outcome.vectors.compared <= 2
        assert refresh_vectors(workspace, is_thorough=True).embedded == 2
        assert len(place.held()) == 4
        lines = path.read_text().splitlines()
        assert len({len(line) for line in lines}) == 1
        assert {json.loads(line)["model"] for line in lines} == {"hashing:64"}
