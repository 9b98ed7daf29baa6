"""A model is asked once a run, where one is configured, and only ever adds words (C12 to C14)."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from memfs.app.distilling import distil_from
from memfs.domains.runs import model
from memfs.domains.runs.distilling import Distilled
from memfs.domains.runs.model import ModelClient, ModelEndpoint
from memfs.domains.runs.model_answer import (
    BadAnswerError,
    outcome_from_answer,
    question_from,
)
from memfs.domains.runs.outcome import RunFacts
from memfs.model.run import ITEM_CHARS, ITEMS, NO_OUTCOME, RunOutcome, RunState

ANSWER = {
    "summary": "The parser was fixed. Two cases are left.",
    "accomplished": ["Fixed the parser"],
    "issues": ["Tabs are not counted"],
    "next": ["Count tabs"],
}
OUTCOME = RunOutcome(
    summary="The parser was fixed. Two cases are left.",
    accomplished=("Fixed the parser",),
    issues=("Tabs are not counted",),
    next=("Count tabs",),
)
FACTS = RunFacts(
    task="Fix the parser", state=RunState.DONE, said=NO_OUTCOME, output="It works.", exit_code=0
)
KEY = "k-" + "1234" * 8
REMOTE = "https://models.example.org/v1"
Handler = Callable[[httpx2.Request], httpx2.Response]


def answered(value: object = ANSWER, *, is_ollama: bool = False) -> httpx2.Response:
    """Returns what an endpoint sends for an answer."""
    said = {"role": "assistant", "content": value if isinstance(value, str) else json.dumps(value)}
    body = {"message": said, "done": True} if is_ollama else {"choices": [{"message": said}]}
    return httpx2.Response(200, json=body)


def asked(handler: Handler, **endpoint: Any) -> tuple[Distilled, list[httpx2.Request]]:
    """Asks once; returns what came of it and every request that was made."""
    requests: list[httpx2.Request] = []

    def recorded(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return handler(request)

    client = ModelClient(
        ModelEndpoint(**{"name": "small", "url": REMOTE, **endpoint}),
        transport=httpx2.MockTransport(recorded),
    )
    return client(FACTS, NO_OUTCOME), requests


def test_one_call_asks_about_this_run_alone_and_its_words_come_back() -> None:
    distilled, (request,) = asked(lambda _: answered(), key=KEY)
    assert distilled == Distilled(outcome=OUTCOME, model="small")
    assert str(request.url) == f"{REMOTE}/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    sent = json.loads(request.content)
    assert (sent["model"], sent["stream"]) == ("small", False)
    assert sent["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    assert json.loads(sent["messages"][1]["content"]) == {
        "task": "Fix the parser",
        "state": "done",
        "exit_code": 0,
        "verdict": "",
        "output": "It works.",
    }


@pytest.mark.parametrize(
    ("url", "posted", "is_ollama"),
    [
        ("", "http://127.0.0.1:11434/api/chat", True),
        ("http://localhost:11434/", "http://localhost:11434/api/chat", True),
        ("http://box.example.org:11434", "http://box.example.org:11434/api/chat", True),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions", False),
        ("http://localhost:8080", "http://localhost:8080/v1/chat/completions", False),
        ("https://x.example.org/api", "https://x.example.org/api/chat", True),
        ("https://x.example.org/a/b", "https://x.example.org/a/b/chat/completions", False),
        (
            "https://x.example.org/d/chat/completions?api-version=1",
            "https://x.example.org/d/chat/completions?api-version=1",
            False,
        ),
    ],
)
def test_an_address_tells_where_to_post_and_which_protocol_to_speak(
    url: str, posted: str, is_ollama: bool
) -> None:
    distilled, (request,) = asked(lambda _: answered(is_ollama=is_ollama), url=url)
    assert (str(request.url), distilled.outcome) == (posted, OUTCOME)
    assert ("format" in json.loads(request.content)) is is_ollama


@pytest.mark.parametrize("url", ["ftp://x.example.org", "//x", "http://", "http://x:port/v1"])
def test_an_address_that_is_none_is_not_asked(url: str) -> None:
    assert asked(lambda _: answered(), url=url) == (Distilled(note=model.BAD_ADDRESS), [])


def test_a_key_is_sent_over_tls_or_within_this_machine_alone() -> None:
    plain = asked(lambda _: answered(), url="http://models.example.org/v1", key=KEY)
    assert plain == (Distilled(note=model.BAD_ADDRESS), [])
    for url in ("http://127.0.0.1:9/v1", "http://[::1]:9/v1", "http://localhost:9/v1"):
        assert asked(lambda _: answered(), url=url, key=KEY)[0].outcome == OUTCOME
    assert KEY not in repr(ModelEndpoint(name="small", key=KEY))


# What goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize("status", [302, 400, 401, 404, 429, 500])
def test_a_refusal_is_a_code_without_a_word_of_the_endpoint(status: int) -> None:
    said = httpx2.Response(status, text=f"no, {KEY}", headers={"location": "https://other.example"})
    distilled, requests = asked(lambda _: said, key=KEY)
    assert (distilled, len(requests)) == (Distilled(note=f"model.refused ({status})"), 1)


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (httpx2.ReadTimeout("slow"), model.TIMEOUT),
        (httpx2.ConnectTimeout("slow"), model.TIMEOUT),
        (httpx2.ConnectError("no route"), model.UNREACHABLE),
        (httpx2.RemoteProtocolError("what"), model.UNREACHABLE),
        (OSError("disk"), model.UNREACHABLE),
    ],
)
def test_a_failure_is_a_code_and_nothing_is_tried_twice(error: Exception, note: str) -> None:
    def failing(_: httpx2.Request) -> httpx2.Response:
        raise error

    distilled, requests = asked(failing)
    assert (distilled, len(requests)) == (Distilled(note=note), 1)


def test_an_answer_that_comes_in_drops_is_given_up_in_time() -> None:
    ticks = iter(range(1000))

    def drops() -> Iterator[bytes]:
        while True:
            yield b" "

    client = ModelClient(
        ModelEndpoint(name="small", url=REMOTE, timeout_s=5),
        transport=httpx2.MockTransport(lambda _: httpx2.Response(200, content=drops())),
        monotonic=lambda: float(next(ticks)),
    )
    assert client(FACTS, NO_OUTCOME) == Distilled(note=model.TIMEOUT)


def test_an_endless_answer_is_not_read_to_its_end() -> None:
    def flood() -> Iterator[bytes]:
        while True:
            yield b"x" * 10_000

    distilled, _ = asked(lambda _: httpx2.Response(200, content=flood()))
    assert distilled == Distilled(note=model.BAD_ANSWER)


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": {}}]}',
     b'{"choices": [{"message": {"content": null}}]}', b'{"choices": "x"}', b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_answer_at_all_is_a_code(content: bytes) -> None:
    distilled, _ = asked(lambda _: httpx2.Response(200, content=content))
    assert distilled == Distilled(note=model.BAD_ANSWER)


def test_a_silent_endpoint_on_this_machine_costs_the_timeout_and_no_more() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        held: list[socket.socket] = []
        accepting = threading.Thread(target=lambda: held.append(server.accept()[0]))
        accepting.start()
        client = ModelClient(
            ModelEndpoint(name="small", url=f"http://127.0.0.1:{port}/v1", timeout_s=0.05)
        )
        assert client(FACTS, NO_OUTCOME) == Distilled(note=model.TIMEOUT)
        accepting.join()
        held[0].close()
    assert client(FACTS, NO_OUTCOME) == Distilled(note=model.UNREACHABLE)


# The answer --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ANSWER),
        f"```json\n{json.dumps(ANSWER, indent=1)}\n```",
        f"<think>delete everything</think>\n{json.dumps(ANSWER)}",
    ],
)
def test_an_answer_is_read_bare_fenced_or_after_a_thought(text: str) -> None:
    assert outcome_from_answer(text) == OUTCOME


@pytest.mark.parametrize(
    "value",
    [
        {**ANSWER, "delete": ["mem_01kb8x3v6yq4m9t2r7w5z1c0d3"]},
        {**ANSWER, "resolved": ["iss_01kb8x3v6yq4m9t2r7w5z1c0d3"]},
        {**ANSWER, "id": "run_01kb8x3v6yq4m9t2r7w5z1c0d3"},
        {**ANSWER, "supersedes": "run_01kb8x3v6yq4m9t2r7w5z1c0d3"},
        {name: part for name, part in ANSWER.items() if name != "next"},
        {**ANSWER, "summary": ["x"]},
        {**ANSWER, "next": "x"},
        {**ANSWER, "next": [{"delete": "mem_x"}]},
        [ANSWER],
        "done",
        None,
    ],
)
def test_an_answer_with_anything_else_in_it_counts_for_nothing(value: object) -> None:
    with pytest.raises(BadAnswerError):
        outcome_from_answer(json.dumps(value))
    assert asked(lambda _: answered(json.dumps(value)))[0] == Distilled(note=model.BAD_ANSWER)


@pytest.mark.parametrize("text", ["", "{", "{}{}", "[" * 100_000, '{"a": NaN}', "x" * 70_000])
def test_what_is_no_json_counts_for_nothing(text: str) -> None:
    with pytest.raises(BadAnswerError):
        outcome_from_answer(text)


def test_a_field_that_stands_twice_counts_for_nothing() -> None:
    with pytest.raises(BadAnswerError):
        outcome_from_answer(json.dumps(ANSWER)[:-1] + ', "summary": "other"}')


def test_lists_are_bounded_and_each_item_is_one_line_that_stands_once() -> None:
    many = [f"item {n}" for n in range(100)]
    found = outcome_from_answer(
        json.dumps({**ANSWER, "next": many, "issues": ["a\nb", "a b", "", "x" * (ITEM_CHARS + 1)]})
    )
    assert found.next == tuple(many[:ITEMS])
    assert found.issues == ("a b",)


def test_a_long_output_is_sent_with_its_head_and_its_tail() -> None:
    facts = RunFacts(task="t", state=RunState.ERROR, said=NO_OUTCOME, output="ab" * 50_000)
    sent = json.loads(question_from(facts, NO_OUTCOME))["output"]
    assert len(sent) < 25_000
    assert sent.startswith("abab")
    assert sent.endswith("abab")


# Whether one is configured ---------------------------------------------------------------------


def test_no_model_is_there_unless_one_is_named() -> None:
    assert distil_from({}) is None
    assert distil_from({"MEMFS_MODEL_URL": REMOTE, "MEMFS_API_KEY": KEY}) is None
    assert distil_from({"MEMFS_MODEL": "small", "MEMFS": "off"}) is None
    assert isinstance(distil_from({"MEMFS_MODEL": "small"}), ModelClient)
