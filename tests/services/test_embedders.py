"""Embedders: which name means which, the offline one without a network, the one for tests."""

from __future__ import annotations

import logging
import math
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest

from memfs.errors import IndexUnavailableError
from memfs.index.cosine import cosine, unit
from memfs.services import embedder_wordllama
from memfs.services.embedder_client import EmbedderClient
from memfs.services.embedder_hashing import HashingEmbedder
from memfs.services.embedder_wordllama import WordLlamaEmbedder
from memfs.services.embedders import embedder_named
from memfs.services.embedding import QuestionEmbedder

offline = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="memfs-ledger[vectors] is not there"
)
STRANGE = ("", " \n", "\ud800 lone", "\0", "e\u0301", "x" * 5_000, "\u202e right to left")


def near(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    return cosine(unit(first), unit(second))


def test_a_name_says_which_embedder_and_loads_nothing() -> None:
    assert isinstance(embedder_named("wordllama"), WordLlamaEmbedder)
    assert isinstance(embedder_named("hashing"), HashingEmbedder)
    client = embedder_named("nomic-embed-text", url="http://localhost:1/v1", key="k")
    assert client == EmbedderClient(name="nomic-embed-text", url="http://localhost:1/v1", key="k")
    assert isinstance(client, QuestionEmbedder)
    assert not isinstance(HashingEmbedder(), QuestionEmbedder)


def test_hashing_is_the_same_everywhere_and_knows_letters_alone() -> None:
    embedder = HashingEmbedder()
    code = (
        "from memfs.services.embedder_hashing import HashingEmbedder as H;"
        "print(H().embed(('the backup',))[0])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    (here,) = embedder.embed(("the backup",))
    (alike, other) = embedder.embed(("THE backups", "zebra crossing"))

    assert ran.stdout.strip() == str(here)
    assert near(here, alike) > 0.6 > 0.3 > near(here, other)
    assert embedder.embed(("", "  ")) == ((0.0,) * 64, (0.0,) * 64)
    assert len(embedder.embed(STRANGE)) == len(STRANGE)
    assert embedder.embed(()) == ()


@offline
def test_the_offline_embedder_asks_no_network_and_leaves_logging_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_network(*_: object) -> None:
        raise AssertionError("it asked the network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    embedder = WordLlamaEmbedder()
    database, shop, weather = embedder.embed(
        ("We store orders in Postgres", "Purchases live in a SQL database", "It rained all day")
    )

    assert (list(root.handlers), root.level) == before
    assert len(database) == embedder_wordllama.DIMENSION
    assert near(database, shop) > near(database, weather)
    assert embedder.name.startswith("wordllama:l2_supercat-256@0.")
    assert not embedder.is_remote


@offline
def test_the_offline_embedder_makes_a_vector_of_whatever_comes() -> None:
    found = WordLlamaEmbedder().embed(STRANGE)

    assert [len(vector) for vector in found] == [256] * len(STRANGE)
    assert all(math.isfinite(part) for vector in found for part in vector)
    assert found[0] == found[1] == (0.0,) * 256
    assert WordLlamaEmbedder().embed(()) == ()
    alone, among = (
        WordLlamaEmbedder().embed(("one text",)),
        WordLlamaEmbedder().embed(("one text", "a much longer text " * 50)),
    )
    assert near(alone[0], among[0]) > 0.999


def test_without_its_package_the_offline_embedder_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedder_wordllama._model.cache_clear()
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(IndexUnavailableError) as caught:
        WordLlamaEmbedder().embed(("one text",))

    assert caught.value.code == "embedder.not-installed"
    assert "memfs-ledger[vectors]" in (caught.value.hint or "")
    embedder_wordllama._model.cache_clear()
