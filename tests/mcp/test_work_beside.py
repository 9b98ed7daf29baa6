"""A server that a client keeps running does, between calls, what hooks put off."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from memfs.mcp import desk as desks
from memfs.mcp.desk import Desk
from memfs.services.queue import enqueue, jobs
from tests.support.memory import new_project, workspace_of


def test_put_off_work_is_done_between_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "PAUSE_S", 0.01)
    project = new_project(tmp_path)
    given = {"client": "claude", "session": "s", "words": "We never deploy on a Friday"}
    with workspace_of(project) as workspace:
        enqueue(workspace, "capture-prompt", "one", given)

        async def serve() -> None:
            desk = Desk(start=project, env=dict(os.environ))
            with anyio.fail_after(20):
                async with anyio.create_task_group() as group:
                    group.start_soon(desk.work_beside)
                    while jobs(workspace):
                        await anyio.sleep(0.01)
                    group.cancel_scope.cancel()

        anyio.run(serve)
        assert jobs(workspace) == ()


def test_a_folder_without_a_store_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "PAUSE_S", 0.001)

    async def serve() -> None:
        with anyio.move_on_after(0.05):
            await Desk(start=tmp_path, env=dict(os.environ)).work_beside()

    anyio.run(serve)
