"""The client of an embedder: what it sends where, and every way in which that fails (C26)."""

from __future__ import annotations

import json

import httpx2
import pytest

from memfs.services.embedder_client import EmbedderClient, EmbedderError


def client(answer: object, *, status: int = 200, **options: object) -> EmbedderClient:
    content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()

    def handle(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, content=content)

    return EmbedderClient(name="m", transport=httpx2.MockTransport(handle), **options)  # type: ignore[arg-type]


def test_both_protocols_give_a_vector_a_text() -> None:
    seen: list[tuple[str, object, str]] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(
            (
                str(request.url),
                json.loads(request.content),
                request.headers.get("authorization", ""),
            )
        )
        if request.url.path == "/api/embed":
            return httpx2.Response(200, json={"embeddings": [[1, 2], [3, 4]]})
        return httpx2.Response(200, json={"data": [{"embedding": [1, 2]}, {"embedding": [3, 4]}]})

    transport = httpx2.MockTransport(handle)
    for url in ("", "http://localhost:9/v1"):
        embedder = EmbedderClient(name="m", url=url, key="k", transport=transport)
        assert embedder.embed(("a", "b")) == ((1.0, 2.0), (3.0, 4.0))
        assert not embedder.is_remote
    assert seen == [
        ("http://127.0.0.1:11434/api/embed", {"model": "m", "input": ["a", "b"]}, "Bearer k"),
        ("http://localhost:9/v1/embeddings", {"model": "m", "input": ["a", "b"]}, "Bearer k"),
    ]


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        ({"embeddings": [[1]]}, 200, "embedder.bad-answer"),
        ({"embeddings": [[1], []]}, 200, "embedder.bad-answer"),
        ({"embeddings": [["x"], [1]]}, 200, "embedder.bad-answer"),
        ({}, 200, "embedder.bad-answer"),
        (b"[" * 9000, 200, "embedder.bad-answer"),
        (b"nothing", 200, "embedder.bad-answer"),
        ({"embeddings": [[1], [2]]}, 500, "embedder.refused"),
        ({"embeddings": [[1], [2]]}, 302, "embedder.refused"),
    ],
)
def test_what_is_no_vector_is_an_error_with_a_code(answer: object, status: int, code: str) -> None:
    with pytest.raises(EmbedderError) as error:
        client(answer, status=status).embed(("a", "b"))
    assert error.value.code == code


@pytest.mark.parametrize("url", ["ftp://here", "nothing", "http://[::1", "http://x:99999"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(EmbedderError):
        client({}, url=url).embed(("a",))


def test_a_key_goes_nowhere_in_the_clear() -> None:
    with pytest.raises(EmbedderError) as error:
        client({}, url="http://models.example", key="k").embed(("a",))
    assert error.value.code == "embedder.bad-address"
    assert client({}, url="http://models.example").is_remote
    assert "secret-word" not in repr(EmbedderClient(name="m", key="secret-word"))


def test_a_question_waits_for_a_shorter_time_than_a_record() -> None:
    seen: list[float] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.extensions["timeout"]["read"])
        return httpx2.Response(200, json={"embeddings": [[1, 2]]})

    embedder = EmbedderClient(name="m", transport=httpx2.MockTransport(handle))
    assert embedder.embed(("a",)) == (embedder.embed_question("a"),)
    assert seen == [10.0, 1.0]
