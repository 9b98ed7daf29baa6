"""A person decides: what acceptance does on a ledger that moved, and who may decide."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.app.memory import Memory
from memfs.errors import MemfsError
from memfs.model.candidate import CandidateAction, CandidateState
from memfs.model.result import ResultStatus
from memfs.model.status import Status
from memfs.services.inbox import UnknownCandidateError
from memfs.services.modes import MemoryModeError
from memfs.services.review import MayNotReviewError, MergeUnderWayError
from tests.support.memory import (
    AGENT,
    git,
    memory_of,
    new_project,
    record_files,
    replaced_settings,
    store_root,
)
from tests.support.review import (
    NO_HOOKS,
    edit,
    inbox_files,
    is_clean,
    log_of,
    said,
    tree_of,
    waiting,
)

FIRST = "FastAPI for every backend"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one accepted preference."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember(FIRST, kind="preference", subject="web-framework")
    return made


def propose(project: Path, text: str) -> str:
    with memory_of(project, AGENT) as memory:
        return memory.propose(text, kind="fact").target


def propose_correction(project: Path, text: str) -> str:
    with memory_of(project, AGENT) as memory:
        return memory.correct(memory.list_records()[0].record.id, text).target


def test_an_accepted_proposal_is_served_and_named_after_both(project: Path) -> None:
    candidate = propose(project, "CI needs Node 20")
    assert said(project) == [FIRST]
    with memory_of(project) as memory:
        (result,) = memory.accept([candidate])
        stored = memory.show(result.target)
    assert (result.status, result.data["rule"]) == (ResultStatus.DONE, "review.confirmed")
    assert stored.record.origin is not None
    assert str(stored.record.origin.principal) == "agent:builder"
    assert log_of(project).startswith("user:ana\n")
    assert inbox_files(project) == []
    assert is_clean(project)


def _accept(memory: Memory, candidate: str) -> None:
    memory.accept([candidate])


def _reject(memory: Memory, candidate: str) -> None:
    memory.reject([candidate], restore=True)


def _edit(memory: Memory, candidate: str) -> None:
    memory.edit_candidate(candidate, lambda content, _: content + b"more\n")


@pytest.mark.parametrize("decide", [_accept, _reject, _edit])
def test_an_agent_decides_nothing(project: Path, decide: Callable[[Memory, str], None]) -> None:
    candidate = propose(project, "CI needs Node 20")
    before = inbox_files(project)[0].read_bytes()
    with memory_of(project, AGENT) as memory, pytest.raises(MayNotReviewError) as caught:
        decide(memory, candidate)
    assert (caught.value.code, caught.value.exit_status) == ("access.review-needs-person", 30)
    assert inbox_files(project)[0].read_bytes() == before
    assert said(project) == [FIRST]


def test_an_agent_accepts_nothing_all_at_once_either(project: Path) -> None:
    propose(project, "CI needs Node 20")
    with memory_of(project, AGENT) as memory, pytest.raises(MayNotReviewError):
        memory.accept(None)
    assert said(project) == [FIRST]


def test_an_agent_sees_its_own_proposals_alone(project: Path) -> None:
    mine = propose(project, "CI needs Node 20")
    with memory_of(project) as memory:
        hers = memory.propose("The salary list is in the safe", kind="fact").target
    with memory_of(project, AGENT) as memory:
        assert [item.id for item in memory.candidates()] == [mine]
        assert memory.candidate(mine)[0].id == mine
        with pytest.raises(MemfsError) as caught:
            memory.candidate(hers)
    assert caught.value.code == "conflict.unknown-candidate"
    assert [item.id for item in waiting(project)] == [mine, hers]


def test_nothing_of_the_working_tree_is_accepted_in_the_middle_of_a_merge(project: Path) -> None:
    edit(record_files(project)[0], FIRST, "FastAPI for every service")
    root = store_root(project)
    merge_head = root / ".git" / "MERGE_HEAD"
    merge_head.write_text(git(root, "rev-parse", "HEAD"), encoding="ascii")

    with memory_of(project) as memory:
        (candidate,) = memory.candidates()
        with pytest.raises(MergeUnderWayError):
            memory.accept([candidate.id])

    merge_head.unlink()
    with memory_of(project) as memory:
        assert memory.accept([candidate.id])[0].status is ResultStatus.DONE


def test_a_store_that_only_reads_accepts_nothing(project: Path) -> None:
    replaced_settings(project, "mode: enforced", "mode: shadow")
    candidate = propose(project, "CI needs Node 20")
    path = store_root(project) / "memfs.yaml"
    path.write_text(path.read_text("utf-8").replace("mode: shadow", "mode: read-only"), "utf-8")
    with memory_of(project) as memory:
        (settings,) = [item.id for item in memory.candidates() if item.id != candidate]
        memory.accept([settings])
    with memory_of(project) as memory, pytest.raises(MemoryModeError) as caught:
        memory.accept([candidate])
    assert caught.value.code == "mode.read-only"


def test_a_proposal_from_an_older_version_is_refused_with_both_revisions(project: Path) -> None:
    candidate = propose_correction(project, "FastAPI for every backend, says the agent")
    with memory_of(project) as memory:
        target = memory.list_records()[0]
        memory.correct(target.record.id, "FastAPI for every backend, says Ana")
        newer = memory.list_records()[0]
        with pytest.raises(MemfsError) as caught:
            memory.accept([candidate])
    assert caught.value.code == "conflict.stale-base"
    assert target.blob[:12] in caught.value.message
    assert newer.blob[:12] in caught.value.message
    assert said(project) == ["FastAPI for every backend, says Ana"]


def test_a_stale_proposal_becomes_a_conflict_that_can_be_accepted(project: Path) -> None:
    candidate = propose_correction(project, "FastAPI for every backend, says the agent")
    with memory_of(project) as memory:
        memory.correct(memory.list_records()[0].record.id, "FastAPI, says Ana")
        (refused,) = memory.accept(None)
    assert (refused.status, refused.data["code"]) == (
        ResultStatus.PROBLEMS,
        "conflict.stale-base",
    )
    (conflict,) = waiting(project)
    assert (conflict.id, conflict.action) == (candidate, CandidateAction.CONFLICT)
    with memory_of(project) as memory:
        memory.accept([candidate])
        assert memory.list_records()[0].record.version == 3
    assert said(project) == ["FastAPI for every backend, says the agent"]
    assert is_clean(project)


def test_a_file_deleted_while_the_record_was_corrected_is_forgotten_when_accepted(
    project: Path,
) -> None:
    record_files(project)[0].unlink()
    assert [item.action for item in waiting(project)] == [CandidateAction.FORGET]
    with memory_of(project) as memory:
        memory.correct(memory.list_records()[0].record.id, "FastAPI, says Ana")
    assert [item.action for item in waiting(project)] == [CandidateAction.CONFLICT]
    with memory_of(project) as memory:
        (result,) = memory.accept(None)
    assert result.message.startswith("forgot mem_")
    assert said(project) == []
    assert is_clean(project)


def test_a_conflict_stays_one_until_someone_decides(project: Path) -> None:
    edit(record_files(project)[0], "every backend\n", "every backend, by hand\n")
    waiting(project)
    with memory_of(project) as memory:
        memory.correct(memory.list_records()[0].record.id, "FastAPI, says Ana")
    first = waiting(project)
    assert waiting(project) == first
    assert [item.action for item in first] == [CandidateAction.CONFLICT]
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project) == ["FastAPI for every backend, by hand"]
    assert is_clean(project)


def test_a_correction_follows_its_record_to_another_file(project: Path) -> None:
    candidate = propose_correction(project, "FastAPI for every backend, says the agent")
    file = record_files(project)[0]
    file.rename(file.with_name("moved.md"))
    with memory_of(project) as memory:
        memory.accept([candidate])
        found = [(stored.path, stored.record.version) for stored in memory.list_records()]
    assert found == [(f"records/preference/{file.parent.name}/moved.md", 2)]
    assert is_clean(project)


def test_a_correction_of_what_was_forgotten_brings_nothing_back(project: Path) -> None:
    candidate = propose_correction(project, "FastAPI for every backend, says the agent")
    record_files(project)[0].unlink()
    with memory_of(project) as memory:
        forget = next(i for i in memory.candidates() if i.action is CandidateAction.FORGET)
        memory.accept([forget.id])
        with pytest.raises(UnknownCandidateError):
            memory.accept([candidate])
    assert inbox_files(project) == []
    assert said(project) == []


def test_a_copy_of_a_record_does_not_take_its_id(project: Path) -> None:
    file = record_files(project)[0]
    copy = file.with_name("copy.md")
    copy.write_bytes(file.read_bytes().replace(b"every backend", b"each backend"))
    git(store_root(project), "add", "-A")
    git(store_root(project), *NO_HOOKS, "commit", "-qm", "a copy")
    with memory_of(project) as memory:
        (result,) = memory.accept(None)
    assert result.status is ResultStatus.PROBLEMS
    assert result.data["code"] == "candidate.invalid"
    assert said(project) == [FIRST]


def test_an_accepted_contradiction_replaces_the_persons_own_statement(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        candidate = memory.propose(
            "Litestar for every backend", kind="preference", subject="web-framework"
        ).target
    with memory_of(project) as memory:
        memory.accept([candidate])
    assert said(project) == ["Litestar for every backend"]
    assert is_clean(project)


def test_a_known_claim_in_a_new_file_is_not_asked_about_again(project: Path) -> None:
    file = record_files(project)[0].with_name("again.md")
    file.write_text(f"---\nkind: preference\nsubject: web-framework\n---\n{FIRST}\n")
    with memory_of(project) as memory:
        (result,) = memory.accept(None)
    assert result.status is ResultStatus.DUPLICATE
    assert waiting(project) == ()
    assert file.exists()


def test_one_broken_proposal_keeps_no_other_from_being_accepted(project: Path) -> None:
    propose(project, "CI needs Node 20")
    propose(project, "The build takes nine minutes")
    broken = next(file for file in inbox_files(project) if "node" in file.name)
    body = broken.read_bytes()
    fenced = body.index(b"kind: fact", body.index(b"## Proposed"))
    broken.write_bytes(body[:fenced] + b"kind: gossip" + body[fenced + len("kind: fact") :])
    with memory_of(project) as memory:
        results = memory.accept(None)
    assert sorted(str(result.status) for result in results) == ["done", "problems"]
    assert said(project) == [FIRST, "The build takes nine minutes"]
    assert inbox_files(project) == [broken]


def test_a_rejected_proposal_stays_readable_and_is_not_served(project: Path) -> None:
    candidate = propose(project, "CI needs Node 20")
    with memory_of(project) as memory:
        memory.reject([candidate])
        assert memory.candidates() == ()
        assert memory.candidate(candidate)[0].state is CandidateState.REJECTED
    assert said(project) == [FIRST]


def test_a_restored_file_leaves_the_persons_text_in_the_inbox(project: Path) -> None:
    file = record_files(project)[0]
    before = file.read_bytes()
    edit(file, "every backend\n", "no backend at all\n")
    with memory_of(project) as memory:
        memory.reject(None, restore=True)
    assert file.read_bytes() == before
    assert waiting(project) == ()
    (kept,) = inbox_files(project)
    assert b"FastAPI for no backend at all" in kept.read_bytes()
    edit(file, "every backend\n", "no backend at all\n")
    assert [item.action for item in waiting(project)] == [CandidateAction.REVISE]


def test_a_restored_new_file_leaves_the_persons_text_in_the_inbox(project: Path) -> None:
    file = record_files(project)[0].with_name("by-hand.md")
    file.write_text("---\nkind: preference\n---\nTabs, never spaces\n")
    with memory_of(project) as memory:
        memory.reject(None, restore=True)
    assert not file.exists()
    assert waiting(project) == ()
    assert b"Tabs, never spaces" in inbox_files(project)[0].read_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"every backend\n", b"every backend"),
        (b"\n", b"\r\n"),
        (b"every backend\n", b"every backend\n\n\n"),
        (b"every backend\n", "Büro 🏢 e\u0301\n".encode()),
    ],
    ids=["no-final-newline", "crlf", "blank-lines", "unicode"],
)
def test_an_accepted_hand_edit_keeps_every_byte_that_is_not_memfs_own(
    project: Path, old: bytes, new: bytes
) -> None:
    file = record_files(project)[0]
    head, body = file.read_bytes().rsplit(b"---\n", 1)
    edited = head.replace(b"\n", b"\r\n") if new == b"\r\n" else head
    edited += b"---\n".replace(b"\n", new if new == b"\r\n" else b"\n") + body.replace(old, new)
    file.write_bytes(edited)
    with memory_of(project) as memory:
        memory.accept(None)
    after = file.read_bytes()
    assert after.split(b"---", 2)[2] == edited.split(b"---", 2)[2]
    assert (b"\r\n" in edited) == (b"\r\n" in after)
    assert after.count(b"\r\n") in (0, after.count(b"\n"))
    assert waiting(project) == ()
    assert is_clean(project)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("authority: user\n", "authority: observed\n"),
        ("channel: terminal", "channel: editor"),
        ("principal: user:ana", "principal: user:eve"),
        ("kind: preference\n", "kind: preference\nstatus: retracted\n"),
        ("kind: preference\n", "kind: preference\nsupersedes: [mem_01kb8x3v5n0000000000000000]\n"),
    ],
    ids=["authority", "channel", "principal", "status", "supersedes"],
)
def test_what_memfs_says_of_a_record_is_not_changed_by_hand(
    project: Path, old: str, new: str
) -> None:
    with memory_of(project) as memory:
        before = memory.list_records()[0].record
    edit(record_files(project)[0], old, new)
    with memory_of(project) as memory:
        memory.accept(None)
        after = memory.list_records()[0].record
    assert after == before
    assert waiting(project) == ()
    assert is_clean(project)


@pytest.mark.parametrize("is_new", [False, True], ids=["edited", "added"])
def test_no_text_makes_a_record_that_is_replaced_already(project: Path, is_new: bool) -> None:
    forged = "status: superseded\nsuperseded_by: mem_01kb8x3v5n0000000000000000\nversion: 1\n"
    file = record_files(project)[0]
    if is_new:
        file = file.with_name("added.md")
        file.write_text(f"---\nkind: preference\n{forged}---\nTabs for every job\n")
    else:
        edit(file, "every backend\n", "every job\n")
        edit(file, "kind: preference\n", f"kind: preference\n{forged}".replace("version: 1\n", ""))
    with memory_of(project) as memory:
        (result,) = memory.accept(None)
        record = memory.show(result.target).record
        assert memory.check() == ()
    assert (record.status, record.superseded_by) == (Status.ACTIVE, "")
    assert any(words.endswith("every job") for words in said(project))


def test_what_an_editor_saves_takes_the_place_of_the_proposal(project: Path) -> None:
    candidate = propose(project, "CI needs Node 20")
    with memory_of(project) as memory:
        memory.edit_candidate(candidate, lambda text, _: text.replace(b"Node 20", b"Node 22"))
        memory.accept([candidate])
    assert said(project) == ["CI needs Node 22", FIRST]


def test_a_broken_text_from_an_editor_changes_nothing(project: Path) -> None:
    candidate = propose(project, "CI needs Node 20")
    before = inbox_files(project)[0].read_bytes()
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.edit_candidate(candidate, lambda text, _: text.replace(b"kind: fact", b"kind: x"))
    assert caught.value.code == "candidate.invalid"
    assert inbox_files(project)[0].read_bytes() == before


def test_accepting_a_forgetting_removes_the_file_and_names_no_words(project: Path) -> None:
    record_files(project)[0].unlink()
    with memory_of(project) as memory:
        memory.accept(None)
    (tombstone,) = tree_of(project, "tombstones")
    assert "FastAPI" not in (store_root(project) / tombstone).read_text()
    assert is_clean(project)
