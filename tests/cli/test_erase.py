"""``memfs erase`` as a script runs it."""

from __future__ import annotations

import json
from pathlib import Path

from memfs.model.result import ResultStatus
from tests.support.memory import memory_of, new_project, store_root
from tests.support.processes import run_memfs


def note(project: Path) -> str:
    with memory_of(project) as memory:
        result = memory.remember("the cellar door sticks, code pelican-3306", kind="note")
    assert result.status is ResultStatus.DONE
    return result.target


def test_a_script_must_say_yes_and_an_agent_is_refused(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = note(project)
    asked = run_memfs("erase", target, cwd=project)
    assert (asked.status, "--yes" in asked.errors) == (2, True)
    refused = run_memfs("erase", target, "--yes", cwd=project)
    assert (refused.status, "person" in refused.errors) == (1, True)


def test_it_says_in_plain_words_what_was_reached_and_what_was_not(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = note(project)
    as_ana = ("--as", "user:ana", "--yes")
    seen = run_memfs("erase", target, "--history", "--dry-run", *as_ana, cwd=project)
    assert seen.status == 0
    assert "would erase 1 version" in seen.output
    done = run_memfs("erase", target, "--history", *as_ana, cwd=project)
    assert done.status == 0
    assert "nothing found" in done.output
    assert "beyond reach" in done.output
    assert "pelican" not in done.output + done.errors


def test_words_come_from_standard_input_and_are_repeated_nowhere(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    note(project)
    options = ("--history", "--text", "--as", "user:ana", "--yes", "--json")
    done = run_memfs("erase", *options, cwd=project, stdin="pelican-3306\ncellar door\n")
    assert done.status == 0
    answer = json.loads(done.output)
    assert answer["status"] == "done"
    assert "pelican" not in done.output
    left = [path for path in store_root(project).rglob("*.md") if "pelican" in path.read_text()]
    assert left == []
