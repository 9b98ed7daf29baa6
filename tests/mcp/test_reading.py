"""Recall, search and get through the protocol: bounded, fenced, and of this ledger alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcp.server import Server

from memfs.mcp.answers import MOST_BYTES, fenced, page_of
from memfs.services.packet_text import strip_packets
from tests.support.memory import memory_of, new_project
from tests.support.protocol_client import ERAS, Said, Talk, call, server_for, talk

NOTES = 23


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with many short notes and one long one; nothing here changes it."""
    made = new_project(tmp_path_factory.mktemp("reading"))
    with memory_of(made) as memory:
        for number in range(NOTES):
            memory.remember(f"The heron gate {number} opens at dawn", kind="fact", tags=["gate"])
        lines = "\n".join(f"step {number}: " + "walk on " * 60 for number in range(110))
        memory.remember(f"# How to reach the heron\n\n{lines}", kind="reference", title="The way")
    return made


@pytest.fixture
def server(project: Path) -> Server:
    """A server for the project."""
    return server_for(project)


def ids_in(said: Said) -> list[str]:
    return re.findall(r"\b(mem_[0-9a-z]{26})@1 ·", said.facts["text"])


@pytest.mark.parametrize("era", ERAS)
def test_a_question_is_answered_with_whole_records_in_a_fence(server: Server, era: str) -> None:
    said = call(server, "memory_recall", era=era, question="When does the heron gate open?")

    assert not said.is_no
    assert said.facts["state"] == "ok"
    assert said.facts["text"].startswith("<memfs-packet ")
    assert len(said.facts["ids"]) == 5
    assert said.facts["root"].endswith("/.memfs")
    assert said.text.startswith(said.facts["text"].rstrip())
    assert strip_packets(said.text).startswith("{")


def test_the_budget_binds(server: Server) -> None:
    said = call(server, "memory_recall", question="heron gate dawn", budget_tokens=300)

    assert 0 < len(said.facts["text"].encode()) <= 300 * 4
    assert said.facts["tokens"] <= 300


def test_recall_abstains_and_says_so(server: Server) -> None:
    said = call(server, "memory_recall", question="quantum chromodynamics lattice")

    assert said.facts["state"] == "empty"
    assert said.facts["text"].startswith("nothing in memory is close enough")
    assert not said.is_no


def test_a_brief_is_what_an_agent_is_given_before_it_starts(server: Server) -> None:
    start = call(server, "memory_recall", brief=True)
    task = call(server, "memory_recall", brief=True, question="open the heron gate")
    narrowed = call(server, "memory_recall", brief=True, kinds=["fact"])
    nothing = call(server, "memory_recall")

    assert "<memfs-packet " in start.facts["text"]
    assert "heron gate" in task.facts["text"]
    assert narrowed.is_no
    assert narrowed.facts["code"] == "usage.arguments"
    assert nothing.is_no


@pytest.mark.parametrize("given", [{}, {"query": "heron gate"}, {"tags": ["gate"]}], ids=str)
def test_pages_give_every_record_once(server: Server, given: dict[str, object]) -> None:
    async def paged(it: Talk) -> list[str]:
        found: list[str] = []
        cursor: dict[str, object] = {}
        while True:
            said = await it.call("memory_search", **given, limit=10, **cursor)
            found += ids_in(said)
            if "next_cursor" not in said.facts:
                return found
            cursor = {"cursor": said.facts["next_cursor"]}

    found = talk(server, paged)

    assert len(found) == len(set(found))
    assert len(found) == NOTES + ("tags" not in given)


def test_a_long_record_is_read_whole_page_by_page(server: Server, project: Path) -> None:
    with memory_of(project) as memory:
        stored = memory.list_records(kinds=["reference"])[0]

    async def paged(it: Talk) -> str:
        text = ""
        cursor: dict[str, object] = {}
        while True:
            said = await it.call("memory_get", reference=stored.record.id, **cursor)
            assert len(said.facts["text"].encode()) < MOST_BYTES + 1_000
            text += str(said.facts["text"])
            if "next_cursor" not in said.facts:
                return text
            cursor = {"cursor": said.facts["next_cursor"]}

    text = talk(server, paged)

    quoted = [line[2:] for line in text.splitlines() if line.startswith("> ")]
    assert [line for line in quoted if line.startswith("step ")] == [
        line.rstrip() for line in stored.record.body.splitlines() if line.startswith("step ")
    ]


def test_a_cursor_of_another_call_or_of_nothing_is_refused(server: Server) -> None:
    async def misused(it: Talk) -> list[Said]:
        first = await it.call("memory_search", limit=10)
        cursor = first.facts["next_cursor"]
        return [
            await it.call("memory_search", limit=9, cursor=cursor),
            await it.call("memory_search", query="heron", limit=10, cursor=cursor),
            await it.call("memory_search", limit=10, cursor="nonsense"),
        ]

    for said in talk(server, misused):
        assert said.is_no
        assert said.facts["code"] == "usage.cursor"


def test_a_record_that_is_not_there_and_one_without_a_name_are_refused(server: Server) -> None:
    missing = call(server, "memory_get", reference="mem_" + "0" * 26)
    unnamed = call(server, "memory_get")
    outside = call(server, "memory_get", reference="../../etc/passwd")

    assert [it.facts["code"] for it in (missing, unnamed, outside)] == [
        "conflict.unknown-record",
        "usage.arguments",
        "conflict.unknown-record",
    ]


def test_an_instant_or_kind_that_is_none_is_told(server: Server) -> None:
    when = call(server, "memory_recall", question="heron", since="the day before never")
    kind = call(server, "memory_search", kinds=["legend"])

    assert when.is_no
    assert when.facts["code"].startswith("usage")
    assert "expected a kind of" in kind.facts["message"]


def test_how_writing_goes_is_told(server: Server) -> None:
    said = call(server, "memory_search", where="status")

    writer = next(line for line in said.text.splitlines() if "writer: " in line)
    assert '"last_success": "20' in writer
    assert '"failure_code": ""' in writer
    assert '"retryable": false' in writer
    assert '"pending": 0' in writer


def test_filters_that_a_list_does_not_take_are_refused(server: Server) -> None:
    for where in ("issues", "runs", "proposals", "status"):
        said = call(server, "memory_search", where=where, tags=["gate"])
        assert said.is_no, where
        assert "tags" in said.facts["message"]


def test_a_tool_that_is_none_is_named_with_the_one_that_was_meant(server: Server) -> None:
    said = call(server, "memory_recal", question="heron")

    assert said.is_no
    assert said.facts["code"] == "usage.unknown-tool"
    assert said.facts["hint"] == "did you mean memory_recall?"


def test_resources_and_prompts_give_the_same_in_a_fence(server: Server, project: Path) -> None:
    with memory_of(project) as memory:
        reference = memory.list_records(kinds=["fact"])[0].record.id

    async def read(it: Talk) -> list[str]:
        index = await it.client.read_resource("memory://index")
        record = await it.client.read_resource(f"memory://record/{reference}")
        start = await it.client.get_prompt("session_start", {"task": "open the heron gate"})
        review = await it.client.get_prompt("review")
        listed = await it.client.list_resources()
        templates = await it.client.list_resource_templates()
        assert [it.uri for it in listed.resources] == ["memory://index"]
        assert [it.uri_template for it in templates.resource_templates] == ["memory://record/{id}"]
        texts = [str(getattr(result.contents[0], "text", "")) for result in (index, record)]
        messages = [prompt.messages[0].content for prompt in (start, review)]
        return [*texts, *(str(getattr(message, "text", "")) for message in messages)]

    for era in ERAS:
        index, record, start, review = talk(server, read, era=era)
        assert index.count("heron gate") == NOTES
        assert reference in record
        assert "This session is about: open the heron gate" in start
        assert all("<memfs-packet " in text for text in (index, record, start))
        assert review.startswith("Nothing that you proposed waits")


@pytest.mark.parametrize(
    "uri",
    ["memory://record/mem_00000000000000000000000000", "memory://other", "file:///etc/passwd"],
)
def test_an_unknown_resource_is_an_error_that_says_so(server: Server, uri: str) -> None:
    async def read(it: Talk) -> str:
        try:
            await it.client.read_resource(uri)
        except Exception as error:  # noqa: BLE001  whatever the client makes of it
            return str(error)
        return ""

    told = talk(server, read)

    assert "no record matches" in told or "expected memory://index" in told


def test_entries_that_do_not_fit_go_to_the_next_page_and_none_is_lost() -> None:
    entries = [f"{number} " + "x" * 900 for number in range(40)]

    seen: list[str] = []
    first = 0
    while True:
        page = page_of(entries[first:], first=first, is_more=False, most=10_000)
        seen += page.entries
        assert len(fenced(page.entries, store="s", ledger="l").encode()) < 10_500
        if not page.next:
            break
        first = page.next

    assert seen == entries


def test_an_entry_that_is_too_long_alone_is_cut_and_says_so() -> None:
    page = page_of(["é" * 9_000, "b"], first=0, is_more=False, most=1_000)

    assert len(page.entries) == 1
    assert page.entries[0].endswith("(cut)")
    assert page.next == 1
