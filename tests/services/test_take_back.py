"""A proposal goes out of the inbox when its proposer says so, and only then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.app.actors import NotTrustedError
from memfs.app.container import open_memory_for
from memfs.errors import MemfsError
from memfs.model.digests import blob_id
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from memfs.services.inbox import UnknownCandidateError
from memfs.services.modes import MemoryModeError
from memfs.services.review import ProposalChangedError
from tests.support.memory import AGENT, ANA, as_actor, memory_of, new_project, replaced_settings
from tests.support.review import inbox_files, is_clean

OTHER = Actor(Principal.parse("agent:reviewer"), Channel.AGENT)
FORM = as_actor(ANA, Channel.FORM)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with nothing in it."""
    return new_project(tmp_path)


def propose(project: Path, text: str = "The heron gate opens at dawn") -> str:
    with memory_of(project, AGENT) as memory:
        return memory.propose(text, kind="fact", key="gate").target


def test_an_agent_takes_its_own_proposal_back(project: Path) -> None:
    candidate = propose(project)

    with memory_of(project, AGENT) as memory:
        result = memory.take_back(candidate[-6:])
        waiting = memory.candidates()

    assert result.status is ResultStatus.DONE
    assert waiting == ()
    assert inbox_files(project) == []
    assert is_clean(project)


def test_what_another_proposed_is_unknown_or_refused(project: Path) -> None:
    candidate = propose(project)

    with memory_of(project, OTHER) as memory, pytest.raises(UnknownCandidateError):
        memory.take_back(candidate)
    with memory_of(project) as memory:
        assert memory.take_back(candidate).status is ResultStatus.REFUSED
        assert len(memory.candidates()) == 1


def test_what_was_decided_is_not_taken_back(project: Path) -> None:
    candidate = propose(project)
    with memory_of(project) as memory:
        memory.reject([candidate])

    with memory_of(project, AGENT) as memory, pytest.raises(UnknownCandidateError):
        memory.take_back(candidate)


def test_a_store_that_takes_nothing_in_keeps_its_inbox(project: Path) -> None:
    candidate = propose(project)
    with memory_of(project) as memory:
        memory.reject([candidate])
    candidate = propose(project, "The egret pond is deep")
    replaced = candidate
    with memory_of(project) as memory:
        assert [item.id for item in memory.candidates()] == [replaced]
    _read_only(project)

    with memory_of(project, AGENT) as memory, pytest.raises(MemoryModeError):
        memory.take_back(candidate)


def _read_only(project: Path) -> None:
    path = project / ".memfs" / "memfs.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("mode: enforced", "mode: read-only"), encoding="utf-8")
    with memory_of(project) as memory:
        settings = [item.id for item in memory.candidates() if item.path == "memfs.yaml"]
        memory.accept(settings)


def test_what_was_shown_is_what_is_accepted(project: Path) -> None:
    candidate = propose(project)
    with memory_of(project) as memory:
        shown = blob_id(memory.candidate(candidate)[0].content)
    assert propose(project, "The heron gate is never shut") == candidate

    with memory_of(project) as memory:
        with pytest.raises(ProposalChangedError):
            memory.accept([candidate], shown=shown)
        assert memory.list_records() == ()
        now = blob_id(memory.candidate(candidate)[0].content)
        assert memory.accept([candidate], shown=now)[0].status is ResultStatus.DONE


def test_a_person_acts_through_a_form_only_where_the_settings_take_it(project: Path) -> None:
    candidate = propose(project)
    env = dict(os.environ)
    with open_memory_for(FORM, start=project, env=env) as memory:
        assert memory.accept([candidate])[0].status is ResultStatus.DONE
        origin = memory.list_records()[0].record.origin
    assert origin is not None
    replaced_settings(project, "forms: true", "forms: false")

    with pytest.raises(NotTrustedError) as caught:
        open_memory_for(FORM, start=project, env=env)

    assert caught.value.code == "access.no-forms"
    assert isinstance(caught.value, MemfsError)
    with open_memory_for(AGENT, start=project, env=env) as memory:
        assert len(memory.list_records()) == 1
