"""``kill -9`` at every step and between any two effects of a transaction (A50)."""

from __future__ import annotations

import os
import random
import select
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from memfs.model.settings import StoreSettings
from memfs.store.bulk import BULK_CHANGES
from memfs.store.effects import Effects
from memfs.store.store import Store
from tests.support.faults import (
    KillingEffects,
    RecordingEffects,
    is_full_run,
    run_in_child,
    start_child,
)
from tests.support.stores import (
    QUICK,
    SPLIT,
    assert_sound,
    digest,
    git,
    ledger_files,
    new_store,
    plan_for,
)

pytestmark = pytest.mark.fault

BEFORE: Mapping[str, bytes] = {
    "records/note/2026-11/kept.md": b"kept\n",
    "records/note/2026-11/changed.md": b"one\n",
    "records/fact/2026-11/removed.md": b"gone soon\n",
}
CHANGES: Mapping[str, bytes | None] = {
    "records/note/2026-11/changed.md": b"two\n",
    "records/fact/2026-11/removed.md": None,
    "records/note/2026-12/new.md": b"new\n",
    "evidence/2026-12/new.json": b"{}\n",
}
AFTER = {
    "records/note/2026-11/kept.md": b"kept\n",
    "records/note/2026-11/changed.md": b"two\n",
    "records/note/2026-12/new.md": b"new\n",
    "evidence/2026-12/new.json": b"{}\n",
}


def write_once(root: Path, effects: Effects, settings: StoreSettings) -> None:
    with Store.open(root, settings=settings, effects=effects) as store:
        store.commit(plan_for(store, CHANGES, key="once"))


def assert_old_or_new(root: Path, *, is_acknowledged: bool = False) -> bool:
    """Asserts that the store holds exactly the old state or the new one; tells which."""
    assert_sound(root)
    found = {path: blob for path, blob in ledger_files(root).items() if "/" in path}
    is_new = found == {path: digest(content) for path, content in AFTER.items()}
    if not is_new:
        assert found == {path: digest(content) for path, content in BEFORE.items()}
        assert not is_acknowledged
    working = {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*.*")
        if path.is_file() and ".git" not in path.parts and path.name != ".gitignore"
    }
    assert working == (AFTER if is_new else BEFORE)
    return is_new


def recorded(folder: Path, settings: StoreSettings) -> RecordingEffects:
    effects = RecordingEffects()
    write_once(new_store(folder / "recorded", BEFORE), effects, settings)
    return effects


@pytest.mark.parametrize(
    "settings", [QUICK, SPLIT, StoreSettings()], ids=["full", "split", "batch"]
)
def test_a_kill_at_any_step_leaves_the_old_state_or_the_new_one(
    tmp_path: Path, settings: StoreSettings
) -> None:
    steps = dict.fromkeys(recorded(tmp_path, settings).steps)
    assert {"staged", "objects", "index-lock", "ref-locks", "intent", "committed"} <= steps.keys()
    outcomes = {}
    for number, step in enumerate(steps):
        root = new_store(tmp_path / str(number), BEFORE)
        status = run_in_child(lambda: write_once(root, KillingEffects(step=step), settings))  # noqa: B023
        assert status == -signal.SIGKILL
        outcomes[step] = assert_old_or_new(root)
    names = list(outcomes)
    committed = names.index("ref:refs/heads/main")
    assert list(outcomes.values()) == [number >= committed for number in range(len(names))]


@pytest.mark.parametrize("settings", [QUICK, StoreSettings()], ids=["process", "batch"])
def test_a_kill_before_any_effect_leaves_the_old_state_or_the_new_one(
    tmp_path: Path, settings: StoreSettings
) -> None:
    total = len(recorded(tmp_path, settings).effects)
    for at in range(1, total + 1, 1 if is_full_run() else 3):
        root = new_store(tmp_path / str(at), BEFORE)
        status = run_in_child(lambda: write_once(root, KillingEffects(at=at), settings))  # noqa: B023
        assert status == -signal.SIGKILL
        assert_old_or_new(root)


def test_a_kill_during_recovery_is_recovered_too(tmp_path: Path) -> None:
    interrupted = "ref:refs/heads/main"
    effects = RecordingEffects()
    sample = new_store(tmp_path / "sample", BEFORE)
    run_in_child(lambda: write_once(sample, KillingEffects(step=interrupted), QUICK))
    with Store.open(sample, effects=effects):
        pass
    assert effects.effects
    for at in range(1, len(effects.effects) + 1):
        root = new_store(tmp_path / str(at), BEFORE)
        run_in_child(lambda: write_once(root, KillingEffects(step=interrupted), QUICK))  # noqa: B023
        status = run_in_child(lambda: Store.open(root, effects=KillingEffects(at=at)).close())  # noqa: B023
        assert status == -signal.SIGKILL
        assert assert_old_or_new(root)


def test_a_key_that_was_committed_by_a_killed_writer_is_not_committed_again(
    tmp_path: Path,
) -> None:
    root = new_store(tmp_path / "store", BEFORE)
    effects = KillingEffects(step="committed")
    run_in_child(lambda: write_once(root, effects, QUICK))
    with Store.open(root) as store:
        head = store.ledger_head()
        again = store.commit(plan_for(store, CHANGES, key="once"))
        assert again.is_replay
        assert (again.id, store.ledger_head()) == (head, head)


def test_a_hand_commit_between_a_kill_and_the_next_opening_takes_nothing_away(
    tmp_path: Path,
) -> None:
    for number, step in enumerate(("ref:refs/heads/main", "committed", "files", "index")):
        root = new_store(tmp_path / str(number), BEFORE)
        run_in_child(lambda: write_once(root, KillingEffects(step=step), QUICK))  # noqa: B023
        for lock in (".git/index.lock", ".git/refs/memfs/ledger.lock"):
            (root / lock).unlink(missing_ok=True)  # as a person does who is told to
        git(root, "add", "-A")
        git(root, "commit", "--allow-empty", "-q", "-m", "by hand")
        with Store.open(root) as store:
            served = {path: digest(content) for path, content in AFTER.items()}
            assert {
                path: blob for path, blob in ledger_files(root).items() if "/" in path
            } == served
            assert store.main_head() != store.ledger_head()


def test_a_kill_during_a_large_plan_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    many = {f"records/fact/2026-11/{number}.md": b"%d\n" % number for number in range(BULK_CHANGES)}

    def write(root: Path, step: str) -> None:
        with Store.open(root, settings=QUICK, effects=KillingEffects(step=step)) as store:
            store.commit(plan_for(store, many))

    for step in ("staged", "objects", "intent", "ref:refs/heads/main", "placed", "files", "index"):
        root = new_store(tmp_path / step.replace("/", "-"), BEFORE)
        assert run_in_child(lambda: write(root, step)) == -signal.SIGKILL  # noqa: B023
        assert_sound(root)
        found = many.keys() & ledger_files(root).keys()
        assert len(found) in (0, BULK_CHANGES)
        assert bool(found) == (step in ("ref:refs/heads/main", "placed", "files", "index"))


def write_for_ever(root: Path, settings: StoreSettings, report: int, name: str) -> None:
    with Store.open(root, settings=settings) as store:
        number = 0
        while True:
            number += 1
            path = f"records/note/2026-11/{name}-{number}.md"
            store.commit(plan_for(store, {path: f"{name} {number}\n".encode()}))
            os.write(report, f"{path}\n".encode())


def run_until_killed(
    root: Path, settings: StoreSettings, name: str, chance: random.Random
) -> set[str]:
    """Starts a writer, kills it at a random instant and returns what it had acknowledged."""
    reader, writer = os.pipe()
    child = start_child(lambda: write_for_ever(root, settings, writer, name))
    os.close(writer)
    acknowledged = b""
    allowed_writes = chance.randrange(6)
    while acknowledged.count(b"\n") < allowed_writes:
        acknowledged += os.read(reader, 4096)
    # Not a pause: the writer is cut off somewhere in its next write.
    select.select([], [], [], chance.random() * 0.006)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while piece := os.read(reader, 4096):
        acknowledged += piece
    os.close(reader)
    return {line for line in acknowledged.decode().split("\n") if line}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "settings", [QUICK, SPLIT, StoreSettings()], ids=["full", "split", "batch"]
)
def test_random_kills_lose_nothing_that_was_acknowledged(
    tmp_path: Path, settings: StoreSettings
) -> None:
    root = new_store(tmp_path / "store")
    chance = random.Random(20261129)
    acknowledged: set[str] = set()
    for number in range(200 if is_full_run() else 12):
        acknowledged |= run_until_killed(root, settings, f"run{number}", chance)
        assert_sound(root)
        assert acknowledged <= ledger_files(root).keys()
    assert acknowledged
