"""Measures governance against suites that others wrote: origin, access, forgetting, erasure.

``python benchmarks/governance.py --data FOLDER`` reads the public suites where they lie;
without the folder, the small self-made sets in ``fixtures/governance`` are used. Exits with 1
when a bar is missed.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import benchmarks.suites  # noqa: E402
from benchmarks.suites.figures import Figure  # noqa: E402

FIXTURES = ROOT / "fixtures" / "governance"


def suite_names() -> tuple[str, ...]:
    """Returns the names of all suites, sorted."""
    found = (item.name for item in pkgutil.iter_modules(benchmarks.suites.__path__))
    return tuple(sorted(name for name in found if name.startswith("suite_")))


def main(words: list[str] | None = None) -> int:
    """Runs the suites that are asked for and prints every figure beside its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None, help="folder with the public suites")
    parser.add_argument("--suite", action="append", default=[], help="only this one; repeatable")
    asked = parser.parse_args(words)
    data = asked.data if asked.data is not None and asked.data.is_dir() else FIXTURES
    if data is FIXTURES and asked.data is not None:
        print(f"there is no {asked.data}: using the self-made sets in {FIXTURES.name}/")
    missed: list[Figure] = []
    for name in suite_names():
        if asked.suite and name.removeprefix("suite_") not in asked.suite:
            continue
        suite = importlib.import_module(f"benchmarks.suites.{name}")
        started = monotonic()
        with tempfile.TemporaryDirectory(prefix="memfs-governance-") as scratch:
            for figure in suite.run(data, Path(scratch)):
                print(figure, flush=True)
                if figure.holds is False:
                    missed.append(figure)
        print(f"     {name.removeprefix('suite_')}: {monotonic() - started:.1f} s\n", flush=True)
    print(f"{len(missed)} bars missed" if missed else "every bar is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
