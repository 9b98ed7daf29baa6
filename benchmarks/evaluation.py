"""Memory against no memory, a plain file, everything, search, the gold, and less of itself.

    python -m benchmarks.evaluation --out rows.jsonl --data ../shared/data

Every mode takes in the same seeded histories and is asked the same questions, whose answers are
known; a fixed rule reads what it hands out, no model and no judge. What must be borne out, on
which seeds and when to stop is written down in ``evaluation_plan.json`` and checked. With
``--data`` the modes are also run on public suites, which are read where they lie.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from benchmarks.evaluating.made_histories import histories
from benchmarks.evaluating.plan import Plan, PlanError, Verdict, read_plan
from benchmarks.evaluating.playing import rows_of
from benchmarks.evaluating.rows import (
    HISTORIES,
    Figures,
    Row,
    by_kind,
    row_from,
    suite_tables,
    table,
)

ROOT: Final = Path(__file__).resolve().parent.parent


def commit_of(root: Path) -> str:
    """Returns the commit that is run, marked where the code differs from it; empty for none."""
    said = ["git", "-C", str(root), "describe", "--always", "--abbrev=12", "--dirty=-changed"]
    done = subprocess.run(said, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.strip()


def main(words: Sequence[str] | None = None) -> int:
    """Runs, prints the tables and judges the plan; 1 when a claim is missed, 2 without a plan."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="*", help="other histories than those planned")
    parser.add_argument("--mode", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--out", type=Path, help="file for the rows, a line of JSON each")
    parser.add_argument("--from", type=Path, nargs="+", dest="kept", help="judge rows of files")
    parser.add_argument("--data", type=Path, help="folder with the public suites")
    options = parser.parse_args(words)
    try:
        plan = read_plan()
    except PlanError as error:
        print(error, file=sys.stderr)
        return 2
    wrong = _misunderstood(plan, options)
    if wrong:
        print(wrong, file=sys.stderr)
        return 2
    if options.kept:
        return _judged_again(plan, options.kept)
    modes = [name for name in plan.modes if not options.mode or name in options.mode]
    seeds = tuple(options.seeds) if options.seeds else plan.seeds
    head: dict[str, str | int] = {"plan": plan.version, "commit": commit_of(ROOT)}
    print(f"plan {plan.version}, commit {head['commit']}, {_standing(plan, seeds, modes)}")
    with _opened(options.out) as out:
        rows, why = _run(plan, seeds, modes, out, head)
        status = _judged(plan, rows, why)
        if options.data is not None:
            from benchmarks.evaluating.public_sets import public_rows

            print("\n".join(suite_tables(list(_kept(public_rows(options.data, modes), out, head)))))
    return status


def _run(
    plan: Plan,
    seeds: Sequence[int],
    modes: Sequence[str],
    out: TextIO | None,
    head: dict[str, str | int],
) -> tuple[list[Row], str]:
    """Runs history by history; stops where the plan says so, and tells why."""
    rows: list[Row] = []
    start = time.process_time()
    for history in histories(seeds):
        rows.extend(_kept(rows_of(history, modes), out, head))
        broken = plan.broken_stops(Figures(rows))
        if broken:
            return rows, f"stopped behind seed {history.seed}: {broken[0]}"
        if time.process_time() - start > plan.most_cpu_s:
            return rows, f"stopped behind seed {history.seed}: {plan.most_cpu_s:g} s are over"
    return rows, ""


def _kept(rows: Iterable[Row], out: TextIO | None, head: dict[str, str | int]) -> Iterator[Row]:
    for row in rows:
        if out is not None:
            out.write(row.line(**head) + "\n")
        yield row


def _misunderstood(plan: Plan, options: argparse.Namespace) -> str:
    """Tells what is asked for and is not there; empty when all of it is."""
    unknown = sorted(set(options.mode) - set(plan.modes))
    if unknown:
        return f"expected a mode of {', '.join(plan.modes)}, got {', '.join(unknown)}"
    if options.data is not None and not options.data.is_dir():
        return f"expected a folder with public suites, got {options.data}"
    missing = [str(path) for path in options.kept or () if not path.is_file()]
    return f"expected files with rows, got {', '.join(missing)}" if missing else ""


def _standing(plan: Plan, seeds: Sequence[int], modes: Sequence[str]) -> str:
    """Tells which histories these are, and whether they are what was planned."""
    is_planned = sorted(seeds) == sorted(plan.seeds) and sorted(modes) == sorted(plan.modes)
    note = "as planned" if is_planned else "not what was planned: says nothing for certain"
    return f"seeds {', '.join(map(str, seeds))} ({note})"


def _judged_again(plan: Plan, files: Sequence[Path]) -> int:
    """Judges rows that earlier runs left; those of one plan and one commit alone."""
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    runs = {(run["plan"], run["commit"]) for run in map(json.loads, lines)}
    if len(runs) != 1 or next(iter(runs))[0] != plan.version:
        print(f"expected rows of one commit and plan {plan.version}, got {runs}", file=sys.stderr)
        return 2
    every = [row_from(line) for line in lines]
    rows = [row for row in every if row.suite == HISTORIES]
    seeds = sorted({row.seed for row in rows})
    modes = list(dict.fromkeys(row.mode for row in rows))
    print(f"plan {plan.version}, commit {next(iter(runs))[1]}, {_standing(plan, seeds, modes)}")
    broken = plan.broken_stops(Figures(rows))
    status = _judged(plan, rows, f"to be stopped: {broken[0]}" if broken else "")
    others = [row for row in every if row.suite != HISTORIES]
    if others:
        print("\n".join(suite_tables(others)))
    return status


@contextmanager
def _opened(path: Path | None) -> Iterator[TextIO | None]:
    if path is None:
        yield None
        return
    # By the line: a run that is cut short leaves what it found.
    with path.open("w", encoding="utf-8", buffering=1) as out:
        yield out


def _judged(plan: Plan, rows: Sequence[Row], why: str) -> int:
    figures = Figures(rows)
    print("\n" + "\n".join(table(figures)))
    print("\nright, in per cent of each kind\n" + "\n".join(by_kind(figures)) + "\n")
    verdicts: list[Verdict] = list(plan.verdicts(figures))
    for verdict in verdicts:
        print(verdict)
    missed = sum(not verdict.holds for verdict in verdicts)
    if why:
        print(why)
    if not verdicts:
        print("no claim is about what was run")
    else:
        print(f"{missed} of {len(verdicts)} claims missed" if missed else "every claim holds")
    return 1 if missed or why else 0


if __name__ == "__main__":
    raise SystemExit(main())
