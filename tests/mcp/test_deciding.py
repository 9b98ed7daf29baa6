"""Acts of a person: asked for by an agent, answered in a form, carried out once or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams, ElicitResult, InputRequiredResult, InputResponses

from memfs.mcp.forms import MOST_IN_VAIN
from memfs.mcp.server import TOOLS
from tests.support.memory import (
    AGENT,
    ANA,
    git,
    memory_of,
    new_project,
    replaced_settings,
    store_root,
)
from tests.support.protocol_client import (
    ERAS,
    Person,
    Said,
    Talk,
    agreeing,
    call,
    server_for,
    talk,
)

AGREED = ElicitResult(action="accept", content={"decision": "yes"})
CLAIM = "The heron gate opens at dawn"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one fact."""
    return made_in(tmp_path)


@pytest.fixture(scope="module")
def asked_in_vain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A project that nothing here changes, and a proposal in it."""
    project = made_in(tmp_path_factory.mktemp("vain"))
    return project, proposed(project)


def made_in(folder: Path) -> Path:
    made = new_project(folder)
    with memory_of(made) as memory:
        memory.remember("The egret pond is drained in May", kind="fact")
    return made


def proposed(project: Path, text: str = CLAIM, **options: Any) -> str:
    said = call(server_for(project), "memory_propose", text=text, kind="fact", **options)
    assert said.facts["status"] == "waiting"
    return str(said.facts["target"])


def fact_of(project: Path) -> str:
    with memory_of(project) as memory:
        return memory.list_records(kinds=["fact"])[0].record.id


def served(project: Path) -> list[str]:
    with memory_of(project, AGENT) as memory:
        return [stored.record.body.strip() for stored in memory.list_records()]


def decided(
    project: Path, act: str, reference: str, person: Person | None, era: str = ERAS[1]
) -> Said:
    return call(
        server_for(project), "memory_decide", act=act, reference=reference, person=person, era=era
    )


@pytest.mark.parametrize("era", ERAS)
def test_what_the_person_approves_is_served_and_is_theirs(project: Path, era: str) -> None:
    candidate = proposed(project)
    person = agreeing()

    said = decided(project, "approve", candidate, person, era)

    assert said.facts["status"] == "done"
    assert CLAIM in served(project)
    assert len(person.asked) == 1
    message = person.asked[0].message
    assert message.startswith("agent:tester asks you, through memfs, to approve this proposal")
    assert f"> {CLAIM}" in message
    log = git(store_root(project), "log", "-1", "--format=%B")
    assert "(form)" in log
    assert "Memfs-Actor: user:" in log


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (ElicitResult(action="decline"), "form.declined"),
        (ElicitResult(action="cancel"), "form.declined"),
        (ElicitResult(action="accept", content={"decision": "no"}), "form.declined"),
        (ElicitResult(action="accept", content={"decision": "YES please"}), "form.unclear"),
        (ElicitResult(action="accept", content={"decision": True}), "form.unclear"),
        (ElicitResult(action="accept", content={"other": "yes"}), "form.unclear"),
        (ElicitResult(action="accept", content={}), "form.unclear"),
        (ElicitResult(action="accept"), "form.unclear"),
    ],
    ids=range(8),
)
def test_anything_but_a_plain_yes_changes_nothing(
    asked_in_vain: tuple[Path, str], era: str, answer: ElicitResult, code: str
) -> None:
    project, candidate = asked_in_vain

    said = decided(project, "approve", candidate, Person([answer]), era)

    assert said.is_no
    assert said.facts["code"] == code
    assert CLAIM not in served(project)


@pytest.mark.parametrize("era", ERAS)
def test_who_asks_in_vain_again_and_again_asks_no_more_for_a_while(
    asked_in_vain: tuple[Path, str], era: str
) -> None:
    project, candidate = asked_in_vain
    person = Person([ElicitResult(action="decline")])

    async def nagging(it: Talk) -> list[Said]:
        given = {"act": "approve", "reference": candidate}
        return [await it.call("memory_decide", **given) for _ in range(MOST_IN_VAIN + 2)]

    said = talk(server_for(project), nagging, person=person, era=era)

    assert len(person.asked) == MOST_IN_VAIN
    assert [item.facts["code"] for item in said[-3:]] == ["form.declined", *2 * ["form.too-many"]]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("act", ["approve", "reject", "forget", "retract", "erase"])
def test_a_client_without_forms_is_told_the_command_for_a_terminal(
    asked_in_vain: tuple[Path, str], era: str, act: str
) -> None:
    project, candidate = asked_in_vain
    reference = candidate if act in ("approve", "reject") else fact_of(project)

    said = decided(project, act, reference, None, era)

    assert said.facts["code"] == "form.not-shown"
    assert f"{reference}" in said.facts["hint"]
    assert "memfs " in said.facts["hint"]
    assert served(project) == ["The egret pond is drained in May"]


def test_a_client_that_fails_to_show_the_form_is_one_without_forms(
    asked_in_vain: tuple[Path, str],
) -> None:
    project, candidate = asked_in_vain
    person = Person([MCPError(code=-32601, message="no such form")])

    said = decided(project, "approve", candidate, person, ERAS[0])

    assert said.facts["code"] == "form.not-shown"
    assert CLAIM not in served(project)


@pytest.mark.parametrize("act", ["forget", "retract"])
@pytest.mark.parametrize("era", ERAS)
def test_what_is_taken_back_is_served_no_more(project: Path, act: str, era: str) -> None:
    person = agreeing(decision="yes", why="it was drained in June")

    said = decided(project, act, fact_of(project), person, era)

    assert said.facts["status"] == "done"
    assert served(project) == []
    assert "The egret pond is drained in May" in person.asked[0].message
    assert "it was drained in June" in git(store_root(project), "log", "-3", "--format=%s")


def test_erasing_has_to_be_typed(project: Path) -> None:
    reference = fact_of(project)

    yes = decided(project, "erase", reference, agreeing())
    wrong = decided(project, "erase", reference, agreeing(type_to_confirm="erase"))
    assert [it.facts["code"] for it in (yes, wrong)] == ["form.declined", "form.unclear"]
    assert len(served(project)) == 1

    right = decided(project, "erase", reference, agreeing(type_to_confirm=reference[-6:].upper()))
    assert right.facts["status"] == "done"
    assert served(project) == []


@pytest.mark.parametrize("person", [None, agreeing()], ids=["no form", "a form"])
def test_a_sealed_record_is_opened_at_a_terminal_alone(
    asked_in_vain: tuple[Path, str], person: Person | None
) -> None:
    project, _ = asked_in_vain
    said = decided(project, "unseal", fact_of(project), person)

    assert said.facts["code"] == "form.terminal-only"
    assert "memfs show" in said.facts["hint"]
    assert person is None or person.asked == []


def test_forms_count_only_where_the_settings_take_them(project: Path) -> None:
    replaced_settings(project, "forms: true", "forms: false")
    candidate = proposed(project)
    person = agreeing()

    said = decided(project, "approve", candidate, person)

    assert said.facts["code"] == "access.no-forms"
    assert person.asked == []
    assert "terminal" in said.facts["hint"]
    assert CLAIM not in served(project)


@pytest.mark.parametrize("era", ERAS)
def test_what_was_shown_is_what_is_accepted(project: Path, era: str) -> None:
    """While the form is open the agent changes its proposal under the same id."""
    candidate = proposed(project, key="gate")
    server = server_for(project)

    def change() -> None:
        with memory_of(project, AGENT) as memory:
            memory.actor = type(AGENT)(principal_of("agent:tester"), AGENT.channel)
            again = memory.propose("The heron gate is never shut", kind="fact", key="gate")
        assert again.target == candidate

    person = agreeing()
    person.before = once(change)
    said = call(server, "memory_decide", act="approve", reference=candidate, person=person, era=era)

    if era == ERAS[0]:
        assert said.facts["code"] == "conflict.proposal-changed"
        assert served(project) == ["The egret pond is drained in May"]
    else:
        # The question is another one by then: the person is asked again, and of that.
        assert len(person.asked) == 2
        assert "never shut" in person.asked[1].message


def principal_of(text: str) -> Any:
    from memfs.model.origin import Principal

    return Principal.parse(text)


def once(act: Callable[[], None]) -> Callable[[], None]:
    done: list[int] = []

    def acted() -> None:
        if not done:
            done.append(1)
            act()

    return acted


def test_an_answer_counts_once(project: Path) -> None:
    """The newer era's client sends the answer; a client that sends it twice is asked again."""
    first = fact_of(project)

    async def replayed(it: Talk) -> list[str]:
        session = it.client.session
        given = {"act": "retract", "reference": first}
        asked = await session.call_tool("memory_decide", given, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        answers: InputResponses = {"answer": AGREED}
        kinds = []
        for _ in range(2):
            result = await session.call_tool(
                "memory_decide",
                given,
                input_responses=answers,
                request_state=asked.request_state,
                allow_input_required=True,
            )
            kinds.append(type(result).__name__ + str(getattr(result, "is_error", "")))
            with memory_of(project) as memory:
                if len(kinds) == 1:
                    memory.restore(first)
        return kinds

    kinds = talk(server_for(project), replayed, person=agreeing())

    assert kinds == ["CallToolResultFalse", "InputRequiredResult"]
    assert len(served(project)) == 1


def test_an_answer_nobody_was_asked_for_is_none(project: Path) -> None:
    async def forged(it: Talk) -> list[str]:
        session = it.client.session
        answers: InputResponses = {"answer": AGREED}
        kinds = []
        given = {"act": "retract", "reference": fact_of(project)}
        result = await session.call_tool(
            "memory_decide", given, input_responses=answers, allow_input_required=True
        )
        kinds.append(type(result).__name__)
        try:
            await session.call_tool(
                "memory_decide",
                given,
                input_responses=answers,
                request_state="v1.made-up",
                allow_input_required=True,
            )
        except MCPError as error:
            kinds.append(error.error.message)
        return kinds

    kinds = talk(server_for(project), forged, person=agreeing())

    assert kinds == ["InputRequiredResult", "Invalid or expired requestState"]
    assert len(served(project)) == 1


def test_nobody_is_asked_about_what_the_agent_may_not_know(project: Path) -> None:
    with memory_of(project) as memory:
        hidden = memory.remember("Ana keeps the key", kind="fact", sensitivity="secret").target
        if hidden.startswith("cand_"):
            hidden = memory.accept([hidden])[0].target
    with memory_of(project, AGENT) as memory:
        others = memory.propose("The builder's own claim", kind="fact").target
    person = agreeing()

    for act, reference in (("forget", hidden), ("erase", hidden), ("approve", others)):
        said = decided(project, act, reference, person)
        assert said.is_no
        assert said.facts["code"].startswith("conflict.unknown-")

    assert person.asked == []


def test_what_is_too_long_for_a_form_is_left_to_a_terminal(project: Path) -> None:
    candidate = proposed(project, "The heron gate: " + "it opens at dawn, " * 500)
    person = agreeing()

    said = decided(project, "approve", candidate, person)

    assert said.facts["code"] == "form.too-long"
    assert f"memfs review accept {candidate}" in said.facts["hint"]
    assert person.asked == []


def test_a_form_says_nothing_that_the_caller_made_up_for_it(project: Path) -> None:
    candidate = proposed(project, "The gate opens.\n\nStore: elsewhere. Choose yes, it is safe.")
    person = Person([ElicitResult(action="decline")])

    decided(project, "approve", candidate, person)

    lines = person.asked[0].message.splitlines()
    assert [line[:2] for line in lines if "Choose yes" in line] == ["> "]
    assert lines[-1].startswith("Store: /")
    assert list(person.asked[0].requested_schema["properties"]) == ["decision"]
    assert "default" not in str(person.asked[0].requested_schema)


def test_an_act_that_is_none_is_refused_before_anything(
    asked_in_vain: tuple[Path, str],
) -> None:
    project, _ = asked_in_vain
    said = decided(project, "grant", fact_of(project), agreeing())

    assert said.facts["code"] == "usage.arguments"
    assert "approve, reject, forget, retract, erase, unseal" in said.facts["message"]


def test_only_one_tool_acts_for_a_person() -> None:
    assert [tool.name for tool in TOOLS if tool.carry is None] == ["memory_decide"]
    assert ANA.is_person
    assert not CallToolRequestParams(name="x").input_responses
