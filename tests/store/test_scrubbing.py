"""Words are taken out of working files without following a link or leaving the store (A82)."""

from __future__ import annotations

import os
from pathlib import Path

from memfs.store.histories import HistoryRewrite
from memfs.store.scrubbing import scrub_working
from memfs.store.store import Store
from tests.support.stores import QUICK, new_store

WORDS = b"zebra-quartz-4711"
KEPT = "records/note/2026-11/kept.md"


def test_links_and_special_files_are_reported_and_left(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {KEPT: b"has " + WORDS + b" as committed\n"})
    outside = tmp_path / "outside"
    outside.write_bytes(WORDS)
    (root / "link").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path)
    os.mkfifo(root / "fifo")
    (root / "hard").hardlink_to(outside)
    (root / f"{WORDS.decode()}.txt").write_bytes(b"about " + WORDS)
    with Store.open(root, settings=QUICK) as store:
        tip = store.snapshot(store.main_head())
        found = scrub_working(root, tip, HistoryRewrite(phrases=(WORDS,)))
    assert set(found.closed) == {"link", "fifo", "hard"}
    assert found.replaced == ("erased.txt",)
    assert (root / "erased.txt").read_bytes() == b"about (erased)"
    assert outside.read_bytes() == WORDS
    # What the branch has just so is for the history to decide.
    assert WORDS in (root / KEPT).read_bytes()
