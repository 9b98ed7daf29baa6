"""What the pages show is what a person at a terminal sees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.processes import command_folder, run_on_terminal
from tests.support.transcript import is_match, steps_in

PAGES = (
    "README.md",
    *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs/guides").glob("*.md")),
)


@pytest.mark.parametrize("page", PAGES)
def test_the_transcript_of_a_page_is_what_happens(page: str, tmp_path: Path) -> None:
    project = tmp_path / "datasync"
    project.mkdir()
    tools = command_folder(tmp_path / "bin")
    environment = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "COLUMNS": "100",
        "USER": "ana",
        "LOGNAME": "ana",
        "GIT_PAGER": "cat",
    }

    differing = []
    for step in steps_in(ROOT / page):
        ended = run_on_terminal(step.command, cwd=project, env=environment)
        if not is_match(step.expected, ended.output):
            differing.append(
                f"{page}:{step.line}: $ {step.command}\n--- expected\n{step.expected}"
                f"--- printed (exit {ended.status})\n{ended.output}"
            )

    assert not differing, "\n\n".join(differing)
