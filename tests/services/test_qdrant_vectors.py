"""Vectors in a Qdrant server, shown with the client's own local mode (A72, E46 to E48)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memfs.errors import IndexUnavailableError
from memfs.index.cosine import unit
from memfs.index.vector_port import VectorPoint, domain_of
from memfs.model.authority import Sensitivity
from memfs.model.query import Query
from memfs.model.settings import RankSettings, RecallSettings, Settings
from memfs.services.embedder_hashing import HashingEmbedder
from memfs.services.ports import Workspace
from memfs.services.qdrant_vectors import QdrantVectors, qdrant_place, server_manifest
from memfs.services.recall import search
from memfs.services.vector_hits import near_records
from memfs.services.vector_order import VectorUse
from memfs.services.vector_status import vector_status
from memfs.services.vectors import drop_vectors, refresh_vectors
from tests.support.memory import SteppedClock
from tests.support.recall_stores import BOT, commit, note, question, record_id, workspace_with

qdrant_client = pytest.importorskip("qdrant_client", reason="memfs-ledger[qdrant] is not there")

STORE = "store_01kb8x3v6yq4m9t2r7w5000000"
MODEL = HashingEmbedder().name
OPEN, SHUT = domain_of("open"), domain_of("shut")
SETTINGS = Settings(
    store_id=STORE, project="demo", recall=RecallSettings(rank=RankSettings(vector=1.0))
)


class Gone:
    """A client whose server has gone away."""

    def __getattr__(self, name: str) -> Any:
        from qdrant_client.http.exceptions import ResponseHandlingException

        raise ResponseHandlingException(ConnectionRefusedError("nobody"))


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """One server in memory for the module: each test has a collection of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield qdrant_client.QdrantClient(":memory:")


@pytest.fixture
def place(client: Any, tmp_path: Path) -> QdrantVectors:
    return place_on(client, tmp_path / "cache", store_id=f"{STORE}-{tmp_path.name}")


def place_on(
    client: Any, cache: Path, *, store_id: str = STORE, is_remote: bool = False
) -> QdrantVectors:
    return QdrantVectors(
        server_manifest(cache, MODEL),
        store_id=store_id,
        model=MODEL,
        connect=lambda: client,
        is_remote=is_remote,
    )


def point(number: int, *parts: float, domain: str = OPEN) -> VectorPoint:
    name = f"mem_{number:026d}"
    return VectorPoint(id=name, blob=f"{number:040x}", domain=domain, vector=unit(parts))


POINTS = (point(1, 1.0, 0.0), point(2, 0.6, 0.8), point(3, 0.0, 1.0, domain=SHUT))


def test_a_server_gives_what_files_give(place: QdrantVectors) -> None:
    place.put(POINTS)
    blobs = [it.blob for it in POINTS]

    assert place.scores((1.0, 0.0), [*blobs[1:], "f" * 40]) == {
        blobs[1]: pytest.approx(0.6, abs=1e-4),
        blobs[2]: pytest.approx(0.0, abs=1e-4),
    }
    assert [hit.id for hit in place.nearest((1.0, 0.0), 9, [OPEN])] == [POINTS[0].id, POINTS[1].id]
    assert [hit.id for hit in place.nearest((1.0, 0.0), 9, [SHUT])] == [POINTS[2].id]
    assert place.nearest((1.0, 0.0), 9, []) == ()
    assert place.scores((0.0, 0.0), blobs) == {}
    assert place.scores((1.0, 0.0, 0.0), blobs) == {}
    assert place.held() == {it.id: it.blob for it in POINTS}
    assert place.settle([POINTS[0].id], ledger="c1") == 2
    assert place.held() == {POINTS[0].id: POINTS[0].blob}
    assert place.manifest().ledger == "c1"


def test_a_point_holds_ids_hashes_and_a_domain_and_no_word(
    place: QdrantVectors, client: Any
) -> None:
    place.put(POINTS[:1])
    (found,), _ = client.scroll(place.collection, with_payload=True)

    assert found.payload == {"id": POINTS[0].id, "blob": POINTS[0].blob, "domain": OPEN}
    again = replace(POINTS[0], blob="e" * 40, vector=unit((0.0, 1.0)))
    place.put([again])
    (changed,), _ = client.scroll(place.collection, with_payload=True)
    assert changed.id == found.id
    assert place.held() == {again.id: again.blob}


def test_vectors_of_another_length_begin_anew(place: QdrantVectors) -> None:
    place.put(POINTS)
    place.put([point(4, 1.0, 0.0, 0.0)])

    assert set(place.held()) == {point(4, 1.0).id}
    assert place.manifest().dimension == 3


def test_two_stores_and_two_models_have_nothing_in_common(client: Any, tmp_path: Path) -> None:
    first = place_on(client, tmp_path / "a", store_id="store_a")
    second = place_on(client, tmp_path / "b", store_id="store_b")
    first.put(POINTS)
    second.put(POINTS[:1])

    assert first.collection != second.collection
    assert second.settle([], ledger="c") == 1
    assert len(first.held()) == 3


def test_without_its_manifest_what_is_there_is_put_again_or_taken_out(
    place: QdrantVectors, client: Any, tmp_path: Path
) -> None:
    place.put(POINTS)
    server_manifest(tmp_path / "cache", MODEL).unlink()

    assert place.scores((1.0, 0.0), [POINTS[0].blob]) == {}
    place.put(POINTS[:1])
    assert set(place.manifest().unpurged) == {POINTS[1].id, POINTS[2].id}
    assert place.settle([POINTS[0].id], ledger="c") == 2
    assert place.held() == {POINTS[0].id: POINTS[0].blob}
    assert place.manifest().unpurged == ()

    server_manifest(tmp_path / "cache", MODEL).unlink()
    assert place.settle([], ledger="d") == 1
    assert place.held() == {}


def test_a_server_that_is_gone_is_one_error_and_what_must_go_is_remembered(
    place: QdrantVectors, client: Any, tmp_path: Path
) -> None:
    place.put(POINTS)
    away = place_on(Gone(), tmp_path / "cache", store_id=f"{STORE}-{tmp_path.name}")

    for ask in (
        away.held,
        lambda: away.put(POINTS),
        lambda: away.scores((1.0, 0.0), [POINTS[0].blob]),
        lambda: away.nearest((1.0, 0.0), 1, [OPEN]),
        lambda: away.settle([POINTS[1].id], ledger="c"),
    ):
        with pytest.raises(IndexUnavailableError) as caught:
            ask()
        assert caught.value.code == "vectors.unreachable"
    assert set(place.manifest().unpurged) == {POINTS[0].id, POINTS[2].id}
    assert set(place.manifest().entries) == {POINTS[1].id}
    place.settle([POINTS[1].id], ledger="d")
    assert set(place.held()) == {POINTS[1].id}


def test_a_key_goes_over_tls_or_stays_here(tmp_path: Path) -> None:
    far = qdrant_place(tmp_path, store_id=STORE, model=MODEL, url="http://10.0.0.1:6333", key="k")
    here = [
        qdrant_place(tmp_path, store_id=STORE, model=MODEL, url=url).is_remote
        for url in ("http://localhost:6333", "http://127.0.0.1:6333", "http://[::1]:1", "http://[")
    ]

    with pytest.raises(IndexUnavailableError):
        far.held()
    assert far.is_remote
    assert here == [False, False, False, True]


# With a store ----------------------------------------------------------------------------

BACKUP = note(1, "The nightly backup of the orders runs at two")
RESTORE = note(2, "A restored backup of the orders is checked by hand")
HIDDEN = note(
    3, "The backup passphrase ceremony is on Tuesday", sensitivity=Sensitivity.CONFIDENTIAL
)


@pytest.fixture
def workspace(place: QdrantVectors, tmp_path: Path) -> Iterator[Workspace]:
    with workspace_with(tmp_path, BACKUP, RESTORE, HIDDEN, settings=SETTINGS) as found:
        embedder = HashingEmbedder()
        yield replace(found, embedder=embedder, vectors=place, home_dir=tmp_path / "home")


def ids(found: Sequence[Any]) -> list[str]:
    return [item.stored.record.id for item in found]


def test_recall_orders_by_a_server_and_by_words_when_it_is_gone(
    workspace: Workspace, place: QdrantVectors, tmp_path: Path
) -> None:
    assert refresh_vectors(workspace).embedded == 3
    asked = question("backup of the orders", BOT)
    there = search(replace(workspace, clock=SteppedClock()), asked)
    plain = search(replace(workspace, clock=SteppedClock(), embedder=None), asked)
    away = place_on(Gone(), tmp_path / "cache", store_id=f"{STORE}-{tmp_path.name}")
    gone = search(replace(workspace, clock=SteppedClock(), vectors=away), asked)

    assert there.vectors == VectorUse(model=MODEL, compared=2)
    assert all("vector" in hit.components for hit in there.hits)
    assert gone.vectors == VectorUse(model=MODEL, trouble="vectors.unreachable")
    assert [hit.components for hit in gone.hits] == [hit.components for hit in plain.hits]
    # The server is left alone for a minute.
    rested = search(replace(workspace, clock=SteppedClock(), vectors=away), asked)
    assert rested.vectors == VectorUse(model=MODEL, trouble="embedder.away")
    status = vector_status(workspace)
    assert status is not None
    assert (status.place, status.held, status.is_current) == ("server", 3, True)


def test_a_remote_server_is_given_only_what_may_leave(
    workspace: Workspace, client: Any, tmp_path: Path
) -> None:
    store_id = f"{STORE}-{tmp_path.name}"
    far = place_on(client, tmp_path / "cache", store_id=store_id, is_remote=True)
    refresh_vectors(replace(workspace, vectors=far))

    assert set(far.held()) == {record_id(1), record_id(2)}


def test_ghosts_and_stale_points_of_a_server_are_dropped_counted_and_mended(
    workspace: Workspace, place: QdrantVectors
) -> None:
    refresh_vectors(workspace)
    commit(workspace.store, note(1, "The orders are backed up at noon"), gone=(RESTORE,))
    query = Query(text="", actor=BOT, limit=5)
    found = near_records(workspace, workspace.store.snapshot(), "backup of the orders", query)
    assert (ids(found.found), found.ghosts, found.stale) == ([], 1, 1)

    refresh_vectors(workspace)
    again = near_records(workspace, workspace.store.snapshot(), "backup of the orders", query)
    assert (ids(again.found), again.ghosts, again.stale) == ([record_id(1)], 0, 0)
    assert set(place.held()) == {record_id(1), record_id(3)}


def test_what_is_withdrawn_leaves_the_server_or_is_taken_out_by_the_next_who_can(
    workspace: Workspace, place: QdrantVectors, client: Any, tmp_path: Path
) -> None:
    refresh_vectors(workspace)
    assert drop_vectors(workspace, [record_id(1)])
    assert set(place.held()) == {record_id(2), record_id(3)}

    # Another shell, without the address of the server.
    elsewhere = replace(workspace, embedder=None, vectors=None)
    assert not drop_vectors(elsewhere, [record_id(2)])
    assert drop_vectors(elsewhere, [record_id(2)])
    assert place.manifest().unpurged == (record_id(2),)
    assert set(place.manifest().entries) == {record_id(3)}

    # One that has it, and another model: what waits is taken out of every collection.
    later = QdrantVectors(
        server_manifest(tmp_path / "cache", "later"),
        store_id=f"{STORE}-{tmp_path.name}",
        model="later",
        connect=lambda: client,
        is_remote=False,
    )
    commit(workspace.store, note(9, "Another one"), gone=(BACKUP, RESTORE))
    refresh_vectors(replace(workspace, vectors=later))
    assert set(later.held()) == {record_id(3), record_id(9)}
    assert set(place.held()) == {record_id(3)}
    assert place.manifest().unpurged == ()
