"""The file system refuses the N-th effect: full, read-only or broken disks (A50)."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memfs.errors import StoreError
from memfs.model.settings import StoreSettings
from memfs.store.store import Store
from memfs.store.transaction import WriteFailedError
from tests.support.faults import FailingEffects, TornEffects, is_full_run
from tests.support.stores import QUICK, SPLIT, assert_sound, ledger_files, new_store, plan_for

pytestmark = pytest.mark.fault

BEFORE: Mapping[str, bytes] = {"records/note/2026-11/a.md": b"one\n"}
CHANGES: Mapping[str, bytes | None] = {
    "records/note/2026-11/a.md": b"two\n",
    "records/note/2026-12/b.md": b"new\n",
}
Fault = Callable[[int], FailingEffects]

FAULTS: Mapping[str, Fault] = {
    "full-once": lambda at: FailingEffects(at, errno.ENOSPC),
    "full-from-then-on": lambda at: FailingEffects(at, errno.ENOSPC, is_lasting=True),
    "full-in-the-middle-of-a-write": lambda at: TornEffects(at, errno.ENOSPC, is_lasting=True),
    "read-only-from-then-on": lambda at: FailingEffects(at, errno.EROFS, is_lasting=True),
    "broken-once": lambda at: FailingEffects(at, errno.EIO),
}


def try_to_write(root: Path, effects: FailingEffects, settings: StoreSettings) -> bool:
    """Writes once; tells whether the write was acknowledged."""
    with Store.open(root, settings=settings, effects=effects) as store:
        try:
            store.commit(plan_for(store, CHANGES, key="once"))
        except WriteFailedError:
            return False
    return True


@pytest.mark.parametrize(
    "settings", [QUICK, SPLIT, StoreSettings()], ids=["full", "split", "batch"]
)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_refused_effect_leaves_the_old_state_or_the_new_one(
    tmp_path: Path, fault: str, settings: StoreSettings
) -> None:
    stride = 1 if is_full_run() else 4
    at, has_struck = 1, True
    while has_struck:
        root = new_store(tmp_path / str(at), BEFORE)
        effects = FAULTS[fault](at)
        is_acknowledged = try_to_write(root, effects, settings)
        has_struck = effects.has_struck
        with Store.open(root, settings=settings) as store:
            assert store.main_head() == store.ledger_head()
            is_there = "records/note/2026-12/b.md" in ledger_files(root)
            assert is_there or not is_acknowledged
            again = store.commit(plan_for(store, CHANGES, key="once"))
            assert again.is_replay == is_there
        assert (root / "records/note/2026-11/a.md").read_bytes() == b"two\n"
        assert_sound(root)
        at += stride
    assert is_acknowledged


def test_a_store_that_may_not_be_written_is_read_and_refuses_to_write(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", BEFORE)
    (root / ".git" / "memfs" / "applied").unlink()  # so that opening wants to recover
    effects = FailingEffects(1, errno.EROFS, is_lasting=True)
    with Store.open(root, effects=effects) as store:
        assert store.snapshot().read("records/note/2026-11/a.md") == b"one\n"
        with pytest.raises(WriteFailedError) as caught:
            store.commit(plan_for(store, CHANGES))
        assert isinstance(caught.value, StoreError)
        assert caught.value.code == "store.write-failed"
    assert_sound(root)
    assert "records/note/2026-12/b.md" not in ledger_files(root)
