"""Tries the gates and prints a line for each; exit code 1 where one is open."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from benchmarks.gates.catalogue import GATES
from benchmarks.gates.sabotage import sabotaged
from benchmarks.gates.trial import Gate, Outcome, tried

_SHOWN = 5


def outcomes(
    gates: Sequence[Gate], *, seed: int, cases: int, is_sabotage: bool = False
) -> Iterator[Outcome]:
    """Yields what came of each gate, as soon as it is known."""
    for gate in gates:
        with sabotaged(gate.name) if is_sabotage else nullcontext():
            yield tried(gate, seed=seed, cases=cases)


def line(outcome: Outcome, *, is_sabotage: bool = False) -> str:
    """Returns a line about a gate and, where it is not as it has to be, what was found."""
    is_right = bool(outcome.breaches) if is_sabotage else not outcome.has_failed
    word = "OPEN" if outcome.breaches else "FAIL" if outcome.has_failed else "SHUT"
    gate = outcome.gate
    told = f"{word}  {gate.name:<12} {outcome.checks:>6} checks {outcome.cpu_s:5.1f} s  "
    told += f"{gate.promise} ({gate.rows})"
    if is_right:
        return told
    found = [*outcome.breaches, *outcome.doubts] or ["nothing was checked"]
    more = [f"… and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "\n      ".join((told, *found[:_SHOWN], *more))


def main(arguments: Sequence[str] | None = None, gates: Sequence[Gate] = GATES) -> int:
    """Tries the gates.

    Args:
        arguments: Words of the command line.
        gates: What there is to try.

    Returns:
        0 when all are shut; with ``--sabotage`` when all are open, as they have to be then.
    """
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.gates")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=2, help="made-up cases for each gate")
    parser.add_argument("--only", nargs="+", default=[], choices=[gate.name for gate in gates])
    parser.add_argument(
        "--sabotage", action="store_true", help="take away what holds each gate: all must open"
    )
    asked = parser.parse_args(arguments)
    chosen = [gate for gate in gates if not asked.only or gate.name in asked.only]
    is_sabotage, wrong = asked.sabotage, 0
    for outcome in outcomes(
        chosen, seed=asked.seed, cases=max(1, asked.cases), is_sabotage=is_sabotage
    ):
        print(line(outcome, is_sabotage=is_sabotage), flush=True)
        wrong += not outcome.breaches if is_sabotage else outcome.has_failed
    state = "open, as they must be without their guards" if is_sabotage else "shut"
    print(f"{len(chosen) - wrong} of {len(chosen)} gates are {state} (seed {asked.seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
