"""``memfs sleep`` and ``memfs core``: in words and as JSON, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.cli.entry import main
from tests.support.memory import memory_of, new_project

PERSON = ("--as", "user:ana", "--yes")


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    project = new_project(tmp_path)
    monkeypatch.chdir(project)
    with memory_of(project) as memory:
        memory.remember("Ships on Mondays \x1b[31m", kind="fact")
        memory.remember("Ships on Mondays, always on Mondays", kind="note")
        memory.remember("Ships on Mondays, always on Mondays", kind="warning")
    capsys.readouterr()
    return project


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    told = capsys.readouterr()
    return status, told.out, told.err


@pytest.mark.usefixtures("project")
def test_a_sleep_is_told_in_words_and_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "core", *PERSON)
    assert (status, out) == (0, "")
    assert "memfs sleep" in err

    status, out, err = run(capsys, "sleep", *PERSON)
    assert status == 0
    assert "1 group of the same words" in out + err
    assert "rem: skipped (model.none)" in out + err

    status, out, _ = run(capsys, "sleep", "--due", "--json", *PERSON)
    value = json.loads(out)
    assert (status, value["status"], value["data"]["code"]) == (0, "nothing", "sleep.not-due")

    status, _, err = run(capsys, "sleep", "nap", *PERSON)
    assert status == 2


@pytest.mark.usefixtures("project")
def test_the_core_is_shown_line_by_line_with_what_each_stands_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(capsys, "sleep", *PERSON)

    status, out, err = run(capsys, "core", *PERSON)
    lines = out.splitlines()
    assert status == 0
    assert all(line.startswith("- ") and line.endswith("@1)") for line in lines)
    assert "\x1b" not in out + err
    assert "left out" in err

    status, out, _ = run(capsys, "core", "--json", "--as", "agent:builder")
    value = json.loads(out)
    assert [set(line) for line in value["lines"]] == [{"reference", "text"}] * len(lines)
    assert (value["is_there"], value["left_out"]) == (True, 0)
