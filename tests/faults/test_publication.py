"""``kill -9`` between any two effects of a publication: it is finished later, and once (A87)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.app.opening import open_workspace
from memfs.model.result import ResultStatus
from memfs.services.beside import Beside
from memfs.services.ports import Workspace
from memfs.store.effects import REAL_EFFECTS, Effects
from memfs.store.store import Store
from tests.support.faults import KillingEffects, RecordingEffects, is_full_run, run_in_child
from tests.support.memory import ANA, new_project, store_root
from tests.support.namespaces import new_global, stated

pytestmark = [pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(900)]

EACH = 1 if is_full_run() else 6
"""How many effects lie between two kills."""


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    """A folder with a project's store that has one claim, and a global store beside it."""
    project = new_project(tmp_path)
    stated(store_root(project), "Deploys go out on Tuesdays", subject="deploys")
    folder = tmp_path / "stores"
    shutil.copytree(store_root(project), folder / "own", symlinks=True)
    shutil.copytree(new_global(), folder / "global", symlinks=True)
    for name in ("own", "global"):
        for number in range(256):
            # Digests differ from run to run: a folder that only some runs make would make the
            # effects of two runs differ in number.
            (folder / name / ".git" / "objects" / f"{number:02x}").mkdir(exist_ok=True)
    return folder


@contextmanager
def opened(folder: Path, effects: Effects = REAL_EFFECTS) -> Iterator[Memory]:
    """Opens both stores; every write to either goes through the same effects."""

    def workspace(name: str) -> Workspace:
        found = open_workspace(start=folder, env=dict(os.environ), explicit=folder / name)
        found.store.close()
        return replace(found, store=Store.open(folder / name, effects=effects))

    with Memory(workspace("own"), ANA, Beside(lambda: lambda: workspace("global"))) as memory:
        yield memory


def publish(folder: Path, effects: Effects = REAL_EFFECTS) -> ResultStatus:
    with opened(folder, effects) as memory:
        (claim,) = memory.list_records()
        return memory.publish(claim.record.id, "global").status


def assert_delivered_once(folder: Path) -> None:
    (offer,) = (folder / "own" / "publications").rglob("*.json")
    assert '"received_as": "cand_' in offer.read_text()
    (candidate,) = (folder / "global" / "inbox").glob("*.md")
    assert "source: publication:store_" in candidate.read_text()
    for name in ("own", "global"):
        done = subprocess.run(
            ["git", "fsck", "--full", "--strict"], cwd=folder / name, capture_output=True
        )
        assert done.returncode == 0, done.stderr


def test_a_publication_that_was_killed_anywhere_is_delivered_once(
    stores: Path, tmp_path: Path
) -> None:
    counted = RecordingEffects()
    whole = tmp_path / "whole"
    shutil.copytree(stores, whole, symlinks=True)
    assert publish(whole, counted) is ResultStatus.WAITING
    assert_delivered_once(whole)
    assert len(counted.effects) > 20

    ends = set()
    for place in range(1, len(counted.effects) + 1, EACH):
        folder = tmp_path / f"killed-{place}"
        shutil.copytree(stores, folder, symlinks=True)

        def work(folder: Path = folder, place: int = place) -> None:
            publish(folder, KillingEffects(at=place))

        assert run_in_child(work) == -signal.SIGKILL
        ends.add(publish(folder))
        assert_delivered_once(folder)
        assert publish(folder) is ResultStatus.NOTHING
        shutil.rmtree(folder)
    assert ends <= {ResultStatus.WAITING, ResultStatus.DONE, ResultStatus.NOTHING}
    assert len(ends) > 1
