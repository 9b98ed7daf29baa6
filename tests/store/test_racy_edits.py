"""Git, too, sees an edit of the same length within the second of a write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.model.settings import Durability, IndexMode, StoreSettings
from memfs.store.store import Store
from tests.support.stores import git, new_store, plan_for

A = "records/note/2026-11/a.md"
B = "records/note/2026-11/b.md"


@pytest.mark.parametrize("mode", [IndexMode.FULL, IndexMode.SPLIT], ids=str)
def test_a_later_write_does_not_hide_an_edit_from_git(tmp_path: Path, mode: IndexMode) -> None:
    root = new_store(tmp_path / "store")
    settings = StoreSettings(durability=Durability.PROCESS, index=mode)
    with Store.open(root, settings=settings) as store:
        store.commit(plan_for(store, {"records/note/2026-11/first.md": b"first\n"}))
        store.commit(plan_for(store, {A: b"one\n"}))
        before = (root / A).stat()
        index = (root / ".git/index").stat()
        with (root / A).open("r+b") as file:
            file.write(b"two\n")
        second = before.st_mtime_ns // 10**9 * 10**9
        os.utime(root / A, ns=(second, second + (before.st_mtime_ns + 1) % 10**9))
        os.utime(root / ".git/index", ns=(index.st_mtime_ns, index.st_mtime_ns))
        store.commit(plan_for(store, {B: b"other\n"}))
    later = second + 10 * 10**9
    os.utime(root / ".git/index", ns=(later, later))
    shown = git(root, "-c", "core.trustctime=false", "status", "--porcelain")
    assert shown.split() == ["M", A]
