"""Writers: 32 real processes on one store, no acknowledged change lost.

Each remembers records of its own and corrects them, and all of them correct the same few. An
update is lost when a writer was told that it is recorded and it stands in no version of the
record. A correction that is refused because somebody else was faster is not lost: its author
knows.
"""

from __future__ import annotations

import os
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.corpus import environment
from benchmarks.suites.figures import Figure
from benchmarks.suites.stores import OWNER
from memfs.app.container import Memory, init_store
from memfs.app.opening import open_workspace
from memfs.errors import ConflictError
from memfs.services.reading import versions

SUITE: Final = "writers"
WRITERS: Final = 32
OWN: Final = 4
SHARED: Final = 3
ROUNDS: Final = 2


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Lets all writers loose on one store and looks for every acknowledged change."""
    del data  # made here
    project = scratch / "shared"
    project.mkdir()
    env = environment(scratch) | {"MEMFS_HOME": str(scratch / "home")}
    init_store(folder=project, env=env, is_scripted=True, as_principal="user:owner", yes=True)
    log = scratch / "acknowledged"
    log.touch()
    with _memory(project, env) as memory:
        shared = [
            memory.remember(f"Shared record {n} is as it was", kind="note").target
            for n in range(SHARED)
        ]
    codes = _run_all(project, env, log, shared)
    yield from _figures(project, env, log, codes)


def _memory(project: Path, env: dict[str, str]) -> Memory:
    return Memory(open_workspace(start=project, env=env), OWNER)


def _run_all(project: Path, env: dict[str, str], log: Path, shared: list[str]) -> list[int]:
    children = []
    for number in range(WRITERS):
        child = os.fork()
        if not child:
            status = 1
            try:
                _write(project, env, log, shared, number)
                status = 0
            finally:
                if status:
                    traceback.print_exc()
                os._exit(status)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _write(project: Path, env: dict[str, str], log: Path, shared: list[str], number: int) -> None:
    with _memory(project, env) as memory:
        for item in range(OWN):
            text = f"Writer {number} saw item {item} begin"
            target = memory.remember(text, kind="note", subject=f"w{number}-{item}").target
            _acknowledge(log, target, text)
            text = f"Writer {number} saw item {item} end"
            memory.correct(target, text)
            _acknowledge(log, target, text)
        for turn in range(ROUNDS):
            for target in shared:
                _correct(memory, log, target, f"Shared, says writer {number} in turn {turn}")


def _correct(memory: Memory, log: Path, target: str, text: str) -> None:
    try:
        result = memory.correct(target, text)
    except ConflictError as error:
        _acknowledge(log, error.code, "")
    else:
        _acknowledge(log, target if str(result.status) == "done" else str(result.status), text)


def _acknowledge(log: Path, target: str, text: str) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, f"{target}\t{text}\n".encode())
    os.close(descriptor)


def _figures(project: Path, env: dict[str, str], log: Path, codes: list[int]) -> Iterator[Figure]:
    said: dict[str, set[str]] = {}
    refused: Counter[str] = Counter()
    for line in log.read_text(encoding="utf-8").splitlines():
        target, _, text = line.partition("\t")
        if target.startswith("mem_"):
            said.setdefault(target, set()).add(text)
        else:
            refused[target] += 1
    lost = 0
    with _memory(project, env) as memory:
        for target, texts in said.items():
            found = b"".join(
                item.content for item in versions(memory.workspace, memory.show(target))
            )
            lost += sum(text.encode() not in found for text in texts)
    told = sum(map(len, said.values()))
    case = f"{WRITERS} processes"
    yield Figure(
        suite=SUITE,
        case=case,
        name="acknowledged and in no version",
        value=f"{lost} of {told}",
        bar="0",
        holds=lost == 0,
    )
    failed = sum(code != 0 for code in codes)
    yield Figure(
        suite=SUITE,
        case=case,
        name="processes that failed",
        value=str(failed),
        bar="0",
        holds=failed == 0,
    )
    words = ", ".join(f"{number} {code}" for code, number in sorted(refused.items())) or "none"
    yield Figure(suite=SUITE, case=case, name="refused as stale (told, not lost)", value=words)
