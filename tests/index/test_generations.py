from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import IndexUnavailableError
from memfs.index import whoosh_writer
from memfs.index.analysis import Analyzer
from memfs.index.batch import Batch
from memfs.index.documents import Document, document_from
from memfs.index.generations import Generations
from memfs.index.manifest import MANIFEST_NAME
from memfs.index.port import FieldWeights
from memfs.index.whoosh_index import WhooshIndex
from tests.support.faults import run_in_child, start_child
from tests.support.recall_stores import ask, note, path_of, stored


def generations_in(folder: Path, *, store_id: str = "s", settings: str = "x") -> Generations:
    return Generations(folder, store_id=store_id, settings=settings, analyzer=Analyzer())


def document(number: int, body: str) -> Document:
    return document_from(stored(note(number, body)), Analyzer(), FieldWeights())


def build(folder: Path, *bodies: str) -> WhooshIndex:
    generations = generations_in(folder)
    with generations.locked(1.0) as is_ours:
        assert is_ours
        return generations.rebuild(
            Batch(document(number, body) for number, body in enumerate(bodies)), "c1"
        )


def change(folder: Path, number: int, body: str, ledger: str) -> WhooshIndex:
    generations = generations_in(folder)
    with generations.locked(1.0):
        return generations.change(
            generations.open(),
            removed=[path_of(note(number, body))],
            added=[document(number, body)],
            ledger=ledger,
        )


def code_of_opening(generations: Generations) -> str:
    with pytest.raises(IndexUnavailableError) as caught:
        generations.open()
    return caught.value.code


def test_there_is_no_index_at_first(tmp_path: Path) -> None:
    assert code_of_opening(generations_in(tmp_path / "index")) == "index.missing"


def test_everything_written_is_for_the_owner_alone(tmp_path: Path) -> None:
    build(tmp_path / "index", "alpha")
    change(tmp_path / "index", 1, "beta", "c2")

    for path in [tmp_path / "index", *(tmp_path / "index").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_reader_keeps_its_picture_while_others_change_and_rebuild(tmp_path: Path) -> None:
    reader = build(tmp_path / "index", "alpha one", "alpha two")
    change(tmp_path / "index", 0, "beta", "c2")
    build(tmp_path / "index", "gamma")

    assert reader.ledger == "c1"
    assert len(ask(reader, "alpha")) == 2
    assert ask(generations_in(tmp_path / "index").open(), "alpha") == []


def test_readers_never_need_the_lock_of_a_writer(tmp_path: Path) -> None:
    build(tmp_path / "index", "alpha")
    generations = generations_in(tmp_path / "index")

    with generations.locked(1.0):
        assert len(ask(generations_in(tmp_path / "index").open(), "alpha")) == 1


def test_a_second_writer_is_told_that_it_has_to_wait(tmp_path: Path) -> None:
    with (
        generations_in(tmp_path / "index").locked(1.0) as first,
        generations_in(tmp_path / "index").locked(0.0) as second,
    ):
        assert (first, second) == (True, False)


def test_the_lock_of_a_dead_writer_is_free(tmp_path: Path) -> None:
    def die_holding_it() -> None:
        with generations_in(tmp_path / "index").locked(1.0):
            os._exit(9)

    assert run_in_child(die_holding_it) == 9

    with generations_in(tmp_path / "index").locked(0.0) as is_ours:
        assert is_ours


@pytest.mark.parametrize("step", ["_commit_toc", "commit", "_write_field"])
def test_a_rebuild_that_dies_leaves_the_old_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    folder = tmp_path / "index"
    build(folder, "alpha")

    def die(*_: object, **__: object) -> None:
        os._exit(9)

    def rebuild() -> None:
        owner = whoosh_writer if step == "_write_field" else whoosh_writer._Writer
        monkeypatch.setattr(owner, step, die)
        build(folder, "beta")

    assert run_in_child(rebuild) == 9

    assert len(ask(generations_in(folder).open(), "alpha")) == 1
    build(folder, "gamma")
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 1


@pytest.mark.parametrize("step", ["write_manifest", "clean_files", "replace_file"])
def test_a_change_that_dies_leaves_an_answer_or_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    folder = tmp_path / "index"
    build(folder, "alpha", "beta")

    def die(*_: object, **__: object) -> None:
        os._exit(9)

    def apply() -> None:
        monkeypatch.setattr(whoosh_writer, step, die)
        change(folder, 0, "gamma", "c2")

    assert run_in_child(apply) == 9

    index = generations_in(folder).open()
    newer = index.ledger == "c2"
    assert len(ask(index, "gamma")) == (1 if newer else 0)
    assert len(ask(index, "alpha")) == (0 if newer else 1)
    if step == "write_manifest":
        # Whoosh has moved on and the manifest has not: the next writer must not add twice.
        with pytest.raises(IndexUnavailableError) as caught:
            change(folder, 0, "gamma", "c2")
        assert caught.value.code == "index.unfinished"
    else:
        assert len(ask(change(folder, 0, "gamma", "c3"), "gamma")) == 1


def test_many_small_changes_keep_few_segments(tmp_path: Path) -> None:
    index = build(tmp_path / "index", *(f"alpha {n}" for n in range(30)))

    for number in range(60):
        index = change(tmp_path / "index", number % 30, f"beta {number}", f"c{number}")

    assert len(index.manifest.segments) <= 8
    assert index.size == 30
    assert sorted(path for path, _ in index.contents()) == sorted(
        path_of(note(n, "-")) for n in range(30)
    )


def _truncate(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)


def _scramble(path: Path) -> None:
    path.write_bytes(b"\xff" * path.stat().st_size)


def _remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [_truncate, _scramble, _remove])
@pytest.mark.parametrize("pattern", ["current", MANIFEST_NAME, "*.docs", "*.trm", "*.pst"])
def test_damage_is_found_when_opening_or_searching(
    tmp_path: Path, damage: Callable[[Path], None], pattern: str
) -> None:
    folder = tmp_path / "index"
    build(folder, "alpha beta", "beta gamma")
    (found,) = folder.rglob(pattern)
    damage(found)

    with pytest.raises(IndexUnavailableError):
        ask(generations_in(folder).open(), "beta")

    build(folder, "alpha beta", "beta gamma")
    assert len(ask(generations_in(folder).open(), "beta")) == 2


def test_an_index_of_another_store_or_settings_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, "alpha")

    assert code_of_opening(generations_in(folder, store_id="t")) == "index.other-store"
    assert code_of_opening(generations_in(folder, settings="y")) == "index.other-schema"


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_folder_that_others_may_write_to_is_foreign(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "index"
    build(folder, "alpha")
    folder.chmod(mode)

    assert code_of_opening(generations_in(folder)) == "index.foreign"
    with pytest.raises(IndexUnavailableError), generations_in(folder).locked(0.0):
        pass


def test_a_link_in_place_of_the_folder_is_foreign(tmp_path: Path) -> None:
    build(tmp_path / "elsewhere", "alpha")
    (tmp_path / "index").symlink_to(tmp_path / "elsewhere")

    assert code_of_opening(generations_in(tmp_path / "index")) == "index.foreign"


@pytest.mark.parametrize("name", ["../elsewhere", "gen-0/../../x", "", "gen-XYZ", "/etc"])
def test_the_pointer_never_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "index"
    build(folder, "alpha")
    shutil.copytree(folder, tmp_path / "elsewhere")
    (folder / "current").write_text(name)

    assert code_of_opening(generations_in(folder)) == "index.damaged"


def test_leftovers_are_swept_by_the_next_rebuild(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, "alpha")
    (folder / "gen-0123456789abcdef").mkdir()

    build(folder, "beta")

    assert len([path for path in folder.iterdir() if path.is_dir()]) == 1


def test_readers_beside_a_busy_writer_always_get_an_answer(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, *(f"alpha {n}" for n in range(20)))

    def write() -> None:
        for number in range(60):
            change(folder, number % 20, f"alpha zeta {number}", f"c{number}")

    child = start_child(write)
    answers = 0
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        assert len(ask(generations_in(folder).open(), "alpha")) == 20
        answers += 1

    assert answers > 0
    assert len(ask(generations_in(folder).open(), "zeta")) == 20
