"""Commits made by hand: what is held, what is followed, and what can be done meanwhile."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.model.candidate import CandidateAction, CandidateState
from memfs.reconcile.reconciler import run_pass
from memfs.services.settle import settle
from tests.support.memory import (
    AGENT,
    START,
    SteppedClock,
    git,
    memory_of,
    new_project,
    record_files,
    store_root,
    workspace_of,
)
from tests.support.review import NO_HOOKS, edit, inbox_files, is_clean, said, tree_of, waiting

FIRST = "FastAPI for every backend"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one accepted preference."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember(FIRST, kind="preference", subject="web-framework")
    return made


def commit_by_hand(project: Path, old: str = "every backend\n", new: str = "no backend\n") -> bytes:
    content = edit(record_files(project)[0], old, new)
    git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")
    return content


def test_settling_twice_finds_nothing_the_second_time(project: Path) -> None:
    edit(record_files(project)[0], "every backend\n", "no backend\n")
    git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")
    with workspace_of(project) as workspace:
        first, second = settle(workspace), settle(workspace)
    assert len(first.held) == 1
    assert (second.held, second.repaired) == ((), ())


def test_a_held_record_is_not_corrected_before_the_decision(project: Path) -> None:
    commit_by_hand(project)
    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id
        with pytest.raises(MemfsError) as caught:
            memory.correct(reference, "FastAPI, sometimes")
    assert caught.value.code == "conflict.held"
    assert caught.value.hint == "decide on it first: memfs review"
    assert said(project) == [FIRST]
    assert is_clean(project)


def test_a_held_record_is_not_replaced_before_the_decision(project: Path) -> None:
    commit_by_hand(project)
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.remember("Litestar", kind="preference", subject="web-framework")
    assert caught.value.code == "conflict.held"
    assert said(project) == [FIRST]
    assert is_clean(project)


def test_other_records_are_written_while_one_is_held(project: Path) -> None:
    commit_by_hand(project)
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    assert said(project) == ["CI needs Node 20", FIRST]
    assert is_clean(project)


def test_a_hold_whose_candidate_was_deleted_is_asked_about_again(project: Path) -> None:
    commit_by_hand(project)
    assert len(waiting(project)) == 1
    inbox_files(project)[0].unlink()
    (again,) = waiting(project)
    with memory_of(project) as memory:
        memory.accept([again.id])
    assert said(project) == ["FastAPI for no backend"]
    assert tree_of(project, "holds") == []


def test_a_hold_whose_candidate_lapsed_is_asked_about_again(project: Path) -> None:
    commit_by_hand(project)
    with workspace_of(project) as workspace:
        run_pass(workspace)
    with workspace_of(project, clock=SteppedClock(START + timedelta(days=40))) as workspace:
        filed = run_pass(workspace).filed
    assert [item.action for item in filed] == [CandidateAction.REVISE]


def test_a_rejected_commit_stays_held_and_is_not_asked_about_again(project: Path) -> None:
    commit_by_hand(project)
    with memory_of(project) as memory:
        memory.reject(None)
    assert waiting(project) == ()
    assert said(project) == [FIRST]
    assert len(tree_of(project, "holds")) == 1


def test_an_edit_that_waits_and_is_then_committed_by_hand_still_waits(project: Path) -> None:
    edit(record_files(project)[0], "every backend\n", "no backend\n")
    assert len(waiting(project)) == 1
    git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")
    assert len(waiting(project)) == 1
    assert len(waiting(project)) == 1
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project) == ["FastAPI for no backend"]
    assert is_clean(project)


def test_an_edit_on_top_of_a_held_commit_can_be_taken_back(project: Path) -> None:
    committed = commit_by_hand(project)
    waiting(project)
    file = record_files(project)[0]
    edit(file, "no backend\n", "no backend, and more\n")
    assert b"and more" in waiting(project)[0].content
    file.write_bytes(committed)
    (candidate,) = waiting(project)
    assert candidate.content == committed


def test_accepting_an_edit_on_top_of_a_held_commit_lifts_the_hold(project: Path) -> None:
    commit_by_hand(project)
    edit(record_files(project)[0], "no backend\n", "no backend, and more\n")
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project) == ["FastAPI for no backend, and more"]
    assert tree_of(project, "holds") == []
    assert is_clean(project)


def test_a_file_moved_by_a_commit_is_followed_without_review(project: Path) -> None:
    file = record_files(project)[0]
    git(store_root(project), "mv", str(file), str(file.with_name("moved.md")))
    git(store_root(project), *NO_HOOKS, "commit", "-qm", "moved")
    assert waiting(project) == ()
    assert said(project) == [FIRST]
    assert tree_of(project, "holds") == []
    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id
        memory.correct(reference, "FastAPI, sometimes")
        assert memory.show(f"{reference}@1").record.body == f"{FIRST}\n"
    assert is_clean(project)


def test_a_copy_made_by_a_commit_is_held(project: Path) -> None:
    file = record_files(project)[0]
    file.with_name("copy.md").write_bytes(file.read_bytes())
    git(store_root(project), "add", "-A")
    git(store_root(project), *NO_HOOKS, "commit", "-qm", "copied")
    assert [item.action for item in waiting(project)] == [CandidateAction.ADD]
    assert said(project) == [FIRST]


def test_putting_the_admitted_text_back_by_a_commit_lifts_the_hold(project: Path) -> None:
    commit_by_hand(project)
    waiting(project)
    git(store_root(project), *NO_HOOKS, "revert", "--no-edit", "HEAD~1")
    assert said(project) == [FIRST]
    assert tree_of(project, "holds") == []


def test_a_malformed_file_committed_by_hand_is_held_and_mended_in_review(project: Path) -> None:
    commit_by_hand(project, "kind: preference\n", "kind: preference\nkind: fact\n")
    (candidate,) = waiting(project)
    with memory_of(project) as memory:
        (refused,) = memory.accept(None)
        assert refused.data["code"] == "candidate.invalid"
        memory.edit_candidate(candidate.id, lambda text, _: text.replace(b"\nkind: fact", b""))
        memory.edit_candidate(candidate.id, lambda text, _: text.replace(b"every", b"each"))
        memory.accept([candidate.id])
    assert said(project) == ["FastAPI for each backend"]
    assert is_clean(project)


def test_an_agent_that_comes_first_after_a_commit_by_hand_is_served_what_was_admitted(
    project: Path,
) -> None:
    commit_by_hand(project)
    assert said(project, AGENT) == [FIRST]
    with memory_of(project, AGENT) as memory:
        packet = memory.recall("which web framework for the backend")
    assert "no backend" not in packet.text


def test_a_hard_reset_and_a_restore_lose_no_version(project: Path) -> None:
    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id
        memory.correct(reference, "FastAPI, the second")
    git(store_root(project), "reset", "-q", "--hard", "HEAD~1")
    assert said(project) == ["FastAPI, the second"]
    with memory_of(project) as memory:
        memory.reject(None, restore=True)
        assert memory.show(f"{reference}@1").record.body == f"{FIRST}\n"
        assert memory.show(f"{reference}@2").record.body == "FastAPI, the second\n"
    assert is_clean(project)


def test_a_hold_goes_with_the_commit_that_made_it_needless(project: Path) -> None:
    with memory_of(project) as memory:
        memory.correct(memory.list_records()[0].record.id, "FastAPI, the second")
    git(store_root(project), "reset", "-q", "--hard", "HEAD~1")
    assert len(waiting(project)) == 1
    git(store_root(project), "reset", "-q", "--hard", "HEAD~1")
    assert said(project) == ["FastAPI, the second"]
    assert tree_of(project, "holds") == []
    assert is_clean(project)


def test_a_reset_of_a_held_record_to_before_it_was_made_is_held_anew(project: Path) -> None:
    commit_by_hand(project)
    waiting(project)
    git(store_root(project), "reset", "-q", "--hard", "HEAD~3")
    assert said(project) == [FIRST]
    assert [item.action for item in waiting(project)] == [CandidateAction.FORGET]
    with memory_of(project) as memory:
        memory.reject(None, restore=True)
    assert len(record_files(project)) == 1
    assert is_clean(project)


def test_a_hold_that_someone_deletes_is_put_back(project: Path) -> None:
    commit_by_hand(project)
    waiting(project)
    git(store_root(project), "rm", "-rq", "holds")
    git(store_root(project), *NO_HOOKS, "commit", "-qm", "no holds")
    assert said(project) == [FIRST]
    assert len(tree_of(project, "holds")) == 1


def test_a_rejected_state_survives_in_the_inbox_file(project: Path) -> None:
    commit_by_hand(project)
    with memory_of(project) as memory:
        memory.reject(None)
        name = inbox_files(project)[0].name
        assert memory.candidate(name)[0].state is CandidateState.REJECTED
