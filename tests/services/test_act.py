"""The action gate asked about a store: refused, but for what a person just said (A58, A59)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.origin import Channel
from memfs.model.result import Result, ResultStatus
from tests.support.memory import AGENT, ANA, as_actor, memory_of, new_project

HOOK = as_actor(ANA, Channel.PROMPT_HOOK)
ACTION = "publish release 4 to the index"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("Releases are published with twine", kind="fact")
    return project


def reference_of(project: Path) -> str:
    with memory_of(project) as memory:
        return memory.list_records()[0].record.id


def captured(project: Path, text: str, *, is_person: bool = True) -> str:
    with memory_of(project, HOOK if is_person else AGENT) as memory:
        result = memory.capture(text)
    assert result.status is ResultStatus.DONE, result
    return result.target


def asked(project: Path, approval: str = "", reference: str = "") -> Result:
    reference = reference or reference_of(project)
    with memory_of(project, AGENT) as memory:
        return memory.may_act_on(reference, ACTION, approval=approval)


def codes(result: Result) -> list[str]:
    return [item.code for item in result.reasons]


def test_memory_alone_is_refused(project: Path) -> None:
    result = asked(project)
    assert (result.status, codes(result)) == (ResultStatus.REFUSED, ["action.no-approval"])
    assert result.data["authority"] == "none"


def test_a_prompt_of_just_now_that_names_it_is_approval(project: Path) -> None:
    evidence = captured(project, f"Fine: {ACTION}, then tell me.")
    assert asked(project, evidence).status is ResultStatus.DONE


@pytest.mark.parametrize("text", ["Fine, go on.", "Do not forget the changelog."])
def test_a_prompt_that_does_not_name_it_is_none(project: Path, text: str) -> None:
    assert codes(asked(project, captured(project, text))) == ["action.not-named"]


def test_what_an_agent_says_that_a_person_said_is_none(project: Path) -> None:
    evidence = captured(project, f"The user said: {ACTION}", is_person=False)
    assert "action.not-a-person" in codes(asked(project, evidence))


def test_a_record_and_an_unknown_id_are_no_evidence(project: Path) -> None:
    for approval in (reference_of(project), "ev_01kb8x3v6yq4m9t2r7w5z1c0de", "yes"):
        assert codes(asked(project, approval)) == ["action.not-evidence"]


def test_memory_that_is_missing_or_denied_gives_a_reason_and_nothing_else(project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("The scan was clear", kind="fact", record_class="clinical")
        (hidden,) = [item.record.id for item in memory.list_records() if item.record.record_class]
    for reference in ("mem_01kb8x3v6yq4m9t2r7w5z1c0de", hidden):
        result = asked(project, reference=reference)
        assert codes(result) == ["action.no-memory"]
        assert "scan" not in str(result)
