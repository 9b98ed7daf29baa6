from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.errors import IndexUnavailableError
from memfs.index.whoosh_index import WhooshIndex
from memfs.model.status import Status
from memfs.services.ports import Workspace
from memfs.services.reindex import (
    IndexState,
    _kept_generations,
    ensure_fresh,
    index_status,
    open_index,
    rebuild,
)
from memfs.store.store import Store
from tests.support.faults import start_child
from tests.support.recall_stores import (
    ask,
    bodies,
    commit,
    note,
    path_of,
    workspace_over,
    workspace_with,
)
from tests.support.stores import QUICK, git


def wait_for(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def contents(workspace: Workspace) -> list[tuple[str, str]]:
    opened = open_index(workspace, workspace.store.snapshot())
    assert isinstance(opened.index, WhooshIndex)
    return sorted(opened.index.contents())


def folder_of(workspace: Workspace) -> Path:
    return workspace.cache_dir / "index"


def test_the_first_question_makes_the_index_and_the_next_one_uses_it(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha"), note(2, "beta")) as workspace:
        made, used = ensure_fresh(workspace), ensure_fresh(workspace)

        assert (made.state, made.records, made.ledger) == (
            IndexState.REBUILT,
            2,
            workspace.store.ledger_head(),
        )
        assert used == replace(made, state=IndexState.FRESH, refreshed=0)


def test_a_deleted_index_comes_back_with_the_same_content(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha"), note(2, "beta")) as workspace:
        commit(workspace.store, note(3, "gamma"), note(1, "alpha again"))
        ensure_fresh(workspace)
        before = contents(workspace)

        shutil.rmtree(folder_of(workspace))
        status = rebuild(workspace)

        assert contents(workspace) == before
        assert (status.records, status.refreshed) == (3, 3)


@pytest.mark.parametrize("pattern", ["current", "manifest.json", "*.docs", "*.trm", "*.pst"])
def test_a_damaged_index_is_repaired_by_a_rebuild_and_by_a_question(
    tmp_path: Path, pattern: str
) -> None:
    with workspace_with(tmp_path, note(1, "alpha"), note(2, "beta")) as workspace:
        ensure_fresh(workspace)
        before = contents(workspace)
        (victim,) = folder_of(workspace).rglob(pattern)

        victim.write_bytes(b"\0" * 40)
        assert rebuild(workspace).records == 2
        assert contents(workspace) == before

        if pattern != "*.pst":
            (victim,) = folder_of(workspace).rglob(pattern)
            victim.write_bytes(b"")
            _kept_generations.cache_clear()
            assert ensure_fresh(workspace).state is IndexState.REBUILT
            assert contents(workspace) == before


def test_an_old_index_is_brought_to_the_ledger_by_the_difference_alone(tmp_path: Path) -> None:
    old, new = note(1, "alpha"), note(1, "alpha, better put", version=2)
    with workspace_with(tmp_path, old, note(2, "beta"), note(3, "gamma")) as workspace:
        generation = ensure_fresh(workspace).generation
        commit(workspace.store, new, gone=[note(2, "beta")])

        status = ensure_fresh(workspace)

        assert (status.state, status.refreshed, status.records) == (IndexState.REFRESHED, 2, 2)
        assert status.generation == generation
        changed = contents(workspace)
        rebuild(workspace)
        assert contents(workspace) == changed


def test_a_question_answers_for_the_ledger_before_the_index_is_written(tmp_path: Path) -> None:
    records = [note(1, "alpha"), note(2, "alpha beta")]
    with workspace_with(tmp_path, records[0]) as workspace:
        ensure_fresh(workspace)
        stale = index_status(workspace).ledger
        commit(workspace.store, records[1], gone=[records[0]])

        opened = open_index(workspace, workspace.store.snapshot())

        assert opened.status.state is IndexState.OVERLAID
        assert opened.status.ledger == workspace.store.ledger_head()
        assert bodies(ask(opened.index, "alpha"), records) == ["alpha beta"]
        assert index_status(workspace).ledger == stale


def test_withdrawn_records_do_not_come_back_with_a_rebuild(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha"), note(2, "alpha beta")) as workspace:
        ensure_fresh(workspace)
        commit(workspace.store, gone=[note(1, "alpha")])
        rebuild(workspace)

        assert [path for path, _ in contents(workspace)] == [path_of(note(2, "-"))]


def test_an_index_of_a_commit_that_is_gone_is_rebuilt(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        ensure_fresh(workspace)
        (manifest,) = folder_of(workspace).rglob("manifest.json")
        head = workspace.store.ledger_head() or ""
        manifest.write_text(manifest.read_text().replace(head, "0123456789" * 4))

        assert ensure_fresh(workspace).state is IndexState.REBUILT


def test_a_malformed_record_is_left_out_and_all_others_are_found(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        from tests.support.stores import plan_for

        bad = {
            "records/note/2026-11/bad-000001.md": b"---\nid: [\n---\nalpha\n",
            "records/note/2026-11/bad-000002.md": b"\0\xff\xfe",
            "records/note/2026-11/bad-000003.md": b"",
            "records/note/2026-11/bad-000004.md": b"---\nkind: note\nkind: fact\n---\nalpha\n",
        }
        workspace.store.commit(plan_for(workspace.store, bad))

        assert ensure_fresh(workspace).records == 1


def test_when_the_cache_cannot_be_written_the_records_are_scanned(tmp_path: Path) -> None:
    records = [note(1, "alpha"), note(2, "beta")]
    with workspace_with(tmp_path, *records) as workspace:
        workspace.cache_dir.parent.mkdir(exist_ok=True)
        workspace.cache_dir.write_text("a file stands where the cache should be")

        opened = open_index(workspace, workspace.store.snapshot())

        assert (opened.status.state, opened.status.reason) == (
            IndexState.SCANNED,
            "index.read-only",
        )
        assert bodies(ask(opened.index, "alpha"), records) == ["alpha"]
        with pytest.raises(IndexUnavailableError) as caught:
            rebuild(workspace)
        assert caught.value.exit_status == 50


def test_a_foreign_index_folder_is_never_opened(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        ensure_fresh(workspace)
        folder_of(workspace).chmod(0o777)

        opened = open_index(workspace, workspace.store.snapshot())

        assert (opened.status.state, opened.status.reason) == (IndexState.SCANNED, "index.foreign")


def test_while_another_process_writes_the_answer_is_still_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memfs.services import reindex

    monkeypatch.setattr(reindex, "LOCK_WAIT_S", 0.0)
    monkeypatch.setattr(reindex, "BUSY_WAIT_S", 0.0)
    records = [note(n, f"alpha {n}") for n in range(30)]
    with workspace_with(tmp_path, records[0]) as workspace:
        generations = reindex._generations(workspace)
        with generations.locked(1.0):
            scanned = open_index(workspace, workspace.store.snapshot())
        ensure_fresh(workspace)
        commit(workspace.store, *records[1:])
        with generations.locked(1.0):
            overlaid = open_index(workspace, workspace.store.snapshot(), is_writing=True)

        assert (scanned.status.state, scanned.status.reason) == (
            IndexState.SCANNED,
            "index.busy",
        )
        assert (overlaid.status.state, overlaid.status.reason) == (
            IndexState.OVERLAID,
            "index.busy",
        )
        assert len(ask(overlaid.index, "alpha")) == 30


def test_processes_that_refresh_at_once_all_succeed(tmp_path: Path) -> None:
    with workspace_with(tmp_path, *(note(n, f"alpha {n}") for n in range(20))) as workspace:
        ensure_fresh(workspace)
        commit(workspace.store, *(note(n, f"beta {n}") for n in range(5, 25)))
        root, cache = workspace.store.root, workspace.cache_dir

        def refresh() -> None:
            with Store.open(root, settings=QUICK) as store:
                own = workspace_over(store, cache)
                assert ensure_fresh(own).records == 25

        assert [wait_for(child) for child in [start_child(refresh) for _ in range(4)]] == [0] * 4
        status = index_status(workspace)
        assert (status.state, status.records) == (IndexState.FRESH, 25)
        changed = contents(workspace)
        rebuild(workspace)
        assert contents(workspace) == changed


def test_the_past_is_answered_without_touching_the_index(tmp_path: Path) -> None:
    records = [note(1, "alpha"), note(2, "alpha beta")]
    with workspace_with(tmp_path, records[0]) as workspace:
        before = workspace.store.snapshot()
        commit(workspace.store, records[1], gone=[records[0]])
        fresh = ensure_fresh(workspace)

        opened = open_index(workspace, before, is_writing=True)

        assert bodies(ask(opened.index, "alpha"), records) == ["alpha"]
        assert index_status(workspace) == replace(fresh, state=IndexState.FRESH, refreshed=0)


def test_the_store_is_whole_without_any_cache(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        ensure_fresh(workspace)
        shutil.rmtree(workspace.cache_dir)

        assert git(workspace.store.root, "status", "--porcelain") == ""
        assert ensure_fresh(workspace).records == 1


def test_only_the_status_of_a_record_hides_it_not_its_place_in_the_index(tmp_path: Path) -> None:
    retracted = note(1, "alpha", status=Status.RETRACTED)
    with workspace_with(tmp_path, retracted) as workspace:
        assert ensure_fresh(workspace).records == 1
