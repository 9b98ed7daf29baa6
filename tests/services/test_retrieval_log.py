"""The retrieval log says what was considered and packed, and no word of it (A40, A86)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memfs.services import retrieval_log
from memfs.services.retrieval_log import (
    EARLIER_FILE,
    KEY_FILE,
    LOG_FILE,
    LOG_FOLDER,
    LoggedRecall,
    purge_log,
    read_log,
)
from tests.support.memory import AGENT, memory_of, new_project, replaced_settings, workspace_of

CLAIM = "FastAPI for every Python backend, never Flask"
OTHER = "Python backends are deployed on Tuesdays"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        for text in (CLAIM, OTHER):
            memory.remember(text, kind="preference", tags=("tag-of-mine",))
    return project


def entries(project: Path) -> list[LoggedRecall]:
    with workspace_of(project) as workspace:
        return list(read_log(workspace))


def folder_of(project: Path) -> Path:
    with workspace_of(project) as workspace:
        return workspace.cache_dir / LOG_FOLDER


def test_an_answer_is_logged_with_what_was_considered_and_what_was_packed(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        packet = memory.recall("which Python backend", limit=1, budget=900)
    (entry,) = entries(project)
    (card,) = packet.cards
    assert (entry.verb, entry.actor, entry.state) == ("recall", "agent:builder (agent)", "ok")
    assert (entry.budget, entry.tokens) == (900, packet.tokens)
    assert entry.ledger == packet.ledger
    (item,) = entry.items
    assert (item.reference, item.is_packed, item.tokens) == (
        card.hit.stored.record.reference,
        True,
        card.tokens,
    )
    assert item.parts == {name: round(part, 4) for name, part in card.hit.components.items()}
    assert [code for _, code in entry.left_out] == ["recall.limit"]
    assert entry.filters == {"limit": 1, "sink": "agent", "branch": True}


def test_what_did_not_fit_is_logged_as_considered_and_not_packed(project: Path) -> None:
    with memory_of(project) as memory:
        assert memory.recall("which Python backend", budget=1).cards == ()
    (entry,) = entries(project)
    assert [item.is_packed for item in entry.items] == [False, False]
    assert {code for _, code in entry.left_out} == {"packet.budget"}


def test_the_log_holds_no_word_of_a_question_or_a_record(project: Path) -> None:
    with memory_of(project) as memory:
        memory.recall("which Python backend", tags=("tag-of-mine",), purpose="audit of ours")
        memory.search("who deploys Python", subject="own-subject", scopes=("agent:builder",))
        memory.recall("which Python backend")
    content = b"".join(path.read_bytes() for path in folder_of(project).glob("*.jsonl"))
    for word in (b"Python", b"python", b"FastAPI", b"tag-of-mine", b"audit", b"own-", b"fastapi"):
        assert word not in content
    newest, _, oldest = entries(project)
    assert newest.question == oldest.question != entries(project)[1].question


def test_the_digest_of_a_question_is_keyed_by_a_secret_of_the_folder(project: Path) -> None:
    with memory_of(project) as memory:
        memory.recall("which Python backend")
    first = entries(project)[0].question
    with workspace_of(project) as workspace:
        assert purge_log(workspace) == 3
    with memory_of(project) as memory:
        memory.recall("which Python backend")
    (again,) = entries(project)
    assert again.question != first


def test_the_log_is_its_owners_alone(project: Path) -> None:
    with memory_of(project) as memory:
        memory.recall("which Python backend")
    folder = folder_of(project)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in (LOG_FILE, KEY_FILE):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_the_log_is_bounded(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval_log, "MOST_BYTES", 2_000)
    with memory_of(project) as memory:
        for number in range(30):
            memory.recall(f"which Python backend {number}")
    folder = folder_of(project)
    sizes = [path.stat().st_size for path in folder.glob("*.jsonl")]
    assert sum(sizes) < 2 * 3_000
    assert 2 <= len(entries(project)) < 30


@pytest.mark.parametrize("trouble", ["link", "folder", "file for a folder", "read-only"])
def test_a_log_that_cannot_be_written_fails_no_answer(
    project: Path, tmp_path: Path, trouble: str
) -> None:
    with memory_of(project) as memory:
        memory.recall("warm")
    folder = folder_of(project)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (folder / LOG_FILE).unlink()
    match trouble:
        case "link":
            (folder / LOG_FILE).symlink_to(victim)
        case "folder":
            (folder / LOG_FILE).mkdir()
        case "file for a folder":
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
            folder.write_text("")
        case "read-only":
            folder.chmod(0o500)
    with memory_of(project) as memory:
        assert memory.recall("which Python backend").cards
    folder.chmod(0o700)
    assert victim.read_text() == "mine"


def test_damaged_lines_are_passed_over(project: Path) -> None:
    with memory_of(project) as memory:
        memory.recall("which Python backend")
    log = folder_of(project) / LOG_FILE
    whole = log.read_bytes()
    log.write_bytes(b'{"v":1}\n[]\n\xff\xfe\n' + whole + whole[:40])
    log.with_name(EARLIER_FILE).write_bytes(b"null\n")
    assert len(entries(project)) == 1


def test_shadow_logs_what_it_would_have_served_and_off_logs_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMFS", "off")
    with memory_of(project) as memory:
        memory.recall("which Python backend")
    monkeypatch.delenv("MEMFS")
    assert entries(project) == []
    replaced_settings(project, "mode: enforced", "mode: shadow")
    with memory_of(project, AGENT) as memory:
        assert memory.recall("which Python backend").cards == ()
    (entry,) = entries(project)
    assert (entry.state, entry.reason) == ("shadow", "mode.shadow")
    assert [item.is_packed for item in entry.items] == [False, False]


def test_the_log_lies_outside_of_the_store(project: Path) -> None:
    with memory_of(project) as memory:
        memory.recall("which Python backend")
        assert not folder_of(project).is_relative_to(memory.workspace.store.root)
    assert str(folder_of(project)).startswith(os.environ["XDG_CACHE_HOME"])
