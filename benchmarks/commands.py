"""What a command costs from a cold process, and what an import and a watcher cost.

CPU is user and system time of the process and its children, the smallest of several runs;
each figure stands beside that of an empty Python process in the same run. Wall time is
printed where waiting is what a person feels: an import, a saved file.

    python -m benchmarks.commands [--records 1000 10000 100000]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import environment, project_with, records

RUNS = 5
MEMFS = (sys.executable, "-c", "from memfs.cli.entry import run; run()")
PERSON = ("--as", "user:ana", "--yes")
IMPORTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one run of a process took."""

    cpu_ms: float
    wall_ms: float
    rss_mb: float


def run(words: Sequence[str], folder: Path, env: dict[str, str]) -> Cost:
    """Runs a process to its end and measures it with its children."""
    start = time.perf_counter()
    child = subprocess.Popen(
        words, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    message = child.stderr.read() if child.stderr else b""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if child.returncode not in (0, 1):
        raise RuntimeError(f"{words[-3:]} ended with {child.returncode}: {message.decode()}")
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(cpu_ms=cpu * 1e3, wall_ms=wall * 1e3, rss_mb=usage.ru_maxrss / 1024)


def best(words: Sequence[str], folder: Path, env: dict[str, str], runs: int = RUNS) -> Cost:
    """Returns the run with the least CPU."""
    return min((run(words, folder, env) for _ in range(runs)), key=lambda cost: cost.cpu_ms)


def measure_commands(count: int) -> None:
    """Prints the cost of the commands on a store of ``count`` records."""
    with project_with(count) as project:
        env = environment(project.parent)
        floor = best((sys.executable, "-c", "pass"), project, env)
        built = run((*MEMFS, "rebuild", *PERSON), project, env)
        asked = "brai stond trel"
        commands = {
            "--help": ("--help",),
            "recall": ("recall", asked, "--as", "agent:x"),
            "search": ("search", asked, *PERSON),
            "list --limit 20": ("list", "--limit", "20", *PERSON),
            "status": ("status", *PERSON),
            "remember": ("remember", f"The fence is {time.time_ns()} high", *PERSON),
        }
        for words in commands.values():
            run((*MEMFS, *words), project, env)
        print(f"{count} records; bare Python {floor.cpu_ms:.0f} ms, {floor.rss_mb:.0f} MB")
        print(f"  rebuild          {built.wall_ms / 1e3:6.1f} s wall  {built.rss_mb:6.0f} MB")
        for name, words in commands.items():
            cost = best((*MEMFS, *words), project, env)
            ratio = cost.cpu_ms / floor.cpu_ms
            print(
                f"  {name:<16} {cost.cpu_ms:6.0f} ms CPU  {ratio:5.1f} x  "
                f"{cost.wall_ms:6.0f} ms wall  {cost.rss_mb:4.0f} MB"
            )


def measure_import() -> None:
    """Prints what importing 10,000 nodes costs, reviewed and accepted at once."""
    with project_with(0) as project:
        env = environment(project.parent)
        source = project.parent / "nodes.json"
        nodes = [
            {"id": f"n{number}", "content": record.body, "importance": record.importance}
            for number, record in enumerate(records(IMPORTED))
        ]
        source.write_text(json.dumps(nodes), encoding="utf-8")
        cost = run((*MEMFS, "import", str(source), "--accept", *PERSON), project, env)
        log = subprocess.run(
            ["git", "-C", str(project / ".memfs"), "rev-list", "--count", "main"],
            check=True,
            capture_output=True,
            encoding="ascii",
        )
        print(
            f"import of {IMPORTED} accepted: {cost.wall_ms / 1e3:.1f} s wall, "
            f"{cost.cpu_ms / 1e3:.1f} s CPU, {cost.rss_mb:.0f} MB, "
            f"{int(log.stdout) - 1} commit"
        )


def measure_watch(count: int) -> None:
    """Prints how long a saved file and a storm take to be noticed, and what waiting costs."""
    with project_with(count) as project:
        env = environment(project.parent)
        run((*MEMFS, "rebuild", *PERSON), project, env)
        watcher = subprocess.Popen(
            (*MEMFS, "watch", "--json", *PERSON),
            cwd=project,
            env=env,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        if watcher.stdout is None:
            raise RuntimeError("the watcher has no output")
        watcher.stdout.readline()
        files = sorted((project / ".memfs" / "records").rglob("*.md"))
        start = time.perf_counter()
        files[0].write_text(files[0].read_text() + "\nSaved by hand.\n")
        watcher.stdout.readline()
        reaction = time.perf_counter() - start
        resting = resident_mb(watcher.pid)
        start = time.perf_counter()
        for file in files[1:1001]:
            file.write_text(file.read_text() + "\nStorm.\n")
        written = time.perf_counter()
        found = 0
        passes = 0
        while found < min(1001, len(files)):
            found = len(json.loads(watcher.stdout.readline())["data"]["waiting"])
            passes += 1
        settled = time.perf_counter()
        watcher.terminate()
        watcher.wait()
        print(
            f"watching {count}: a saved file is noticed after {reaction * 1e3:.0f} ms; "
            f"1,000 saved in {(written - start) * 1e3:.0f} ms are filed "
            f"{settled - written:.1f} s later in {passes} pass(es); {resting:.0f} MB at rest"
        )


def resident_mb(pid: int) -> float:
    """Returns the resident memory of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        found = next(line for line in lines if line.startswith("VmRSS"))
    return int(found.split()[1]) / 1024


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(description="What commands cost.")
    parser.add_argument("--records", type=int, nargs="+", default=[1_000, 10_000])
    for count in (chosen := parser.parse_args().records):
        measure_commands(count)
    measure_import()
    measure_watch(min(10_000, max(chosen)))


if __name__ == "__main__":
    main()
