"""What is wrong with a repository: a writer at work is not taken for one that died."""

from __future__ import annotations

import threading
from pathlib import Path
from unittest.mock import patch

from memfs.model.problem import Problem
from memfs.store import health
from memfs.store.context import WriteContext
from memfs.store.store import Store
from tests.support.memory import new_project, store_root


def test_what_a_writer_at_work_has_lying_about_is_no_fault(tmp_path: Path) -> None:
    root = store_root(new_project(tmp_path))
    lock, applied = root / ".git" / "index.lock", root / ".git" / "memfs" / "applied"
    twin = root / ".git" / "memfs" / "tmp" / "twin"
    writer, looker = Store.open(root), Store.open(root)
    is_seen = threading.Event()
    real = applied.read_bytes()
    found: list[str] = []
    once = health._found

    def seen(context: WriteContext) -> tuple[Problem, ...]:
        problems = once(context)
        is_seen.set()
        return problems

    def look() -> None:
        with patch.object(health, "_found", seen):
            found.extend(problem.code for problem in looker.health())

    try:
        with writer.exclusive():
            twin.parent.mkdir(parents=True, exist_ok=True)
            twin.write_bytes(b"")
            lock.hardlink_to(twin)
            applied.unlink()
            looking = threading.Thread(target=look)
            looking.start()
            assert is_seen.wait(30)
            lock.unlink()
            twin.unlink()
            applied.write_bytes(real)
        looking.join()
        assert found == []
        twin.write_bytes(b"")
        lock.hardlink_to(twin)
        look()
        assert found == ["store.stale-lock"]
    finally:
        writer.close()
        looker.close()
