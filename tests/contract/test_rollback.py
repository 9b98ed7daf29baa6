"""Each of the nine stages of moving in can step back, and nothing withdrawn is served (A79).

The stages are those of A76. In each, something is forgotten, retracted and thereby withheld;
then the stage is undone in the bluntest way that a person has for it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from memfs.model.result import ResultStatus
from memfs.model.settings import Mode
from tests.contract.surfaces import SURFACES, Target, files_of
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, store_root
from tests.support.review import NO_HOOKS
from tests.support.withdrawal import derive

FORGOTTEN: Final = "The heron berth is painted vermilion"
RETRACTED: Final = "The heron berth is closed to cerulean barges"
SUMMARY: Final = "Barges and paint: ochre"
KEPT: Final = "Deploys go through the blue pipeline."
WORDS: Final = ("vermilion", "cerulean", "ochre")
QUESTION: Final = "heron berth painted barges paint deploys pipeline"
LEGACY: Final = {"berth.md": f"# Berth\n\n{FORGOTTEN}\n", "deploys.md": f"# Deploys\n\n{KEPT}\n"}


class Move:
    """A project that is moving in: its legacy notes, its store, and what was withdrawn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = new_project(folder)
        self.legacy = folder / "legacy"
        self.legacy.mkdir()
        for name, text in LEGACY.items():
            (self.legacy / name).write_text(text, "utf-8")
        with memory_of(self.project) as memory:
            self.known = memory.remember(RETRACTED, kind="note").target
        self.paint = ""

    @property
    def store(self) -> Path:
        """The folder of the store."""
        return store_root(self.project)

    def take_back(self) -> None:
        """Forgets one thing, retracts another; what rests on the first is withheld."""
        with memory_of(self.project) as memory:
            assert memory.forget([self.paint]).status is ResultStatus.DONE
            assert memory.retract(self.known).status is ResultStatus.DONE

    def mode(self, name: str) -> None:
        """Puts a mode in force, as a person does."""
        path = self.store / "memfs.yaml"
        lines = path.read_text("utf-8").splitlines()
        changed = [f"mode: {name}" if line.startswith("mode: ") else line for line in lines]
        path.write_text("\n".join(changed) + "\n", "utf-8")
        with memory_of(self.project) as memory:
            memory.accept([item.id for item in memory.candidates() if item.path == "memfs.yaml"])
            assert memory.settings.mode == name

    def bring_in(self, *, dry_run: bool = False) -> None:
        """Imports the legacy notes; the first time, something is made of one of them."""
        with memory_of(self.project) as memory:
            memory.import_path(self.legacy, accept=True, dry_run=dry_run)
            if dry_run or self.paint:
                return
            found = (item.record for item in memory.list_records())
            self.paint = next(item.id for item in found if FORGOTTEN in item.body)
            derive(memory, SUMMARY, self.paint)

    def copied(self, name: str) -> Path:
        """Copies the store beside the project."""
        place = self.folder / name
        shutil.copytree(self.store, place, symlinks=True)
        return place

    def put_back(self, place: Path) -> None:
        """Puts a copy in the place of the store."""
        shutil.rmtree(self.store)
        shutil.copytree(place, self.store, symlinks=True)


Undo = Callable[[], None]


def preflight(move: Move) -> Undo:
    """Looks and writes nothing, so that there is nothing to undo."""
    before = git(move.store, "rev-parse", "HEAD")
    move.bring_in(dry_run=True)
    with memory_of(move.project) as memory:
        assert memory.check() == ()
        memory.doctor()
    assert git(move.store, "rev-parse", "HEAD") == before
    return lambda: move.bring_in(dry_run=True)


def quiesce(move: Move) -> Undo:
    move.mode("read-only")
    return lambda: move.mode("enforced")


def backup(move: Move) -> Undo:
    place = move.copied("backup")
    return lambda: move.put_back(place)


def bring_in(move: Move) -> Undo:
    """The branch is thrown back to before the import."""
    before = git(move.store, "rev-parse", "HEAD").strip()
    move.bring_in()
    return lambda: _thrown_back(move, before)


def reconcile(move: Move) -> Undo:
    """Hand edits are taken in; the commits that did it are reverted, newest first."""
    before = git(move.store, "rev-parse", "HEAD").strip()
    (move.store / "records" / "note" / "by-hand.md").write_text(
        "---\nkind: note\n---\nThe quay has nine cranes.\n", "utf-8"
    )
    with memory_of(move.project) as memory:
        memory.reconcile()
        memory.accept(None)

    def undo() -> None:
        git(move.store, *NO_HOOKS, "revert", "--no-edit", f"{before}..HEAD")

    return undo


def project_views(move: Move) -> Undo:
    """Index, projections and log are put back as they were before."""
    with memory_of(move.project) as memory:
        memory.rebuild()
        memory.recall(QUESTION)
        cache = memory.workspace.cache_dir
    shutil.copytree(cache, move.folder / "cache")
    views = {name: (move.store / name).read_bytes() for name in ("MEMORY.md",)}

    def undo() -> None:
        shutil.rmtree(cache)
        shutil.copytree(move.folder / "cache", cache)
        for name, content in views.items():
            (move.store / name).write_bytes(content)

    return undo


def shadow(move: Move) -> Undo:
    move.mode("shadow")
    return lambda: move.mode("read-only")


def enforce(move: Move) -> Undo:
    move.mode("shadow")
    move.mode("enforced")
    return lambda: move.mode("shadow")


def finalise(move: Move) -> Undo:
    """What is not needed any more is thrown away; somebody has a clone of before."""
    clone = move.folder / "clone"
    git(move.folder, "clone", "-q", str(move.store), str(clone))
    git(move.store, "fetch", "-q", str(move.store), "refs/memfs/ledger")
    git(move.store, "gc", "-q", "--prune=now")

    def undo() -> None:
        git(clone, "update-ref", "refs/memfs/ledger", "HEAD")
        move.put_back(clone)

    return undo


def _thrown_back(move: Move, commit: str) -> None:
    git(move.store, *NO_HOOKS, "reset", "-q", "--hard", commit)
    git(move.store, "update-ref", "refs/memfs/ledger", commit)


STAGES: Final[Mapping[str, Callable[[Move], Undo]]] = MappingProxyType(
    {
        "preflight": preflight,
        "quiesce": quiesce,
        "backup": backup,
        "import": bring_in,
        "reconcile": reconcile,
        "project": project_views,
        "shadow": shadow,
        "enforce": enforce,
        "finalise": finalise,
    }
)
"""The nine stages in order, each with what undoes it."""


def served(move: Move) -> list[str]:
    """Returns the surfaces on which anybody, or any file, says what was withdrawn."""
    found = []
    for actor in (AGENT, ANA):
        with memory_of(move.project, actor) as memory:
            for name in SERVING:
                ask = SURFACES[name]
                if name in _PROPOSED and actor is ANA:
                    continue
                for reference in (move.paint, move.known):
                    if name in _BY_NAME and actor is ANA and reference == move.known:
                        continue
                    target = Target(reference=reference, path="", words=(), question=QUESTION)
                    answer = ask(memory, target)
                    found += [f"{actor}: {name}: {word}" for word in WORDS if word in answer]
    views = [path for path in (move.store / "MEMORY.md", move.store / "core.md") if path.is_file()]
    for path in views:
        found += [f"{path.name}: {word}" for word in WORDS if word in path.read_text("utf-8")]
    return found


SERVING: Final = (
    "search", "search as of", "packet", "list", "show", "show by end of id", "show by path",
    "show a version", "inbox", "candidate", "status", "conflicts", "stats",
)  # fmt: skip
"""Surfaces that hand out what records say; others give account, or act, and name the record."""


_BY_NAME: Final = frozenset(("show", "show by end of id", "show by path", "show a version"))
"""A person may look at what they retracted, to restore it; at what they forgot, never."""
_PROPOSED: Final = frozenset(("inbox", "candidate"))
"""What a revert would bring back waits for a person, who sees what it says."""


@pytest.mark.invariant("A26", "A13")
@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_steps_back_and_nothing_withdrawn_is_served(tmp_path: Path, stage: str) -> None:
    move = Move(tmp_path)
    if stage != "import":
        move.bring_in()
    undo = STAGES[stage](move)
    move.take_back()
    assert served(move) == []
    undo()
    assert served(move) == []
    # Whatever is done next to go on, or to start again, brings nothing of it back.
    with memory_of(move.project) as memory:
        memory.reconcile()
        is_enforced = memory.settings.mode is Mode.ENFORCED
    if not is_enforced:
        move.mode("enforced")
    move.bring_in()
    with memory_of(move.project) as memory:
        memory.rebuild()
        assert KEPT in memory.recall("how do deploys go", limit=20).text
    assert served(move) == []
    assert {path.name: path.read_text("utf-8") for path in move.legacy.iterdir()} == LEGACY
    assert "vermilion" not in files_of(move.store / "records")
