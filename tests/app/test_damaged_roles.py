"""A file of a role that Git cannot read any more is named, and keeps nothing else from its rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from memfs.app.due_rests import rest_due_roles
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from tests.support.memory import ANA, SteppedClock, git, memory_of, new_project, store_root
from tests.support.roles import WHOLE, whole

BUILDER = Actor(Principal.parse("agent:builder"), Channel.AGENT)


def test_what_git_cannot_read_is_named_and_hides_nothing_else(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    plain = {**WHOLE, "anchors": ["anchor:missing"], "salience": 0.9, "confidence": 0.9}
    texts = [whole("RecordShortTermMemory", **{**plain, "topic": topic}) for topic in "abc"]
    with memory_of(project, BUILDER) as memory:
        for told in memory.apply_operations("", texts):
            assert told.result.status is ResultStatus.DONE
    root = store_root(project)
    first, *_ = git(root, "ls-files", "roles/builder").split()
    oid = git(root, "rev-parse", f"HEAD:{first}").strip()
    held = root / ".git" / "objects" / oid[:2] / oid[2:]
    held.chmod(0o600)
    held.write_bytes(held.read_bytes()[:8])

    clock = SteppedClock()
    clock.advance(timedelta(days=2))
    with memory_of(project, ANA) as person:
        named = [(item.path, item.code) for item in person.check()]
        assert (first, "store.object-corrupt") in named
        (status,) = person.role_status()
        assert (status.role, status.open_short_term) == ("builder", 2)
        assert len(person.role_context("builder").cards) == 2
        workspace = replace(person.workspace, clock=clock)
        (rested,) = rest_due_roles(workspace, ANA)
        assert (rested.target, rested.data["distilled"]) == ("builder", 2)
