"""Who has which role rest, and what whoever may not is told: nothing."""

from __future__ import annotations

import errno
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.domains.roles.rest.rest_state import resting
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from memfs.model.settings import Mode
from memfs.services.usage import background_work
from memfs.store.private_notes import PrivateNotes
from tests.support.memory import START, SteppedClock, git, memory_of, new_project, store_root
from tests.support.roles import WHOLE, whole

BUILDER = Actor(Principal.parse("agent:builder"), Channel.AGENT)
TOOL = Actor(Principal.parse("tool:linter"), Channel.AGENT)


def no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_role_rests_for_itself_and_not_for_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new_project(tmp_path)
    with memory_of(project, BUILDER) as memory:
        seen = whole("RecordShortTermMemory", **{**WHOLE, "anchors": ["anchor:missing"]})
        memory.apply_operation("", seen)
        clock = SteppedClock(START + timedelta(days=9_000))
        later = replace(memory.workspace, clock=clock)
    before = git(store_root(project), "rev-parse", "HEAD")
    with memory_of(project, TOOL) as memory:
        memory.workspace = replace(memory.workspace, clock=clock)
        assert memory.rest_due_roles() == ()
    with memory_of(project, BUILDER) as memory:
        shadow = replace(later.settings, mode=Mode.SHADOW)
        memory.workspace = replace(memory.workspace, clock=clock, settings=shadow)
        refused = memory.sleep_role()
        told = (refused.status, [why.code for why in refused.reasons])
        assert told == (ResultStatus.REFUSED, ["mode.shadow"])
        assert git(store_root(project), "rev-parse", "HEAD") == before
        memory.workspace = replace(memory.workspace, settings=later.settings)
        with resting(memory.workspace, "builder"):
            (second,) = memory.rest_due_roles()
        assert (second.status, second.data["code"]) == (ResultStatus.NOTHING, "role.resting")
        with monkeypatch.context() as full:
            full.setattr(PrivateNotes, "create", no_space)
            (failed,) = memory.rest_due_roles()
        assert (failed.status, failed.data["code"]) == (ResultStatus.PROBLEMS, "io")
        # Who watches reads no answers: how it ended stands in the log as well.
        noted = [(work.name, work.outcome) for work in background_work(memory.workspace)]
        assert noted == [("role rest", "io"), ("role rest", "role.resting")]
        assert [result.status for result in memory.rest_due_roles()] == [ResultStatus.DONE]
