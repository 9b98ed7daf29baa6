"""The guide tells the figures and rows by which memories of a role ripen, rest and are ready."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from memfs.domains.roles.rest.settling import MOVES
from memfs.model.role_operation import MarkSpoken
from memfs.policy import role_readiness, role_ripening, role_schedule
from memfs.policy.role_lifecycle import TABLE as LIVES
from memfs.policy.role_operations import MOST_MEMORIES, MOST_WEEK_MINUTES
from memfs.policy.thresholds import Threshold
from tests.conftest import ROOT

GUIDE = (ROOT / "docs/guides/roles.md").read_text(encoding="utf-8")
FIGURES = {
    "Ripening": role_ripening.THRESHOLDS,
    "Readiness": role_readiness.THRESHOLDS,
    "When a role rests": role_schedule.THRESHOLDS,
}


def rows_of(section: str) -> list[tuple[str, ...]]:
    """Returns the rows of all tables of a section, in order, without their headings."""
    text = re.split(rf"^## {section}\n", GUIDE, flags=re.MULTILINE)[1]
    text = re.split(r"^## ", text, flags=re.MULTILINE)[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    marks = {number for number, row in enumerate(cells) if set("".join(row)) == {"-"}}
    heads = marks | {number - 1 for number in marks}
    return [row for number, row in enumerate(cells) if number not in heads]


@pytest.mark.parametrize("section", FIGURES)
def test_the_guide_tells_every_figure_as_it_is(section: str) -> None:
    told = [row for row in rows_of(section) if re.fullmatch(r"[\d.]+", row[1])]
    assert told == [_row(item) for item in FIGURES[section]]


def _row(item: Threshold) -> tuple[str, ...]:
    return (item.name, f"{item.value:g}", item.says)


def test_the_guide_tells_every_row_of_readiness_in_its_order() -> None:
    told = [row for row in rows_of("Readiness") if not re.fullmatch(r"[\d.]+", row[1])]
    table = [(row.name, str(row.verdict), row.says) for row in role_readiness.TABLE]
    assert told == [*table, (role_readiness.READY, "draft", "no other row does")]


def test_the_guide_tells_every_move_of_time() -> None:
    told = [row for row in rows_of("Ripening") if len(row) == 2]
    assert told == [(f"`{name}`", words) for name, words in MOVES.items()]


def test_the_guide_tells_every_state_of_every_life() -> None:
    told = {row[0]: row[1] for row in rows_of("Lives")}
    assert len(told) == len(LIVES)
    for row in LIVES:
        name = next(key for key in told if key.split(",")[0].strip() == row.name)
        parts = [
            f"`{state}`"
            + "*" * (state in row.starts)
            + (f" to {', '.join(_ordered(row.states, to))}" if to else "")
            for state, to in row.moves.items()
        ]
        assert sorted(_parts(told[name])) == sorted(_parts("; ".join(parts)))


def _ordered(states: tuple[str, ...], to: frozenset[str]) -> list[str]:
    return [str(state) for state in states if state in to]


def _parts(text: str) -> list[str]:
    return [" ".join(sorted(part.replace(",", "").split())) for part in text.split(";")]


def test_no_two_figures_of_a_table_are_called_the_same() -> None:
    for listed in FIGURES.values():
        assert len({item.name for item in listed}) == len(listed)


def test_what_an_operation_says_of_cooling_is_within_the_figures() -> None:
    marked = MarkSpoken(candidate="role_x", receipt="run_x")
    assert marked.refractory_minutes == role_ripening.REFRACTORY_MINUTES
    assert timedelta(days=role_ripening.REFRACTORY_DAYS) == timedelta(minutes=MOST_WEEK_MINUTES)
    assert role_schedule.FULL_AT == MOST_MEMORIES
