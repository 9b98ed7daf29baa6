"""Usage: what memory did, counted from the retrieval log and the log of background work (A29).

Whatever runs without being asked for notes its name, how long it took and how it ended. The
log is bounded, content-free and the owner's alone, like the retrieval log beside it.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from memfs.errors import MemfsError
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant
from memfs.model.origin import Actor
from memfs.model.values import JsonValue
from memfs.policy.access import is_trusted
from memfs.services.ports import Workspace
from memfs.services.retrieval_log import LOG_FOLDER, append_line, read_log

BACKGROUND_FILE: Final = "background.jsonl"
EARLIER_FILE: Final = "background.1.jsonl"


@frozen
class BackgroundWork:
    """One piece of work that nobody waited for by name; ``outcome`` is ``done`` or a code."""

    at: str
    name: str
    milliseconds: int
    outcome: str


@contextmanager
def background(workspace: Workspace, name: str) -> Iterator[None]:
    """Notes one piece of background work, however it ends."""
    begun, outcome = time.monotonic(), "interrupted"
    try:
        yield
        outcome = "done"
    except MemfsError as error:
        outcome = error.code
        raise
    except OSError:
        outcome = "io"
        raise
    finally:
        _note(workspace, name, time.monotonic() - begun, outcome)


def background_work(workspace: Workspace) -> Iterator[BackgroundWork]:
    """Yields what ran in the background, newest first."""
    for name in (BACKGROUND_FILE, EARLIER_FILE):
        try:
            lines = (workspace.cache_dir / LOG_FOLDER / name).read_bytes().splitlines()
        except OSError:
            continue
        for line in reversed(lines):
            try:
                values = json.loads(line)
                yield BackgroundWork(
                    at=str(values["at"]),
                    name=str(values["name"]),
                    milliseconds=int(values["ms"]),
                    outcome=str(values["outcome"]),
                )
            except (ValueError, KeyError, TypeError):
                continue


def usage(workspace: Workspace, actor: Actor) -> dict[str, JsonValue]:
    """Counts answers and background work as far as the logs go back; a program counts its own."""
    states: Counter[str] = Counter()
    verbs: Counter[str] = Counter()
    tokens = records = 0
    for entry in read_log(workspace):
        if not is_trusted(actor) and entry.actor != str(actor):
            continue
        verbs[entry.verb] += 1
        states[entry.state] += 1
        tokens += entry.tokens
        records += sum(item.is_packed for item in entry.items)
    counted: dict[str, JsonValue] = {
        "answers": dict(sorted(verbs.items())),
        "states": dict(sorted(states.items())),
        "tokens": tokens,
        "records": records,
    }
    if is_trusted(actor):
        counted["background"] = _background(workspace)
    return counted


def _background(workspace: Workspace) -> dict[str, JsonValue]:
    runs: dict[str, list[BackgroundWork]] = {}
    for work in background_work(workspace):
        runs.setdefault(work.name, []).append(work)
    return {
        name: {
            "runs": len(works),
            "milliseconds": sum(work.milliseconds for work in works),
            "failed": sum(work.outcome != "done" for work in works),
        }
        for name, works in sorted(runs.items())
    }


def _note(workspace: Workspace, name: str, seconds: float, outcome: str) -> None:
    if workspace.is_switched_off:
        return
    line = json.dumps(
        {
            "at": format_instant(workspace.clock.now()),
            "name": name,
            "ms": round(seconds * 1000),
            "outcome": outcome,
        },
        separators=(",", ":"),
    )
    folder = workspace.cache_dir / LOG_FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        append_line(folder / BACKGROUND_FILE, folder / EARLIER_FILE, line.encode("ascii") + b"\n")
    except OSError:
        return
