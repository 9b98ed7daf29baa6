"""The canary asks every read path, and what it asks with is opened once for all that it asks."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from memfs.services import canary
from memfs.services.canary import ask_everywhere
from memfs.services.reindex import open_index
from memfs.store.snapshot import Snapshot
from tests.support.memory import memory_of, new_project
from tests.support.withdrawal import record_of


def test_what_is_asked_of_the_past_is_opened_once_for_all_of_a_withdrawal(tmp_path: Path) -> None:
    opened: list[str] = []

    def counted(workspace: object, snapshot: Snapshot, **options: object) -> object:
        opened.append(str(snapshot.commit))
        return open_index(workspace, snapshot, **options)  # type: ignore[arg-type]

    with memory_of(new_project(tmp_path)) as memory:
        ids = [memory.remember(f"Bay {number} is free", kind="note").target for number in range(3)]
        with (
            patch.object(canary, "open_index", counted),
            patch("memfs.services.recall.open_index", counted),
        ):
            done = memory.forget(ids)
        # One for what is, one for what was, and two for each that is asked for by its words.
        assert len(opened) <= 2 + 2 * len(ids)
        details = done.data["details"]
        assert isinstance(details, dict)
        assert details["canary"]["asked"] == 10 * len(ids)
        # What nothing was done about is found, on every path that a reader has.
        kept = memory.remember("Berth nine is closed", kind="note").target
        standing = record_of(memory, kept)
        assert standing is not None
        head = str(memory.workspace.store.ledger_head())
        found = ask_everywhere(memory.workspace, gone=[standing], before=head).found
        paths = {item.partition(":")[0] for item in found}
        assert paths >= {"catalogue", "index", "list", "show", "search", "recall", "recall --as-of"}
