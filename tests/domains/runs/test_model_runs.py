"""A run that a model reads once more: words are added to it, and nothing else (C12 to C14)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from memfs.app.container import Memory
from memfs.app.distilling import distil_from
from memfs.domains.runs.model import ModelClient, ModelEndpoint
from memfs.model.result import Result, ResultStatus
from tests.support.memory import AGENT, memory_of, new_project, store_root

OUTPUT = (
    "The parser reads tabs now.\n\nISSUES:\n- Columns are off by one\n\nNEXT:\n- Count columns\n"
)
ANSWER = {
    "summary": "Tabs are read. Columns are still off by one.",
    "accomplished": ["Read tabs"],
    "issues": ["Windows line ends are lost"],
    "next": ["Keep line ends"],
}


class Endpoint:
    """An endpoint that counts how often it is asked."""

    def __init__(self, respond: Callable[[], httpx2.Response]) -> None:
        self.asked: list[str] = []
        self._respond = respond
        self.client = ModelClient(
            ModelEndpoint(name="small", url="http://127.0.0.1:9/v1"),
            transport=httpx2.MockTransport(self._answer),
        )

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request.content.decode())
        return self._respond()


def answering(value: object) -> Endpoint:
    said = {"content": value if isinstance(value, str) else json.dumps(value)}
    return Endpoint(lambda: httpx2.Response(200, json={"choices": [{"message": said}]}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


@pytest.fixture
def agent(project: Path) -> Iterator[Memory]:
    with memory_of(project, AGENT) as memory:
        yield memory


def finished(memory: Memory, endpoint: Endpoint | None, **said: object) -> Result:
    """Dispatches a run and records its end."""
    run = memory.start_run("Fix the parser").target
    distil = endpoint.client if endpoint is not None else distil_from({})
    options = {"run": run, "output": OUTPUT, "distil": distil, **said}
    return memory.finish_run("done", **options)  # type: ignore[arg-type]


def record_of(memory: Memory, result: Result) -> dict[str, object]:
    stored = memory.show_run(result.target).stored
    assert stored is not None
    return {"summary": stored.record.summary, "body": stored.record.body, **stored.record.fields}


def everything_but_runs(project: Path) -> dict[str, bytes]:
    root = store_root(project)
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    kept = ("runs", "MEMORY.md", "views")
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in found
        if path.relative_to(root).parts[0] not in kept
    }


def test_without_a_model_nothing_is_asked_and_the_record_is_whole(agent: Memory) -> None:
    plain = record_of(agent, finished(agent, None))
    assert plain["next"] == ["Count columns"]
    assert "notes" not in plain


def test_one_call_a_record_adds_its_words_and_names_its_model(agent: Memory) -> None:
    endpoint = answering(ANSWER)
    result = finished(agent, endpoint)
    assert (result.status, len(endpoint.asked)) == (ResultStatus.DONE, 1)
    record = record_of(agent, result)
    assert record["next"] == ["Count columns", "Keep line ends"]
    assert "Tabs are read." in str(record["body"])
    assert {item.title for item in agent.list_issues()} == {
        "Columns are off by one",
        "Windows line ends are lost",
    }
    again = agent.finish_run("done", run=result.target, output=OUTPUT, distil=endpoint.client)
    assert (again.status, len(endpoint.asked)) == (ResultStatus.NOTHING, 1)


def test_nothing_of_memory_is_sent(agent: Memory, project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("The vault is in room nine", kind="note")
    endpoint = answering(ANSWER)
    finished(agent, endpoint)
    assert "vault" not in endpoint.asked[0]


@pytest.mark.parametrize(
    "added",
    [
        {"delete": ["{record}"]},
        {"resolved": ["{issue}"]},
        {"supersedes": ["{record}"]},
        {"id": "{record}"},
    ],
)
def test_an_answer_that_asks_for_more_than_words_changes_nothing(
    agent: Memory, project: Path, added: dict[str, object]
) -> None:
    with memory_of(project) as memory:
        record = memory.remember("Tabs are four wide", kind="note").target
    issue = agent.open_issue("Columns are off by one").target
    named = json.loads(json.dumps(added).replace("{record}", record).replace("{issue}", issue))
    plain = record_of(agent, finished(agent, None))
    before = everything_but_runs(project)
    result = finished(agent, answering({**ANSWER, **named}))
    told = record_of(agent, result)
    assert told["notes"] == ["model.bad-answer"]
    assert (told["summary"], told["next"]) == (plain["summary"], plain["next"])
    assert everything_but_runs(project) == before


def test_words_that_name_other_records_change_none_of_them(agent: Memory, project: Path) -> None:
    with memory_of(project) as memory:
        record = memory.remember("Tabs are four wide", kind="note").target
    agent.open_issue("Columns are off by one")
    closed = agent.open_issue("Windows line ends are lost").target
    agent.resolve_issue(closed)
    finished(agent, None)
    before = everything_but_runs(project)
    words = {
        **ANSWER,
        "issues": ["Windows line ends are lost", f"reopen {closed}", "Columns are off by one"],
        "next": [f"delete {record}", f"RESOLVED: {closed}"],
    }
    assert finished(agent, answering(words)).status is ResultStatus.DONE
    assert everything_but_runs(project) == before
    assert [str(item.state) for item in agent.list_issues(is_all=True) if item.id == closed] == [
        "resolved"
    ]
    with memory_of(project) as memory:
        assert memory.show(record).record.version == 1


@pytest.mark.parametrize(
    ("endpoint", "note"),
    [
        (lambda: answering("I would rather not."), "model.bad-answer"),
        (lambda: answering({"summary": "x"}), "model.bad-answer"),
        (lambda: Endpoint(lambda: httpx2.Response(503)), "model.refused (503)"),
        (lambda: Endpoint(lambda: _raise(httpx2.ReadTimeout("slow"))), "model.timeout"),
        (lambda: Endpoint(lambda: _raise(httpx2.ConnectError("gone"))), "model.unreachable"),
    ],
)
def test_a_model_that_fails_leaves_the_record_as_it_would_have_been_and_a_note(
    agent: Memory, endpoint: Callable[[], Endpoint], note: str
) -> None:
    plain = record_of(agent, finished(agent, None))
    asked = endpoint()
    told = record_of(agent, finished(agent, asked))
    assert (told.pop("notes"), len(asked.asked)) == ([note], 1)
    for name in ("summary", "accomplished", "next", "state"):
        assert told[name] == plain[name]


def test_a_secret_in_an_answer_is_kept_nowhere(agent: Memory, project: Path) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    result = finished(agent, answering({**ANSWER, "next": [f"Use {token}", "Keep line ends"]}))
    record = record_of(agent, result)
    assert record["next"] == ["Count columns", "Keep line ends"]
    assert token not in str(record)


def _raise(error: Exception) -> httpx2.Response:
    raise error
