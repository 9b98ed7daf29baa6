"""Recall by words against recall by words and vectors, on LoCoMo, category by category.

    python -m benchmarks.locomo --data ../shared/data --embedder wordllama

The dialogues are indexed as ``benchmarks.recall_quality`` does, the vectors lie in the real files,
and the order is the one that is served. Beside it stand what two rankings by place would make of
the same lists (reciprocal ranks), and vectors alone. The adversarial questions have no answer:
printed is how often recall answers them all the same, and how well what it knows tells them
from the others (the area under the curve; 0.5 is a guess). The data is for evaluation only and is
read where it lies.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.recall_quality import CATEGORIES, DEPTH, Dialogue, Question, Score, load
from benchmarks.recall_quality import memfs_index as written_index
from memfs.errors import IndexUnavailableError
from memfs.index.analysis import AnalysisSettings
from memfs.index.fusion import nudges, reciprocal_ranks, spreads
from memfs.index.port import DEFAULT_SCORING, IndexHit
from memfs.index.vector_files import FileVectors
from memfs.index.vector_port import VectorPoint
from memfs.model.settings import RankSettings
from memfs.services.embedders import embedder_named
from memfs.services.ports import Embedder
from memfs.services.ranking import Match, RankContext, ranked
from memfs.services.vector_order import DEPTH as COMPARED
from memfs.services.vectors import BATCH, points_of

ADVERSARIAL: Final = 5
NAMES: Final[Mapping[int, str]] = {0: "all that have an answer", **CATEGORIES, ADVERSARIAL: "trap"}
WEIGHTS: Final = (0.25, 0.5, 1.0)
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
Order = Callable[[list[IndexHit], Mapping[str, float]], list[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of one question before anything is ordered."""

    question: Question
    hits: list[IndexHit]
    cosines: Mapping[str, float]
    every: Mapping[str, float]
    seconds: float


@dataclass(frozen=True, slots=True)
class Corpus:
    """One dialogue, its index and its vectors."""

    dialogue: Dialogue
    search: Callable[[str, int], list[IndexHit]]
    vectors: FileVectors
    blobs: Mapping[str, str]


def corpora(data: Path, embedder: Embedder, scratch: Path) -> Iterator[Corpus]:
    """Yields every dialogue with its index and its vectors on disk."""
    for number, dialogue in enumerate(load(data, (*CATEGORIES, ADVERSARIAL))):
        search = written_index(dialogue, scratch / str(number), DEFAULT_SCORING, AnalysisSettings())
        vectors = FileVectors(scratch / f"{number}-vectors", embedder.name)
        # The index gives every record the same blob here; its path stands for it.
        for start in range(0, len(dialogue.records), BATCH):
            part = dialogue.records[start : start + BATCH]
            points = points_of(embedder, part)
            vectors.put([_named(point.id, point.domain, point.vector) for point in points])
        yield Corpus(dialogue, search, vectors, {it.path: it.path for it in dialogue.records})


def _named(name: str, domain: str, vector: Sequence[float]) -> VectorPoint:
    return VectorPoint(id=name, blob=name, domain=domain, vector=vector)


def asked(corpus: Corpus, embedder: Embedder) -> Iterator[Asked]:
    """Yields every question with what words and vectors say to it."""
    for question in corpus.dialogue.questions:
        start = time.process_time()
        hits = corpus.search(question.text, COMPARED)
        (vector,) = embedder.embed((question.text,))
        cosines = corpus.vectors.scores(vector, [hit.path for hit in hits])
        seconds = time.process_time() - start
        every = corpus.vectors.scores(vector, list(corpus.blobs))
        yield Asked(question, hits, cosines, every, seconds)


def served(dialogue: Dialogue, weight: float) -> Order:
    """Returns the order that recall serves, with vectors of some weight; 0 for words alone."""
    stored = {item.path: item for item in dialogue.records}

    def order(hits: list[IndexHit], cosines: Mapping[str, float]) -> list[str]:
        top = max((hit.score for hit in hits), default=0.0)
        words = {hit.path: hit.score / top if top > 0 else 1.0 for hit in hits}
        context = RankContext(
            settings=RankSettings(vector=weight),
            now=NOW,
            similarity=nudges(words, cosines) if weight else {},
        )
        matches = [Match(hit=hit, stored=stored[hit.path]) for hit in hits]
        return [item.stored.path for item in ranked(matches, context)][:DEPTH]

    return order


def by_ranks(hits: list[IndexHit], cosines: Mapping[str, float], weight: float = 1.0) -> list[str]:
    """Orders by reciprocal ranks of both lists, the vectors' one weighing ``weight``."""
    near = sorted(cosines, key=lambda path: (-cosines[path], path))
    lists = {"words": [hit.path for hit in hits], "vectors": near}
    fused = reciprocal_ranks(lists, weights={"words": 1.0, "vectors": weight})
    return sorted(fused, key=lambda path: (-fused[path], path))[:DEPTH]


def by_vectors(hits: list[IndexHit], cosines: Mapping[str, float]) -> list[str]:
    """Orders by vectors alone, and only what words found."""
    return sorted(cosines, key=lambda path: (-cosines[path], path))[:DEPTH]


def tables(data: Path, embedder: Embedder) -> tuple[dict[str, dict[int, Score]], list[Asked]]:
    """Asks every question once and orders what was found in every way."""
    scores: dict[str, dict[int, Score]] = {}
    everything: list[Asked] = []
    with tempfile.TemporaryDirectory() as scratch:
        for corpus in corpora(data, embedder, Path(scratch)):
            orders: dict[str, Order] = {"words": served(corpus.dialogue, 0.0)}
            for weight in WEIGHTS:
                orders[f"words + vectors, weight {weight:g}"] = served(corpus.dialogue, weight)
            orders["reciprocal ranks, weights 1 and 0.25"] = lambda h, c: by_ranks(h, c, 0.25)
            orders["reciprocal ranks, equal weights"] = by_ranks
            orders["vectors alone"] = by_vectors
            for item in asked(corpus, embedder):
                everything.append(item)
                for name, order in orders.items():
                    found = order(item.hits, item.cosines)
                    for category in _counted_as(item.question.category):
                        score = scores.setdefault(name, {}).setdefault(category, Score())
                        score.add(found, item.question.gold, item.seconds)
    return scores, everything


def _counted_as(category: int) -> tuple[int, ...]:
    return (category,) if category == ADVERSARIAL else (0, category)


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Returns how often one of one list is above one of the other, 0 to 1; equals count half."""
    if not positive or not negative:
        return 0.5
    ranks: dict[float, float] = {}
    values = sorted([*positive, *negative])
    for place, value in enumerate(values, start=1):
        ranks.setdefault(value, 0.0)
        ranks[value] += place
    counts = {value: values.count(value) for value in ranks}
    total = sum(ranks[value] / counts[value] for value in positive)
    pairs = len(positive) * len(negative)
    return (total - len(positive) * (len(positive) + 1) / 2) / pairs


def abstention(everything: Sequence[Asked]) -> Iterator[str]:
    """Yields how often recall answers, and what tells the questions without an answer apart."""
    floor = RankSettings()
    for name, is_trap in (("with an answer", False), ("traps", True)):
        group = [it for it in everything if (it.question.category == ADVERSARIAL) is is_trap]
        answered = sum(any(hit.coverage >= floor.floor for hit in item.hits) for item in group)
        yield f"{name:34}{len(group):9}{100 * answered / max(1, len(group)):9.1f}"
    signals: dict[str, Callable[[Asked], float]] = {
        "best score of words": lambda it: max((hit.score for hit in it.hits), default=0.0),
        "best coverage of words": lambda it: max((hit.coverage for hit in it.hits), default=0.0),
        "best cosine": lambda it: max(it.every.values(), default=0.0),
        "how far the best cosine stands out": lambda it: max(
            spreads(it.every).values(), default=0.0
        ),
        "cosine of the best by words": _of_first,
    }
    for name, signal in signals.items():
        known = [signal(it) for it in everything if it.question.category != ADVERSARIAL]
        trap = [signal(it) for it in everything if it.question.category == ADVERSARIAL]
        yield f"{name:34}{area(known, trap):18.3f}"


def _of_first(item: Asked) -> float:
    return item.cosines.get(item.hits[0].path, 0.0) if item.hits else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables; 2 when the data or the embedder is not there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--embedder", default="wordllama", help="as in MEMFS_EMBEDDINGS")
    parser.add_argument("--url", default="", help="as in MEMFS_MODEL_URL")
    options = parser.parse_args(arguments)
    if not (options.data / "locomo.jsonl").is_file():
        print(f"skipped: no locomo.jsonl in {options.data}", file=sys.stderr)
        return 2
    embedder = embedder_named(options.embedder, url=options.url)
    try:
        embedder.embed(("one text",))
    except IndexUnavailableError as error:
        print(f"skipped: {error.code}", file=sys.stderr)
        return 0
    start = time.process_time()
    scores, everything = tables(options.data, embedder)
    print(f"{embedder.name}, {len(everything)} questions, {time.process_time() - start:.0f} s CPU")
    for category, title in NAMES.items():
        head = f"{title} ({scores['words'][category].questions})"
        print(f"\n{head:38}{'R@1':>9}{'R@5':>9}{'R@10':>9}{'any@5':>9}{'MRR':>9}{'ms CPU':>9}")
        for name, found in scores.items():
            print(f"{name:38}{found[category].row()}")
    print(f"\n{'recall answers (words decide)':34}{'asked':>9}{'per cent':>9}")
    lines = list(abstention(everything))
    print("\n".join(lines[:2]))
    print(f"\n{'tells traps from the others':34}{'area':>18}")
    print("\n".join(lines[2:]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
