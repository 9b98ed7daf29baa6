"""What was acknowledged is read back through policy, and a difference is named at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memfs.model.decision import Decision, Verdict
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import SYSTEM_ACTOR
from memfs.services.ports import Workspace
from memfs.services.read_back import ReadBackError, read_back
from tests.support.memory import memory_of, new_project, workspace_of

PATH = "records/note/2026-11/by-hand.md"
ADMITTED = Decision(verdict=Verdict.ACTIVATE, rule="test.admitted")


def plan_of(workspace: Workspace, content: bytes) -> Plan:
    return Plan(
        transaction=workspace.ids.new_id("tx"),
        operation=OperationKind.RECORD,
        subject="something",
        actor=SYSTEM_ACTOR,
        at=workspace.clock.now(),
        changes=(FileChange(path=PATH, content=content, expected=None, decision=ADMITTED),),
        base=workspace.store.ledger_head() or "",
    )


def test_what_every_operation_commits_reads_back(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        reference = memory.remember("CI needs Node 20", kind="fact", scope="team:core").target
        assert memory.remember("CI needs Node 20", kind="fact").operation
        assert memory.correct(memory.list_records()[0].record.id, "CI needs Node 22").operation
    assert reference


def test_a_file_that_is_no_record_is_named(tmp_path: Path) -> None:
    with workspace_of(new_project(tmp_path)) as workspace:
        plan = plan_of(workspace, b"---\nkind: note\n---\n")
        commit = workspace.store.commit(plan)
        with pytest.raises(ReadBackError, match=PATH) as caught:
            read_back(workspace, plan, commit)
    assert caught.value.code == "ledger.read-back"


def test_other_bytes_than_were_decided_are_named(tmp_path: Path) -> None:
    with workspace_of(new_project(tmp_path)) as workspace:
        plan = plan_of(workspace, b"one")
        commit = workspace.store.commit(plan)
        altered = replace(plan, changes=(replace(plan.changes[0], content=b"another"),))
        with pytest.raises(ReadBackError, match="other bytes"):
            read_back(workspace, altered, commit)


def test_a_removed_file_that_is_still_there_is_named(tmp_path: Path) -> None:
    with workspace_of(new_project(tmp_path)) as workspace:
        plan = plan_of(workspace, b"one")
        commit = workspace.store.commit(plan)
        altered = replace(plan, changes=(replace(plan.changes[0], content=None),))
        with pytest.raises(ReadBackError, match="still there"):
            read_back(workspace, altered, commit)
