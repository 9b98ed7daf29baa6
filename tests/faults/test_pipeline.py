"""Stopped between any two steps of admission, a submission has left nothing (A50)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import memfs.policy.admission as admission
import memfs.services.propose as propose
from memfs.model.origin import Actor, Channel, Principal
from memfs.policy.pipeline import Findings
from tests.support.faults import start_child
from tests.support.memory import (
    AGENT,
    ANA,
    git,
    memory_of,
    new_project,
    replaced_settings,
    store_root,
)
from tests.support.review import inbox_files, is_clean, said

WORDS = "The queue drops messages at night."


class KilledError(BaseException):
    """Stands for the end of the process: nothing in memfs catches it."""


def killed(*_: object, **__: object) -> Findings:
    raise KilledError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def state(project: Path) -> tuple[str, int, list[str]]:
    head = git(store_root(project), "rev-parse", "HEAD")
    return head, len(inbox_files(project)), said(project)


@pytest.mark.parametrize("step", [step.name for step in admission.PIPELINE])
@pytest.mark.parametrize("verb", ["remember", "propose", "capture"])
def test_killed_before_a_step_nothing_is_there(
    project: Path, monkeypatch: pytest.MonkeyPatch, step: str, verb: str
) -> None:
    before = state(project)
    cut = tuple(
        replace(item, check=killed) if item.name == step else item for item in admission.PIPELINE
    )
    with monkeypatch.context() as patch:
        patch.setattr(admission, "PIPELINE", cut)
        memory = memory_of(project, AGENT if verb == "propose" else ANA)
        with memory, pytest.raises(KilledError):
            getattr(memory, verb)(WORDS)
    assert state(project) == before
    assert is_clean(project)


@pytest.mark.parametrize("place", ["plan_from", "put_within_quota"])
def test_killed_between_the_decision_and_what_it_leaves_nothing_is_there(
    project: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    before = state(project)
    with monkeypatch.context() as patch:
        patch.setattr(propose, place, killed)
        memory = memory_of(project, AGENT if place == "put_within_quota" else ANA)
        with memory, pytest.raises(KilledError):
            memory.remember(WORDS, kind="fact")
    assert state(project) == before
    assert is_clean(project)


def test_a_decision_comes_after_every_step_that_could_refuse() -> None:
    names = [step.name for step in admission.PIPELINE]
    assert names.index("screening") < names.index("questions") < names.index("contradiction")
    assert names[0] == "mode"
    assert names[-1] == "promotion"


def flood(project: Path, name: str) -> None:
    actor = Actor(Principal.parse("agent:builder"), Channel.AGENT)
    for number in range(6):
        with memory_of(project, actor) as memory:
            memory.propose(f"Build {name}-{number} is slow.", kind="fact")


def test_writers_that_all_see_room_do_not_fill_the_quota_together(project: Path) -> None:
    replaced_settings(project, "quota: 500", "quota: 7")
    children = [start_child(lambda: flood(project, f"p{number}")) for number in range(4)]  # noqa: B023
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert len(inbox_files(project)) == 7
