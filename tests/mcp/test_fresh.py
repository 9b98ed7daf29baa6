"""Whatever changes beside the server holds for the next answer: nothing stale is served."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult

from memfs.app.container import init_store
from memfs.errors import IndexUnavailableError, UsageError
from memfs.mcp.desk import Desk, agent_named, project_folder
from memfs.services.packet_text import strip_packets
from tests.support.memory import git, memory_of, new_project, replaced_settings, store_root
from tests.support.protocol_client import ERAS, Said, Talk, agreeing, call, server_for, talk

TEXT = "The heron gate opens at dawn"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one fact."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember(TEXT, kind="fact")
    return made


async def asked(it: Talk) -> Said:
    return await it.call("memory_recall", question="When does the heron gate open?")


@pytest.mark.parametrize(
    ("how", "era"),
    [
        ("forget", ERAS[0]),
        ("forget", ERAS[1]),
        ("retract", ERAS[1]),
        ("pollute", ERAS[1]),
        ("switch the source off", ERAS[1]),
    ],
)
def test_what_is_taken_back_beside_the_server_is_served_no_more(
    project: Path, how: str, era: str
) -> None:
    async def around(it: Talk) -> list[str]:
        before = await asked(it)
        reference = before.facts["ids"][0].partition("@")[0]
        with memory_of(project) as memory:
            match how:
                case "forget":
                    memory.forget([reference])
                case "retract":
                    memory.retract(reference)
                case "pollute":
                    memory.pollute("project:datasync", cause="a poisoned import")
        if how == "switch the source off":
            replaced_settings(project, "off: []", "off: ['user:ana']")
        after = [await asked(it), await it.call("memory_get", reference=reference)]
        after.append(await it.call("memory_search", query="heron gate"))
        after.append(await it.call("memory_search"))
        index = await it.client.read_resource("memory://index")
        return [before.text, *(it.text for it in after), str(index.contents[0])]

    before, *after = talk(server_for(project), around, era=era)

    assert TEXT in before
    assert [text for text in after if TEXT in text] == []


def test_a_page_of_another_state_is_refused_after_a_write(project: Path) -> None:
    with memory_of(project) as memory:
        for number in range(4):
            memory.remember(f"The egret pond {number} is deep", kind="fact")

    async def around(it: Talk) -> tuple[Said, Said]:
        first = await it.call("memory_search", limit=2)
        cursor = first.facts["next_cursor"]
        second = await it.call("memory_search", limit=2, cursor=cursor)
        with memory_of(project) as memory:
            memory.forget([memory.list_records()[0].record.id])
        return second, await it.call("memory_search", limit=2, cursor=cursor)

    second, stale = talk(server_for(project), around)

    assert not second.is_no
    assert stale.facts["code"] == "usage.cursor-stale"
    assert stale.facts["hint"] == "ask again without a cursor"


@pytest.mark.parametrize(
    ("mode", "reads", "proposes"),
    [
        ("off", "mode.off", "mode.off"),
        ("read-only", "", "mode.read-only"),
        ("shadow", "mode.shadow", ""),
    ],
)
def test_a_mode_that_is_set_while_it_runs_holds_at_once(
    project: Path, mode: str, reads: str, proposes: str
) -> None:
    async def around(it: Talk) -> list[Said]:
        assert TEXT in (await asked(it)).text
        replaced_settings(project, "mode: enforced", f"mode: {mode}")
        return [
            await asked(it),
            await it.call("memory_search"),
            await it.call("memory_search", query="heron"),
            await it.call("memory_propose", text="The egret pond is deep", kind="fact"),
        ]

    recalled, listed, found, proposed = talk(server_for(project), around)

    for said in (recalled, listed, found):
        assert (TEXT in said.text) == (not reads)
        assert reads in said.text
    assert proposes in proposed.text
    assert proposed.is_no == bool(proposes)


@pytest.mark.parametrize("era", ERAS)
def test_memory_that_the_environment_switches_off_is_not_there(project: Path, era: str) -> None:
    async def around(it: Talk) -> list[Any]:
        tools = await it.client.list_tools()
        resources = await it.client.list_resources()
        templates = await it.client.list_resource_templates()
        prompts = await it.client.list_prompts()
        said = await it.client.session.call_tool("memory_recall", {"question": "heron"})
        return [
            tools.tools,
            resources.resources,
            templates.resource_templates,
            prompts.prompts,
            said,
        ]

    *listed, said = talk(server_for(project, MEMFS="off"), around, era=era)

    assert listed == [[], [], [], []]
    assert said.is_error
    assert "mode.off" in said.content[0].text


def test_a_store_that_is_made_while_it_runs_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    folder.mkdir()
    git(folder, "init", "-q")

    async def around(it: Talk) -> list[Said]:
        before = await asked(it)
        init_store(
            folder=folder,
            env=dict(desk.env),
            is_scripted=True,
            as_principal="user:ana",
            yes=True,
        )
        with memory_of(folder) as memory:
            memory.remember(TEXT, kind="fact")
        between = await asked(it)
        shutil.rmtree(store_root(folder))
        return [before, between, await asked(it)]

    desk = Desk(start=folder)
    before, between, after = talk(server_for(folder), around)

    assert before.facts["code"] == after.facts["code"] == "store.not-found"
    assert "memfs init" in before.facts["hint"]
    assert TEXT in between.text


def test_two_projects_never_mix(tmp_path: Path) -> None:
    first, second = new_project(tmp_path, "first"), new_project(tmp_path, "second")
    for project, word in ((first, "heron"), (second, "egret")):
        with memory_of(project) as memory:
            for number in range(3):
                memory.remember(f"The {word} gate {number} opens at dawn", kind="fact")

    here = call(server_for(first), "memory_search", limit=2)
    there = call(server_for(second), "memory_search", limit=2)
    mixed = call(server_for(second), "memory_search", limit=2, cursor=here.facts["next_cursor"])

    assert "egret" not in here.text
    assert "heron" not in there.text
    assert here.facts["root"] != there.facts["root"]
    assert mixed.facts["code"] == "usage.cursor"
    assert "of this store" in mixed.facts["message"]


def test_calls_of_many_clients_at_once_are_all_carried_out(project: Path) -> None:
    async def many(it: Talk) -> list[Said]:
        import anyio

        found: list[Said] = []

        async def one(number: int) -> None:
            if number % 2:
                found.append(await asked(it))
            else:
                claim = f"The egret pond {number} is deep"
                found.append(await it.call("memory_propose", text=claim, kind="fact"))

        async with anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(one, number)
        return found

    found = talk(server_for(project), many)

    assert [said.text for said in found if said.is_no] == []
    with memory_of(project) as memory:
        assert len(memory.candidates()) == 6


# Who calls --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("client", "env", "name"),
    [
        ("Claude Code", {}, "agent:Claude-Code"),
        ("user:ana", {}, "agent:user-ana"),
        ("../../etc", {}, "agent:etc"),
        ("", {}, "agent:unnamed"),
        ("tester", {"MEMFS_AGENT": "builder"}, "agent:builder"),
        ("", {"CLAUDECODE": "1"}, "agent:claudecode"),
        ("x" * 300, {}, "agent:" + "x" * 64),
    ],
    ids=range(7),
)
def test_a_caller_is_an_agent_whatever_it_calls_itself(
    tmp_path: Path, client: str, env: dict[str, str], name: str
) -> None:
    caller = Desk(start=tmp_path, env=env).caller(client)

    assert str(caller.principal) == name
    assert not caller.is_person


def test_a_server_is_started_for_an_agent_and_for_no_person() -> None:
    assert agent_named("") == ""
    assert agent_named("agent:builder") == "builder"
    for text in ("user:ana", "tool:web", "system:memfs", "builder"):
        with pytest.raises(UsageError):
            agent_named(text)


def test_one_agent_does_not_see_what_another_proposed(project: Path) -> None:
    server = server_for(project)
    call(server, "memory_propose", text="The egret pond is deep", kind="fact", name="one")

    own = call(server, "memory_search", where="proposals", name="one")
    other = call(server, "memory_search", where="proposals", name="two")

    assert "egret pond" in own.text
    assert "egret pond" not in other.text


def test_the_project_is_the_one_that_the_client_names(tmp_path: Path) -> None:
    named = tmp_path / "named"
    named.mkdir()

    assert project_folder({}, tmp_path) == tmp_path
    assert project_folder({"CLAUDE_PROJECT_DIR": str(named)}, tmp_path) == named
    assert project_folder({"CURSOR_PROJECT_DIR": str(named)}, tmp_path) == named
    assert project_folder({"CLAUDE_PROJECT_DIR": str(named / "gone")}, tmp_path) == tmp_path
    assert project_folder({"CLAUDE_PROJECT_DIR": "named"}, tmp_path) == tmp_path


# What enters ------------------------------------------------------------------------------------


def test_a_proposal_is_served_to_nobody_and_a_refusal_says_why(project: Path) -> None:
    server = server_for(project)
    secret = "the key is " + "AKIA" + "Q3EGRIMZT5XWK7PN"

    waits = call(server, "memory_propose", text="The egret pond is deep", kind="fact")
    refused = call(server, "memory_propose", text=f"Remember that {secret}", kind="fact")
    echo = call(server, "memory_recall", question="egret pond deep")

    assert waits.facts["status"] == "waiting"
    assert waits.facts["reasons"]
    assert refused.is_no
    assert refused.facts["status"] == "refused"
    assert secret not in refused.text
    assert "egret pond" not in strip_packets(echo.text)
    assert "egret pond" not in echo.facts["text"]


def test_what_memory_said_is_no_evidence_for_memory(project: Path) -> None:
    server = server_for(project)
    packet = call(server, "memory_search").facts["text"]

    said = call(server, "memory_propose", text=packet, kind="fact")

    assert said.is_no


def test_a_correction_waits_and_keeps_what_else_the_record_says(project: Path) -> None:
    server = server_for(project)
    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id

    said = call(server, "memory_propose", text="The heron gate opens at noon", corrects=reference)
    mixed = call(server, "memory_propose", text="x", corrects=reference, tags=["gate"])
    half = call(server, "memory_propose", text="The pond is deep", quote="deep")

    assert said.facts["status"] == "waiting"
    assert TEXT in call(server, "memory_recall", question="heron gate").text
    assert mixed.facts["code"] == half.facts["code"] == "usage.arguments"


def test_issues_and_runs_are_kept_and_found_again(project: Path) -> None:
    server = server_for(project)

    async def worked(it: Talk) -> list[Said]:
        started = await it.call("memory_run", act="start", task="Oil the heron gate")
        run = started.facts["run"]
        ended = await it.call(
            "memory_run",
            act="finish",
            run=run,
            state="done",
            summary="The gate was oiled.",
            issues=["The heron gate squeaks"],
            next=["Order more oil"],
        )
        issue = ended.facts["issues"][0]["id"]
        return [
            started,
            ended,
            await it.call("memory_search", where="issues"),
            await it.call("memory_get", reference=run),
            await it.call("memory_track", act="resolve", issue=issue, detail="It is quiet now"),
            await it.call("memory_get", reference=issue),
            await it.call("memory_search", where="runs"),
            await it.call("memory_recall", brief=True),
            await it.call("memory_track", act="open", title="The pond is low"),
            await it.call("memory_search", where="issues", query="pond low"),
        ]

    started, ended, issues, run, resolved, issue, runs, brief, opened, found = talk(server, worked)

    assert ended.facts["status"] == "done"
    assert "The heron gate squeaks" in issues.text
    assert "The gate was oiled" in run.text
    assert "resolved" in resolved.text
    assert "It is quiet now" in issue.text
    assert started.facts["run"] in runs.text
    assert "Order more oil" in brief.text
    assert opened.facts["target"].startswith("iss_")
    assert "The pond is low" in found.text


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("memory_track", {"act": "open"}, "title"),
        ("memory_track", {"act": "open", "title": "t", "issue": "x"}, "issue"),
        ("memory_track", {"act": "resolve"}, "issue"),
        ("memory_track", {"act": "note", "issue": "abcdef"}, "detail"),
        ("memory_track", {"act": "resolve", "issue": "abcdef"}, "no issue"),
        ("memory_run", {"act": "start"}, "task"),
        ("memory_run", {"act": "start", "task": "t", "summary": "s"}, "summary"),
        ("memory_run", {"act": "finish", "state": "running"}, "state"),
    ],
    ids=range(8),
)
def test_a_word_that_an_act_does_not_take_is_refused(
    project: Path, tool: str, given: dict[str, object], told: str
) -> None:
    said = talk(server_for(project), lambda it: it.call(tool, **given))

    assert said.is_no
    assert told in said.facts["message"]


@pytest.mark.filterwarnings("ignore:resources/")
@pytest.mark.parametrize("era", ERAS)
def test_whoever_watches_a_resource_is_told_when_it_changes(project: Path, era: str) -> None:
    """Only what was written counts: a question tells nobody anything."""
    import anyio

    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id

    async def watched(it: Talk) -> list[str]:
        if era == ERAS[1]:
            async with it.client.listen(resource_subscriptions=["memory://index"]) as events:
                await asked(it)
                await it.call("memory_decide", act="retract", reference=reference)
                with anyio.fail_after(5):
                    async for event in events:
                        return [str(event)]
        await it.client.session.subscribe_resource("memory://index")
        await asked(it)
        await it.call("memory_decide", act="retract", reference=reference)
        return ["memory://index"]

    assert "memory://index" in talk(server_for(project), watched, era=era, person=agreeing())[0]


def test_a_client_that_waits_is_told_that_the_call_goes_on(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = threading.Event()
    monkeypatch.setattr("memfs.mcp.server._TICK_S", 0.01)

    def slow(*_: object, **__: object) -> None:
        assert heard.wait(20)
        raise IndexUnavailableError("it took too long")

    async def progress(
        progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        heard.set()

    async def waited(it: Talk) -> Said:
        given = {"question": "heron"}
        result = await it.client.call_tool("memory_recall", given, progress_callback=progress)
        assert isinstance(result, CallToolResult)
        return Said(result)

    monkeypatch.setattr("memfs.app.memory.Memory.recall", slow)

    said = talk(server_for(project), waited)

    assert heard.is_set()
    assert said.facts["message"] == "it took too long"


def test_what_goes_wrong_inside_is_told_by_its_type_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the vermilion heron is in here")

    monkeypatch.setattr("memfs.app.memory.Memory.recall", fail)

    said = call(server_for(project), "memory_recall", question="heron")

    assert said.facts["code"] == "memfs.bug"
    assert "vermilion" not in said.text
    assert "vermilion" not in capsys.readouterr().err


def test_a_file_that_only_a_person_may_know_of_is_named_to_no_program(project: Path) -> None:
    """A hand edit that does not parse is in the way of a proposal, and its name is a title."""
    hidden = next((store_root(project) / "records").rglob("*.md"))
    odd = hidden.with_name("vermilion-heron-title-abc234.md")
    odd.write_text("---\nkind: [\n---\nwords\n", encoding="utf-8")
    git(store_root(project), "add", "-A")
    git(store_root(project), "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "by hand")
    server = server_for(project)

    said = [
        call(server, "memory_propose", text="The egret pond is deep", kind="fact"),
        call(server, "memory_recall", question="vermilion heron title"),
        call(server, "memory_search"),
        call(server, "memory_get", reference="abc234"),
    ]

    assert [it.text for it in said if "vermilion-heron" in it.text] == []
