"""Finding nodes: scores in parts, silence where nothing is about it, layers, pages, counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest

from memfs.app.container import Memory
from memfs.errors import UsageError
from memfs.services.retrieval_log import read_log
from memfs.services.similarity import SimilarityMode
from memfs.services.vectors import refresh_vectors
from tests.support.memory import AGENT, ANA, memory_of, new_project

SECRET = "The quokka ledger is under the stairs"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store of a few nodes, one of them for people alone."""
    project = new_project(tmp_path_factory.mktemp("looking"))
    with memory_of(project) as opened:
        opened.save_node(
            "Heron is the importer of orders",
            content="".join(f"It reads block {number} of the rows.\n" for number in range(80))
            + "Kept in /srv/heron/app.py\n",
            importance=9,
            tags=["importer", "core"],
            session="ses-9",
            session_name="Heron begins",
        )
        opened.save_node("The importer of invoices is slow", importance=5, tags=["importer"])
        opened.save_node("Gardens are watered on Mondays", importance=10)
        opened.save_node("Always track outages of Heron")
        opened.save_node("Zanzibar")
        kept = opened.save_node(SECRET, sensitivity="secret", is_forced=True)
        opened.accept([kept.target])
        yield opened


def summaries(memory: Memory, text: str, **options: object) -> list[str]:
    return [hit.summary for hit in memory.query_nodes(text, **options).hits]  # type: ignore[arg-type]


def test_a_score_is_text_and_importance_in_parts(memory: Memory) -> None:
    answer = memory.query_nodes("importer of orders")
    first = answer.hits[0]

    assert first.summary == "Heron is the importer of orders"
    assert first.parts == {"text": pytest.approx(0.65), "importance": pytest.approx(0.35 * 0.9)}
    assert first.score == pytest.approx(sum(first.parts.values()))
    assert [hit.score for hit in answer.hits] == sorted(
        (hit.score for hit in answer.hits), reverse=True
    )
    assert answer.mode is SimilarityMode.LEXICAL


@pytest.mark.parametrize("text", ["who won the cup in Peru", "", "   ", "the of and", "\u0000!?"])
def test_an_unrelated_question_surfaces_nothing_however_important(
    memory: Memory, text: str
) -> None:
    answer = memory.query_nodes(text, limit=100)

    assert answer.hits == ()
    assert answer.paths == ()
    assert answer.reason in ("recall.no-match", "recall.nothing-close")


def test_a_word_in_passing_is_no_answer(memory: Memory) -> None:
    question = "which gardens in Lisbon have roses, palms, fountains and benches for visitors"

    assert summaries(memory, question) == []


def test_what_was_found_is_logged_without_a_word_of_it(memory: Memory) -> None:
    hits = memory.query_nodes("importer of orders").hits
    entry = next(read_log(memory.workspace))

    assert entry.verb == "search"
    assert [item.reference for item in entry.items] == [hit.stored.record.reference for hit in hits]


def test_all_tags_are_required(memory: Memory) -> None:
    assert summaries(memory, "importer", tags=["importer", "core"]) == [
        "Heron is the importer of orders"
    ]
    assert len(summaries(memory, "importer", tags=["importer"])) == 2
    assert summaries(memory, "importer", tags=["importer", "nothing"]) == []


def test_a_rule_of_saving_is_no_answer_unless_it_is_asked_for(memory: Memory) -> None:
    assert "Always track outages of Heron" not in summaries(memory, "outages of Heron")
    assert summaries(memory, "outages of Heron", tags=["scoring-rule"]) == [
        "Always track outages of Heron"
    ]


def test_a_fact_in_the_content_is_found_by_a_summary_alone(memory: Memory) -> None:
    answer = memory.query_nodes("app.py")

    assert [hit.summary for hit in answer.hits] == ["Heron is the importer of orders"]


def test_a_stored_place_comes_first(memory: Memory) -> None:
    assert memory.query_nodes("where is Heron?").paths == ("/srv/heron/app.py",)


def test_the_most_important_are_listed_first_then_the_newest(memory: Memory) -> None:
    listed = [stored.record for stored in memory.list_nodes()]
    order = [(-record.importance, record.observed) for record in listed]

    assert [item[0] for item in order] == sorted(item[0] for item in order)
    assert [record.importance for record in memory_limited(memory, 2)] == [10, 10]
    assert [record.title for record in listed if record.importance == 10] == [
        "Always track outages of Heron",
        "Gardens are watered on Mondays",
    ]
    assert len(memory.list_nodes(tags=["importer"])) == 2


def memory_limited(memory: Memory, limit: int) -> list:  # type: ignore[type-arg]
    return [stored.record for stored in memory.list_nodes(limit=limit)]


def test_an_opened_node_has_its_abstract_and_a_page_at_a_time(memory: Memory) -> None:
    ref = memory.query_nodes("importer of orders").hits[0].stored.record.id
    first = memory.open_node(ref)
    second = memory.open_node(ref, page=2)

    assert first.page is not None
    assert second.page is not None
    assert first.abstract
    assert (first.next_page, second.next_page) == (2, 0)
    assert first.page.text + second.page.text == memory.show(ref).record.body
    for page in (0, 3, -1):
        with pytest.raises(UsageError, match="page from 1 to 2"):
            memory.open_node(ref, page=page)


def test_the_session_is_told_where_a_node_is_opened_and_nowhere_else(memory: Memory) -> None:
    hit = memory.query_nodes("importer of orders").hits[0]
    opened = memory.open_node(hit.stored.record.id)

    assert (opened.session, opened.session_name) == ("ses-9", "Heron begins")
    assert opened.resume_hint == "memfs session open ses-9"
    assert "ses-9" not in hit.summary


def test_nodes_and_edges_are_counted_once_and_thresholds_told(memory: Memory) -> None:
    stats = memory.node_stats()

    assert (stats.nodes, stats.edges, stats.isolated, stats.rules) == (6, 0, 6, 1)
    assert dict(stats.flagged) == {"bare-name": 1}
    assert stats.thresholds.duplicate == 0.87


def test_a_program_neither_finds_nor_counts_what_it_may_not_see(memory: Memory) -> None:
    memory.actor = AGENT
    try:
        assert summaries(memory, "quokka ledger stairs") == []
        assert SECRET not in [stored.record.title for stored in memory.list_nodes()]
        assert memory.node_stats().nodes == 5
    finally:
        memory.actor = ANA


class TopicEmbedder:
    """Stands for an embedder that knows what words mean: one direction a topic."""

    name = "topic"
    is_remote = False

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Returns where each text lies."""
        return [self._direction(text.casefold()) for text in texts]

    @staticmethod
    def _direction(text: str) -> tuple[float, ...]:
        topics = (("importer", "loads"), ("garden", "flowers"), ("invoice", "bills"))
        found = [float(any(word in text for word in words)) for words in topics]
        other = [0.0] * 257
        if not any(found):
            other[crc32(text.encode()) % len(other)] = 1.0
        return (*found, *other)


def test_every_way_of_comparing_gives_working_answers(memory: Memory, tmp_path: Path) -> None:
    whole = memory.workspace
    blocked = tmp_path / "cache"
    blocked.write_text("no folder")
    modes = {}
    vectors = replace(whole, embedder=TopicEmbedder())
    refresh_vectors(vectors)
    try:
        for name, workspace in (
            ("lexical", whole),
            ("pure", replace(whole, cache_dir=blocked)),
            ("vectors", vectors),
        ):
            memory.workspace = workspace
            answer = memory.query_nodes("importer of orders")
            modes[name] = str(answer.mode)
            assert answer.hits[0].summary == "Heron is the importer of orders"
            assert memory.query_nodes("cup in Peru").hits == ()
            assert summaries(memory, "flowers") == (
                ["Gardens are watered on Mondays"] if name == "vectors" else []
            )
    finally:
        memory.workspace = whole

    assert modes == {"lexical": "lexical", "pure": "pure", "vectors": "vectors"}
