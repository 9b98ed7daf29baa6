"""The plan that a run is held to: what is run, what is asked of it, and when it stops.

``evaluation_plan.json`` was written before the registered seeds were run. A run checks that
nothing differs from it, judges every claim in it, and stops where it says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.evaluating.made_histories import KINDS, WHOLE
from benchmarks.evaluating.memfs_modes import VARIANTS
from benchmarks.evaluating.plain_modes import (
    BUDGET_TOKENS,
    FILE_LINES,
    ITEMS,
    PLAIN,
    WINDOW_TOKENS,
)
from benchmarks.evaluating.rows import METRICS, Figures

PLAN: Final = Path(__file__).resolve().parent.parent / "evaluation_plan.json"
VERSION: Final = 1


class PlanError(ValueError):
    """The plan cannot be read, or does not fit the code that would be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Something that the run must bear out.

    Attributes:
        name: What it says, in words.
        metric: What is looked at.
        mode: In which mode.
        against: The mode that it is compared with; empty for a plain figure.
        kinds: Kinds of question; all where none are named.
        low: Least figure, or least lower end of the range of a difference.
        high: Most figure, or most upper end of the range of a difference.
        is_stop: A run that breaks it stops at the history in which it does.
    """

    name: str
    metric: str
    mode: str
    against: str = ""
    kinds: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    is_stop: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a claim was borne out, with the figure."""

    claim: Claim
    holds: bool
    value: str

    def __str__(self) -> str:
        bounds = [
            f"at least {self.claim.low:g}" if self.claim.low is not None else "",
            f"at most {self.claim.high:g}" if self.claim.high is not None else "",
        ]
        bar = " and ".join(filter(None, bounds))
        return f"{'ok  ' if self.holds else 'MISS'} {self.claim.name}: {self.value} ({bar})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What was written down beforehand.

    Attributes:
        version: Goes up with every change of the plan.
        seeds: The histories that count; nobody looked at them while anything was tuned.
        tuning: The histories that were looked at.
        modes: What is run.
        claims: What must come out.
        most_cpu_s: A run that takes longer stops without a verdict.
    """

    version: int
    seeds: tuple[int, ...]
    tuning: tuple[int, ...]
    modes: tuple[str, ...]
    claims: tuple[Claim, ...]
    most_cpu_s: float

    def verdicts(self, figures: Figures) -> Iterator[Verdict]:
        """Judges every claim about modes that were run."""
        for claim in self.claims:
            if {claim.mode, claim.against} <= {*figures.modes, ""}:
                yield judged(claim, figures)

    def broken_stops(self, figures: Figures) -> list[Verdict]:
        """Returns the claims that end a run and do not hold for what was run so far."""
        return [it for it in self.verdicts(figures) if it.claim.is_stop and not it.holds]


def judged(claim: Claim, figures: Figures) -> Verdict:
    """Judges a claim: a mean against its bounds, or the range of a difference."""
    if claim.against:
        gap = figures.difference(claim.metric, claim.mode, claim.against, claim.kinds)
        low, high, value = gap.low, gap.high, str(gap)
    else:
        low = high = figures.mean(claim.metric, claim.mode, claim.kinds)
        value = f"{low:.4g}"
    holds = (claim.low is None or low >= claim.low) and (claim.high is None or high <= claim.high)
    return Verdict(claim=claim, holds=holds, value=value)


def read_plan(path: Path = PLAN) -> Plan:
    """Reads the plan and checks that the code to be run is the one that it speaks of.

    Raises:
        PlanError: It is not there, or no plan, or speaks of something else.
    """
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        plan = Plan(
            version=written["version"],
            seeds=tuple(written["seeds"]["registered"]),
            tuning=tuple(written["seeds"]["tuning"]),
            modes=tuple(written["modes"]),
            claims=tuple(_claim(item) for item in written["claims"]),
            most_cpu_s=float(written["stop"]["most_cpu_s"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PlanError(
            f"expected a plan in {path}, got {type(error).__name__}: {error}"
        ) from error
    _check_code(written)
    _check_plan(plan)
    return plan


def _claim(item: Mapping[str, Any]) -> Claim:
    values = {**item, "kinds": tuple(item.get("kinds", ()))}
    return Claim(**values)


def _check_code(written: Mapping[str, Any]) -> None:
    is_so = {
        "items": ITEMS,
        "budget_tokens": BUDGET_TOKENS,
        "window_tokens": WINDOW_TOKENS,
        "file_lines": FILE_LINES,
        **asdict(WHOLE),
    }
    if written.get("limits") != is_so:
        raise PlanError(f"expected the limits {written.get('limits')}, got {is_so}")
    _same("modes", written["modes"], [*PLAIN, *VARIANTS])
    _same("kinds", written["kinds"], list(KINDS))


def _same(name: str, planned: Mapping[str, str], there: Sequence[str]) -> None:
    if sorted(planned) != sorted(there):
        raise PlanError(f"expected the {name} {sorted(planned)}, got {sorted(there)}")


def _check_plan(plan: Plan) -> None:
    if plan.version != VERSION:
        raise PlanError(f"expected version {VERSION}, got {plan.version}")
    if not plan.seeds or set(plan.seeds) & set(plan.tuning):
        raise PlanError("expected registered seeds that nothing was tuned on")
    for claim in plan.claims:
        is_known = claim.mode in plan.modes and claim.against in (*plan.modes, "")
        if not is_known or claim.metric not in METRICS or not set(claim.kinds) <= set(KINDS):
            raise PlanError(f"expected a claim about what is run, got {claim.name!r}")
        if claim.low is None and claim.high is None:
            raise PlanError(f"expected a bound, got none: {claim.name!r}")
