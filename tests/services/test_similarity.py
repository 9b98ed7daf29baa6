"""How alike records are: by vectors, by words of the index, by words alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.model.query import Query
from memfs.services import similarity
from memfs.services.ports import Workspace
from memfs.services.similarity import (
    Comparable,
    SimilarityMode,
    nearest,
    similarity_for,
)
from tests.support.memory import AGENT, ANA, memory_of, new_project, workspace_of

BACKUP = "The orders database is backed up every night to the second disk"
PAINT = "The kitchen wall is painted green"
SECRET = "The quokka ledger is kept under the stairs"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Returns a store of three notes, one of them hidden from programs."""
    project = new_project(tmp_path_factory.mktemp("similarity"))
    with memory_of(project) as memory:
        memory.remember(BACKUP, kind="note")
        memory.remember(PAINT, kind="note")
        kept = memory.remember(SECRET, kind="note", sensitivity="secret")
        memory.accept([kept.target])
    with workspace_of(project) as opened:
        yield opened


def asked(limit: int = 5, *, by_agent: bool = False) -> Query:
    """Returns a question for notes."""
    return Query(text="", actor=AGENT if by_agent else ANA, kinds=("note",), limit=limit)


def test_the_most_alike_comes_first_and_says_by_what(workspace: Workspace) -> None:
    snapshot = workspace.store.snapshot()

    found = nearest(workspace, snapshot, "every night the orders database is backed up", asked())

    assert found.mode is SimilarityMode.LEXICAL
    assert [item.stored.record.body.strip() for item in found.found] == [BACKUP]
    assert 0.5 < found.found[0].score < 1.0


def test_what_is_less_alike_than_asked_for_is_not_found(workspace: Workspace) -> None:
    snapshot = workspace.store.snapshot()

    assert nearest(workspace, snapshot, "orders of paint", asked(), least=0.9).found == ()
    assert nearest(workspace, snapshot, "wholly unrelated zebras", asked()).found == ()


def test_the_same_words_are_wholly_alike(workspace: Workspace) -> None:
    (only,) = nearest(
        workspace, workspace.store.snapshot(), PAINT.upper(), asked(1), least=1.0
    ).found

    assert only.score == 1.0


def test_a_hidden_record_is_neither_found_nor_weighed(workspace: Workspace) -> None:
    snapshot = workspace.store.snapshot()
    rarity = similarity_for(workspace, snapshot, asked(by_agent=True))
    whole = similarity_for(workspace, snapshot, asked())
    other = [Comparable(id="a", text="quokka painted")]

    assert nearest(workspace, snapshot, SECRET, asked(by_agent=True)).found == ()
    assert nearest(workspace, snapshot, SECRET, asked()).found
    # The hidden word is as rare to the agent as a word that nobody wrote.
    unknown = [Comparable(id="a", text="zebra painted")]
    assert rarity.scores("quokka", other) == rarity.scores("zebra", unknown)
    assert whole.scores("quokka", other) != whole.scores("zebra", unknown)


class StubEmbedder:
    """Stands for a configured embedder."""

    name = "stub"
    is_remote = False

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Returns one vector for everything."""
        return [(1.0, 0.0) for _ in texts]


def test_vectors_are_used_where_all_have_one_and_words_otherwise(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = {"a": 0.8, "b": -0.3}
    monkeypatch.setattr("memfs.services.vectors.similarities", lambda *_: near)
    with_vectors = replace(workspace, embedder=StubEmbedder())
    compared = similarity_for(with_vectors, workspace.store.snapshot(), asked())
    known = [Comparable(id="a", text="x", blob="1"), Comparable(id="b", text="y", blob="2")]

    by_vectors = compared.compare("question", known)
    by_words = compared.compare("question", [*known, Comparable(id="c", text="z", blob="3")])

    assert by_vectors.mode is SimilarityMode.VECTORS
    assert by_vectors.scores == {"a": 0.8, "b": 0.0}
    assert by_words.mode is SimilarityMode.LEXICAL
    assert set(by_words.scores.values()) == {0.0}


def test_without_any_index_texts_are_compared_all_the_same(
    workspace: Workspace, tmp_path: Path
) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("no folder")
    bare = replace(workspace, cache_dir=blocked)

    found = nearest(bare, workspace.store.snapshot(), "backed up orders", asked())

    assert found.mode is SimilarityMode.PURE
    assert [item.stored.record.body.strip() for item in found.found] == [BACKUP]


def test_a_record_is_compared_by_its_summary() -> None:
    from memfs.model.record import Record

    short = Record(kind="note", title="Backups", summary="Orders are backed up at night")
    repeated = Record(kind="note", title="Orders are backed…", summary="Orders are backed up")

    assert similarity.words_of(short) == "Backups\nOrders are backed up at night"
    assert similarity.words_of(repeated) == "Orders are backed up"
