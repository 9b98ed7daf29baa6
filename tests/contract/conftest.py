"""Collects which test shows which invariant and prints one line an invariant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.invariants import INVARIANTS

FLAG = "--invariants"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the flag that ``make contract`` gives."""
    parser.addoption(FLAG, action="store_true", help="print one line an invariant")


def invariants_of(item: pytest.Item) -> tuple[str, ...]:
    """Returns the ids that a test is marked with."""
    return tuple(name for mark in item.iter_markers("invariant") for name in mark.args)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuses a test of this folder that shows no invariant, or one that does not exist."""
    for item in items:
        if "tests/contract/" not in item.nodeid:
            continue
        names = invariants_of(item)
        unknown = [name for name in names if name not in INVARIANTS]
        if unknown or not names:
            raise pytest.UsageError(f"{item.nodeid}: expected ids of A1 to A29, got {names}")
        item.user_properties.append(("invariants", " ".join(names)))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Prints one line an invariant, in order, when it is asked for."""
    if not config.getoption(FLAG, default=False):
        return
    passed, failed = _tally(terminalreporter)
    terminalreporter.section("invariants")
    held = 0
    for name, words in INVARIANTS.items():
        good, bad = passed.get(name, 0), failed.get(name, 0)
        state = "HOLDS" if good and not bad else "BROKEN" if bad else "NO TEST"
        held += state == "HOLDS"
        terminalreporter.write_line(f"{name:<4} {state:<7} {good:>3} checks  {words}")
    terminalreporter.write_line(f"{held} of {len(INVARIANTS)} hold")


def _tally(reporter: Any) -> tuple[dict[str, int], dict[str, int]]:
    passed: dict[str, int] = {}
    failed: dict[str, int] = {}
    for outcome, counts in (("passed", passed), ("failed", failed), ("error", failed)):
        for name in _names(reporter.stats.get(outcome, [])):
            counts[name] = counts.get(name, 0) + 1
    return passed, failed


def _names(reports: list[Any]) -> Iterator[str]:
    for report in reports:
        for key, value in getattr(report, "user_properties", ()):
            if key == "invariants":
                yield from value.split()
