"""A second store: opened when it is needed, given up when it is late, never in the way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import DataError, UsageError
from memfs.services.beside import Beside, NoGlobalStoreError, nothing_beside
from memfs.services.ports import Workspace
from tests.support.recall_stores import note, workspace_with


def fail() -> Workspace:
    raise DataError("it is broken", code="settings.newer")


def test_where_no_store_is_nothing_is_opened_and_nothing_is_wrong() -> None:
    beside = nothing_beside()
    assert beside.ask(lambda workspace: workspace) is None
    assert beside.trouble == ""
    with pytest.raises(NoGlobalStoreError) as caught:
        beside.workspace()
    assert caught.value.hint == "make one with: memfs init --home"


def test_a_store_that_is_not_there_costs_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a thread was started")

    monkeypatch.setattr(threading, "Thread", never)
    looks: list[None] = []
    beside = Beside(lambda: looks.append(None))
    assert beside.ask(lambda workspace: workspace) is None
    assert looks == [None]


def test_the_store_is_opened_once_for_all_questions(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        opened: list[Workspace] = []

        def open_store() -> Workspace:
            opened.append(workspace)
            return workspace

        beside = Beside(lambda: open_store)
        assert opened == []
        assert beside.ask(lambda other: other.scope) == workspace.scope
        assert beside.ask(lambda other: other.store_id) == workspace.store_id
        assert opened == [workspace]


def test_a_store_that_cannot_be_opened_is_told_by_its_code() -> None:
    beside = Beside(lambda: fail)
    assert beside.ask(lambda workspace: workspace) is None
    assert beside.trouble == "settings.newer"
    with pytest.raises(DataError):
        beside.workspace()


@pytest.mark.parametrize(
    ("error", "code"),
    [(UsageError("x"), "usage"), (PermissionError("x"), "federation.io")],
)
def test_a_place_that_cannot_be_looked_at_is_told_by_its_code(error: Exception, code: str) -> None:
    def find() -> Callable[[], Workspace] | None:
        raise error

    beside = Beside(find)
    assert beside.ask(lambda workspace: workspace) is None
    assert beside.trouble == code


def test_a_fault_while_answering_leaves_no_answer(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        beside = Beside(lambda: lambda: workspace)

        def refuse(_: Workspace) -> str:
            raise PermissionError("no")

        assert beside.ask(refuse) is None
        assert beside.trouble == "federation.io"
        assert beside.ask(lambda other: "now") == "now"
        assert beside.trouble == ""


def test_a_store_that_does_not_answer_in_time_is_given_up_until_it_has(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        release = threading.Event()
        beside = Beside(lambda: lambda: workspace, within_s=0.0)

        def hang(_: Workspace) -> bool:
            return release.wait()

        assert beside.ask(hang) is None
        assert beside.trouble == "federation.timeout"
        assert beside.ask(lambda other: other) is None
        assert beside.trouble == "federation.timeout"
        beside.close()
        assert workspace.store.ledger_head() is not None
        release.set()


def test_a_defect_is_no_reason_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[object] = []
    monkeypatch.setattr(threading, "excepthook", reported.append)
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        beside = Beside(lambda: lambda: workspace)
        assert beside.ask(lambda other: 1 // 0) is None
    assert beside.trouble == "federation.failed"
    assert len(reported) == 1
