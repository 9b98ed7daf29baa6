"""Reads answers off a context by fixed rules, the same for every strategy; nobody judges.

A plain reader takes what is said last of a field, every question that is said to be open, every
effect that is named. A careful one first takes out, wherever a log says that it went back, what
stands between that and the entry that it names, where that entry is there. A step that failed
counts as contamination wherever its words stand in the context, whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from benchmarks.strategies.contexts import Strategy
from benchmarks.strategies.histories import FIELDS, History
from memfs.services.compile_context import tokens_of

_OPEN: Final = re.compile(r"open: why does (q\w+)")
_BACK: Final = re.compile(r"went back to: (.+)")
_EFFECT: Final = re.compile(r"effect: (run_\w+)")
QUESTIONS: Final = {
    **{f"field {name}": f"what is the value of {name} now, {name} = ?" for name in FIELDS},
    "questions": "which questions are open: why does",
    "effects": "which effect was done, effect run",
    "constraints": "what has to hold, which rule",
    "goal": "what is the task",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How the contexts of one strategy did on one history, each from 0 to 1 but for the counts.

    Attributes:
        fields: Share of fields whose value is right, or that are rightly unsaid.
        misled: Share of fields of which a failed branch's value was read.
        questions: F1 of the open questions.
        effects: Share of the current effects that are named.
        constraints: Share of what has to hold.
        pairs: Share of the calls shown whose known result is shown whole with it.
        contaminated: Share of contexts in which words of a failed step stand.
        failed_steps: Failed steps whose words stand in a context, on average.
        tokens: Tokens of a context, on average.
    """

    fields: float
    misled: float
    questions: float
    effects: float
    constraints: float
    pairs: float
    contaminated: float
    failed_steps: float
    tokens: float


def score(history: History, strategy: Strategy, budget: int, *, is_careful: bool = False) -> Score:
    """Asks every question of one history and scores the answers of one of the two readers."""
    texts = {name: strategy(history, asked, budget) for name, asked in QUESTIONS.items()}
    seen = {name: _followed(text) if is_careful else text for name, text in texts.items()}
    read = {name: _last_value(seen[f"field {name}"], name) for name in FIELDS}
    failed = [sum(word in text for word in history.failed) for text in texts.values()]
    return Score(
        fields=fmean(read[name] == history.fields.get(name, "") for name in FIELDS),
        misled=fmean(read[name] in history.failed_values for name in FIELDS),
        questions=_f1(set(_OPEN.findall(seen["questions"])), history.questions),
        effects=_share(history.effects, set(_EFFECT.findall(seen["effects"])).__contains__),
        constraints=_share(history.constraints, texts["constraints"].__contains__),
        pairs=fmean(_pairs(history, text) for text in texts.values()),
        contaminated=fmean(count > 0 for count in failed),
        failed_steps=fmean(failed),
        tokens=fmean(tokens_of(text) for text in texts.values()),
    )


def _followed(text: str) -> str:
    """Returns a context without what a log says that it went back behind."""
    kept: list[str] = []
    for entry in text.split("\n\n"):
        back = _BACK.match(entry)
        if back is None:
            kept.append(entry)
            continue
        named = (place for place in reversed(range(len(kept))) if back[1] in kept[place])
        place = next(named, None)
        # Somebody may come back to here later: the entry stays where it is.
        kept = [*(kept[: place + 1] if place is not None else kept), entry]
    return "\n\n".join(kept)


def _last_value(text: str, name: str) -> str:
    found = re.findall(rf"^(?:- )?{name} = (w\w+)", text, re.MULTILINE)
    return str(found[-1]) if found else ""


def _share(wanted: frozenset[str] | tuple[str, ...], is_there: Callable[[str], bool]) -> float:
    return fmean(is_there(item) for item in wanted) if wanted else 1.0


def _f1(found: set[str], wanted: frozenset[str]) -> float:
    if not found and not wanted:
        return 1.0
    return 2 * len(found & wanted) / (len(found) + len(wanted))


def _pairs(history: History, text: str) -> float:
    plain = "\n".join(line.removeprefix("> ") for line in text.splitlines())
    shown = [any(r in plain for r in results) for call, results in history.pairs if call in plain]
    alone = [call in plain for call, results in history.pairs if any(r in plain for r in results)]
    return fmean([*shown, *alone]) if shown or alone else 1.0
