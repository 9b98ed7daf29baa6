"""However a conversation branches, and wherever imports cut it, the same turns are kept."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from memfs.app.container import Memory
from memfs.domains.sessions.metadata import session_id
from memfs.interop.transcripts.port import UnknownTranscriptError
from memfs.store.session_folders import SessionFolders
from tests.support.conversations import HOST_ID, START, ClaudeTalk
from tests.support.memory import AGENT, SteppedClock, git, memory_of, new_project

SESSION = session_id("claude", HOST_ID)


def converse(talk: ClaudeTalk, random: Random) -> None:
    """Writes turns, forks, retries and beginnings in any order."""
    ends: list[str] = []
    prompts: list[str] = []
    for number in range(random.randrange(4, 14)):
        chance = random.random()
        if prompts and chance < 0.12:
            ends.append(talk.answer(f"Retry {number}", parent=random.choice(prompts)))
            continue
        if ends and chance < 0.35:
            prompts.append(talk.user(f"Fork {number}", parent=random.choice(ends)))
        elif chance < 0.42:
            prompts.append(talk.user(f"Root {number}", parent=None))
        else:
            prompts.append(talk.user(f"Step {number}"))
        for _ in range(random.randrange(3)):
            talk.tool("Bash", {"number": number}, "ok")
        if random.random() < 0.9:
            ends.append(talk.answer(f"Answer {number}"))
        if random.random() < 0.4:
            ends.append(talk.entry("system", subtype="turn_duration"))


def kept() -> list[str]:
    """Returns what is kept: the subject and the tree of each commit; and forgets it."""
    home = Path(os.environ["MEMFS_HOME"])
    folder = home / "sessions" / SESSION
    assert git(folder, "status", "--porcelain") == ""
    found = sorted(git(folder, "log", "--all", "--format=%T %s").splitlines())
    folders = SessionFolders(home)
    with folders.locked(SESSION):
        folders.remove(SESSION)
    return found


def imported_in_pieces(memory: Memory, path: Path, random: Random) -> None:
    whole = path.read_bytes()
    memory.workspace = replace(memory.workspace, clock=SteppedClock(START))
    for cut in sorted(random.randrange(len(whole)) for _ in range(6)):
        path.write_bytes(whole[:cut])
        with suppress(UnknownTranscriptError):  # nothing but half a line is there yet
            memory.import_session(path)
    path.write_bytes(whole)
    memory.import_session(path, is_ended=True)


@pytest.mark.parametrize("seed", range(8))
def test_imports_in_pieces_keep_what_one_import_keeps(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    talk = ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl")
    converse(talk, random)
    with memory_of(new_project(tmp_path), AGENT) as memory:
        memory.import_session(talk.path, is_ended=True)
        at_once = kept()
        imported_in_pieces(memory, talk.path, random)
    assert kept() == at_once
