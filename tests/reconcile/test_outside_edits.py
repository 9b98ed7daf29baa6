"""The table of out-of-band edits, each row on a real store with a real Git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memfs.model.candidate import CandidateAction
from memfs.reconcile.reconciler import Pass, run_pass
from tests.support.memory import (
    AGENT,
    git,
    memory_of,
    new_project,
    record_files,
    replaced_settings,
    store_root,
    workspace_of,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one accepted preference."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember("FastAPI for every backend", kind="preference", subject="web-framework")
    return made


def one_pass(project: Path) -> Pass:
    with workspace_of(project) as workspace:
        return run_pass(workspace)


def served(project: Path) -> list[str]:
    with memory_of(project) as memory:
        return [stored.record.body for stored in memory.list_records()]


def held(project: Path) -> int:
    return len(git(store_root(project), "ls-tree", "-r", "--name-only", "main", "holds").split())


def edit(path: Path, old: str, new: str) -> bytes:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path.read_bytes()


def test_a_hand_edit_is_not_served_before_review(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "every backend\n", "every backend and every job\n")
    found = one_pass(project)
    assert [item.action for item in found.filed] == [CandidateAction.REVISE]
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        memory.accept([found.filed[0].id])
    assert served(project) == ["FastAPI for every backend and every job\n"]
    assert git(store_root(project), "status", "--porcelain") == ""


def test_an_accepted_hand_edit_keeps_the_persons_bytes(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "---\nid:", "---\n# why: asked twice\nid:")
    with memory_of(project) as memory:
        memory.accept(None)
    edit(file, "every backend\n", "every backend and job\n")
    with memory_of(project) as memory:
        memory.accept(None)
    text = file.read_text(encoding="utf-8")
    assert "# why: asked twice\n" in text
    assert "version: 2\n" in text
    assert git(store_root(project), "status", "--porcelain") == ""


def test_a_comment_alone_is_committed_without_a_new_version(project: Path) -> None:
    file = record_files(project)[0]
    edited = edit(file, "---\nid:", "---\n# why: asked twice\nid:")
    with memory_of(project) as memory:
        memory.accept(None)
        assert memory.list_records()[0].record.version == 1
    assert file.read_bytes() == edited
    assert git(store_root(project), "status", "--porcelain") == ""


def test_a_new_file_with_kind_and_body_becomes_an_add_candidate(project: Path) -> None:
    folder = store_root(project) / "records" / "fact" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "by-hand.md").write_text("---\nkind: fact\n---\nCI needs Node 20.\n")
    found = one_pass(project)
    assert [item.action for item in found.filed] == [CandidateAction.ADD]
    with memory_of(project) as memory:
        memory.accept(None)
        bodies = {stored.path: stored.record.body for stored in memory.list_records()}
    assert bodies["records/fact/2026-11/by-hand.md"] == "CI needs Node 20.\n"
    assert "id: mem_" in (folder / "by-hand.md").read_text()


def test_a_deleted_file_is_served_until_the_forgetting_is_accepted(project: Path) -> None:
    record_files(project)[0].unlink()
    found = one_pass(project)
    assert [item.action for item in found.filed] == [CandidateAction.FORGET]
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        memory.accept(None)
    assert served(project) == []
    assert len(list((store_root(project) / "tombstones").iterdir())) == 1


def test_what_was_forgotten_is_not_taken_again(project: Path) -> None:
    record_files(project)[0].unlink()
    with memory_of(project) as memory:
        memory.accept(None)
        again = memory.remember(
            "FastAPI for every backend", kind="preference", subject="web-framework"
        )
    assert [reason.code for reason in again.reasons] == ["tombstone.matches"]


def test_a_renamed_file_asks_for_nothing_and_is_followed(project: Path) -> None:
    file = record_files(project)[0]
    file.rename(file.with_name("another-name.md"))
    found = one_pass(project)
    assert found.filed == ()
    assert found.followed == (f"records/preference/{file.parent.name}/another-name.md",)
    assert served(project) == ["FastAPI for every backend\n"]
    assert git(store_root(project), "status", "--porcelain") == ""


def test_a_malformed_file_is_reported_kept_and_blocks_nothing(project: Path) -> None:
    file = record_files(project)[0]
    broken = edit(file, "kind: preference\n", "kind: preference\nkind: fact\n")
    found = one_pass(project)
    assert found.filed == ()
    assert [(item.path, item.line) for item in found.problems] == [
        (file.relative_to(store_root(project)).as_posix(), 4)
    ]
    assert file.read_bytes() == broken
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    assert len(served(project)) == 2


def test_when_both_changed_the_candidate_is_a_conflict(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "every backend\n", "every backend, said by hand\n")
    one_pass(project)
    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id
        memory.correct(reference, "FastAPI for every backend, said in the terminal")
    found = one_pass(project)
    assert [item.action for item in found.filed] == [CandidateAction.CONFLICT]
    assert "said by hand" in file.read_text()
    assert served(project) == ["FastAPI for every backend, said in the terminal\n"]


def test_a_repeated_edit_replaces_its_candidate(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "every backend\n", "every backend (1)\n")
    first = one_pass(project).filed
    edit(file, "(1)", "(2)")
    second = one_pass(project).filed
    assert [item.id for item in first] == [item.id for item in second]
    assert len(list((store_root(project) / "inbox").iterdir())) == 1


def test_an_edit_taken_back_withdraws_its_candidate(project: Path) -> None:
    file = record_files(project)[0]
    before = file.read_bytes()
    edit(file, "every backend\n", "no backend\n")
    filed = one_pass(project).filed
    file.write_bytes(before)
    assert one_pass(project).withdrawn == (filed[0].id,)
    assert list((store_root(project) / "inbox").iterdir()) == []


def test_a_rejected_edit_stays_in_the_file_and_is_not_asked_again(project: Path) -> None:
    file = record_files(project)[0]
    edited = edit(file, "every backend\n", "no backend\n")
    with memory_of(project) as memory:
        memory.reject(None)
    with memory_of(project) as memory:
        assert memory.candidates() == ()
    assert file.read_bytes() == edited


def test_rejecting_with_restore_puts_the_ledgers_text_back(project: Path) -> None:
    file = record_files(project)[0]
    before = file.read_bytes()
    edit(file, "every backend\n", "no backend\n")
    with memory_of(project) as memory:
        memory.reject(None, restore=True)
    assert file.read_bytes() == before
    assert git(store_root(project), "status", "--porcelain") == ""


def test_a_commit_by_hand_is_held_and_the_admitted_version_served(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "every backend\n", "no backend\n")
    git(store_root(project), "commit", "-qam", "by hand")
    one_pass(project)
    assert held(project) == 1
    assert "no backend" in file.read_text()
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        memory.accept(None)
    assert served(project) == ["FastAPI for every backend\n".replace("every", "no")]
    assert held(project) == 0


def test_a_record_committed_by_hand_is_not_served_before_review(project: Path) -> None:
    folder = store_root(project) / "records" / "fact" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "pushed.md").write_text("---\nkind: fact\n---\nThe build is green.\n")
    git(store_root(project), "add", "-A")
    git(store_root(project), "commit", "-qm", "by hand")
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        assert [item.action for item in memory.candidates()] == [CandidateAction.ADD]


def test_a_removal_committed_by_hand_waits_and_can_be_undone(project: Path) -> None:
    file = record_files(project)[0]
    before = file.read_bytes()
    git(store_root(project), "rm", "-q", str(file))
    git(store_root(project), "commit", "-qm", "by hand")
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        memory.reject(None, restore=True)
    assert file.read_bytes() == before
    assert git(store_root(project), "status", "--porcelain") == ""


def test_a_merge_by_hand_is_held_like_any_foreign_commit(project: Path) -> None:
    root = store_root(project)
    git(root, "checkout", "-qb", "side")
    edit(record_files(project)[0], "every backend\n", "some backends\n")
    git(root, "commit", "-qam", "on the side")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "merge by hand", "side")
    one_pass(project)
    assert held(project) == 1
    assert served(project) == ["FastAPI for every backend\n"]


def test_another_checkout_is_served_from_the_ledger_and_makes_no_candidates(
    project: Path,
) -> None:
    root = store_root(project)
    git(root, "checkout", "-q", "HEAD~1")
    assert one_pass(project).filed == ()
    assert served(project) == ["FastAPI for every backend\n"]
    git(root, "checkout", "-q", "main")
    assert git(root, "status", "--porcelain") == ""


def test_a_reset_loses_nothing_that_was_admitted(project: Path) -> None:
    root = store_root(project)
    git(root, "reset", "-q", "--hard", "HEAD~1")
    one_pass(project)
    assert held(project) == 1
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        memory.reject(None, restore=True)
    assert len(record_files(project)) == 1
    assert git(root, "status", "--porcelain") == ""


def test_holds_and_tombstones_made_by_hand_change_nothing(project: Path) -> None:
    root = store_root(project)
    (root / "tombstones").mkdir()
    (root / "tombstones" / "forged.json").write_text("{}\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "forged")
    one_pass(project)
    assert "forged" not in git(root, "ls-tree", "-r", "--name-only", "main")


def test_an_edit_of_the_settings_takes_effect_when_it_is_accepted(project: Path) -> None:
    path = store_root(project) / "memfs.yaml"
    path.write_text(path.read_text().replace("items: 5", "items: 7"))
    with memory_of(project) as memory:
        assert memory.settings.recall.items == 5
        assert [item.action for item in memory.candidates()] == [CandidateAction.SETTINGS]
        memory.accept(None)
    with memory_of(project) as memory:
        assert memory.settings.recall.items == 7


def test_invalid_settings_are_reported_and_the_admitted_ones_stay(project: Path) -> None:
    path = store_root(project) / "memfs.yaml"
    path.write_text(path.read_text().replace("items: 5", "items: many"))
    found = one_pass(project)
    assert [item.path for item in found.problems] == ["memfs.yaml"]
    with memory_of(project) as memory:
        assert memory.settings.recall.items == 5


def test_a_changed_line_of_the_index_becomes_a_candidate_for_its_record(project: Path) -> None:
    with memory_of(project):
        pass
    index = store_root(project) / "MEMORY.md"
    index.write_text(index.read_text().replace("FastAPI for every", "FastAPI for each"))
    with memory_of(project) as memory:
        assert [item.action for item in memory.candidates()] == [CandidateAction.REVISE]
        assert memory.list_records()[0].record.title == "FastAPI for every backend"
        memory.accept(None)
        assert memory.list_records()[0].record.title == "FastAPI for each backend"


def test_a_store_that_adopts_takes_a_valid_edit_as_workspace(project: Path) -> None:
    replaced_settings(project, "hand_edits: review", "hand_edits: adopt")
    folder = store_root(project) / "records" / "note" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "by-hand.md").write_text("---\nkind: note\n---\nThe build takes nine minutes.\n")
    found = one_pass(project)
    assert len(found.adopted) == 1
    with memory_of(project, AGENT) as memory:
        origins = [stored.record.origin for stored in memory.list_records(kinds=["note"])]
    assert [str(origin.origin_class) for origin in origins if origin] == ["workspace"]


def test_a_folder_in_place_of_the_index_is_in_nobodys_way(project: Path) -> None:
    index = store_root(project) / "MEMORY.md"
    index.unlink(missing_ok=True)
    index.mkdir()
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        assert memory.remember("CI needs Node 20", kind="fact").exit_status == 0
    assert index.is_dir()


def test_an_edit_that_cannot_be_filed_leaves_the_ledger_readable(project: Path) -> None:
    (file,) = record_files(project)
    reference = file.stem[-6:]
    file.write_text(file.read_text().replace("FastAPI", "Flask"))
    inbox = store_root(project) / "inbox"
    shutil.rmtree(inbox, ignore_errors=True)
    # A file where the folder should be stands for a store that may only be read.
    inbox.touch()
    assert served(project) == ["FastAPI for every backend\n"]
    with memory_of(project) as memory:
        assert memory.show(reference).record.body == "FastAPI for every backend\n"
        assert len(memory.history(reference)) == 1
        problems = memory.status().data["problems"]
    assert "inbox" in str(problems)
