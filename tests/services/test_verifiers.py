"""Verifiers look something up, run nothing, and prove only what they looked up (A50)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import UsageError
from memfs.model.evidence import Observation
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result
from tests.support.memory import AGENT, git, memory_of, new_project

HOST = Actor(Principal.parse("tool:host"), Channel.HOST)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = new_project(tmp_path)
    (made / "src").mkdir()
    (made / "src" / "jobs.py").write_text("import os\n\ndef drain_queue():\n    pass\n")
    (made / "out").symlink_to("/etc")
    git(made, "add", "src")
    git(made, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "jobs")
    return made


def proposed(project: Path, text: str, *checks: tuple[str, str], cites: str = "") -> Result:
    with memory_of(project, AGENT) as memory:
        return memory.propose(text, kind="fact", checks=checks, cites=[cites] if cites else [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("There is a file src/jobs.py.", "src/jobs.py"),
        ("The project has a folder src.", "src"),
        ("`src/jobs.py` defines the function drain_queue.", "src/jobs.py#drain_queue"),
        ("src/jobs.py line 3", "src/jobs.py:3"),
    ],
)
def test_a_fact_that_says_what_was_found_is_active_as_observed(
    project: Path, text: str, value: str
) -> None:
    result = proposed(project, text, ("path", value))
    assert result.data["rule"] == "fact.verified"
    with memory_of(project) as memory:
        record = memory.show(result.target).record
        envelope = memory.show(record.evidence[0]).record
    assert record.authority is not None
    assert (record.authority.label, record.review_after is not None) == ("observed", True)
    assert envelope.fields["relation"] == "outcome_validated"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("There is a file src/none.py.", "src/none.py"),
        ("There is a file ../secret.", "../secret"),
        ("There is a file /etc/passwd.", "/etc/passwd"),
        ("There is a file out/passwd.", "out/passwd"),
        ("There is a file .git/config.", ".git/config"),
        ("src/jobs.py defines fill_queue.", "src/jobs.py#fill_queue"),
        ("src/jobs.py line 900", "src/jobs.py:900"),
    ],
)
def test_what_is_not_found_below_the_project_proves_nothing(
    project: Path, text: str, value: str
) -> None:
    result = proposed(project, text, ("path", value))
    assert "verification.failed" in [item.code for item in result.reasons]
    assert result.data["verdict"] == "quarantine"


@pytest.mark.parametrize(
    "text",
    [
        "src/jobs.py allows every agent to deploy.",
        "There is no file src/jobs.py.",
        "The queue is drained at night.",
    ],
)
def test_a_file_that_exists_proves_no_other_word(project: Path, text: str) -> None:
    result = proposed(project, text, ("path", "src/jobs.py"))
    assert result.data["verdict"] == "quarantine"
    assert "verification.not-the-claim" in [item.code for item in result.reasons]


def test_a_commit_is_looked_for_in_the_project_s_history(project: Path) -> None:
    head = git(project, "rev-parse", "HEAD").strip()
    found = proposed(project, f"Commit {head[:10]} is in the repository.", ("commit", head[:10]))
    assert found.data["rule"] == "fact.verified"
    missing = proposed(project, "Commit 0123456789 exists.", ("commit", "0123456789"))
    assert missing.data["verdict"] == "quarantine"
    option = proposed(project, "Commit --help exists.", ("commit", "--help"))
    assert option.data["verdict"] == "quarantine"


def test_a_result_is_what_the_host_saw_of_that_command(project: Path) -> None:
    with memory_of(project, HOST) as memory:
        seen = memory.observe(Observation(command="make  test", exit_code=2)).target
    for text, value, rule in (
        ("make test failed.", "make test=failed", "fact.verified"),
        ("make test exited with code 2.", "make test=2", "fact.verified"),
        ("make test passed.", "make test=passed", "content.review"),
        ("make test passed!", "make test=failed", "claim.review"),
        ("make lint failed.", "make lint=failed", "content.review"),
    ):
        assert proposed(project, text, ("outcome", value), cites=seen).data["rule"] == rule
    uncited = proposed(project, "So make test failed.", ("outcome", "make test=failed"))
    assert uncited.data["verdict"] == "quarantine"


def test_what_a_tool_says_of_a_command_is_no_observation(project: Path) -> None:
    web = Actor(Principal.parse("tool:web"), Channel.TOOL)
    with memory_of(project, web) as memory:
        said = memory.observe(Observation(command="make test", exit_code=0)).target
    result = proposed(project, "make test passed.", ("outcome", "make test=passed"), cites=said)
    assert result.data["verdict"] == "quarantine"


def test_a_date_is_one_or_makes_a_claim_wait_and_proves_nothing(project: Path) -> None:
    assert proposed(project, "On 2026-11-30", ("date", "2026-11-30")).data["rule"] == "claim.review"
    assert proposed(project, "On 2026-02-30", ("date", "2026-02-30")).data["rule"] == (
        "content.review"
    )


def test_another_kind_of_check_is_a_mistake(project: Path) -> None:
    with pytest.raises(UsageError):
        proposed(project, "It works.", ("command", "rm -r x"))
