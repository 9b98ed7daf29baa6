"""The modes on public suites: evidence of long dialogues, and preferences that change.

LoCoMo: every turn is a line, and handed over must be the turns that answer a question. memfs is
its index and its order there, as in ``benchmarks.recall_quality``, with one signal less for each
ablation. MemSyco's cases of change and of plain use: the statements that a host found are said
one after the other, and handed over must be those that hold, word for word. Nothing is judged
here: the plan speaks of the histories alone. The data is for evaluation only.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from benchmarks.evaluating.histories import PEOPLE, Deed, History, Question, Rule, Verb
from benchmarks.evaluating.plain_modes import ITEMS, PLAIN, Line, Lines, Written
from benchmarks.evaluating.playing import rows_of
from benchmarks.evaluating.reader import Passage, tokens_of
from benchmarks.evaluating.rows import Row
from benchmarks.recall_quality import CATEGORIES, Dialogue, load, memfs_index
from memfs.index.analysis import AnalysisSettings
from memfs.index.port import DEFAULT_SCORING, ScoringSettings
from memfs.model.settings import RankSettings
from memfs.services.ranking import Match, RankContext, is_answered, ranked

LOCOMO: Final = "locomo"
MEMSYCO: Final = "memsyco"
BEGINS: Final = datetime(2030, 1, 7, 9, 0, tzinfo=UTC)
_KEPT: Final = ("proposed", "with-start", "no-floor", "no-subjects")
"""The ways of running memfs that say something of statements that change."""
_SIGNALS: Final[Mapping[str, tuple[ScoringSettings, RankSettings]]] = MappingProxyType(
    {
        "proposed": (DEFAULT_SCORING, RankSettings()),
        "no-floor": (DEFAULT_SCORING, RankSettings(floor=0.0)),
        "no-dates": (replace(DEFAULT_SCORING, dates=0.0, states_time=1.0), RankSettings()),
        "no-neighbours": (replace(DEFAULT_SCORING, neighbour=0.0, session=0.0), RankSettings()),
        "no-speaker": (replace(DEFAULT_SCORING, speaker=1.0), RankSettings()),
    }
)


def public_rows(data: Path, modes: Collection[str]) -> Iterator[Row]:
    """Yields the rows of the suites that are there."""
    if (data / "locomo.jsonl").is_file():
        for number, dialogue in enumerate(load(data)):
            yield from _dialogue_rows(number, dialogue, modes)
    for name in ("valid_memory_selection", "personalized_memory_use"):
        path = data / MEMSYCO / f"{name}.jsonl"
        if path.is_file():
            for number, text in enumerate(path.read_text("utf-8").splitlines()):
                yield from _case_rows(name, number, json.loads(text), modes)


def _dialogue_rows(number: int, dialogue: Dialogue, modes: Collection[str]) -> Iterator[Row]:
    lines = _lines(dialogue)
    written = Written(said=lines, kept=lines)
    for name, make in PLAIN.items():
        if name in modes:
            asker = make(written)
            yield from _evidence_rows(number, name, dialogue, asker)
            asker.close()
    for name, (scoring, rank) in _SIGNALS.items():
        if name in modes or name not in ("proposed", "no-floor"):
            with tempfile.TemporaryDirectory() as scratch:
                choose = _recalled(dialogue, lines, Path(scratch) / "index", scoring, rank)
                yield from _evidence_rows(number, name, dialogue, Lines(choose))


def _lines(dialogue: Dialogue) -> list[Line]:
    lines = []
    for item in dialogue.records:
        record = item.record
        said = record.observed or BEGINS
        speaker = record.origin.speaker if record.origin else ""
        passage = Passage(words=record.body, day=said.date(), is_person=True)
        written = f"- {said.date()} {speaker}: {record.body}"
        lines.append(Line(name=item.path, written=written, passage=passage))
    return lines


def _recalled(
    dialogue: Dialogue,
    lines: Sequence[Line],
    folder: Path,
    scoring: ScoringSettings,
    rank: RankSettings,
) -> Callable[[Question], Sequence[Line]]:
    hits = memfs_index(dialogue, folder, scoring, AnalysisSettings())
    stored = {item.path: item for item in dialogue.records}
    named = {line.name: line for line in lines}
    context = RankContext(settings=rank, now=datetime(2026, 1, 1, tzinfo=UTC))

    def choose(question: Question) -> Sequence[Line]:
        found = hits(question.text, 6 * ITEMS)
        matches = [Match(hit=hit, stored=stored[hit.path]) for hit in found]
        if not is_answered(matches, rank):
            return []
        return [named[item.stored.path] for item in ranked(matches, context)][:ITEMS]

    return choose


def _evidence_rows(number: int, mode: str, dialogue: Dialogue, asker: Lines) -> Iterator[Row]:
    for place, asked in enumerate(dialogue.questions):
        evidence = tuple(sorted(asked.gold))
        question = Question(
            name=f"{number}-{place}",
            kind=CATEGORIES[asked.category],
            text=asked.text,
            about="",
            wordings=(),
            shape="",
            rule=Rule.EVERY,
            evidence=evidence,
        )
        context = asker.ask(question)
        handed = {line.name for line in asker.choose(question)}
        yield Row(
            suite=LOCOMO,
            seed=number,
            mode=mode,
            task=question.name,
            kind=question.kind,
            right=len(handed.intersection(evidence)) / len(evidence),
            tokens=tokens_of(context.text),
            ms=round(1000 * context.seconds, 3),
        )


def _case_rows(
    name: str, number: int, case: Mapping[str, Any], modes: Collection[str]
) -> Iterator[Row]:
    items = case["memory"]["items"]
    topic = case["metadata"].get("topic") or "general"
    deeds = tuple(
        Deed(
            verb=Verb.SAY,
            name=f"item-{place}",
            at=BEGINS + timedelta(days=place),
            speaker=PEOPLE[0],
            text=" ".join(item["content"].split()),
            kind="preference",
            subject=topic if name == "valid_memory_selection" else f"{topic}#{place}",
        )
        for place, item in enumerate(items)
    )
    is_old = [item["status"] == "outdated" for item in items]
    question = Question(
        name=str(number),
        kind=name,
        text=case["question"],
        about="",
        wordings=(),
        shape="",
        rule=Rule.EVERY,
        gold=tuple(deed.text for deed, old in zip(deeds, is_old, strict=True) if not old),
        evidence=tuple(deed.name for deed, old in zip(deeds, is_old, strict=True) if not old),
        stale=tuple(deed.text for deed, old in zip(deeds, is_old, strict=True) if old),
    )
    asked_at = deeds[-1].at + timedelta(days=1)
    history = History(seed=number, deeds=deeds, questions=(question,), asked_at=asked_at)
    chosen = [mode for mode in modes if mode in PLAIN or mode in _KEPT]
    for row in rows_of(history, chosen):
        yield replace(row, suite=f"{MEMSYCO} {name}", right=_share(row, question))


def _share(row: Row, question: Question) -> float:
    return len(row.answer) / len(question.gold) if question.gold else 0.0
