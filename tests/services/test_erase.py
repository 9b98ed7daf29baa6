"""Erasing: bytes go from every managed place, and what remains is said (A21, A61)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memfs.errors import UsageError
from memfs.model.result import Result, ResultStatus
from memfs.services.reading import UnknownRecordError
from tests.support.memory import AGENT, git, memory_of, new_project, replaced_settings, store_root

WORDS = "the vault code of the harbour office is quokka-8841-zx"
TOKEN = b"quokka-8841-zx"


def remembered(project: Path, text: str = WORDS, **options: str) -> str:
    with memory_of(project) as memory:
        result = memory.remember(text, kind="note", **options)  # type: ignore[arg-type]
    assert result.status is ResultStatus.DONE
    return result.target


def erased(
    project: Path, *references: str, history: bool = True, texts: tuple[str, ...] = ()
) -> Result:
    with memory_of(project) as memory:
        return memory.erase(references, texts=texts, is_history=history)


def residue(project: Path, needle: bytes = TOKEN) -> list[str]:
    """Names every place in which the needle stands: files, names, unpacked objects, caches."""
    root = store_root(project)
    places = [root, Path(os.environ["MEMFS_HOME"]), Path(os.environ["XDG_CACHE_HOME"])]
    found = [
        str(path)
        for place in places
        for path in place.rglob("*")
        if needle in os.fsencode(path.name) or (path.is_file() and needle in path.read_bytes())
    ]
    objects = subprocess.run(
        ["git", "-C", str(root), "cat-file", "--batch-all-objects", "--batch"],
        capture_output=True,
        check=True,
    ).stdout
    return found + ["objects"] * (needle in objects)


def test_an_erased_record_is_in_no_managed_place_and_the_receipt_says_so(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    kept = remembered(project, "the office opens at nine")
    target = remembered(project)
    with memory_of(project) as memory:
        memory.correct(target, WORDS + " since May")
        assert memory.search("harbour office")
    root = store_root(project)
    git(root, "branch", "side")
    git(root, "tag", "-a", "-m", WORDS, "marked")
    transactions = git(root, "log", "--format=%(trailers:key=Memfs-Txn,valueonly)", "main").split()
    assert residue(project)
    result = erased(project, target)
    assert result.status is ResultStatus.DONE
    assert residue(project) == []
    assert git(root, "fsck", "--full", "--strict") == ""
    assert git(root, "status", "--porcelain") == ""
    after = git(root, "log", "--format=%(trailers:key=Memfs-Txn,valueonly)", "main").split()
    assert set(transactions) < set(after)
    with memory_of(project) as memory:
        assert [item.record.id for item in memory.list_records(kinds=("note",))] == [kept]
        receipt = memory.show(str(result.data["receipt"]))
        details = receipt.record.fields["details"]
        assert isinstance(details, dict)
        assert details["levels"]["history"] == "reached"
        assert details["levels"]["external"] == "never reached from here"
        assert TOKEN.decode() not in str(details)


def test_without_history_only_the_history_still_has_it_and_the_answer_says_so(
    tmp_path: Path,
) -> None:
    project = new_project(tmp_path)
    target = remembered(project)
    result = erased(project, target, history=False)
    assert result.status is ResultStatus.DONE
    assert any("--history" in str(line) for line in result.data["preview"])  # type: ignore[union-attr]
    root = store_root(project)
    assert [place for place in residue(project) if ".git" not in place and place != "objects"] == []
    again = erased(project, target)
    assert again.status is ResultStatus.DONE
    assert residue(project) == []
    assert git(root, "fsck", "--full", "--strict") == ""


def test_an_agent_cannot_erase_and_a_person_can_in_every_mode(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = remembered(project)
    with memory_of(project, AGENT) as memory:
        assert memory.erase([target], is_history=True).status is ResultStatus.REFUSED
    replaced_settings(project, "mode: enforced", "mode: off")
    assert erased(project, target).status is ResultStatus.DONE
    assert residue(project) == []


def test_candidates_hand_edits_and_stray_files_go_too(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = remembered(project)
    root = store_root(project)
    with memory_of(project, AGENT) as memory:
        waiting = memory.propose(f"It is said that {WORDS}.", kind="fact", subject="vault")
        assert waiting.status is ResultStatus.WAITING
    path = next(root.rglob("*.md.none"), None) or next((root / "records").rglob("*.md"))
    path.write_text(path.read_text(encoding="utf-8") + "\nby hand\n", encoding="utf-8")
    (root / "scratch.txt").write_bytes(b"copied: " + TOKEN + b"\n")
    git(root, "stash", "push", "-q", "--", str(path))
    git(root, "stash", "apply", "-q")
    assert erased(project, target).status is ResultStatus.DONE
    assert residue(project) == []
    assert (root / "scratch.txt").read_bytes() == b"copied: (erased)\n"


def test_a_run_that_goes_on_loses_the_words_and_is_recorded_without_them(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = remembered(project)
    with memory_of(project, AGENT) as memory:
        run = memory.start_run(f"Paint the door. {WORDS}").target
    notes = store_root(project) / ".git" / "memfs" / "dispatches"
    (notes / "0123456789abcdef.tmp").write_text(WORDS, encoding="utf-8")
    result = erased(project, target)
    assert result.status is ResultStatus.DONE, result.message
    assert residue(project) == []
    with memory_of(project, AGENT) as memory:
        assert memory.show_run(run).task.startswith("Paint the door.")
        assert memory.finish_run("done", run=run).status is ResultStatus.DONE
    assert residue(project) == []


def test_words_that_other_records_say_stay_there(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    shared = "deploys go out on Thursdays at noon"
    other = remembered(project, f"{shared} sharp", subject="when")
    target = remembered(project, f"{shared}\n\n{WORDS}", subject="what")
    result = erased(project, target)
    assert result.status is ResultStatus.DONE
    with memory_of(project) as memory:
        assert shared in memory.show(other).record.body
    assert residue(project) == []


def test_named_texts_go_from_messages_and_other_files(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    other = remembered(project, "Ana said hollyhock lane in passing")
    git(store_root(project), "commit", "-q", "--allow-empty", "--no-verify", "-m", "hollyhock lane")
    result = erased(project, texts=("hollyhock lane",))
    assert result.status is ResultStatus.DONE
    assert residue(project, b"hollyhock") == []
    with memory_of(project) as memory:
        assert "(erased)" in memory.show(other).record.body


def test_an_unknown_id_and_a_short_text_are_refused(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with pytest.raises(UnknownRecordError):
        erased(project, "mem_01kb8x3v7a0000000000000000")
    with pytest.raises(UsageError):
        erased(project, texts=("abc",))
    with pytest.raises(UsageError):
        erased(project)


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = remembered(project)
    head = git(store_root(project), "rev-parse", "HEAD")
    with memory_of(project) as memory:
        result = memory.erase([target], is_history=True, is_dry_run=True)
    assert result.status is ResultStatus.NOTHING
    assert result.data["versions"] == 1
    assert git(store_root(project), "rev-parse", "HEAD") == head


def test_what_a_killed_process_left_of_a_session_is_removed_or_named(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = remembered(project)
    sessions = Path(os.environ["MEMFS_HOME"]) / "sessions"
    for token in ("999999999-1", f"{os.getpid()}-x"):
        left = sessions / f".gone-{token}.ses_7dbzcmqqsdj2xyahyxm8kys68q"
        left.mkdir(parents=True)
        (left / "000001-u-a.md").write_text(WORDS, encoding="utf-8")
    result = erased(project, target)
    assert result.status is ResultStatus.PROBLEMS
    assert result.data["remaining"] == ["unfinished sessions"]
    assert [path.name for path in sessions.glob(".gone-*")] == [left.name]


def test_erasing_what_is_kept_as_json_takes_its_words_and_no_other_file(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        kept = memory.record_event("Signed the contract of the harbour", kind="work").target
        gone = memory.record_event(f"Sold {WORDS}", kind="work").target
        ends = [memory.add_entity(name).target for name in ("Pier", "Crane", "Quay")]
        edge = memory.relate("Pier", "Crane", "uses").target
        memory.relate("Pier", "Quay", "uses")
    result = erased(project, gone, edge)
    assert result.status is ResultStatus.DONE, result.message
    assert residue(project) == []
    with memory_of(project) as memory:
        assert [event.id for event in memory.timeline()] == [kept]
        assert {node.id for node in memory.neighbors("Pier").nodes} == {ends[2]}
