"""``memfs memory-apply-operation``: JSON in, one commit or reasons out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.memory import memory_of, new_project
from tests.support.processes import run_memfs
from tests.support.roles import REASON, WHOLE, proposal, whole

COMMAND = "memory-apply-operation"
CLAUDE = ("--as", "agent:claude")
PLAIN: dict[str, Any] = {**WHOLE, "anchors": ["anchor:missing"]}


def test_an_operation_is_applied_from_a_file_or_from_input_and_refused_with_reasons(
    tmp_path: Path,
) -> None:
    project = new_project(tmp_path)
    text = whole("RecordShortTermMemory", **PLAIN)
    done = run_memfs(COMMAND, *CLAUDE, "--json", cwd=project, stdin=text)
    assert done.status == 0, done.errors
    answer = json.loads(done.output)
    assert answer["data"]["role"] == "claude"
    (memory,) = answer["data"]["memories"]
    assert (memory["id"], memory["lifecycle"]) == (answer["target"], "active")
    files = []
    for number, name in enumerate(("PruneShortTermMemory", "PruneShortTermMemory")):
        files.append(str(project / f"{number}.json"))
        Path(files[-1]).write_text(proposal(name, memories=[memory["id"]], **REASON))
    both = run_memfs(COMMAND, *CLAUDE, *files, cwd=project)
    assert both.status == 1
    assert "row short_term: pruned leads to nothing" in both.errors
    one = run_memfs(COMMAND, "--as", "user:ana", "--yes", "--role", "claude", files[0], cwd=project)
    assert (one.status, "PruneShortTermMemory: changed" in one.output) == (0, True)
    with memory_of(project) as person:
        assert person.show(memory["id"]).record.fields["lifecycle"] == "pruned"
    nameless = run_memfs(COMMAND, "--as", "user:ana", "--yes", files[0], cwd=project)
    assert (nameless.status, "expected a role" in nameless.errors) == (2, True)
