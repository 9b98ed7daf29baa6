"""What a run leaves: a row for each mode and question, and figures over rows.

A row says everything that a figure needs, so that others can count anew. Figures are shares of
questions; how sure a difference is comes from drawing whole histories again (a paired bootstrap
with a fixed seed), since the questions of one history stand on the same deeds.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Final

from benchmarks.evaluating.histories import Question
from benchmarks.evaluating.reader import Context, answer, exposed, is_right

HISTORIES: Final = "histories"
DRAWS: Final = 2_000
METRICS: Final = ("right", "stale", "withdrawn", "poisoned", "foreign", "needless", "tokens", "ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How one mode fared with one question.

    Attributes:
        suite: Where the question comes from.
        seed: Seed or number of the history.
        mode: Who handed out the context.
        task: Name of the question.
        kind: What it tries.
        answer: What the reader answered.
        right: Share of the question that was answered rightly, 0 to 1.
        stale: The context holds what was replaced.
        withdrawn: … what was taken back.
        poisoned: … what only a tool brought in.
        foreign: … what belongs to others.
        needless: Anything was handed out where the question is none for memory.
        tokens: Size of the context.
        ms: Processor time until it was there.
    """

    suite: str
    seed: int
    mode: str
    task: str
    kind: str
    answer: tuple[str, ...] = ()
    right: float = 0.0
    stale: bool = False
    withdrawn: bool = False
    poisoned: bool = False
    foreign: bool = False
    needless: bool = False
    tokens: int = 0
    ms: float = 0.0

    def line(self, **run: str | int) -> str:
        """Returns the row as one line of JSON, with what is the same in the whole run."""
        return json.dumps({**run, **asdict(self)}, ensure_ascii=False, sort_keys=True)


def row_from(line: str) -> Row:
    """Reads a row from its line.

    Raises:
        ValueError: It is none.
    """
    values = json.loads(line)
    try:
        kept = {item.name: values[item.name] for item in fields(Row)}
    except (KeyError, TypeError) as error:
        raise ValueError(f"expected a row, got {line[:80]!r}") from error
    return Row(**{**kept, "answer": tuple(kept["answer"])})


def row_of(seed: int, mode: str, question: Question, context: Context) -> Row:
    """Lets the reader answer from a context and looks at what the context should not hold."""
    answered = answer(question, context)
    return Row(
        suite=HISTORIES,
        seed=seed,
        mode=mode,
        task=question.name,
        kind=question.kind,
        answer=answered,
        right=float(is_right(question, answered)),
        stale=exposed(question.stale, context),
        withdrawn=exposed(question.withdrawn, context),
        poisoned=exposed(question.poisoned, context),
        foreign=exposed(question.foreign, context),
        needless=question.kind == "elsewhere" and bool(context.text),
        tokens=context.tokens,
        ms=round(1000 * context.seconds, 3),
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """How much larger a mean is in one mode than in another, and between what it may well lie."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


class Figures:
    """Counts over rows."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)
        self.modes = tuple(dict.fromkeys(row.mode for row in self._rows))
        self.kinds = tuple(dict.fromkeys(row.kind for row in self._rows))

    def chosen(self, mode: str, kinds: Collection[str] = ()) -> list[Row]:
        """Returns the rows of a mode, of some kinds where they are named."""
        return [it for it in self._rows if it.mode == mode and (not kinds or it.kind in kinds)]

    def mean(self, metric: str, mode: str, kinds: Collection[str] = ()) -> float:
        """Returns the mean of a metric; 0 where nothing was asked."""
        return _mean([_value(row, metric) for row in self.chosen(mode, kinds)])

    def total(self, metric: str, mode: str, kinds: Collection[str] = ()) -> int:
        """Returns how often something was so."""
        return round(sum(_value(row, metric) for row in self.chosen(mode, kinds)))

    def difference(
        self, metric: str, mode: str, other: str, kinds: Collection[str] = ()
    ) -> Difference:
        """Returns by how much ``mode`` is above ``other``, with a range of 95 per cent."""
        one, two = self._by_seed(metric, mode, kinds), self._by_seed(metric, other, kinds)
        seeds = sorted(one.keys() & two.keys())
        pairs = {seed: (one[seed], two[seed]) for seed in seeds}
        rng = random.Random(20261130)
        drawn = sorted(
            _gap(pairs, rng.choices(seeds, k=len(seeds))) for _ in range(DRAWS if seeds else 0)
        )
        if not drawn:
            return Difference(0.0, 0.0, 0.0)
        edge = DRAWS // 40
        return Difference(_gap(pairs, seeds), drawn[edge], drawn[-1 - edge])

    def _by_seed(self, metric: str, mode: str, kinds: Collection[str]) -> dict[int, list[float]]:
        found: dict[int, list[float]] = {}
        for row in self.chosen(mode, kinds):
            found.setdefault(row.seed, []).append(_value(row, metric))
        return found


def table(figures: Figures) -> list[str]:
    """Returns a line for each mode: what was right, what was exposed, what it cost."""
    names = ("right", "stale", "withdrawn", "poisoned", "foreign", "needless")
    lines = [f"{'':16}{'asked':>7}{'right %':>9}" + "".join(f"{it:>11}" for it in names[1:])
             + f"{'tokens':>9}{'ms CPU':>9}"]  # fmt: skip
    for mode in figures.modes:
        counts = "".join(f"{figures.total(name, mode):11d}" for name in names[1:])
        right = 100 * figures.mean("right", mode)
        cost = f"{figures.mean('tokens', mode):9.0f}{figures.mean('ms', mode):9.2f}"
        lines.append(f"{mode:16}{len(figures.chosen(mode)):7d}{right:9.1f}{counts}{cost}")
    return lines


def suite_tables(rows: Sequence[Row]) -> Iterator[str]:
    """Yields a table for each public suite; ``right`` is the share of what must be handed over."""
    for suite in dict.fromkeys(row.suite for row in rows):
        yield f"\n{suite}: right is the share of what answers that was handed over"
        yield from table(Figures(row for row in rows if row.suite == suite))


def by_kind(figures: Figures) -> list[str]:
    """Returns a line for each kind of question: how much of it each mode got right, in per cent."""
    lines = [f"{'':13}" + "".join(f"{_short(mode):>12}" for mode in figures.modes)]
    for kind in figures.kinds:
        shares = (100 * figures.mean("right", mode, (kind,)) for mode in figures.modes)
        lines.append(f"{kind:13}" + "".join(f"{share:12.0f}" for share in shares))
    return lines


def _short(mode: str) -> str:
    return mode.replace("lexical-", "")


def _value(row: Row, metric: str) -> float:
    return float(getattr(row, metric))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _gap(pairs: Mapping[int, tuple[list[float], list[float]]], seeds: Sequence[int]) -> float:
    one = [value for seed in seeds for value in pairs[seed][0]]
    two = [value for seed in seeds for value in pairs[seed][1]]
    return _mean(one) - _mean(two)
