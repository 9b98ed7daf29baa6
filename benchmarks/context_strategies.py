"""Six ways to hand over a task's history, on the same seeded trees and the same questions.

The whole log, its tail, a rolling summary with the tail, the entries that share words with the
question, the tree without labels of its branches, and what memfs gives. The answers are known and
are read by fixed rules, so that the figures say what stands in a context and not what a model
makes of it.

    python -m benchmarks.context_strategies [--histories 100] [--moves 60] [--budget 1200] [--json]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import product
from statistics import fmean

from benchmarks.corpus import environment, project_with
from benchmarks.strategies.contexts import strategies
from benchmarks.strategies.histories import history
from benchmarks.strategies.reading import Score, score
from memfs.app.opening import open_workspace
from memfs.services.ports import Workspace

READERS = ("plain", "careful")
COLUMNS = {
    "fields": "fields",
    "misled": "misled",
    "questions": "open q.",
    "effects": "effects",
    "constraints": "rules",
    "pairs": "pairs",
    "contaminated": "contam.",
    "failed_steps": "failed",
    "tokens": "tokens",
}


def mean(scores: Sequence[Score]) -> Score:
    """Returns the mean of several scores, figure by figure."""
    values = {item.name: fmean(getattr(s, item.name) for s in scores) for item in fields(Score)}
    return Score(**values)


def compared(
    workspace: Workspace,
    seeds: Sequence[int],
    *,
    moves: int,
    budget: int,
    is_careful: bool = False,
) -> dict[str, Score]:
    """Returns the mean score of each strategy over the same histories, as one reader reads."""
    found: dict[str, list[Score]] = {name: [] for name in strategies(workspace)}
    for seed in seeds:
        told = history(seed, moves=moves)
        for name, strategy in strategies(workspace).items():
            found[name].append(score(told, strategy, budget, is_careful=is_careful))
    return {name: mean(scores) for name, scores in found.items()}


def printed(found: dict[str, Score]) -> str:
    """Returns the table: shares as per cent, counts as they are."""
    lines = [f"{'':<18}" + "".join(f"{title:>9}" for title in COLUMNS.values())]
    for name, told in found.items():
        cells = []
        for column in COLUMNS:
            value = getattr(told, column)
            is_count = column in ("failed_steps", "tokens")
            cells.append(f"{value:>9.1f}" if is_count else f"{value:>9.1%}")
        lines.append(f"{name:<18}" + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    """Compares the strategies at each budget that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=100)
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--budget", type=int, nargs="+", default=[600, 1_200, 2_400])
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with project_with(0) as project:
        workspace = open_workspace(start=project, env=environment(project.parent))
        try:
            for budget, reader in product(asked.budget, READERS):
                found = compared(
                    workspace,
                    range(asked.histories),
                    moves=asked.moves,
                    budget=budget,
                    is_careful=reader == "careful",
                )
                size = {"histories": asked.histories, "moves": asked.moves}
                if asked.json:
                    for name, told in found.items():
                        given = {"strategy": name, "budget": budget, "reader": reader, **size}
                        print(json.dumps({**given, **asdict(told)}))
                    continue
                print(
                    f"{asked.histories} histories of {asked.moves} moves, {budget} tokens, ", end=""
                )
                print(f"{reader} reader\n{printed(found)}\n")
        finally:
            workspace.store.close()


if __name__ == "__main__":
    main()
