"""What one session is given is counted, whoever asks in it and at the same time (A94)."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memfs.model.lineage import Lineage
from memfs.model.packet import MemoryState, Packet
from memfs.model.settings import RecallSettings, Settings
from memfs.services.ports import Workspace
from memfs.services.session_caps import (
    MOST_SESSIONS,
    SESSIONS_FOLDER,
    Given,
    begin_window,
    spent_bytes,
    within_session,
)
from tests.support.recall_stores import workspace_over

NO_STORE: Any = None
"""Counting reads settings, the cache folder and the lineage, never the store."""
CAP = 1000


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    settings = Settings(
        store_id="store_01kb8x3v6yq4m9t2r7w5000000",
        project="demo",
        recall=RecallSettings(session_bytes=CAP),
    )
    over = workspace_over(NO_STORE, tmp_path / "cache", settings=settings)
    return replace(over, lineage=Lineage(session="chat/1"))


def packet(size: int) -> Packet:
    return Packet(
        cards=(),
        left_out=(),
        state=MemoryState.OK,
        reason="",
        ledger="",
        store="",
        tokens=0,
        text="x" * size,
    )


def sized(workspace: Workspace, size: int) -> int:
    """Asks for ``size`` bytes or what is left; returns how many came."""

    def compiled(before: Given) -> Packet:
        return packet(size if before.size_bytes + size <= CAP else 0)

    return len(within_session(workspace, compiled).text)


def test_a_session_is_given_its_cap_to_the_byte_and_no_more(workspace: Workspace) -> None:
    assert [sized(workspace, 400) for _ in range(4)] == [400, 400, 0, 0]
    assert sized(workspace, 200) == 200
    assert spent_bytes(workspace) == CAP
    assert sized(workspace, 1) == 0


def test_sessions_are_counted_apart_and_nobody_without_one(workspace: Workspace) -> None:
    assert sized(workspace, CAP) == CAP
    assert sized(replace(workspace, lineage=Lineage(session="chat/2")), CAP) == CAP
    nobody = replace(workspace, lineage=Lineage())
    assert [sized(nobody, CAP), sized(nobody, CAP), spent_bytes(nobody)] == [CAP, CAP, 0]


def test_a_new_window_counts_anew(workspace: Workspace) -> None:
    begin_window(workspace)
    assert sized(workspace, CAP) == CAP
    begin_window(workspace)
    assert sized(workspace, CAP) == CAP


def test_two_who_ask_at_once_never_both_get_the_last_bytes(workspace: Workspace) -> None:
    together = threading.Barrier(8)
    given: list[int] = []

    def ask() -> None:
        def compiled(before: Given) -> Packet:
            if before.size_bytes == 0 and not together.broken:
                together.wait(5)
            return packet(300 if before.size_bytes + 300 <= CAP else 0)

        given.append(len(within_session(workspace, compiled).text))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 300 <= sum(given) <= CAP
    assert spent_bytes(workspace) == sum(given)


@pytest.mark.parametrize("content", [b"", b"x\n-\n9" + b"9" * 5000, b"\xff\xb2\n", b"100\n-100\n"])
def test_a_damaged_count_stands_in_nobodys_way(content: bytes, workspace: Workspace) -> None:
    assert sized(workspace, 10) == 10
    (place,) = (workspace.cache_dir / SESSIONS_FOLDER).iterdir()
    place.write_bytes(content)
    assert sized(workspace, 10) == 10


def test_where_nothing_can_be_counted_the_answer_is_given(workspace: Workspace) -> None:
    workspace.cache_dir.write_text("a file where the folder should be")
    assert [sized(workspace, CAP), sized(workspace, CAP)] == [CAP, CAP]
    begin_window(workspace)
    assert spent_bytes(workspace) == 0


def test_only_so_many_sessions_are_kept_and_no_name_of_any(workspace: Workspace) -> None:
    for number in range(MOST_SESSIONS + 5):
        sized(replace(workspace, lineage=Lineage(session=f"chat-{number}")), 1)
    kept = list((workspace.cache_dir / SESSIONS_FOLDER).iterdir())

    assert len(kept) <= MOST_SESSIONS
    assert not [path for path in kept if "chat" in path.name]
