"""Two clones distil the same history; merged, each thing stands once, as it was learned first."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.app.container import init_store
from memfs.app.registry import REGISTRY
from memfs.domains.distill.drafts import OBSERVER
from memfs.formats.learned_merge import LearnedMergeError, merge_learned
from memfs.formats.record_codec import encode_record
from memfs.model.authority import Authority
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.policy.authority import capture_origin
from memfs.store.scaffold import MERGE_DRIVER
from tests.support.memory import ANA, git, memory_of, new_project, store_root
from tests.support.processes import command_folder
from tests.support.project_histories import Made, write_history

HISTORY = (
    Made(message="Add an importer for readings (#3)", files={"a.py": "1\n"}),
    Made(message="Drop support for Python 3.8", files={"pyproject.toml": "1\n"}),
)


EVENT = Record(
    kind="event",
    id="event_00000000000000000000000000",
    title="Moved the gauge",
    scope=Scope.parse("project:datasync"),
    observed=datetime(2026, 1, 2, tzinfo=UTC),
    event_time=datetime(2026, 1, 1, tzinfo=UTC),
    authority=Authority.OBSERVED,
    origin=capture_origin(OBSERVER, "a key", source="commit:1"),
    fields={"event_kind": "work"},
)
LATER = replace(EVENT, observed=datetime(2026, 1, 5, tzinfo=UTC), branch="main")


def encoded(record: Record) -> bytes:
    return encode_record(record, REGISTRY)


def merged(ours: bytes, theirs: bytes) -> bytes:
    return merge_learned(ours, theirs, path="timeline/2026-01/a-000000.json", registry=REGISTRY)


def test_the_earlier_of_two_that_say_the_same_stands_whichever_side_is_ours() -> None:
    first, second = encoded(EVENT), encoded(LATER)
    assert merged(first, second) == merged(second, first) == first


@pytest.mark.parametrize(
    "other",
    [
        encoded(replace(EVENT, title="Moved the other gauge")),
        encoded(replace(EVENT, status=Status.RETRACTED)),
        encoded(replace(EVENT, origin=capture_origin(ANA, "a key"))),
        b"<<<<",
        b"[]",
    ],
)
def test_two_that_differ_in_anything_else_are_for_a_person(other: bytes) -> None:
    with pytest.raises(LearnedMergeError):
        merged(encoded(EVENT), other)
    with pytest.raises(LearnedMergeError):
        merged(other, encoded(EVENT))


def test_what_two_clones_distilled_alike_is_no_conflict(tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
    left = new_project(tmp_path / "left")
    right = tmp_path / "right" / "datasync"
    right.mkdir()
    git(right, "init", "-q", "-b", "main")
    git(right, "clone", "-q", str(store_root(left)), ".memfs")
    init_store(
        folder=right,
        explicit=right / ".memfs",
        env=dict(os.environ),
        is_scripted=True,
        as_principal="user:ana",
        yes=True,
    )
    program = command_folder(tmp_path / "bin") / "memfs"
    (store_root(left) / ".git/hooks" / MERGE_DRIVER).write_text(
        f'#!/bin/sh\nexec "{program}" issue merge-driver "$1" "$2" "$3" "$4"\n'
    )
    for project in (left, right):
        write_history(project, HISTORY)
        with memory_of(project) as memory:
            memory.distill()
            learned = {it.id: it.learned for it in memory.timeline()}
    git(
        store_root(left), "-c", "core.hooksPath=/dev/null", "pull", "-q", "--no-rebase",
        "--no-edit", str(store_root(right)), "main",
    )  # fmt: skip
    with memory_of(left) as memory:
        events = memory.timeline()
        assert {it.id for it in events} == learned.keys()
        assert all(it.learned <= learned[it.id] for it in events)
        assert memory.check() == ()
