"""The list of runs beside the ledger: compaction, rebuilding, withdrawal (C20, C21, C37)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memfs.domains.runs.run_index import RunIndex, refresh_run_index
from memfs.formats.record_codec import read_record
from memfs.model.authority import Sensitivity
from memfs.model.record import Record
from memfs.model.settings import RunSettings, Settings
from memfs.model.status import Status
from memfs.services.ports import Workspace
from memfs.services.recall import search
from memfs.services.runs_view import OLDER_VIEW, RUNS_VIEW, is_current
from tests.support.recall_stores import ANA, SAID, commit, question, workspace_with
from tests.support.work import run_id, run_of

LISTED = 5


def run_at(number: int, **changes: Any) -> Record:
    """Returns a run that ended ``number`` days after the beginning."""
    return run_of(number, f"Piece {number} is done.", at=SAID + timedelta(days=number), **changes)


@contextmanager
def store_of(tmp_path: Path, *records: Record, listed: int = LISTED) -> Iterator[Workspace]:
    settings = Settings(
        store_id="store_01kb8x3v6yq4m9t2r7w5000000",
        project="demo",
        runs=RunSettings(index_entries=listed),
    )
    with workspace_with(tmp_path, *records, settings=settings) as workspace:
        yield workspace


def text_of(workspace: Workspace, path: str) -> str:
    return (workspace.store.root / path).read_text(encoding="utf-8")


def listed(workspace: Workspace) -> list[str]:
    lines = text_of(workspace, RUNS_VIEW).splitlines()
    return [str(json.loads(line)["reference"]).partition("@")[0] for line in lines]


def older(workspace: Workspace) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text_of(workspace, OLDER_VIEW))
    return found


def both(workspace: Workspace) -> tuple[str, str]:
    return text_of(workspace, RUNS_VIEW), text_of(workspace, OLDER_VIEW)


def test_the_oldest_run_collapses_when_one_too_many_is_recorded(tmp_path: Path) -> None:
    with store_of(tmp_path, *(run_at(number) for number in range(1, LISTED + 1))) as workspace:
        assert refresh_run_index(workspace) == RunIndex(listed=LISTED, older=0)
        assert (listed(workspace)[0], older(workspace)["runs"]) == (run_id(LISTED), 0)

        commit(workspace.store, run_at(LISTED + 1))
        assert not is_current(workspace)
        assert refresh_run_index(workspace) == RunIndex(listed=LISTED, older=1)

        assert listed(workspace) == [run_id(number) for number in range(LISTED + 1, 1, -1)]
        assert older(workspace)["months"] == {
            "2026-11": {"runs": 1, "done": 1, "duration_s": 0},
        }
        hits = search(workspace, question("piece 1 done", ANA, kinds=("run",), limit=50)).hits
        assert run_id(1) in {hit.stored.record.id for hit in hits}
        assert workspace.store.snapshot().find_suffix(run_id(1))


def test_of_runs_that_ended_in_one_second_the_later_is_first(tmp_path: Path) -> None:
    together = [run_of(number, f"Piece {number}.", at=SAID) for number in (3, 1, 2)]
    with store_of(tmp_path, *together) as workspace:
        refresh_run_index(workspace)

        assert listed(workspace) == [run_id(3), run_id(2), run_id(1)]


def test_the_default_lists_five_hundred() -> None:
    assert RunSettings().index_entries == 500


def test_the_older_ones_are_counted_by_month_and_state(tmp_path: Path) -> None:
    runs = [
        run_at(1, fields={"duration_s": 1.5}),
        run_at(2, state="error", fields={"duration_s": 2.25}),
        run_at(20, state="cancelled"),
        *(run_at(number) for number in range(30, 30 + LISTED)),
    ]
    with store_of(tmp_path, *runs) as workspace:
        refresh_run_index(workspace)

        assert older(workspace) == {
            "runs": 3,
            "more": "memfs search TEXT --kind run",
            "months": {
                "2026-12": {"runs": 1, "cancelled": 1, "duration_s": 0},
                "2026-11": {"runs": 2, "done": 1, "error": 1, "duration_s": 3.75},
            },
        }


def test_brought_up_run_by_run_it_is_what_is_made_anew(tmp_path: Path) -> None:
    with store_of(tmp_path, run_at(1)) as workspace:
        refresh_run_index(workspace)
        for number in range(2, LISTED + 4):
            commit(workspace.store, run_at(number, state="error" if number % 2 else "done"))
            refresh_run_index(workspace)
        step_by_step = both(workspace)

        for path in (RUNS_VIEW, OLDER_VIEW):
            (workspace.store.root / path).unlink()
        for kept in workspace.cache_dir.iterdir():
            if kept.is_file():
                kept.unlink()
        refresh_run_index(workspace, is_anew=True)

        assert both(workspace) == step_by_step


def test_only_the_new_run_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [run_at(number) for number in range(1, LISTED + 4)]
    with store_of(tmp_path, *runs) as workspace:
        refresh_run_index(workspace)
        commit(workspace.store, run_at(50))
        search(workspace, question("piece", ANA))
        read: list[str] = []

        def noted(content: bytes, *, path: str, registry: Any) -> Record:
            read.append(path)
            return read_record(content, path=path, registry=registry)

        monkeypatch.setattr("memfs.services.served_records.read_record", noted)
        refresh_run_index(workspace)

        # The new one, as the index puts it over the old one and as its line is made; and the
        # one that collapsed.
        assert len(read) <= 4
        assert listed(workspace)[0] == run_id(50)


@pytest.mark.parametrize("path", [RUNS_VIEW, OLDER_VIEW])
@pytest.mark.parametrize("damage", [None, b"", b"nothing of this is true\n"])
def test_a_deleted_or_damaged_view_comes_back(
    path: str, damage: bytes | None, tmp_path: Path
) -> None:
    with store_of(tmp_path, *(run_at(number) for number in range(1, LISTED + 3))) as workspace:
        refresh_run_index(workspace)
        assert is_current(workspace)
        before = both(workspace)
        place = workspace.store.root / path
        if damage is None:
            place.unlink()
        else:
            place.write_bytes(damage)

        assert not is_current(workspace)
        refresh_run_index(workspace)
        assert both(workspace) == before
        assert is_current(workspace)


def test_a_line_that_somebody_wrote_does_not_stay(tmp_path: Path) -> None:
    with store_of(tmp_path, *(run_at(number) for number in range(1, LISTED + 3))) as workspace:
        refresh_run_index(workspace)
        place = workspace.store.root / RUNS_VIEW
        place.write_text(place.read_text().replace("is done", "failed badly"))
        commit(workspace.store, run_at(60))
        refresh_run_index(workspace)

        assert "failed badly" not in place.read_text()
        assert listed(workspace)[0] == run_id(60)


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b'{"v":9}', b'{"v":1,"lines":["x"],"facts":{"y":1}}', b"[" * 9000]
)
def test_damaged_facts_are_read_again_from_the_runs(kept: bytes, tmp_path: Path) -> None:
    with store_of(tmp_path, *(run_at(number) for number in range(1, LISTED + 3))) as workspace:
        refresh_run_index(workspace)
        before = both(workspace)
        (workspace.cache_dir / "run-facts.json").write_bytes(kept)
        commit(workspace.store, run_at(60))
        refresh_run_index(workspace)
        commit(workspace.store, gone=(run_at(60),))
        refresh_run_index(workspace)

        assert both(workspace) == before


def test_a_withdrawn_run_leaves_the_list_and_the_sums(tmp_path: Path) -> None:
    runs = [run_at(number) for number in range(1, LISTED + 3)]
    with store_of(tmp_path, *runs) as workspace:
        refresh_run_index(workspace)
        commit(workspace.store, replace(runs[0], status=Status.RETRACTED), gone=(runs[-1],))

        assert refresh_run_index(workspace) == RunIndex(listed=LISTED, older=0)
        assert run_id(LISTED + 2) not in listed(workspace)


def test_a_replaced_run_gives_way_to_the_one_that_corrects_it(tmp_path: Path) -> None:
    first = run_at(1)
    with store_of(tmp_path, first) as workspace:
        marked = replace(first, status=Status.SUPERSEDED, superseded_by=run_id(2))
        commit(workspace.store, marked, run_at(2, supersedes=(first.id,)))
        refresh_run_index(workspace)

        assert listed(workspace) == [run_id(2)]


def test_no_word_of_a_confidential_run_stands_in_it(tmp_path: Path) -> None:
    hushed = run_at(1, task="Sell the orchard", sensitivity=Sensitivity.CONFIDENTIAL)
    with store_of(tmp_path, hushed) as workspace:
        refresh_run_index(workspace)

        text = text_of(workspace, RUNS_VIEW)
        assert "orchard" not in text
        assert "Piece" not in text
        assert json.loads(text)["sensitivity"] == "confidential"


def test_without_runs_there_is_no_list(tmp_path: Path) -> None:
    with store_of(tmp_path) as workspace:
        assert is_current(workspace)
        assert refresh_run_index(workspace) == RunIndex(listed=0, older=0)
        assert not (workspace.store.root / RUNS_VIEW).exists()


def test_a_folder_in_its_place_is_left_alone(tmp_path: Path) -> None:
    with store_of(tmp_path, run_at(1)) as workspace:
        (workspace.store.root / RUNS_VIEW).mkdir(parents=True)

        assert refresh_run_index(workspace) is None
