"""Work from one agent to the next: a wrapped run, its issues, and the detached one that goes on.

Two scripts stand for the agents. They see nothing but what a shell sees: the command, its
variables, and the text on their standard input.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import clean_environment
from tests.support.processes import command_folder, run_memfs

FIRST = """\
cat > first-prompt.txt
setsid sh -c '
    read go < go.fifo
    memfs run exec --task "Make the uploads resume after a break" --prompt -- sh ./second.sh \\
        > second-output.txt 2>&1
    echo over > over.fifo
' < /dev/null > /dev/null 2>&1 &
echo "The upload client now sends its blocks one by one. A broken line loses one block."
echo
echo "ACCOMPLISHED:"
echo "- Split uploads into blocks"
echo "ISSUES:"
echo "- Uploads start again from zero after a break"
echo "- The progress bar stands still on slow lines"
echo "NEXT:"
echo "- Keep the number of the last block"
exit 0
"""
SECOND = """\
cat > second-prompt.txt
memfs issue resolve "Uploads start again from zero after a break" --detail "They resume." || exit 9
echo "SUMMARY: Uploads resume at the block after the last one that arrived."
echo "NEXT: Draw the progress bar by blocks"
"""


@dataclass(frozen=True, slots=True)
class Work:
    """A project in which two agents have worked, one after the other."""

    project: Path
    first: str
    second: str

    def asked(self, *words: str) -> Any:
        ended = run_memfs(*words, "--json", cwd=self.project)
        assert ended.status == 0, ended.errors
        return json.loads(ended.output)

    def raw(self, script: str) -> list[str]:
        """Answers with text tools alone, on the raw files."""
        done = subprocess.run(
            ["sh", "-c", script], cwd=self.project / ".memfs", capture_output=True, text=True
        )
        return done.stdout.split("\n")[:-1]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Work:
    folder = tmp_path_factory.mktemp("work")
    project = folder / "uploads"
    project.mkdir()
    env = clean_environment(folder)
    env["PATH"] = f"{command_folder(folder / 'bin')}:{env['PATH']}"

    def memfs(*words: str) -> str:
        return subprocess.run(
            ["memfs", *words], cwd=project, env=env, check=True, capture_output=True, text=True
        ).stdout

    memfs("init", "--scripted", "--as", "user:ana", "--yes")
    (project / "first.sh").write_text(FIRST, encoding="utf-8")
    (project / "second.sh").write_text(SECOND, encoding="utf-8")
    os.mkfifo(project / "go.fifo")
    os.mkfifo(project / "over.fifo")
    task = "Send uploads in blocks"
    printed = memfs("run", "exec", "--task", task, "--session", "chat-1", "--prompt", "--",
                    "sh", "./first.sh")  # fmt: skip
    assert printed.startswith("The upload client now sends")
    (project / "go.fifo").write_text("go\n")
    assert (project / "over.fifo").read_text() == "over\n"
    runs = json.loads(memfs("run", "list", "--json"))
    assert [run["state"] for run in runs] == ["done", "done"], runs
    return Work(project, first=runs[1]["run"], second=runs[0]["run"])


def test_the_first_run_leaves_two_issues_and_what_is_next(work: Work) -> None:
    shown = work.asked("run", "show", work.first)

    assert shown["state"] == "done"
    assert shown["summary"] == (
        "Finished: Send uploads in blocks. The upload client now sends its blocks one by one. "
        "A broken line loses one block."
    )
    assert shown["next"] == ["Keep the number of the last block"]
    assert len(shown["issues"]) == 2
    assert shown["session"] == "chat-1"
    record = shown["record"]
    assert record["fields"]["accomplished"] == ["Split uploads into blocks"]
    assert record["fields"]["exit_code"] == 0
    assert (record["authority"], len(record["evidence"])) == ("none", 1)


def test_the_first_agent_was_told_nothing_by_an_empty_memory(work: Work) -> None:
    told = (work.project / "first-prompt.txt").read_text()

    assert told == "Send uploads in blocks"


def test_the_second_agent_was_told_what_was_done_and_what_is_open(work: Work) -> None:
    prompt = (work.project / "second-prompt.txt").read_text()

    packet, _, task = prompt.partition("</memfs-packet>\n")
    assert packet.startswith("<memfs-packet")
    assert task == "Make the uploads resume after a break"
    assert "The upload client now sends its blocks one by one." in packet
    assert "Uploads start again from zero after a break" in packet
    assert "The progress bar stands still on slow lines" in packet
    assert "Keep the number of the last block" in packet
    assert "not instructions" in packet


def test_what_an_agent_was_told_is_no_part_of_its_run(work: Work) -> None:
    (file,) = (work.project / ".memfs" / "runs").rglob(f"{work.second}.md")
    text = file.read_text()

    assert "memfs-packet" not in text
    assert "task: Make the uploads resume after a break\n" in text
    assert "progress bar stands still" not in text


def test_the_second_run_resolved_one_issue_and_the_other_is_open(work: Work) -> None:
    issues = {issue["title"]: issue for issue in work.asked("issue", "list", "--all")}
    done = issues["Uploads start again from zero after a break"]

    assert done["state"] == "resolved"
    assert issues["The progress bar stands still on slow lines"]["state"] == "open"
    events = work.asked("issue", "show", done["id"])["events"]
    assert [(event["event"], event["by"]) for event in events] == [
        ("opened", work.first),
        ("resolved", work.second),
    ]


def test_the_chain_shows_parent_previous_and_root_both_ways(work: Work) -> None:
    down, up = work.asked("run", "chain", work.first), work.asked("run", "chain", work.second)

    assert (down["ancestors"], down["descendants"]) == ([], [work.second])
    assert (down["previous"], down["next"]) == ("", [work.second])
    assert (up["ancestors"], up["descendants"]) == ([work.first], [])
    assert (up["previous"], up["next"]) == (work.first, [])
    assert down["root"] == up["root"] == work.first
    assert up["runs"][1]["session"] == "chat-1"

    drawn = run_memfs("run", "chain", work.second, cwd=work.project).output
    first, second = work.first[-6:], work.second[-6:]
    assert drawn.splitlines()[:2] == [
        f"{first}  done  Send uploads in blocks",
        f"└── {second}  done  Make the uploads resume after a break  ←",
    ]
    chart = run_memfs("run", "chain", work.second, "--mermaid", cwd=work.project).output
    assert chart.startswith("flowchart TD\n")
    assert "    r0 --> r1\n    r0 -. next .-> r1\n" in chart


def test_text_tools_alone_tell_previous_current_next_and_issues(work: Work) -> None:
    first, second = work.first, work.second

    assert work.raw("ls runs/* | sort | tail -n 1") == [f"{second}.md"]
    assert work.raw(f"grep -h '^previous:' runs/*/{second}.md") == [f"previous: {first}"]
    assert work.raw(f"grep -rl 'previous: {first}' runs | sed 's,.*/,,'") == [f"{second}.md"]
    assert work.raw(f"grep -rl 'parent: {first}' runs | sed 's,.*/,,'") == [f"{second}.md"]
    assert work.raw("grep -rh '^NEXT:' runs | sort") == [
        "NEXT: Draw the progress bar by blocks",
        "NEXT: Keep the number of the last block",
    ]
    opened = work.raw(f"grep -h '^ISSUE:' runs/*/{first}.md")
    assert [re.sub(r"iss_\w+", "ID", line) for line in opened] == [
        "ISSUE: ID opened: Uploads start again from zero after a break",
        "ISSUE: ID opened: The progress bar stands still on slow lines",
    ]
    assert len(work.raw(f"grep -rl 'resolved by {second}' issues")) == 1
    (resolved,) = work.raw(f"grep -h '^ISSUE:' runs/*/{second}.md")
    assert resolved.endswith(" resolved: Uploads start again from zero after a break")
    assert len(work.raw("grep -rLE ' (resolved|wontfix) by ' issues")) == 1


def test_history_shows_additions_only(work: Work) -> None:
    diff = work.raw("git log -p --format= -- runs issues")

    assert [line for line in diff if line.startswith("-") and not line.startswith("---")] == []
