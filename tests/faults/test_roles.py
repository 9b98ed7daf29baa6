"""What a role remembers is whole, whoever is killed and however many change it at once."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from unittest.mock import patch

import pytest

from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from memfs.store.effects import Effects
from memfs.store.store import Store
from tests.support.faults import (
    KillingEffects,
    RecordingEffects,
    acknowledge,
    is_full_run,
    run_in_child,
    start_child,
)
from tests.support.memory import ANA, git, memory_of, new_project, store_root
from tests.support.review import is_clean
from tests.support.roles import REASON, WHOLE, proposal, whole

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

CLAUDE = Actor(Principal.parse("agent:claude"), Channel.AGENT)
PLAIN = {**WHOLE, "anchors": ["anchor:missing"]}
EVERY = 1 if is_full_run() else 41
WRITERS = 2


def live_through(project: Path, effects: Effects, topic: str) -> None:
    """Applies four operations one behind the other: record, distil, revise, press."""
    opened = Store.open

    def open_store(root: Path, **options: object) -> Store:
        return opened(root, effects=effects)

    with patch.object(Store, "open", open_store), memory_of(project, CLAUDE) as memory:

        def apply(text: str) -> str:
            result = memory.apply_operation("", text)
            assert result.status is ResultStatus.DONE, result.message
            return result.target

        said = {**PLAIN, "topic": topic}
        first = apply(whole("RecordShortTermMemory", **said))
        durable = apply(whole("ApplyMemoryDistillation", **said, sources=[first]))
        apply(proposal("ReviseDurableMemory", memory=durable, claim="It is so", **REASON))
        apply(whole("UpsertAgencyPressure", **said, intensity=0.5))


def test_wherever_a_role_is_killed_each_operation_is_whole_or_not_there(tmp_path: Path) -> None:
    recorded = RecordingEffects()
    live_through(new_project(tmp_path, "counted"), recorded, "counted")
    project = new_project(tmp_path)
    kills = range(1, len(recorded.effects) + 1, EVERY)
    for at in kills:
        work = lambda at=at: live_through(project, KillingEffects(at=at), f"topic {at}")  # noqa: E731
        assert run_in_child(work) in (0, -signal.SIGKILL)

    live_through(project, RecordingEffects(), "after all")
    with memory_of(project, ANA) as memory:
        memory.doctor(fix=True)
        assert memory.doctor() == ()
        assert memory.audit().problems == ()
        assert [item for item in memory.check() if str(item.severity) == "error"] == []
    assert is_clean(project)
    for subject, folders in (
        ("RecordShortTermMemory", ["receipts", "roles"]),
        ("ApplyMemoryDistillation", ["graph", "receipts", "roles", "roles"]),
        ("ReviseDurableMemory", ["graph", "receipts", "roles", "roles"]),
        ("UpsertAgencyPressure", ["receipts", "roles"]),
    ):
        commits = git(store_root(project), "log", "--format=%H", f"--grep={subject}").split()
        assert commits
        for commit in commits:
            changed = git(store_root(project), "show", "--format=", "--name-only", commit).split()
            assert sorted(name.partition("/")[0] for name in changed) == folders


def test_of_two_that_change_one_memory_at_once_exactly_one_wins(tmp_path: Path) -> None:
    project, log = new_project(tmp_path), tmp_path / "outcome"
    with memory_of(project, CLAUDE) as memory:
        short = memory.apply_operation("", whole("RecordShortTermMemory", **PLAIN)).target
        distilled = whole("ApplyMemoryDistillation", **PLAIN, sources=[short])
        durable = memory.apply_operation("", distilled).target
    before = int(git(store_root(project), "rev-list", "--count", "HEAD"))

    def revise(claim: str) -> None:
        text = proposal("ReviseDurableMemory", memory=durable, claim=claim, **REASON)
        with memory_of(project, CLAUDE) as memory:
            acknowledge(log, "ready")
            while log.read_text().count("ready\n") < WRITERS:
                pass
            result = memory.apply_operation("", text)
            acknowledge(log, ",".join([str(result.status), *(why.code for why in result.reasons)]))

    children = [
        start_child(lambda claim=claim: revise(claim))  # type: ignore[misc]
        for claim in ("On Mondays", "On Tuesdays")
    ]
    assert [_ended(child) for child in children] == [0, 0]
    outcomes = [line for line in log.read_text().splitlines() if line != "ready"]
    assert sorted(outcomes) == ["done", "refused,role.move"]
    # One commit and no companion of the loser: neither a memory, nor an edge, nor a receipt.
    assert int(git(store_root(project), "rev-list", "--count", "HEAD")) == before + 1
    files = git(store_root(project), "ls-files", "roles", "graph", "receipts").split()
    assert len([name for name in files if "/durable/" in name]) == 2
    assert len([name for name in files if name.startswith("graph/edges/")]) == 2
    assert len([name for name in files if name.startswith("receipts/")]) == 3
    assert is_clean(project)


def _ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
