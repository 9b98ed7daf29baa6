"""AMSB, the poisoning suite that ships with ``agent-memory-guard``, against a real store.

The adapter maps the suite's source classes to channels and nothing else: with patterns off
the steps that look at words (eligibility and screening) are taken out of the pipeline, so
that what is left decides by origin alone. A fresh store a scenario; a session's end is a
closed store; a later turn is an agent that recalls.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from benchmarks.suites.figures import Figure
from benchmarks.suites.stores import AGENT, actor_of, fresh_memory
from memfs.app.opening import open_workspace
from memfs.model.result import ResultStatus
from memfs.policy import admission

if TYPE_CHECKING:
    from memfs.app.container import Memory

SUITE: Final = "amsb"
WORD_STEPS: Final = frozenset({"eligibility", "screening"})
ATTACKS: Final = 15
BENIGN: Final = 6


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Grades memfs twice: by origin alone, and as it is."""
    del data  # the scenarios come with the package
    try:
        import agent_memory_guard.bench  # noqa: F401
    except ImportError:
        yield Figure(
            suite=SUITE,
            case="all",
            name="left out",
            value="the package agent-memory-guard is not installed",
        )
        return
    without_words = tuple(step for step in admission.PIPELINE if step.name not in WORD_STEPS)
    patterns_off = patch.object(admission, "PIPELINE", without_words)
    for case, mode in (("by origin alone", patterns_off), ("with patterns", nullcontext())):
        with mode, ExitStack() as stores:
            yield from _graded(case, scratch / case.replace(" ", "-"), stores)


def _graded(case: str, scratch: Path, stores: ExitStack) -> Iterator[Figure]:
    from agent_memory_guard.bench.adapter import MemorySystemAdapter, RememberOutcome
    from agent_memory_guard.bench.harness import run_suite
    from agent_memory_guard.bench.scoring import score_report

    outcomes = {
        ResultStatus.DONE: RememberOutcome.STORED,
        ResultStatus.DUPLICATE: RememberOutcome.STORED,
        ResultStatus.WAITING: RememberOutcome.QUARANTINED,
        ResultStatus.NEEDS_ANSWER: RememberOutcome.QUARANTINED,
    }
    numbers = itertools.count()

    class MemfsAdapter(MemorySystemAdapter):
        """Writes through the channel of each source class and recalls as an agent."""

        name = "memfs"

        def __init__(self) -> None:
            self.memory = stores.enter_context(fresh_memory(scratch, f"s{next(numbers)}"))

        def remember(self, key: str, value: Any, *, source_class: str = "external_tool") -> Any:
            """Submits the value as what it was said to be."""
            self.memory.actor = actor_of(source_class)
            result = self.memory.remember(str(value), title=key, subject=key)
            return outcomes.get(result.status, RememberOutcome.BLOCKED)

        def context_reset(self) -> None:
            """Ends the session: the store is closed and opened again."""
            root = self.memory.workspace.store.root
            self.memory.workspace.store.close()
            self.memory.workspace = open_workspace(start=root.parent, env=_home(scratch))

        def recall(self, key: str) -> str | None:
            """Returns what an agent is served for the key in a later session."""
            return _served(self.memory, key)

    report = run_suite(MemfsAdapter)
    card = score_report(report)
    defended, kept = card.defended_total, card.benign_total - card.false_positives
    failed = ", ".join(run.scenario_id for run in report.runs if not run.passed)
    told = f" (not: {failed})" if failed else ""
    yield Figure(
        suite=SUITE,
        case=case,
        name="attacks defended",
        value=f"{defended} of {card.malicious_total}{told}",
        bar=f"{ATTACKS} of {ATTACKS}",
        holds=defended == card.malicious_total and defended >= ATTACKS,
    )
    yield Figure(
        suite=SUITE,
        case=case,
        name="benign kept",
        value=f"{kept} of {card.benign_total}",
        bar=f"{BENIGN} of {BENIGN}",
        holds=kept == card.benign_total and kept >= BENIGN,
    )
    yield Figure(
        suite=SUITE,
        case=case,
        name="grade",
        value=f"{card.grade.value} ({card.score:.1f})",
        bar="A",
        holds=card.grade.value == "A",
    )


def _home(scratch: Path) -> dict[str, str]:
    from benchmarks.corpus import environment

    return environment(scratch) | {"MEMFS_HOME": str(scratch / "home")}


def _served(memory: Memory, key: str) -> str | None:
    """Returns all that an agent is served for a key: listed, and packed for a question."""
    memory.actor = AGENT
    listed = [item.record for item in memory.list_records() if item.record.subject == key]
    packed = memory.recall(key).text
    if listed:
        return listed[0].body.removesuffix("\n")
    return packed if key in packed else None
