"""The watcher says where to look, once a burst, and never misses that it may have missed."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memfs.reconcile import watcher as watcher_module
from memfs.reconcile.debounce import Burst
from memfs.reconcile.hints import Hints
from memfs.reconcile.watcher import Watcher, WatchMode
from tests.support.stores import git
from tests.support.watching import watching

FACT = "records/fact/2026-11/a.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    (folder / FACT).parent.mkdir(parents=True)
    (folder / FACT).write_text("one\n")
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    return folder


@pytest.mark.parametrize("mode", WatchMode)
def test_a_saved_file_is_one_burst_with_its_path(root: Path, mode: WatchMode) -> None:
    with watching(root, mode=mode) as watched:
        (root / FACT).write_text("two\n")
        assert FACT in watched.until(lambda burst: FACT in burst.paths).paths


def test_an_editor_that_writes_aside_and_renames_is_seen(root: Path) -> None:
    with watching(root) as watched:
        temporary = root / "records" / "fact" / "2026-11" / ".a.md.tmp"
        temporary.write_text("two\n")
        temporary.rename(root / FACT)
        burst = watched.until(lambda burst: FACT in burst.paths)
        assert not any(".tmp" in path for path in burst.paths)


def test_a_rename_from_outside_is_seen(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("two\n")
    with watching(root) as watched:
        outside.rename(root / FACT)
        watched.until(lambda burst: FACT in burst.paths)


def test_removed_and_moved_files_are_seen_under_both_names(root: Path) -> None:
    with watching(root) as watched:
        (root / FACT).rename(root / "records/fact/2026-11/b.md")
        (root / "records/fact/2026-11/b.md").unlink()
        found: set[str] = set()
        while not found >= {FACT, "records/fact/2026-11/b.md"}:
            found |= watched.next().paths


def test_files_in_a_folder_that_is_new_are_seen(root: Path) -> None:
    with watching(root) as watched:
        path = root / "records" / "note" / "2026-12" / "n.md"
        path.parent.mkdir(parents=True)
        path.write_text("new\n")
        watched.until(lambda burst: "records/note/2026-12/n.md" in burst.paths)


def test_settings_and_projections_at_the_root_are_seen_and_the_inbox_is_not(root: Path) -> None:
    (root / "inbox").mkdir()
    with watching(root) as watched:
        (root / "inbox" / "cand.md").write_text("waits\n")
        (root / "memfs.yaml").write_text("store_format: 1\n")
        burst = watched.until(lambda burst: "memfs.yaml" in burst.paths)
        assert burst.paths == {"memfs.yaml"}


def test_a_commit_by_hand_is_seen_through_the_branch(root: Path) -> None:
    with watching(root) as watched:
        git(root, "add", "-A")
        git(root, "commit", "-qm", "by hand")
        burst = watched.until(lambda burst: ".git/refs/heads/main" in burst.paths)
        assert not any(path.endswith(".lock") for path in burst.paths)


def test_a_checkout_of_a_thousand_files_is_few_bursts_with_every_path(root: Path) -> None:
    names = [f"records/fact/2026-11/{number}.md" for number in range(1000)]
    for name in names:
        (root / name).write_text("one\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "checkout", "-qb", "two")
    for name in names:
        (root / name).write_text("two\n")
    git(root, "commit", "-qam", "two")
    with watching(root) as watched:
        git(root, "checkout", "-q", "main")
        found: set[str] = set()
        bursts = 0
        while not found >= {*names, ".git/HEAD"}:
            found |= watched.next().paths
            bursts += 1
        assert bursts < 20


def test_reading_files_is_no_hint(root: Path) -> None:
    with watching(root) as watched:
        for _ in range(50):
            (root / FACT).read_text()
        (root / "records" / "last.md").write_text("end\n")
        assert watched.next().paths == {"records/last.md"}


def test_swap_files_of_editors_are_no_hint(root: Path) -> None:
    with watching(root) as watched:
        (root / "records" / ".a.md.swp").write_text("x")
        (root / "records" / "a.md~").write_text("x")
        (root / "records" / "last.md").write_text("end\n")
        assert watched.next().paths == {"records/last.md"}


def test_a_folder_that_does_not_exist_yet_is_watched_when_it_appears(root: Path) -> None:
    shutil.rmtree(root / "records")
    with watching(root) as watched:
        (root / FACT).parent.mkdir(parents=True)
        watched.until(lambda burst: burst.is_full)
        (root / FACT).write_text("two\n")
        watched.until(lambda burst: FACT in burst.paths)


def test_a_folder_that_is_removed_and_made_again_is_watched_again(root: Path) -> None:
    with watching(root) as watched:
        shutil.rmtree(root / "records")
        (root / FACT).parent.mkdir(parents=True)
        watched.until(lambda burst: burst.is_full)
        (root / FACT).write_text("two\n")
        watched.until(lambda burst: FACT in burst.paths)


def test_polling_goes_on_when_a_folder_is_removed_and_made_again(root: Path) -> None:
    with watching(root, mode=WatchMode.POLLING) as watched:
        shutil.rmtree(root / "records")
        watched.until(lambda burst: burst.is_full or FACT in burst.paths)
        (root / FACT).parent.mkdir(parents=True)
        (root / FACT).write_text("two\n")
        watched.until(lambda burst: burst.is_full or FACT in burst.paths)


def test_a_store_that_is_moved_away_and_made_again_is_watched_again(root: Path) -> None:
    with watching(root) as watched:
        root.rename(root.with_name("aside"))
        (root / FACT).parent.mkdir(parents=True)
        watched.until(lambda burst: burst.is_full)
        (root / FACT).write_text("two\n")
        watched.until(lambda burst: FACT in burst.paths)


def test_events_that_the_kernel_dropped_end_in_a_full_pass(root: Path) -> None:
    with watching(root) as watched:
        logging.getLogger("watchdog.observers.inotify_c").warning(
            "Inotify queue overflowed; filesystem events were lost"
        )
        assert watched.next().is_full


def test_a_system_that_refuses_to_watch_is_polled(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[WatchMode] = []
    new_observer = watcher_module._new_observer

    def refuse(mode: WatchMode) -> object:
        modes.append(mode)
        if mode is WatchMode.NATIVE:
            raise OSError(24, "inotify instance limit reached")
        return new_observer(mode)

    monkeypatch.setattr(watcher_module, "_new_observer", refuse)
    with watching(root) as watched:
        assert modes == [WatchMode.NATIVE, WatchMode.POLLING]
        (root / FACT).write_text("two\n")
        watched.until(lambda burst: FACT in burst.paths)


def test_what_happens_during_a_pass_belongs_to_the_next_burst(root: Path) -> None:
    watcher = Watcher(root, folders=("records",))
    bursts = watcher.bursts()
    assert next(bursts).is_full
    (root / FACT).write_text("two\n")
    assert FACT in next(bursts).paths
    (root / FACT).write_text("three\n")
    assert FACT in next(bursts).paths
    bursts.close()
    assert not any("inotify" in thread.name.lower() for thread in threading.enumerate())


def test_a_failing_callback_ends_the_watch_and_is_raised(root: Path) -> None:
    def fail(burst: Burst) -> None:
        raise RuntimeError(str(burst.is_full))

    with pytest.raises(RuntimeError, match="True"):
        Watcher(root, folders=("records",)).run(fail)


def test_hints_wait_for_a_quiet_moment_and_are_given_out_once() -> None:
    now = [10.0]
    hints = Hints(lambda: now[0])
    hints.add("a.md")
    assert hints.take() is None
    now[0] = 10.1
    burst = hints.take()
    assert burst is not None
    assert burst.paths == {"a.md"}
    assert hints.take() is None


def test_closing_wakes_whoever_waits() -> None:
    hints = Hints(lambda: 0.0)
    waiter = threading.Thread(target=hints.wait, args=(3600.0,))
    waiter.start()
    hints.close()
    waiter.join(30.0)
    assert not waiter.is_alive()


def test_importing_the_watcher_does_not_import_watchdog() -> None:
    code = "import sys, memfs.reconcile.watcher; sys.exit('watchdog' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
