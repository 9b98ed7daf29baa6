"""A kill, a full disk or a second importer at any moment: no turn is lost or kept twice."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path

import pytest

from memfs.domains.sessions import transcript_pass
from memfs.domains.sessions.metadata import session_id
from memfs.errors import MemfsError
from memfs.store.effects import Effects
from memfs.store.session_folders import SessionFolders
from memfs.store.session_repository import SessionRepository
from tests.support.conversations import HOST_ID, ClaudeTalk
from tests.support.faults import (
    FailingEffects,
    KillingEffects,
    RecordingEffects,
    run_in_child,
    start_child,
)
from tests.support.memory import AGENT, git, memory_of, new_project

SESSION = session_id("claude", HOST_ID)


@pytest.fixture
def talk(tmp_path: Path) -> ClaudeTalk:
    talk = ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl")
    first = ""
    for number in range(1, 4):
        talk.user(f"Step {number}")
        talk.tool("Bash", {"command": "make"}, "ok")
        end = talk.answer(f"Step {number} done.")
        first = first or end
    talk.user("Another way", parent=first)
    talk.answer("Went that way.")
    return talk


def repository() -> Path:
    return Path(os.environ["MEMFS_HOME"]) / "sessions" / SESSION


def imported_with(effects: Effects, project: Path, talk: ClaudeTalk) -> None:
    """Imports in this process with other effects in place of the real ones."""
    with pytest.MonkeyPatch.context() as patch, memory_of(project, AGENT) as memory:
        patch.setattr(
            transcript_pass, "SessionRepository", partial(SessionRepository, effects=effects)
        )
        memory.import_session(talk.path)


def is_whole(project: Path, talk: ClaudeTalk) -> None:
    """Imports once more and asserts that every turn is there once."""
    with memory_of(project, AGENT) as memory:
        memory.import_session(talk.path)
        assert memory.import_session(talk.path).data["turns"] == 0
        assert memory.session(SESSION).count == 2
        assert len(memory.open_session(SESSION).nodes) == 6
    folder = repository()
    assert git(folder, "log", "--format=%s", "--reverse", "main").splitlines() == [
        "Turn 1: Step 1",
        "Turn 2: Step 2",
        "Turn 3: Step 3",
    ]
    assert git(folder, "log", "-1", "--format=%s").strip() == "Turn 2: Another way"
    assert git(folder, "rev-list", "--count", "--all").strip() == "4"
    assert git(folder, "status", "--porcelain") == ""
    assert "missing" not in git(folder, "fsck", "--strict", "--no-dangling")
    assert not list((folder / ".git" / "memfs" / "tmp").iterdir())


def steps(project: Path, talk: ClaudeTalk) -> list[str]:
    recording = RecordingEffects()
    imported_with(recording, project, talk)
    return list(dict.fromkeys(recording.steps))


def test_a_kill_at_any_named_step_leaves_what_the_next_import_finishes(
    tmp_path: Path, talk: ClaudeTalk
) -> None:
    probe = new_project(tmp_path, "probe")
    named = steps(probe, talk)
    assert {"objects", "branch:main", "head", "metadata", "files"} <= set(named)
    folders = SessionFolders(Path(os.environ["MEMFS_HOME"]))
    project = new_project(tmp_path)
    for step in named:
        with folders.locked(SESSION):
            folders.remove(SESSION)
        effects = KillingEffects(step=step)
        assert run_in_child(partial(imported_with, effects, project, talk)) != 0
        is_whole(project, talk)


def test_a_kill_before_any_effect_leaves_what_the_next_import_finishes(
    tmp_path: Path, talk: ClaudeTalk
) -> None:
    project = new_project(tmp_path)
    recording = RecordingEffects()
    imported_with(recording, project, talk)
    folders = SessionFolders(Path(os.environ["MEMFS_HOME"]))
    for at in range(1, len(recording.effects) + 1, 17):
        with folders.locked(SESSION):
            folders.remove(SESSION)
        effects = KillingEffects(at=at)
        assert run_in_child(partial(imported_with, effects, project, talk)) != 0
        is_whole(project, talk)


def test_a_disk_that_is_full_at_any_effect_fails_and_keeps_what_was_kept(
    tmp_path: Path, talk: ClaudeTalk
) -> None:
    project = new_project(tmp_path)
    recording = RecordingEffects()
    imported_with(recording, project, talk)
    folders = SessionFolders(Path(os.environ["MEMFS_HOME"]))
    for at in range(2, len(recording.effects), 23):
        with folders.locked(SESSION):
            folders.remove(SESSION)
        with pytest.raises((MemfsError, OSError)):
            imported_with(FailingEffects(at, errno.ENOSPC), project, talk)
        is_whole(project, talk)


def test_two_importers_at_once_keep_every_turn_once(tmp_path: Path, talk: ClaudeTalk) -> None:
    project = new_project(tmp_path)
    children = [start_child(partial(imported_with, Effects(), project, talk)) for _ in range(3)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    is_whole(project, talk)


def test_what_a_dead_maker_left_is_swept(tmp_path: Path, talk: ClaudeTalk) -> None:
    project = new_project(tmp_path)
    root = Path(os.environ["MEMFS_HOME"]) / "sessions"
    dead = os.fork()
    if dead == 0:
        os._exit(0)
    os.waitpid(dead, 0)
    for name in (f".new-{dead}-1.{SESSION}", f".gone-{dead}-1.{SESSION}"):
        (root / name / "sub").mkdir(parents=True)
    imported_with(Effects(), project, talk)
    assert sorted(path.name for path in root.iterdir()) == [".locks", SESSION]
