"""A real memory in a temporary project, with a stepped clock and counted ids."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.app.container import Memory, init_store, open_memory
from memfs.app.opening import open_workspace
from memfs.app.system import encode_ulid
from memfs.model.origin import Actor, Channel, Principal
from memfs.services.ports import Workspace

ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
AGENT = Actor(Principal.parse("agent:builder"), Channel.AGENT)
START = datetime(2026, 11, 29, 10, 0, 0, tzinfo=UTC)


class SteppedClock:
    """Each look is one second later than the one before."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        """Returns the next second."""
        self._now += timedelta(seconds=1)
        return self._now

    def advance(self, step: timedelta) -> None:
        """Lets time pass."""
        self._now += step


class CountedIds:
    """Ascending ids, the same in every run."""

    def __init__(self, start: int = 0) -> None:
        self._count = start

    def new_id(self, prefix: str) -> str:
        """Returns the next id; its last six characters differ from its neighbours'."""
        self._count += 1
        base = int(START.timestamp() * 1000) << 80
        return f"{prefix}_{encode_ulid(base + self._count * 7_919_003)}"


def new_project(tmp_path: Path, name: str = "datasync") -> Path:
    """Makes a project with a Git repository and a scripted store in it; returns the project."""
    project = tmp_path / name
    project.mkdir()
    git(project, "init", "-q", "-b", "main", "--template=")
    init_store(
        folder=project, env=dict(os.environ), is_scripted=True, as_principal="user:ana", yes=True
    )
    return project


def store_root(project: Path) -> Path:
    """Returns the folder of a project's store."""
    return project / ".memfs"


def git(folder: Path, *words: str) -> str:
    """Runs Git as a person would; returns what it printed."""
    done = subprocess.run(
        ["git", *words], cwd=folder, check=True, capture_output=True, encoding="utf-8"
    )
    return done.stdout


@contextmanager
def workspace_of(
    project: Path, *, clock: SteppedClock | None = None, ids: CountedIds | None = None
) -> Iterator[Workspace]:
    """Opens the store of a project for services."""
    workspace = open_workspace(
        start=project,
        env=dict(os.environ),
        clock=clock or SteppedClock(),
        ids=ids or CountedIds(),
    )
    try:
        yield workspace
    finally:
        workspace.store.close()


def memory_of(project: Path, actor: Actor = ANA) -> Memory:
    """Opens the memory of a project as ``actor``, past any terminal."""
    memory = open_memory(start=project, env=dict(os.environ))
    memory.actor = actor
    return memory


def record_files(project: Path) -> list[Path]:
    """Returns the record files in the working tree, sorted."""
    return sorted((store_root(project) / "records").rglob("*.md"))


def replaced_settings(project: Path, old: str, new: str) -> None:
    """Changes the settings as a person does: edits the file and accepts the candidate."""
    path = store_root(project) / "memfs.yaml"
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise AssertionError(f"{old!r} is not in the settings")
    path.write_text(text.replace(old, new), encoding="utf-8")
    with memory_of(project) as memory:
        memory.accept(None)


def as_actor(actor: Actor, channel: Channel) -> Actor:
    """Returns the same principal on another channel."""
    return replace(actor, channel=channel)
