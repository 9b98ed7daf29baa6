"""Sealed records: never in plain text on the disk, one key each, gone with it (A61, A100)."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.errors import StoreError
from memfs.model.authority import Sensitivity
from memfs.model.origin import Channel
from memfs.model.result import Result, ResultStatus
from memfs.services.sealing import SealBrokenError, SealedEditError, opened
from memfs.store.keys import KeyFolderError, KeyRing
from tests.support.memory import (
    AGENT,
    ANA,
    as_actor,
    git,
    memory_of,
    new_project,
    record_files,
    store_root,
    workspace_of,
)

WORDS = "the combination of the safe is marzipan-7719-ok"
TOKEN = b"marzipan-7719-ok"


def seal(project: Path, text: str = WORDS) -> Result:
    with memory_of(project) as memory:
        return memory.remember(text, kind="note", subject="safe", sensitivity="sealed")


def plain_places(*folders: Path) -> list[str]:
    """Names every file below the folders, and objects of stores, that hold the words."""
    found = [
        str(path)
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and (TOKEN in path.read_bytes() or b"marzipan" in os.fsencode(path.name))
    ]
    for folder in folders:
        if (folder / ".git").is_dir():
            every = ["git", "-C", str(folder), "cat-file", "--batch-all-objects", "--batch"]
            found += ["objects"] * (TOKEN in subprocess.run(every, capture_output=True).stdout)
    return found


def places(project: Path) -> tuple[Path, ...]:
    cache, home = (Path(os.environ[name]) for name in ("XDG_CACHE_HOME", "MEMFS_HOME"))
    return store_root(project), cache, home


def key_file(project: Path, identifier: str) -> Path:
    return next(Path(os.environ["MEMFS_HOME"]).rglob(f"{identifier}.key"))


def test_a_sealed_record_is_nowhere_in_plain_text_and_opens_for_a_person(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    result = seal(project)
    assert result.status is ResultStatus.DONE
    assert "backup" in str(result.data["preview"])
    with memory_of(project) as memory:
        assert memory.search("combination safe marzipan") == ()
        assert "marzipan" not in memory.recall("what is the combination of the safe").text
        shown = memory.show(result.target)
        assert shown.record.body == WORDS + "\n"
        assert shown.record.subject == "safe"
        memory.actor = as_actor(ANA, Channel.SCRIPTED)
        assert TOKEN.decode() not in memory.show(result.target).record.body
    assert plain_places(*places(project)) == []
    assert result.target in record_files(project)[0].name
    assert "marzipan" not in git(store_root(project), "log", "--format=%B", "main")
    key = key_file(project, result.target)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700


def test_only_a_person_seals(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, AGENT) as memory:
        refused = memory.propose(WORDS, kind="note", subject="safe", sensitivity="sealed")
    assert refused.status is ResultStatus.REFUSED
    assert [reason.code for reason in refused.reasons][:1] == ["screening.sealed-person"]
    assert plain_places(*places(project)) == []


def test_without_the_extra_nothing_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new_project(tmp_path)
    monkeypatch.setattr("memfs.services.sealing.importlib.util.find_spec", lambda name: None)
    refused = seal(project)
    assert refused.status is ResultStatus.REFUSED
    assert [reason.code for reason in refused.reasons][:1] == ["screening.sealed"]
    assert plain_places(*places(project)) == []


def test_a_sealed_proposal_waits_sealed_and_is_accepted_sealed(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        waiting = memory.propose(WORDS, kind="note", subject="safe", sensitivity="sealed")
        assert waiting.status is ResultStatus.WAITING
        assert plain_places(*places(project)) == []
        (accepted,) = memory.accept([waiting.target])
        assert accepted.status is ResultStatus.DONE
        assert memory.show(accepted.target).record.body == WORDS + "\n"
    assert plain_places(*places(project)) == []


def test_a_correction_is_sealed_again_and_no_editor_gets_the_text(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = seal(project).target
    with memory_of(project) as memory:
        result = memory.correct(target, WORDS + " since June")
        assert result.status is ResultStatus.DONE
        assert memory.show(target).record.body == WORDS + " since June\n"
        assert memory.show(f"{target}@1").record.body == WORDS + "\n"
        with pytest.raises(SealedEditError):
            memory.edit(target, lambda content, suffix: content)
    assert plain_places(*places(project)) == []


def test_erasing_destroys_the_key_and_no_clone_can_be_read(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = seal(project).target
    clone = tmp_path / "clone"
    shutil.copytree(store_root(project), clone)
    with memory_of(project) as memory:
        result = memory.erase([target])
    assert result.status is ResultStatus.DONE
    assert not list(Path(os.environ["MEMFS_HOME"]).rglob("*.key"))
    assert plain_places(*places(project), clone) == []
    assert any("key destroyed" in str(line) for line in result.data["preview"])  # type: ignore[union-attr]


def test_forgetting_keeps_the_key(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = seal(project).target
    with memory_of(project) as memory:
        assert memory.forget([target]).status is ResultStatus.DONE
    assert key_file(project, target).is_file()


def test_a_missing_key_is_named_by_the_doctor_and_refused_on_opening(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = seal(project).target
    key_file(project, target).unlink()
    with memory_of(project) as memory:
        assert "seal.key-missing" in [problem.code for problem in memory.doctor()]
        with pytest.raises(SealBrokenError):
            memory.show(target)


def test_a_sealed_text_is_of_its_record_and_version_alone(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    first, second = seal(project).target, seal(project, WORDS + " too").target
    with memory_of(project) as memory:
        memory.actor = as_actor(ANA, Channel.SCRIPTED)
        one, two = (memory.show(name).record for name in (first, second))
        assert one.sensitivity is Sensitivity.SEALED
    with workspace_of(project) as workspace:
        assert opened(workspace, one).body == WORDS + "\n"
        for forged in (replace(two, body=one.body), replace(one, version=2)):
            with pytest.raises(SealBrokenError) as raised:
                opened(workspace, forged)
            assert TOKEN.decode() not in str(raised.value)


def test_a_key_folder_follows_no_link_and_takes_no_other_name(tmp_path: Path) -> None:
    identifier = "mem_01kb8x3v7a0000000000000000"
    store = "store_01kb8x3v7a0000000000000000"
    ring = KeyRing(tmp_path / "home", store)
    ring.write(identifier, "AGE-SECRET-KEY-1")
    assert ring.read(identifier) == "AGE-SECRET-KEY-1"
    assert ring.identifiers() == (identifier,)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(tmp_path / "home" / "keys" / store)
    (tmp_path / "home" / "keys" / store).symlink_to(elsewhere)
    with pytest.raises(KeyFolderError):
        ring.write(identifier, "AGE-SECRET-KEY-1")
    assert ring.read(identifier) == ""
    assert not list(elsewhere.iterdir())
    for name in ("../x", "mem_", "", "mem_01kb8x3v7a000000000000000/"):
        with pytest.raises(StoreError):
            ring.write(name, "AGE-SECRET-KEY-1")
    with pytest.raises(KeyFolderError):
        KeyRing(Path("relative"), store)
