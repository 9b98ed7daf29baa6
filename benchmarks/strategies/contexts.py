"""The six strategies: each makes of one history a text within a budget, for one question.

Five of them know nothing but the log, or the bare tree. None is asked a model: a rolling summary
that a model writes gives another figure with every model, so the one here keeps what a careful
writer would keep by rule: the constraints, each field's last value, what is open, the effects, and
the beginning of the rest, the newest first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from benchmarks.strategies.histories import FIELDS, History, Said
from memfs.domains.execution.context import pack_task
from memfs.domains.execution.reading import TaskView
from memfs.domains.execution.records import task_fields
from memfs.domains.execution.sections import context_sections
from memfs.model.execution import TASK_KIND
from memfs.model.packet import MemoryState
from memfs.model.record import Record, StoredRecord
from memfs.services.compile_context import tokens_of
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome

Strategy = Callable[[History, str, int], str]
"""Makes the context of a history for a question within so many tokens."""
_WORD: Final = re.compile(r"[a-z0-9]+")
_GIST: Final = 60
"""Characters that a rolling summary keeps of an entry."""


def whole_log(history: History, question: str, budget: int) -> str:
    """Returns everything that was said; the one strategy that has no budget."""
    return "\n\n".join(said.text for said in history.log)


def recent_tail(history: History, question: str, budget: int) -> str:
    """Returns the last entries of the log."""
    return _joined(_fitting_from_end(history.log, budget))


def rolling_summary(history: History, question: str, budget: int) -> str:
    """Returns a summary of what is older, and the last entries whole; half the budget each."""
    tail = _fitting_from_end(history.log, budget // 2)
    older = history.log[: len(history.log) - len(tail)]
    kept = [said for said in older if said.text.startswith(("Task:", "has to hold:"))]
    values: dict[str, Said] = {}
    for said in older:
        name = said.text.partition(" = ")[0]
        if name in FIELDS:
            values[name] = said
    noted = [
        replace(said, text=line)
        for said in older
        for line in said.text.splitlines()
        if line.startswith(("open: ", "effect: "))
    ]
    rest = [replace(said, text=said.text.splitlines()[0][:_GIST]) for said in older]
    chosen = _fitting([*kept, *values.values(), *reversed(noted), *reversed(rest)], budget // 2)
    return f"Summary so far:\n{_joined(chosen)}\n\nLast entries:\n{_joined(tail)}"


def retrieved(history: History, question: str, budget: int) -> str:
    """Returns the entries that share most words with the question, in the order of the log."""
    scores = _bm25([said.text for said in history.log], question)
    ranked = sorted(range(len(history.log)), key=lambda place: (-scores[place], -place))
    taken: list[int] = []
    for place in ranked:
        if scores[place] <= 0:
            break
        entries = [history.log[number] for number in sorted([*taken, place])]
        if tokens_of(_joined(entries)) <= budget:
            taken.append(place)
    return _joined([history.log[number] for number in sorted(taken)])


def bare_tree(history: History, question: str, budget: int) -> str:
    """Returns the tree, step below step, without a word of which branch counts; the end of it."""
    by_step: dict[str, list[Said]] = {}
    for said in history.log:
        by_step.setdefault(said.step, []).append(said)
    below: dict[str, list[str]] = {}
    for name, before in history.tree.lineage.items():
        below.setdefault(before[0] if before else "", []).append(name)
    ordered: list[Said] = []
    left = sorted(below.get("", ()), key=_taken_at(history), reverse=True)
    while left:
        name = left.pop()
        ordered += by_step.get(name, ())
        left += sorted(below.get(name, ()), key=_taken_at(history), reverse=True)
    head = [said for said in by_step[""] if not said.text.startswith("went back")]
    rest = budget - tokens_of(_joined(head))
    return _joined([*head, *_fitting_from_end(ordered, rest)])


def _taken_at(history: History) -> Callable[[str], str]:
    return lambda name: f"{history.tree.steps[name].at} {name}"


@dataclass(frozen=True, slots=True)
class Memfs:
    """The context that ``memfs exec context`` gives, without memory cards."""

    workspace: Workspace

    def __call__(self, history: History, question: str, budget: int) -> str:
        """Returns the packet of the task."""
        task = history.tree.task
        record = Record(kind=TASK_KIND, id=task.id, title=task.goal, fields=task_fields(task, {}))
        view = TaskView(
            stored=StoredRecord(record=record, path="work/task.md", blob=""),
            tree=history.tree,
            effects={
                name: "recorded" for step in history.tree.steps.values() for name in step.effects
            },
            holds={},
            rules=task.constraints,
        )
        outcome = RecallOutcome(
            hits=(), left_out=(), state=MemoryState.EMPTY, reason="", ledger="0" * 40
        )
        return pack_task(self.workspace, context_sections(view), outcome, budget).text


def strategies(workspace: Workspace) -> dict[str, Strategy]:
    """Returns the six, by what the table calls them."""
    return {
        "whole log": whole_log,
        "recent tail": recent_tail,
        "rolling summary": rolling_summary,
        "words of the log": retrieved,
        "tree, no labels": bare_tree,
        "memfs": Memfs(workspace),
    }


# Fitting -------------------------------------------------------------------------------------


def _joined(entries: Iterable[Said]) -> str:
    return "\n\n".join(said.text for said in entries)


def _fitting(entries: Sequence[Said], budget: int) -> list[Said]:
    """Returns each entry with which the text still fits."""
    taken: list[Said] = []
    for said in entries:
        if tokens_of(_joined([*taken, said])) <= budget:
            taken.append(said)
    return taken


def _fitting_from_end(entries: Sequence[Said], budget: int) -> list[Said]:
    """Returns the last entries that fit, without a gap."""
    taken: list[Said] = []
    for said in reversed(entries):
        if tokens_of(_joined([said, *taken])) > budget:
            break
        taken.insert(0, said)
    return taken


def _bm25(texts: Sequence[str], question: str) -> list[float]:
    """Returns the score of each text for a question, with the usual k1 of 1.2 and b of 0.75."""
    counts = [Counter(_WORD.findall(text.lower())) for text in texts]
    sizes = [sum(count.values()) for count in counts]
    mean = sum(sizes) / max(1, len(sizes))
    scores = [0.0] * len(texts)
    for word in set(_WORD.findall(question.lower())):
        found = sum(word in count for count in counts)
        weight = math.log(1 + (len(texts) - found + 0.5) / (found + 0.5))
        for place, count in enumerate(counts):
            if count[word]:
                size = 0.25 + 0.75 * sizes[place] / mean
                scores[place] += weight * count[word] * 2.2 / (count[word] + 1.2 * size)
    return scores
