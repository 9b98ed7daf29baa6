from __future__ import annotations

import contextlib
import os
import pickle
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whoosh.filedb.filestore import FileStorage
from whoosh.index import FileIndex
from whoosh.query import Every, Or, Term
from whoosh.scoring import FunctionWeighting

from memfs.errors import IndexUnavailableError
from memfs.index.analysis import Analyzer
from memfs.index.batch import Batch
from memfs.index.documents import document_from
from memfs.index.manifest import Manifest
from memfs.index.port import FieldWeights
from memfs.index.postings import SegmentReader
from memfs.index.whoosh_writer import create_index
from tests.support.recall_stores import note, stored

WORDS = ("alpha", "beta", "gamma", "delta", "Привет", "東京")


def _index(folder: Path, bodies: list[str]) -> Manifest:
    folder.mkdir(parents=True, exist_ok=True)
    analyzer = Analyzer()
    batch = Batch(
        document_from(stored(note(number, body)), analyzer, FieldWeights())
        for number, body in enumerate(bodies)
    )
    return create_index(folder, batch, store_id="s", ledger="l", settings="x")


def _flat(reader: SegmentReader, term: str) -> list[tuple[int, float]]:
    return [
        pair
        for numbers, weights in reader.blocks("text", term)
        for pair in zip(numbers, weights, strict=True)
    ]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), min_size=1, max_size=40))
def test_blocks_are_what_whoosh_reads_from_the_same_files(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    manifest = _index(folder, [" ".join(words) for words in documents])
    reader = SegmentReader(folder, manifest.segments[0].name)
    whoosh = FileIndex(FileStorage(str(folder)), indexname="memfs").reader()

    for field, term in whoosh.all_terms():
        matcher = whoosh.postings(field, term)
        expected = []
        while matcher.is_active():
            expected.append((matcher.id(), matcher.weight()))
            matcher.next()
        found = [
            pair
            for numbers, weights in reader.blocks(field, term.decode())
            for pair in zip(numbers, weights, strict=True)
        ]
        assert found == expected
    whoosh.close()


def test_whoosh_itself_finds_the_same_documents(tmp_path: Path) -> None:
    manifest = _index(tmp_path, ["alpha beta", "beta beta gamma", "delta"])
    reader = SegmentReader(tmp_path, manifest.segments[0].name)
    index = FileIndex(FileStorage(str(tmp_path)), indexname="memfs")
    frequency = FunctionWeighting(lambda _searcher, _field, _text, matcher: matcher.weight())

    with index.searcher(weighting=frequency) as searcher:
        found = searcher.search(Or([Term("text", "beta"), Term("text", "gamma")]), limit=None)
        assert {(hit.docnum, hit.score) for hit in found} == {(0, 1.0), (1, 3.0)}
        assert searcher.doc_count() == 3
        assert {hit.docnum for hit in searcher.search(Every(), limit=None)} == {0, 1, 2}
    assert _flat(reader, "beta") == [(0, 1.0), (1, 2.0)]


@given(
    st.sets(st.text("abcé東", min_size=1, max_size=5), min_size=1, max_size=30),
    st.text("abcé東", max_size=3),
)
def test_terms_that_begin_alike_are_found_in_order(
    tmp_path_factory: pytest.TempPathFactory, words: set[str], prefix: str
) -> None:
    folder = tmp_path_factory.mktemp("index")
    manifest = _index(folder, [" ".join(sorted(words))])
    reader = SegmentReader(folder, manifest.segments[0].name)
    terms = sorted((term for field, term, _ in reader.terms() if field == "text"), key=str.encode)

    alike = [term for term in terms if term.startswith(prefix)]
    assert reader.starting_with("text", prefix, 4) == alike[:4]
    assert reader.starting_with("nofield", prefix, 4) == []


def test_a_list_longer_than_a_block_is_read_to_its_end(tmp_path: Path) -> None:
    manifest = _index(tmp_path, ["alpha"] * 2500)

    found = _flat(SegmentReader(tmp_path, manifest.segments[0].name), "alpha")

    assert [number for number, _ in found] == list(range(2500))


def test_an_unknown_word_or_field_has_no_postings(tmp_path: Path) -> None:
    manifest = _index(tmp_path, ["alpha"])
    reader = SegmentReader(tmp_path, manifest.segments[0].name)

    assert _flat(reader, "omega") == []
    assert list(reader.blocks("nofield", "alpha")) == []


def _read_everything(folder: Path, name: str) -> None:
    reader = SegmentReader(folder, name)
    for term in ("alpha", "beta", "gamma", "delta", "omega"):
        _flat(reader, term)
    reader.starting_with("text", "alp", 4)
    list(reader.terms())


class _Hostile:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("pwned",)


@pytest.mark.parametrize("place", ["summary", "block"])
def test_a_pickle_that_names_code_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    manifest = _index(tmp_path / "index", ["alpha"])
    name = manifest.segments[0].name
    hostile = pickle.dumps(_Hostile(), 2)
    summary = hostile if place == "summary" else pickle.dumps((1, 0, 1.0, 3, 0, 0), 2)
    block = summary + zlib.compress(hostile)
    postings = b"W3Bl" + (-len(block)).to_bytes(4, "big", signed=True) + block
    path = tmp_path / "index" / f"{name}.pst"
    path.write_bytes(postings.ljust(path.stat().st_size, b"\0") * 4)

    with pytest.raises(IndexUnavailableError) as caught:
        _read_everything(tmp_path / "index", name)

    assert caught.value.code == "index.damaged"
    assert not (tmp_path / "pwned").exists()


@given(data=st.data())
def test_damaged_files_are_an_error_of_their_own_or_read_as_something_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("index")
    manifest = _index(folder, ["alpha beta gamma", "beta delta", "gamma alpha"])
    name = manifest.segments[0].name
    path = folder / f"{name}.{data.draw(st.sampled_from(['trm', 'pst']))}"
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)

    with contextlib.suppress(IndexUnavailableError):
        _read_everything(folder, name)
