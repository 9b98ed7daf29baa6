"""Every admitted version names its evidence, and repetition adds only what is new (A36, C29)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.evidence import Observation
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from tests.support.memory import (
    AGENT,
    ANA,
    as_actor,
    git,
    memory_of,
    new_project,
    store_root,
)
from tests.support.review import is_clean, waiting

BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)
HOOK, BEN_HOOK = as_actor(ANA, Channel.PROMPT_HOOK), as_actor(BEN, Channel.PROMPT_HOOK)
WEB = Actor(Principal.parse("tool:web"), Channel.TOOL)
HOST = Actor(Principal.parse("tool:host"), Channel.HOST)
SAID = "The queue drops messages."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def shown(project: Path, identifier: str) -> Record:
    with memory_of(project) as memory:
        return memory.show(identifier).record


def relations(project: Path, identifier: str) -> list[object]:
    evidence = shown(project, identifier).evidence
    return [shown(project, item).fields.get("relation") for item in evidence]


def captured(project: Path, actor: Actor, text: str, source: str) -> str:
    with memory_of(project, actor) as memory:
        return memory.capture(text, source=source).target


def proposed(project: Path, actor: Actor, *cites: str, text: str = SAID) -> Result:
    with memory_of(project, actor) as memory:
        return memory.propose(text, kind="fact", cites=cites)


def test_a_statement_has_its_envelope_in_the_same_commit(project: Path) -> None:
    with memory_of(project) as memory:
        result = memory.remember("CI needs Node 20", kind="fact")
    (evidence,) = shown(project, result.target).evidence
    assert relations(project, result.target) == ["user_confirmed"]
    assert shown(project, evidence).fields["statement_of"] == result.data["reference"]
    names = git(store_root(project), "show", "--format=", "--name-only", "HEAD").split()
    assert [name.split("/")[0] for name in names] == ["evidence", "records"]
    assert git(store_root(project), "log", "-1", "--format=%s") == "remember: CI needs Node 20\n"


def test_a_correction_rests_on_its_own_statement_and_no_longer_on_the_old_one(
    project: Path,
) -> None:
    with memory_of(project) as memory:
        first = memory.remember("CI needs Node 20", kind="fact").target
        old = memory.show(first).record.evidence
        memory.correct(first, "CI needs Node 22")
    assert relations(project, first) == ["corrects"]
    assert set(old).isdisjoint(shown(project, first).evidence)


def test_a_confirmed_proposal_names_the_person_who_confirmed_it(project: Path) -> None:
    proposed(project, AGENT)
    with memory_of(project) as memory:
        (accepted,) = memory.accept(None)
    record = shown(project, accepted.target)
    (envelope,) = [shown(project, item) for item in record.evidence]
    assert envelope.origin is not None
    assert (str(envelope.origin.principal), relations(project, record.id)) == (
        "user:ana",
        ["user_confirmed"],
    )
    assert record.origin is not None
    assert str(record.origin.principal) == "agent:builder"


def test_planting_echoing_and_summarising_raise_nothing(project: Path) -> None:
    pages = [captured(project, WEB, SAID, f"https://e.org/{number}") for number in range(3)]
    summary = captured(project, AGENT, SAID, "session:a#9")
    mail = captured(project, Actor(Principal.parse("tool:mail"), Channel.TOOL), SAID, "mail:1")
    for actor in (AGENT, WEB):
        result = proposed(project, actor, *pages, summary, mail)
        assert (result.status, result.data["rule"]) == (ResultStatus.WAITING, "claim.review")


def test_two_independent_people_carry_a_claim_that_waited(project: Path) -> None:
    ana = captured(project, HOOK, SAID, "session:a#1")
    assert proposed(project, WEB, ana).status is ResultStatus.WAITING
    ben = captured(project, BEN_HOOK, f"I saw it too. {SAID}", "session:b#1")
    result = proposed(project, WEB, ana, ben)
    assert (result.status, result.data["rule"]) == (ResultStatus.DONE, "claim.corroborated")
    assert shown(project, result.target).evidence == (ana, ben)
    assert waiting(project) == ()


@pytest.mark.parametrize(
    ("actor", "source", "text"),
    [
        (HOOK, "session:c#1", SAID),
        (BEN_HOOK, "session:a#1", SAID),
        (BEN_HOOK, "session:b#1", f"Nobody should say: {SAID}"),
        (BEN_HOOK, "session:b#1", "The queue drops messages on Fridays."),
    ],
    ids=["the same person again", "the same turn", "a cut sentence", "another claim"],
)
def test_what_is_not_independent_or_not_the_same_claim_carries_nothing(
    project: Path, actor: Actor, source: str, text: str
) -> None:
    ana = captured(project, HOOK, SAID, "session:a#1")
    other = captured(project, actor, text, source)
    assert proposed(project, WEB, ana, other).status is ResultStatus.WAITING


def test_a_person_and_what_the_host_saw_carry_a_claim(project: Path) -> None:
    claim = "On the build host, make lint failed."
    with memory_of(project, HOST) as memory:
        seen = memory.observe(Observation(command="make lint", exit_code=2)).target
    ana = captured(project, HOOK, claim, "session:a#1")
    with memory_of(project, WEB) as memory:
        alone = memory.propose(
            claim, kind="fact", cites=[seen], checks=[("outcome", "make lint=failed")]
        )
        both = memory.propose(
            claim, kind="fact", cites=[ana, seen], checks=[("outcome", "make lint=failed")]
        )
    assert (alone.status, both.data["rule"]) == (ResultStatus.WAITING, "claim.corroborated")


def test_an_erased_excerpt_verifies_nothing(project: Path) -> None:
    ana = captured(project, HOOK, SAID, "session:a#1")
    with memory_of(project) as memory:
        (excerpt,) = memory.list_records(kinds=["excerpt"])
        memory.forget([excerpt.record.id])
    with memory_of(project, AGENT) as memory:
        result = memory.propose(SAID, kind="fact", quote=SAID, evidence=ana)
    assert result.status is not ResultStatus.DONE


def test_another_person_s_repetition_is_added_and_raises_no_version(project: Path) -> None:
    with memory_of(project) as memory:
        first = memory.remember("CI needs Node 20", kind="fact").target
        again = memory.remember("CI needs Node 20", kind="fact")
    assert (again.status, again.operation) == (ResultStatus.DUPLICATE, "")
    with memory_of(project, BEN) as memory:
        support = memory.remember("CI needs Node 20", kind="fact")
    record = shown(project, first)
    assert (support.status, bool(support.operation)) == (ResultStatus.DUPLICATE, True)
    assert (record.version, len(record.evidence), record.confidence) == (1, 2, 0.7)
    with memory_of(project, BEN) as memory:
        assert memory.remember("CI needs Node 20", kind="fact").operation == ""
    assert is_clean(project)


def test_an_agent_that_repeats_what_it_recalled_adds_nothing(project: Path) -> None:
    with memory_of(project) as memory:
        first = memory.remember(SAID, kind="fact").target
    echo = captured(project, WEB, SAID, "https://e.org/echo")
    for result in (proposed(project, AGENT), proposed(project, AGENT, echo)):
        assert (result.status, result.operation) == (ResultStatus.DUPLICATE, "")
    assert len(shown(project, first).evidence) == 1


def test_labels_of_what_is_derived_come_from_what_it_was_made_of(project: Path) -> None:
    page = captured(project, WEB, SAID, "https://e.org/1")
    with memory_of(project) as memory:
        result = memory.remember("Messages get lost", kind="note", derived_from=[page])
    record = shown(project, result.target)
    assert record.authority is not None
    assert (record.authority.label, record.taint) == ("remote", ("remote",))
    assert {str(sink) for sink in record.sinks} == {"person", "agent"}


def test_a_program_is_asked_whom_it_speaks_of(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        asked = memory.propose("Has a PhD in physics.", kind="profile")
        said = memory.propose("Bob has a PhD in physics.", kind="profile")
        keyed = memory.propose("Has a PhD in physics.", kind="profile", subject="bob-degree")
    assert (asked.status, asked.reasons[0].code) == (ResultStatus.NEEDS_ANSWER, "claim.no-subject")
    assert (said.status, keyed.status) == (ResultStatus.WAITING, ResultStatus.WAITING)
    with memory_of(project) as memory:
        assert memory.remember("Prefers tabs", kind="note").status is ResultStatus.DONE
