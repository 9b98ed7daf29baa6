"""What a coding agent's hook costs from a cold process, and what it imports.

CPU is user and system time of the whole process, the smallest of several runs, beside that of
an empty Python process in the same run. A prompt is answered within 200 ms at 10,000 records;
what it puts off and what the other events cost stands beside it.

    python -m benchmarks.hooks [--records 10000] [--runs 9]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.commands import MEMFS, PERSON, Cost, run
from benchmarks.corpus import environment, project_with

PROGRAM: Final = (sys.executable, "-c", "from memfs.cli.start import run; run()")
LISTING: Final = (
    "import os, sys\n"
    "from memfs.cli import hook\n"
    "hook.main(sys.argv[1:], env=os.environ)\n"
    "print('\\n'.join(sys.modules), file=sys.stderr)\n"
)
BOUND_MS: Final = 200
SESSION: Final = "bench-session"
NEVER: Final = frozenset(
    ("click", "git", "watchdog", "mcp", "ruamel", "frontmatter", "pydantic", "rich")
) | {"detect_secrets", "pyrage", "httpx2"}
"""Packages that no hook may import."""


def payloads(project: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yields what a host says at each event."""
    transcript = project.parent / "transcript.jsonl"
    transcript.write_text("{}\n", encoding="utf-8")
    said = {"session_id": SESSION, "cwd": str(project), "transcript_path": str(transcript)}
    question = "Where does brai stond trel stand, and what came of it?"
    yield "prompt", {**said, "prompt_id": "p1", "prompt": question}
    yield "session-start", {**said, "source": "startup"}
    yield "stop", {**said, "last_assistant_message": "Done."}
    yield "pre-compact", {**said, "trigger": "auto"}
    yield "post-compact", {**said, "compact_summary": "The exports were moved to two o'clock."}
    yield "session-end", {**said, "reason": "other"}


def called(words: Sequence[str], payload: bytes, folder: Path, env: dict[str, str]) -> Cost:
    """Runs a process with a payload on standard input, and measures it."""
    start = time.perf_counter()
    child = subprocess.Popen(
        words, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    if child.stdin is None:
        raise RuntimeError("the hook has no input")
    child.stdin.write(payload)
    child.stdin.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{words[-3:]} ended with {child.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(
        cpu_ms=cpu * 1e3,
        wall_ms=(time.perf_counter() - start) * 1e3,
        rss_mb=usage.ru_maxrss / 1024,
    )


def measure(count: int, runs: int) -> None:
    """Prints what each event costs on a store of ``count`` records."""
    with project_with(count) as project:
        env = environment(project.parent)
        run((*MEMFS, "rebuild", *PERSON), project, env)
        floor = min(
            (called((sys.executable, "-c", "pass"), b"", project, env) for _ in range(runs)),
            key=lambda cost: cost.cpu_ms,
        )
        print(f"{count} records; bare Python {floor.cpu_ms:.0f} ms CPU")
        costs: dict[str, Cost] = {}
        for event, value in payloads(project):
            payload = json.dumps(value).encode("utf-8")
            words = (*PROGRAM, "hook", event, "--client", "claude")
            called(words, payload, project, env)
            costs[event] = min(
                (called(words, payload, project, env) for _ in range(runs)),
                key=lambda cost: cost.cpu_ms,
            )
            cost = costs[event]
            print(
                f"  {event:<14} {cost.cpu_ms:6.0f} ms CPU  {cost.cpu_ms / floor.cpu_ms:5.1f} x  "
                f"{cost.wall_ms:6.0f} ms wall  {cost.rss_mb:4.0f} MB"
            )
        is_within = costs["prompt"].cpu_ms <= BOUND_MS
        print(f"  a prompt is answered within {BOUND_MS} ms CPU: {'yes' if is_within else 'NO'}")
        _print_imports(project, env)


def _print_imports(project: Path, env: dict[str, str]) -> None:
    _, value = next(payloads(project))
    ended = subprocess.run(
        [sys.executable, "-c", LISTING, "prompt", "--client", "claude"],
        cwd=project,
        env=env,
        input=json.dumps(value).encode("utf-8"),
        capture_output=True,
        check=True,
    )
    modules = ended.stderr.decode("utf-8").split()
    packages = {name.partition(".")[0] for name in modules}
    rooms: dict[str, int] = {}
    for name in modules:
        if name.startswith("memfs."):
            room = name.split(".")[1]
            rooms[room] = rooms.get(room, 0) + 1
    foreign = sorted(packages - set(sys.stdlib_module_names) - {"memfs"})
    print(f"  imports {len(modules)} modules; of memfs: {rooms}")
    print(f"  packages that are not Python's own: {', '.join(foreign) or 'none'}")
    print(f"  of those that no hook may import: {', '.join(sorted(packages & NEVER)) or 'none'}")


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(description="What hooks cost.")
    parser.add_argument("--records", type=int, nargs="+", default=[10_000])
    parser.add_argument("--runs", type=int, default=9)
    given = parser.parse_args()
    for count in given.records:
        measure(count, given.runs)


if __name__ == "__main__":
    main()
