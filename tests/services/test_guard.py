"""What was forgotten stays forgotten in a restored backup, an old clone and a merged branch."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memfs.errors import StoreError
from memfs.model.result import ResultStatus
from memfs.services import guard_retracted
from memfs.services.guard import FOLDER
from memfs.services.restore import ForgottenError
from tests.support.memory import AGENT, git, memory_of, new_project, record_files, store_root
from tests.support.review import NO_HOOKS, is_clean, said, tree_of
from tests.support.withdrawal import derive, exposures, status_of

ROOT = "The staging host is kestrel"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember("CI needs Node 20", kind="note")
        root = memory.remember(ROOT, kind="note").target
        derive(memory, "Staging is a bird", root)
    return made


def root_of(project: Path) -> str:
    with memory_of(project) as memory:
        return next(
            item.record.id for item in memory.list_records() if item.record.body == f"{ROOT}\n"
        )


def backup(project: Path, place: Path) -> None:
    shutil.copytree(store_root(project), place, symlinks=True)


def put_back(project: Path, place: Path) -> None:
    shutil.rmtree(store_root(project))
    shutil.copytree(place, store_root(project), symlinks=True)


def test_a_restored_backup_is_brought_up_before_it_serves(project: Path, tmp_path: Path) -> None:
    root = root_of(project)
    backup(project, tmp_path / "backup")
    with memory_of(project) as memory:
        memory.forget([root])
    put_back(project, tmp_path / "backup")
    # An agent's question is the first thing that the restored store hears.
    with memory_of(project, AGENT) as memory:
        assert "kestrel" not in memory.recall("staging host").text
    assert exposures(project, root, "kestrel") == []
    assert said(project) == ["CI needs Node 20"]
    assert tree_of(project, "tombstones") == [f"tombstones/{root[-2:]}/{root}.json"]
    assert is_clean(project)


def test_an_old_clone_in_another_place_is_brought_up_as_well(project: Path, tmp_path: Path) -> None:
    root = root_of(project)
    other = new_project(tmp_path, "elsewhere")
    backup(project, tmp_path / "backup")
    with memory_of(project) as memory:
        memory.forget([root])
    put_back(other, tmp_path / "backup")
    assert said(other) == ["CI needs Node 20"]
    assert said(project) == ["CI needs Node 20"]


def test_a_store_that_cannot_be_brought_up_serves_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = root_of(project)
    backup(project, tmp_path / "backup")
    with memory_of(project) as memory:
        memory.forget([root])
    put_back(project, tmp_path / "backup")

    def refuse(*_: object) -> None:
        raise StoreError("the file system may not be written", code="store.write-failed")

    monkeypatch.setattr("memfs.services.door.commit_decided", refuse)
    with pytest.raises(StoreError) as caught, memory_of(project):
        pass
    assert caught.value.code == "store.behind-guard"


def test_a_damaged_or_missing_guard_is_made_anew_from_the_store(
    project: Path, tmp_path: Path
) -> None:
    root = root_of(project)
    backup(project, tmp_path / "backup")
    with memory_of(project) as memory:
        memory.forget([root])
        guard = memory.workspace.home_dir / FOLDER
        store_id = memory.workspace.store_id
    (guard / f"{store_id}.json").write_text("{")
    assert said(project) == ["CI needs Node 20"]
    shutil.rmtree(guard)
    assert said(project) == ["CI needs Node 20"]
    put_back(project, tmp_path / "backup")
    assert said(project) == ["CI needs Node 20"]


def test_a_reverted_forget_brings_nothing_back(project: Path) -> None:
    root = root_of(project)
    with memory_of(project) as memory:
        memory.forget([root])
    store = store_root(project)
    commit = git(store, "log", "--format=%H", "--grep", "^forget:").split()[0]
    git(store, *NO_HOOKS, "revert", "--no-edit", commit)
    assert exposures(project, root, "kestrel") == []
    assert said(project) == ["CI needs Node 20"]
    assert not any("kestrel" in path.read_text() for path in record_files(project))
    assert len(tree_of(project, "tombstones")) == 1


def test_a_merged_branch_that_still_has_the_record_does_not_bring_it_back(project: Path) -> None:
    root = root_of(project)
    store = store_root(project)
    file = next(path for path in record_files(project) if "kestrel" in path.name)
    git(store, "branch", "old")
    with memory_of(project) as memory:
        memory.forget([root])
    git(store, *NO_HOOKS, "switch", "-q", "old")
    file.write_text(file.read_text() + "and it is fast\n")
    git(store, *NO_HOOKS, "commit", "-qam", "more of it")
    git(store, *NO_HOOKS, "switch", "-q", "main")
    # As a person resolves the conflict that Git reports: with their version of the file.
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(git(store, "show", f"old:{file.relative_to(store)}"))
    git(store, "add", "-A", "records")
    git(store, *NO_HOOKS, "commit", "-qm", "merge old")
    assert said(project) == ["CI needs Node 20"]
    assert not file.exists()
    with memory_of(project) as memory:
        assert memory.candidates() == ()


def test_a_tombstone_that_arrives_stops_the_record_at_once(project: Path, tmp_path: Path) -> None:
    root = root_of(project)
    other = tmp_path / "clone"
    backup(project, other)
    with memory_of(project) as memory:
        memory.forget([root])
        guard = memory.workspace.home_dir / FOLDER
    tombstone = f"tombstones/{root[-2:]}/{root}.json"
    text = (store_root(project) / tombstone).read_text()
    put_back(project, other)
    shutil.rmtree(guard)
    assert "kestrel" in " ".join(said(project))
    store = store_root(project)
    (store / tombstone).parent.mkdir(parents=True, exist_ok=True)
    (store / tombstone).write_text(text)
    git(store, "add", "-A")
    git(store, *NO_HOOKS, "commit", "-qm", "pulled from elsewhere")
    with memory_of(project) as memory:
        memory.reconcile()
    assert tree_of(project, "tombstones") == [tombstone]
    assert exposures(project, root, "kestrel") == []


def test_what_was_forgotten_is_not_restored(project: Path) -> None:
    root = root_of(project)
    with memory_of(project) as memory:
        memory.forget([root])
        with pytest.raises(ForgottenError):
            memory.restore(root)
        again = memory.remember(ROOT, kind="note")
    assert again.status is ResultStatus.REFUSED


def test_a_tombstone_that_a_commit_deletes_is_put_back(project: Path) -> None:
    root = root_of(project)
    with memory_of(project) as memory:
        memory.forget([root])
    (path,) = tree_of(project, "tombstones")
    store = store_root(project)
    git(store, "rm", "-q", path)
    git(store, *NO_HOOKS, "commit", "-qm", "no tombstone")
    with memory_of(project) as memory:
        memory.reconcile()
        assert status_of(memory, root) == "gone"
    assert tree_of(project, "tombstones") == [path]


# What was retracted ------------------------------------------------------------------------


def retracted(project: Path, place: Path) -> str:
    """Takes a record back after a backup was made, and puts the backup back."""
    root = root_of(project)
    backup(project, place)
    with memory_of(project) as memory:
        memory.retract(root)
    put_back(project, place)
    return root


def test_a_backup_of_before_a_retraction_does_not_serve_what_was_retracted(
    project: Path, tmp_path: Path
) -> None:
    root = retracted(project, tmp_path / "backup")
    with memory_of(project, AGENT) as memory:
        assert "kestrel" not in memory.recall("staging host").text
        assert "bird" not in memory.recall("what is staging").text
        assert status_of(memory, root) == "retracted"
    assert said(project) == ["CI needs Node 20"]
    assert is_clean(project)
    with memory_of(project) as memory:
        assert memory.audit().is_sound


def test_what_was_restored_since_is_left_alone_in_an_older_copy(
    project: Path, tmp_path: Path
) -> None:
    root = root_of(project)
    with memory_of(project) as memory:
        memory.retract(root)
        assert memory.restore(root).status is ResultStatus.DONE
    backup(project, tmp_path / "backup")
    with memory_of(project) as memory:
        memory.remember("One more", kind="note")
    put_back(project, tmp_path / "backup")
    assert ROOT in said(project)
    with memory_of(project) as memory:
        memory.retract(root)
    put_back(project, tmp_path / "backup")
    assert ROOT not in said(project)
    with memory_of(project) as memory:
        assert memory.restore(root).status is ResultStatus.DONE
    assert ROOT in said(project)


def test_a_store_that_only_went_on_is_not_looked_through_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = root_of(project)
    with memory_of(project) as memory:
        memory.retract(root)
        memory.remember("One more", kind="note")

    def refuse(*_: object) -> None:
        raise AssertionError("the records were looked through")

    monkeypatch.setattr(guard_retracted, "_retracted_ids", refuse)
    assert said(project) == ["CI needs Node 20", "One more"]


def test_nothing_is_served_where_a_retraction_cannot_be_carried_out_again(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("the file system may not be written", code="store.write-failed")

    retracted(project, tmp_path / "backup")
    monkeypatch.setattr("memfs.services.door.commit_decided", refuse)
    with pytest.raises(StoreError) as caught, memory_of(project):
        pass
    assert caught.value.code == "store.behind-guard"


def test_the_list_of_what_was_retracted_holds_ids_alone_and_survives_damage(
    project: Path, tmp_path: Path
) -> None:
    root = root_of(project)
    backup(project, tmp_path / "backup")
    with memory_of(project) as memory:
        memory.retract(root)
        folder = memory.workspace.home_dir / FOLDER
        store_id = memory.workspace.store_id
    listed = folder / f"{store_id}.retracted.jsonl"
    assert listed.read_text() == f'{{"id": "{root}", "state": "retracted"}}\n'
    listed.write_text(f"{{torn\n{listed.read_text()}[1]\n")
    (folder / f"{store_id}.heads.json").write_text("{")
    put_back(project, tmp_path / "backup")
    assert said(project) == ["CI needs Node 20"]


def test_a_held_record_that_was_retracted_is_withheld_and_the_text_is_kept(
    project: Path, tmp_path: Path
) -> None:
    root = retracted(project, tmp_path / "backup")
    shutil.rmtree(store_root(project))
    shutil.copytree(tmp_path / "backup", store_root(project), symlinks=True)
    store = store_root(project)
    file = next(path for path in record_files(project) if "kestrel" in path.name)
    file.write_text(file.read_text() + "and it is fast\n")
    git(store, *NO_HOOKS, "commit", "-qam", "by hand")
    assert exposures(project, root, "kestrel") == []
    assert said(project) == ["CI needs Node 20"]
    assert "and it is fast" in file.read_text()
