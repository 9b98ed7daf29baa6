"""``memfs outcome``: a person's word, and a program's that nothing bears out."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.memory import memory_of, new_project
from tests.support.processes import run_memfs

ANA = ("--as", "user:ana", "--yes")


def test_an_outcome_is_recorded_refused_and_explained(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        record = memory.remember("Retry the upload twice", kind="note").target
    refused = run_memfs("outcome", record, "success", "--as", "agent:x", cwd=project)
    assert (refused.status, "outcome.not-verified" in refused.errors) == (1, True)
    done = run_memfs("outcome", record[-6:], "success", *ANA, "--json", cwd=project)
    assert done.status == 0, done.errors
    assert json.loads(done.output)["data"]["worth"] == 0.5
    told = run_memfs("explain", record, *ANA, cwd=project)
    assert "1 success, 0 partial, 0 failure; worth 0.50 of 1" in told.output
    wrong = run_memfs("outcome", record, "great", *ANA, cwd=project)
    assert (wrong.status, "expected one of success, partial, failure" in wrong.errors) == (2, True)
