"""What Git needs and somebody broke is mended, and no record is touched by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.store.store import Store
from tests.support.stores import QUICK, git, new_store, plan_for

A = "records/note/2026-11/a.md"
B = "records/note/2026-11/b.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store with one file."""
    made = new_store(tmp_path / "store")
    with Store.open(made, settings=QUICK) as store:
        store.commit(plan_for(store, {A: b"one\n"}))
    return made


@pytest.mark.parametrize(
    "content", [None, b"", b"garbage\n", b"[core\n", b"\xff\xfe\x00"], ids=repr
)
def test_a_broken_configuration_is_set_aside_and_written_again(
    root: Path, content: bytes | None
) -> None:
    config = root / ".git/config"
    config.unlink()
    if content is not None:
        config.write_bytes(content)
    with Store.open(root, settings=QUICK) as store:
        store.mend()
        assert store.health() == ()
        store.commit(plan_for(store, {B: b"two\n"}))
    assert git(root, "status", "--porcelain") == ""
    if content:
        assert (root / ".git/config.broken").read_bytes() == content


def test_a_cut_index_is_made_anew_by_the_next_write(root: Path) -> None:
    index = root / ".git/index"
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2])
    with Store.open(root, settings=QUICK) as store:
        store.commit(plan_for(store, {B: b"two\n"}))
    with Store.open(root, settings=QUICK):
        pass
    assert git(root, "status", "--porcelain") == ""
