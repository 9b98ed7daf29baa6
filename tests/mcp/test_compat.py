"""The nine tools of the reference memory server over memfs, against a session recorded with it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from mcp.server import Server
from mcp_types import CallToolResult, ElicitResult

from memfs.mcp.compat.server import MOST_BYTES, build_compat_server
from memfs.mcp.desk import Desk
from tests.conftest import ROOT
from tests.support.memory import AGENT, memory_of, new_project
from tests.support.protocol_client import ERAS, Person, Said, Talk, agreeing, call, talk

SESSION = ROOT / "fixtures" / "protocol" / "reference-session.json"
VALIDATION = "MCP error -32602: Input validation error: Invalid arguments for tool"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project."""
    return new_project(tmp_path)


def compat(project: Path, **changes: str) -> Server[Any]:
    return build_compat_server(Desk(start=project, env={**os.environ, **changes}))


def graph(said: Said) -> dict[str, list[Any]]:
    return {
        "entities": [it["name"] for it in said.facts["entities"]],
        "relations": [(it["from"], it["relationType"], it["to"]) for it in said.facts["relations"]],
    }


async def played(it: Talk, method: str, params: dict[str, Any]) -> Any:
    """Returns what a request comes to, as it goes over the wire."""
    session = it.client.session
    match method:
        case "tools/list":
            result: Any = await session.list_tools()
        case "tools/call":
            result = await session.call_tool(params["name"], params["arguments"])
        case "resources/list":
            result = await session.list_resources()
        case _:
            result = await session.read_resource(params["uri"])
    return json.loads(result.model_dump_json(by_alias=True, exclude_none=True))


def comparable(result: Any) -> Any:
    """Returns what a client of the reference looks at; more beside it is no difference."""
    if "tools" in result:
        return result["tools"]
    if "content" not in result:
        return {name: result[name] for name in ("resources", "contents") if name in result}
    text = result["content"][0]["text"]
    if text.startswith(VALIDATION):
        text = VALIDATION
    return (text, result.get("structuredContent"), result.get("isError", False))


@pytest.mark.parametrize("era", ERAS)
def test_a_session_recorded_with_the_reference_goes_the_same(project: Path, era: str) -> None:
    steps = json.loads(SESSION.read_text(encoding="utf-8"))

    async def replayed(it: Talk) -> list[Any]:
        return [await played(it, step["method"], step.get("params", {})) for step in steps]

    results = talk(compat(project), replayed, era=era)

    for step, result in zip(steps, results, strict=True):
        assert comparable(result) == comparable(step["result"]), step.get("params")


def test_what_is_added_waits_and_says_so_and_reaches_no_later_session(project: Path) -> None:
    async def added(it: Talk) -> list[Said]:
        entity = {"name": "Mira", "entityType": "person", "observations": ["Likes short reviews"]}
        return [
            await it.call("create_entities", entities=[entity]),
            await it.call("read_graph"),
        ]

    made, seen = talk(compat(project), added)
    later = call(compat(project), "read_graph")

    assert made.notes == [
        "note: 1 of these waits for the user's review (memfs review) and reaches no later "
        "session before it"
    ]
    assert graph(seen)["entities"] == ["Mira"]
    assert graph(later)["entities"] == []
    with memory_of(project, AGENT) as memory:
        assert memory.list_records() == ()


def test_what_a_person_corrected_is_told_as_it_stands_now(project: Path) -> None:
    entity = {"name": "Mira", "entityType": "person", "observations": ["Likes short reviews"]}

    async def said_twice(it: Talk) -> list[Said]:
        await it.call("create_entities", entities=[entity])
        with memory_of(project) as memory:
            record = memory.accept(None)[0].target.partition("@")[0]
            body = memory.show(record).record.body
        # But for a blank this is what stands already: it is known under the id of the record.
        again = [{"entityName": "Mira", "contents": ["Likes  short reviews"]}]
        await it.call("add_observations", observations=again)
        with memory_of(project) as memory:
            memory.correct(record, body.replace("short", "long"))
        return [await it.call("read_graph")]

    (seen,) = talk(compat(project), said_twice)

    (mira,) = seen.facts["entities"]
    assert mira["observations"] == ["Likes long reviews"]


def test_what_a_person_accepted_is_the_graph_of_later_sessions(project: Path) -> None:
    async def added(it: Talk) -> None:
        entities = [
            {"name": "Mira", "entityType": "person", "observations": ["Likes tea", "Reads logs"]},
            {"name": "Tor", "entityType": "person", "observations": []},
        ]
        relation = {"from": "Mira", "to": "Tor", "relationType": "works_with"}
        await it.call("create_entities", entities=entities)
        await it.call("create_relations", relations=[relation])

    talk(compat(project), added)
    with memory_of(project) as memory:
        memory.accept(None)
    later = call(compat(project), "read_graph")
    found = call(compat(project), "search_nodes", query="TEA")

    assert later.facts["entities"] == [
        {"name": "Mira", "entityType": "person", "observations": ["Likes tea", "Reads logs"]},
        {"name": "Tor", "entityType": "person", "observations": []},
    ]
    assert graph(later)["relations"] == [("Mira", "works_with", "Tor")]
    assert graph(found)["entities"] == ["Mira"]


def test_an_imported_graph_is_there_and_can_be_added_to(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    lines = [
        {"type": "entity", "name": "Mira", "entityType": "person", "observations": ["Likes tea"]},
        {"type": "relation", "from": "Mira", "to": "Tor", "relationType": "works_with"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with memory_of(project) as memory:
        memory.import_path(file, accept=True)

    async def added(it: Talk) -> Said:
        wanted = [{"entityName": "Mira", "contents": ["Likes tea", "Reads logs"]}]
        said = await it.call("add_observations", observations=wanted)
        assert said.facts["results"] == [
            {"entityName": "Mira", "addedObservations": ["Reads logs"]}
        ]
        return await it.call("read_graph")

    seen = talk(compat(project), added)

    assert seen.facts["entities"][0]["observations"] == ["Likes tea", "Reads logs"]
    assert graph(seen)["relations"] == [("Mira", "works_with", "Tor")]


def with_mira(project: Path) -> None:
    """Has a person keep an entity with two observations and a relation."""

    async def added(it: Talk) -> None:
        entity = {"name": "Mira", "entityType": "person", "observations": ["Likes tea", "Reads"]}
        relation = {"from": "Tor", "to": "Mira", "relationType": "knows"}
        await it.call("create_entities", entities=[entity])
        await it.call("create_relations", relations=[relation])

    talk(compat(project), added)
    with memory_of(project) as memory:
        memory.accept(None)


def test_deleting_what_is_kept_asks_the_person(project: Path) -> None:
    with_mira(project)
    person = agreeing()

    said = call(compat(project), "delete_entities", entityNames=["Mira"], person=person)

    assert said.facts == {"success": True, "message": "Entities deleted successfully"}
    assert len(person.asked) == 1
    assert "take back 3 of its records" in person.asked[0].message
    assert "Likes tea" in person.asked[0].message
    later = call(compat(project), "read_graph")
    assert later.facts == {"entities": [], "relations": []}


def test_deleting_what_is_kept_is_refused_without_the_person(project: Path) -> None:
    with_mira(project)
    declining = Person([ElicitResult(action="decline")])
    wanted = [{"entityName": "Mira", "observations": ["Likes tea"]}]

    unasked = call(compat(project), "delete_observations", deletions=wanted)
    declined = call(compat(project), "delete_observations", deletions=wanted, person=declining)

    assert unasked.is_no
    assert "memfs retract mem_" in unasked.text
    assert declined.is_no
    assert "did not agree" in declined.text
    later = call(compat(project), "read_graph")
    assert later.facts["entities"][0]["observations"] == ["Likes tea", "Reads"]


def test_what_a_person_rejects_is_gone_from_the_graph(project: Path) -> None:
    async def added(it: Talk) -> Said:
        entity = {"name": "Mira", "entityType": "person", "observations": ["Likes tea"]}
        await it.call("create_entities", entities=[entity])
        with memory_of(project) as memory:
            memory.reject(None)
        return await it.call("read_graph")

    assert talk(compat(project), added).facts["entities"] == []


def test_a_secret_is_refused_and_said_so(project: Path) -> None:
    secret = "AKIA" + "Q3EGRIMZT5XWK7PN"
    entity = {
        "name": "Mira",
        "entityType": "person",
        "observations": ["Likes tea", f"Her key is {secret}"],
    }

    said = call(compat(project), "create_entities", entities=[entity])

    assert said.facts["entities"][0]["observations"] == ["Likes tea"]
    assert any(note.startswith("note: 1 refused") for note in said.notes)
    assert secret not in str(said.result)


def test_one_client_does_not_see_what_another_just_said(project: Path) -> None:
    server = compat(project)
    entity = {"name": "Mira", "entityType": "person", "observations": ["Likes tea"]}
    call(server, "create_entities", entities=[entity], name="one")

    assert graph(call(server, "read_graph", name="one"))["entities"] == ["Mira"]
    assert graph(call(server, "read_graph", name="two"))["entities"] == []


def test_a_graph_that_is_too_long_loses_its_oldest_and_says_so(project: Path) -> None:
    words = "walks along the river every morning and counts the herons there " * 90
    with memory_of(project) as memory:
        for number in range(18):
            memory.remember(
                f"{number} {words}",
                kind="note",
                subject=f"Heron {number}",
                fields={
                    "foreign_fields": {
                        "format": "knowledge-graph",
                        "type": "entity",
                        "entity_type": "bird",
                    }
                },
            )

    said = call(compat(project), "read_graph")
    found = call(compat(project), "open_nodes", names=["Heron 0"])

    assert len(said.text.encode()) <= MOST_BYTES
    assert "older entities are left out: use search_nodes" in said.notes[0]
    assert said.facts["entities"][-1]["name"] == "Heron 17"
    assert graph(found)["entities"] == ["Heron 0"]


@pytest.mark.parametrize(
    "entities",
    ["Mira", [1], [{"name": "Mira"}], [{"name": "", "entityType": "x", "observations": ["y"]}]],
    ids=range(4),
)
def test_arguments_that_do_not_fit_are_refused_as_the_reference_does(
    project: Path, entities: object
) -> None:
    said = call(compat(project), "create_entities", entities=entities)

    assert said.is_no
    assert said.text.startswith(VALIDATION)
    assert said.result.structured_content is None


def test_without_a_store_and_with_memory_off_the_client_is_told(tmp_path: Path) -> None:
    missing = call(compat(tmp_path), "read_graph")

    async def off(it: Talk) -> tuple[int, CallToolResult]:
        tools = await it.client.list_tools()
        result = await it.client.session.call_tool("read_graph", {})
        assert isinstance(result, CallToolResult)
        return len(tools.tools), result

    count, said = talk(compat(tmp_path, MEMFS="off"), off)

    assert missing.is_no
    assert "store.not-found" in missing.text
    assert count == 0
    assert said.is_error


@pytest.mark.parametrize("era", ERAS)
def test_what_changed_while_the_form_was_open_is_not_deleted(project: Path, era: str) -> None:
    entity = {"name": "Mira", "entityType": "person", "observations": ["Likes short reviews"]}
    call(compat(project), "create_entities", entities=[entity])
    with memory_of(project) as memory:
        record = memory.accept(None)[0].target.partition("@")[0]
        body = memory.show(record).record.body

    def corrected() -> None:
        with memory_of(project) as memory:
            memory.correct(record, body.replace("short", "long"))

    person = Person([ElicitResult(action="accept", content={"decision": "yes"})], before=corrected)
    call(compat(project), "delete_entities", entityNames=["Mira"], person=person, era=era)

    with memory_of(project, AGENT) as memory:
        standing = [item.record.body for item in memory.list_records(kinds=("note",))]
    if len(person.asked) == 1:
        assert standing == [body.replace("short", "long")]
    else:
        # The newer era asks again, about what it says now.
        assert "long reviews" in person.asked[-1].message
