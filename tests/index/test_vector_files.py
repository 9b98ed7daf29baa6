"""Vectors in files: what lies there, what two writers and a killed one leave, what is refused."""

from __future__ import annotations

import json
import math
import os
import random
from pathlib import Path
from threading import Barrier, Thread

import pytest

from memfs.errors import IndexUnavailableError
from memfs.index import cosine as cosine_module
from memfs.index import vector_files
from memfs.index.cosine import cosine, many_cosines, unit
from memfs.index.vector_files import MANIFEST_FILE, VECTORS_FILE, FileVectors, places_below
from memfs.index.vector_lines import decode_line, encode_line, padded, vector_of, width_of
from memfs.index.vector_port import VectorManifest, VectorPoint, domain_of, place_name

MODEL = "some/model:1"
OPEN = domain_of("open")


def point(number: int, *parts: float, blob: str = "", domain: str = OPEN) -> VectorPoint:
    name = f"mem_{number:026d}"
    return VectorPoint(
        id=name, blob=blob or f"{number:040x}", domain=domain, vector=unit(parts or (1.0, 0.0))
    )


def random_points(count: int, dimension: int, seed: int = 1) -> list[VectorPoint]:
    rng = random.Random(seed)
    return [point(n, *(rng.uniform(-1, 1) for _ in range(dimension))) for n in range(count)]


@pytest.fixture
def place(tmp_path: Path) -> FileVectors:
    return FileVectors(tmp_path / "vectors" / place_name(MODEL), MODEL)


def held(place: FileVectors) -> dict[str, str]:
    return dict(place.held())


def lines(place: FileVectors) -> list[dict[str, str]]:
    return [json.loads(line) for line in (place.folder / VECTORS_FILE).read_bytes().splitlines()]


def test_a_place_that_nobody_wrote_to_holds_nothing(place: FileVectors) -> None:
    assert place.manifest() == VectorManifest(model=MODEL)
    assert held(place) == {}
    assert place.scores((1.0, 0.0), ["0" * 40]) == {}
    assert place.nearest((1.0, 0.0), 3, [OPEN]) == ()
    assert not place.folder.exists()


def test_what_is_put_comes_back_and_a_changed_record_has_one_point(place: FileVectors) -> None:
    place.put([point(1, 1.0, 0.0), point(2, 0.0, 1.0)])
    place.put([point(1, 0.6, 0.8, blob="f" * 40)])

    assert held(place) == {point(1).id: "f" * 40, point(2).id: point(2).blob}
    assert place.scores((1.0, 0.0), [point(1).blob, "f" * 40]) == {
        "f" * 40: pytest.approx(0.6, abs=1e-6)
    }
    assert place.settle(held(place), ledger="c1") == 0
    assert [line["id"] for line in lines(place)] == [point(2).id, point(1).id]
    assert (place.manifest().ledger, place.manifest().dimension) == ("c1", 2)


def test_what_is_not_kept_leaves_no_line_and_no_name(place: FileVectors) -> None:
    place.put([point(1), point(2), point(3)])

    assert place.settle([point(2).id, "mem_unknown"], ledger="c1", stale=["mem_b", "mem_a"]) == 2
    assert [line["id"] for line in lines(place)] == [point(2).id]
    text = (place.folder / MANIFEST_FILE).read_text()
    assert point(1).id not in text
    assert place.manifest().stale == ("mem_a", "mem_b")
    assert place.settle([], ledger="c2") == 1
    assert (place.folder / VECTORS_FILE).read_bytes() == b""
    assert place.manifest() == VectorManifest(model=MODEL, ledger="c2")
    place.put([point(4, 1.0, 0.0, 0.0)])
    assert held(place) == {point(4).id: point(4).blob}


def test_vectors_of_another_length_stand_alone(place: FileVectors) -> None:
    place.put([point(1, 1.0, 0.0)])
    place.put([point(2, 1.0, 0.0, 0.0)])

    assert held(place) == {point(2).id: point(2).blob}
    assert place.scores((1.0, 0.0), [point(2).blob]) == {}
    assert place.manifest().dimension == 3


def test_a_longer_id_widens_every_line(place: FileVectors) -> None:
    place.put([point(1)])
    long = VectorPoint(id="x" * 90, blob="b" * 64, domain=OPEN, vector=unit((0.0, 1.0)))
    place.put([long])

    assert held(place) == {point(1).id: point(1).blob, long.id: long.blob}
    sizes = {len(line) for line in (place.folder / VECTORS_FILE).read_bytes().splitlines()}
    assert len(sizes) == 1


def test_the_nearest_are_of_the_domains_that_were_asked_for(place: FileVectors) -> None:
    other = domain_of("closed")
    place.put(
        [point(1, 1.0, 0.0), point(2, 1.0, 0.1, domain=other), point(3, 0.0, 1.0), point(4, 1.0, 0)]
    )

    found = place.nearest((1.0, 0.0), 3, [OPEN])
    assert [(hit.id, round(hit.score, 4)) for hit in found] == [
        (point(1).id, 1.0),
        (point(4).id, 1.0),
        (point(3).id, 0.0),
    ]
    assert [hit.id for hit in place.nearest((1.0, 0.0), 9, [other])] == [point(2).id]
    assert place.nearest((1.0, 0.0), 9, []) == ()
    assert place.nearest((1.0, 0.0), 0, [OPEN]) == ()


def test_plain_python_and_numpy_find_the_same(
    place: FileVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy", reason="memfs-ledger[vectors] is not there")
    points = random_points(600, 7)
    place.put(points)
    vector = [0.3, -0.2, 0.9, 0.1, 0.0, -0.5, 0.4]
    by_numpy = place.nearest(vector, 20, [OPEN])
    monkeypatch.setattr(cosine_module, "WORTH_NUMPY", 10_000)
    by_hand = place.nearest(vector, 20, [OPEN])

    assert [hit.id for hit in by_numpy] == [hit.id for hit in by_hand]
    assert by_numpy == by_hand
    expected = sorted(points, key=lambda it: (-cosine(unit(vector), it.vector), it.id))[:20]
    assert [hit.id for hit in by_hand] == [it.id for it in expected]


def test_lines_that_are_none_are_left_to_a_look_at_each(place: FileVectors) -> None:
    pytest.importorskip("numpy", reason="memfs-ledger[vectors] is not there")
    content = padded(b"nonsense", 64) * 600

    assert many_cosines(content, 64, unit((1.0, 0.0)), 2) is None
    assert many_cosines(b"", 64, unit((1.0, 0.0)), 2) is None


@pytest.mark.parametrize("dimension", [1, 2, 3, 64, 256, 384])
def test_a_line_gives_its_point_back(dimension: int) -> None:
    before = point(7, *random.Random(dimension).choices((-0.5, 0.25, 1.0), k=dimension))
    line = padded(encode_line(before, MODEL), width_of([encode_line(before, MODEL)]))
    after = decode_line(line, MODEL, dimension)

    assert after is not None
    assert (after.id, after.blob, after.domain) == (before.id, before.blob, before.domain)
    assert list(after.vector) == list(before.vector)
    assert decode_line(line, "another", dimension) is None
    assert decode_line(line, MODEL, dimension + 1) is None
    near = vector_of(line, before.id, before.blob, dimension)
    assert near is not None
    assert list(near) == list(before.vector)
    assert vector_of(line, point(8).id, before.blob, dimension) is None
    assert vector_of(line, before.id, "0" * 40, dimension) is None


def test_a_vector_without_a_direction_is_near_to_nothing() -> None:
    for parts in ((0.0, 0.0), (math.nan, 1.0), (math.inf, 1.0)):
        assert list(unit(parts)) == [0.0, 0.0]
    assert cosine((1.0,), (1.0, 0.0)) == 0.0
    assert math.isnan(cosine((math.nan, 0.0), (1.0, 0.0)))


# Trouble ---------------------------------------------------------------------------------


def test_a_writer_that_was_killed_between_lines_and_manifest_leaves_what_was_there(
    place: FileVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put([point(1), point(2)])

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(vector_files, "encode_table", dies)
        with pytest.raises(KeyboardInterrupt):
            place.put([point(3)])
        with pytest.raises(KeyboardInterrupt):
            place.settle([point(1).id], ledger="c1")

    # The lines of the second try are newer than the manifest: what it names wrongly is no point.
    assert set(held(place)) <= {point(1).id, point(2).id}
    place.put([point(3), point(2)])
    place.settle([point(n).id for n in (1, 2, 3)], ledger="c1")
    assert set(held(place)) >= {point(2).id, point(3).id}
    assert all(line["id"] in held(place) for line in lines(place))


def test_a_tail_of_a_killed_writer_is_overwritten(place: FileVectors) -> None:
    place.put([point(1)])
    with (place.folder / VECTORS_FILE).open("ab") as out:
        out.write(b'{"vector":"torn')
    place.put([point(2)])

    assert set(held(place)) == {point(1).id, point(2).id}
    assert len(lines(place)) == 2


def test_a_file_that_was_cut_holds_nothing(place: FileVectors) -> None:
    place.put([point(1), point(2)])
    os.truncate(place.folder / VECTORS_FILE, 10)

    assert place.manifest().entries == {}
    assert place.nearest((1.0, 0.0), 2, [OPEN]) == ()
    place.put([point(1)])
    assert set(held(place)) == {point(1).id}


def test_writers_at_once_lose_nothing(place: FileVectors) -> None:
    start, troubles = Barrier(4), []

    def write(base: int) -> None:
        start.wait()
        try:
            for number in range(base, base + 5):
                FileVectors(place.folder, MODEL).put([point(number)])
        except IndexUnavailableError as error:
            troubles.append(error.code)

    workers = [Thread(target=write, args=(base,)) for base in (10, 20, 30, 40)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert troubles == []
    assert len(held(place)) == 20
    assert len(lines(place)) == 20


def test_who_holds_the_folder_is_waited_for_and_then_left(
    place: FileVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_files, "_WAIT_S", 0.0)
    place.put([point(1)])
    with place._writing(), pytest.raises(IndexUnavailableError) as caught:
        FileVectors(place.folder, MODEL).put([point(2)])

    assert caught.value.code == "vectors.busy"
    assert set(held(place)) == {point(1).id}


def test_a_folder_that_others_may_write_to_is_not_opened(place: FileVectors) -> None:
    place.put([point(1)])
    place.folder.chmod(0o777)
    try:
        for ask in (place.manifest, lambda: place.put([point(2)])):
            with pytest.raises(IndexUnavailableError) as caught:
                ask()
            assert caught.value.code == "vectors.foreign"
    finally:
        place.folder.chmod(0o700)


def test_a_link_in_the_place_of_the_file_is_followed_by_nobody(
    place: FileVectors, tmp_path: Path
) -> None:
    place.put([point(1)])
    outside = tmp_path / "outside"
    outside.write_bytes((place.folder / VECTORS_FILE).read_bytes())
    (place.folder / VECTORS_FILE).unlink()
    (place.folder / VECTORS_FILE).symlink_to(outside)
    before = outside.read_bytes()

    assert place.nearest((1.0, 0.0), 1, [OPEN]) == ()
    place.put([point(2)])
    assert outside.read_bytes() == before
    assert not (place.folder / VECTORS_FILE).is_symlink()


def test_places_are_named_readably_and_never_alike(tmp_path: Path) -> None:
    names = ["a/b", "a:b", "a b", "A/B", "", "../..", "ß" * 300]

    assert place_name("wordllama:x@1").startswith("wordllama-x-1-")
    assert len({place_name(name) for name in names}) == len(names)
    assert all("/" not in place_name(name) and "." not in place_name(name) for name in names)


def test_every_place_below_a_folder_is_found_and_a_broken_one_emptied(tmp_path: Path) -> None:
    for model in ("one", "two"):
        FileVectors(tmp_path / place_name(model), model).put([point(1)])
    broken = tmp_path / place_name("two")
    (broken / MANIFEST_FILE).write_text("{")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(broken)

    assert [place.manifest().model for place in places_below(tmp_path)] == ["one"]
    assert not (broken / VECTORS_FILE).exists()
    assert list(places_below(tmp_path / "nowhere")) == []
