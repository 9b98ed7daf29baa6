"""``memfs distill`` as a person runs it and a script calls it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.memory import new_project
from tests.support.processes import run_memfs
from tests.support.project_histories import Made, write_history

PERSON = ("--as", "user:ana", "--yes")


def test_a_person_sees_stages_and_files_and_a_script_the_same_as_data(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    write_history(project, [Made(message="Add a reader of tides", files={"a.py": "1\n"})])
    told = run_memfs("distill", *PERSON, cwd=project)
    lines = told.output.splitlines()
    assert told.status == 0
    assert lines[0].split() == ["collect", "1", "commits"]
    assert any(line.startswith("A  timeline/") for line in lines)
    again = run_memfs("distill", "--json", *PERSON, cwd=project)
    value = json.loads(again.output)
    assert (again.status, value["status"], value["data"]["stages"]) == (0, "nothing", {})
    wrong = run_memfs("distill", "dream", *PERSON, cwd=project)
    assert (wrong.status, wrong.output) == (2, "")
    nobody = run_memfs("distill", "--session", "nowhere", *PERSON, cwd=project)
    assert nobody.status == 2
    assert "expected a session" in nobody.errors
