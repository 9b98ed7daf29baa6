"""How well recall finds the turns that answer a question, without any model.

    python -m benchmarks.recall_quality --data ../shared/data

Every turn of a LoCoMo dialogue becomes one note with its session, turn, speaker and time, as
the conversation importer makes them; each dialogue is one store. The index is the real one,
written to a temporary folder and opened again; Git is left out, since the ledger changes no
score. Questions of categories 1 to 4 are asked with the published corrections applied, and
what answers is compared with plain Whoosh BM25F and SQLite FTS5 in the same run. The data is
for evaluation only and is read where it lies; no word list or weight is read from it.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memfs.index.analysis import AnalysisSettings, Analyzer
from memfs.index.batch import Batch
from memfs.index.documents import document_from
from memfs.index.generations import Generations
from memfs.index.port import DEFAULT_SCORING, IndexHit, IndexQuery, IndexSettings, ScoringSettings
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.settings import RankSettings
from memfs.services.ranking import Match, RankContext, is_answered, ranked

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
DEPTH = 10
OFF = ScoringSettings(
    kindred=0.0,
    length_floor=1,
    k1=1.2,
    b=0.75,
    neighbour=0.0,
    session=0.0,
    speaker=1.0,
    dates=0.0,
    states_time=1.0,
)
PLAIN = AnalysisSettings(irregular=False, stop_words=False, split_identifiers=False)

Search = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the turns that answer it."""

    text: str
    gold: frozenset[str]
    category: int


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue as records, and the questions about it."""

    records: tuple[StoredRecord, ...]
    questions: tuple[Question, ...]


@dataclass(slots=True)
class Score:
    """Sums over questions."""

    questions: int = 0
    recall_10: float = 0.0
    recall_5: float = 0.0
    recall_1: float = 0.0
    any_hit_5: int = 0
    reciprocal: float = 0.0
    seconds: float = 0.0

    def add(self, found: Sequence[str], gold: frozenset[str], seconds: float) -> None:
        """Counts one answer."""
        self.questions += 1
        self.recall_10 += len(gold.intersection(found[:10])) / len(gold)
        self.recall_5 += len(gold.intersection(found[:5])) / len(gold)
        self.recall_1 += len(gold.intersection(found[:1])) / len(gold)
        self.any_hit_5 += not gold.isdisjoint(found[:5])
        first = next((place for place, path in enumerate(found, 1) if path in gold), 0)
        self.reciprocal += 1 / first if first else 0.0
        self.seconds += seconds

    def row(self) -> str:
        """Returns the figures as one line, in per cent and milliseconds."""
        count = max(1, self.questions)
        shares = (self.recall_1, self.recall_5, self.recall_10, self.any_hit_5, self.reciprocal)
        figures = "".join(f"{100 * share / count:9.1f}" for share in shares)
        return f"{figures}{1000 * self.seconds / count:9.2f}"


def load(folder: Path, categories: Collection[int] = CATEGORIES) -> list[Dialogue]:
    """Reads the dialogues with their questions of some categories, corrections applied."""
    corrections = {
        item["question_id"]: item
        for item in json.loads((folder / "locomo_corrections.json").read_text("utf-8"))
    }
    lines = (folder / "locomo.jsonl").read_text("utf-8").splitlines()
    return [
        _dialogue(number, json.loads(line), corrections, categories)
        for number, line in enumerate(lines)
    ]


def _dialogue(
    number: int, data: dict[str, Any], corrections: dict[str, Any], categories: Collection[int]
) -> Dialogue:
    records = tuple(_turns(number, data["conversation"]))
    known = {stored.path for stored in records}
    questions = []
    for place, item in enumerate(data["qa"]):
        if item["category"] not in categories:
            continue
        evidence = item["evidence"]
        correction = corrections.get(f"locomo_{number}_qa{place}")
        if correction is not None:
            if correction["question"] != item["question"]:
                raise SystemExit(f"correction {correction['question_id']} is of another question")
            evidence = correction["correct_evidence"]
        named = {name for text in evidence for name in re.split(r"[;,\s]+", text)}
        gold = frozenset(named & known)
        if gold:
            questions.append(Question(item["question"], gold, item["category"]))
    return Dialogue(records, tuple(questions))


def _turns(number: int, talk: dict[str, Any]) -> Iterator[StoredRecord]:
    names = [key for key in talk if re.fullmatch(r"session_\d+", key)]
    for session in sorted(names, key=lambda name: int(name.split("_")[1])):
        written = f"{talk[f'{session}_date_time']} +0000"
        said = datetime.strptime(written, "%I:%M %p on %d %B, %Y %z")
        for turn, item in enumerate(talk[session], start=1):
            body = item["text"]
            if item.get("blip_caption"):
                body += f"\n\n[image: {item['blip_caption']}]"
            origin = Origin(
                origin_class=OriginClass.IMPORTED,
                principal=Principal.parse("user:reader"),
                channel=Channel.IMPORT,
                source=f"session:{number}-{session}#{turn}",
                speaker=item["speaker"],
            )
            record = Record(
                kind="note",
                id=item["dia_id"],
                title=body.splitlines()[0][:200],
                body=body,
                scope=Scope.parse("project:locomo"),
                event_time=said,
                observed=said,
                origin=origin,
            )
            yield StoredRecord(record=record, path=item["dia_id"], blob="0" * 40)


def memfs_index(
    dialogue: Dialogue, folder: Path, scoring: ScoringSettings, analysis: AnalysisSettings
) -> Callable[[str, int], list[IndexHit]]:
    """Writes the real index, opens it again and returns its search."""
    settings = IndexSettings(analysis=analysis)
    analyzer = Analyzer(analysis)
    generations = Generations(folder, store_id="store", settings=settings.digest, analyzer=analyzer)
    batch = Batch(document_from(item, analyzer, settings.weights) for item in dialogue.records)
    with generations.locked(1.0):
        generations.rebuild(batch, "0" * 40)
    index = generations.open()

    def hits(text: str, limit: int) -> list[IndexHit]:
        return index.search(IndexQuery(text=text, is_open=lambda _: True, limit=limit), scoring)

    return hits


def memfs_search(scoring: ScoringSettings, analysis: AnalysisSettings) -> Callable[..., Search]:
    """Returns a maker of searches over the index alone."""

    def make(dialogue: Dialogue, folder: Path) -> Search:
        hits = memfs_index(dialogue, folder, scoring, analysis)
        return lambda text: [hit.path for hit in hits(text, DEPTH)]

    return make


def whole_recall(dialogue: Dialogue, folder: Path) -> Search:
    """Returns recall as it is served: ranked, and silent below the floor."""
    hits = memfs_index(dialogue, folder, DEFAULT_SCORING, AnalysisSettings())
    stored = {item.path: item for item in dialogue.records}
    context = RankContext(settings=RankSettings(), now=datetime(2026, 1, 1, tzinfo=UTC))

    def search(text: str) -> list[str]:
        matches = [Match(hit=hit, stored=stored[hit.path]) for hit in hits(text, 3 * DEPTH)]
        if not is_answered(matches, context.settings):
            return []
        return [item.stored.path for item in ranked(matches, context)][:DEPTH]

    return search


def plain_whoosh(dialogue: Dialogue, folder: Path) -> Search:
    """Whoosh as it comes: stemming analyser, BM25F, any word of the question."""
    from whoosh import fields, query
    from whoosh.analysis import StemmingAnalyzer
    from whoosh.index import create_in

    folder.mkdir()
    analyzer = StemmingAnalyzer()
    schema = fields.Schema(path=fields.ID(stored=True), text=fields.TEXT(analyzer=analyzer))
    index = create_in(str(folder), schema)
    writer = index.writer()
    for item in dialogue.records:
        writer.add_document(path=item.path, text=item.record.body)
    writer.commit()
    searcher = index.searcher()

    def search(text: str) -> list[str]:
        terms = dict.fromkeys(token.text for token in analyzer(text, mode="query"))
        found = searcher.search(query.Or([query.Term("text", t) for t in terms]), limit=DEPTH)
        return [hit["path"] for hit in found]

    return search


def plain_fts5(dialogue: Dialogue, folder: Path) -> Search:
    """SQLite FTS5 as it comes: porter tokeniser, any word of the question."""
    folder.mkdir()
    connection = sqlite3.connect(folder / "fts.sqlite")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(path UNINDEXED, text, tokenize=porter)")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?)", [(i.path, i.record.body) for i in dialogue.records]
    )

    def search(text: str) -> list[str]:
        words = dict.fromkeys(re.findall(r"\w+", text.lower()))
        match = " OR ".join(f'"{word}"' for word in words)
        rows = connection.execute(
            "SELECT path FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        )
        return [row[0] for row in rows]

    return search


def measure(dialogues: Sequence[Dialogue], make: Callable[..., Search]) -> dict[int, Score]:
    """Asks every question of every dialogue; returns scores by category, 0 for all."""
    scores = {category: Score() for category in (0, *CATEGORIES)}
    with tempfile.TemporaryDirectory() as scratch:
        for number, dialogue in enumerate(dialogues):
            search = make(dialogue, Path(scratch) / str(number))
            for question in dialogue.questions:
                start = time.process_time()
                found = search(question.text)
                seconds = time.process_time() - start
                for category in (0, question.category):
                    scores[category].add(found, question.gold, seconds)
    return scores


def changed(scoring: ScoringSettings, change: dict[str, Any]) -> ScoringSettings:
    """Returns the settings with some of them changed."""
    return replace(scoring, **change)


def _steps() -> Iterator[tuple[str, ScoringSettings, AnalysisSettings]]:
    analysis = PLAIN
    yield "stemming, BM25 k1 1.2 b 0.75", OFF, analysis
    analysis = replace(analysis, stop_words=True)
    yield "+ function words dropped", OFF, analysis
    analysis = replace(analysis, irregular=True, split_identifiers=True)
    yield "+ irregular forms", OFF, analysis
    scoring = replace(OFF, k1=2.0, b=1.0, length_floor=25)
    yield "+ length floor", scoring, analysis
    for name, change in (
        ("+ words that begin alike", {"kindred": DEFAULT_SCORING.kindred}),
        ("+ speaker", {"speaker": DEFAULT_SCORING.speaker}),
        ("+ dates", {"dates": DEFAULT_SCORING.dates}),
        ("+ states a time", {"states_time": DEFAULT_SCORING.states_time}),
        ("+ neighbours", {"neighbour": DEFAULT_SCORING.neighbour}),
        ("+ session", {"session": DEFAULT_SCORING.session}),
    ):
        scoring = changed(scoring, change)
        yield name, scoring, analysis


def _without() -> Iterator[tuple[str, ScoringSettings, AnalysisSettings]]:
    full = AnalysisSettings()
    yield "- stemming", DEFAULT_SCORING, replace(full, stem=False)
    yield "- function words", DEFAULT_SCORING, replace(full, stop_words=False)
    yield "- irregular forms", DEFAULT_SCORING, replace(full, irregular=False)
    for name, change in (
        ("- length floor", {"length_floor": 1}),
        ("- words that begin alike", {"kindred": 0.0}),
        ("- speaker", {"speaker": 1.0}),
        ("- dates", {"dates": 0.0}),
        ("- states a time", {"states_time": 1.0}),
        ("- neighbours", {"neighbour": 0.0}),
        ("- session", {"session": 0.0}),
    ):
        yield name, changed(DEFAULT_SCORING, change), full


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables; 2 when the data is not there, 1 when recall@10 is below the bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--bar", type=float, default=0.75, help="least recall@10")
    parser.add_argument("--short", action="store_true", help="without the gain of each signal")
    options = parser.parse_args(arguments)
    if not (options.data / "locomo.jsonl").is_file():
        print(f"skipped: no locomo.jsonl in {options.data}", file=sys.stderr)
        return 2
    dialogues = load(options.data)
    print(f"{len(dialogues)} dialogues, {sum(len(d.questions) for d in dialogues)} questions")
    print(f"{'':34}{'R@1':>9}{'R@5':>9}{'R@10':>9}{'any@5':>9}{'MRR':>9}{'ms CPU':>9}")
    rows: list[tuple[str, Callable[..., Search]]] = [
        ("Whoosh 2.7.4 BM25F as it comes", plain_whoosh),
        ("SQLite FTS5 porter as it comes", plain_fts5),
    ]
    if not options.short:
        rows += [(name, memfs_search(scoring, words)) for name, scoring, words in _steps()]
        rows += [(name, memfs_search(scoring, words)) for name, scoring, words in _without()]
    for name, make in rows:
        print(f"{name:34}{measure(dialogues, make)[0].row()}", flush=True)
    scores = measure(dialogues, whole_recall)
    print(f"{'memfs recall, ranked, with floor':34}{scores[0].row()}")
    for category, name in CATEGORIES.items():
        print(f"{f'  {name} ({scores[category].questions})':34}{scores[category].row()}")
    share = scores[0].recall_10 / max(1, scores[0].questions)
    verdict = "met" if share >= options.bar else "missed"
    print(f"recall@10 {share:.3f}, bar {options.bar:.2f}: {verdict}")
    return 0 if share >= options.bar else 1


if __name__ == "__main__":
    raise SystemExit(main())
