"""Granting as a process: what is printed, and what an agent is then told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.processes import run_memfs

PERSON = ("--as", "user:ana", "--yes")
AGENT = ("--as", "agent:reader")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a record of a class that has two fields."""
    assert run_memfs("init", "--scripted", *PERSON, cwd=tmp_path).status == 0
    words = (
        "--kind",
        "fact",
        "--class",
        "clinical",
        "--field",
        "name=Ada",
        "--field",
        "ill=asthma",
    )
    assert run_memfs("remember", *words, *PERSON, cwd=tmp_path).status == 0
    return tmp_path


def test_a_grant_is_issued_listed_and_taken_back(project: Path) -> None:
    scope = json.loads(run_memfs("list", *PERSON, "--json", cwd=project).output)[0]["scope"]
    assert json.loads(run_memfs("list", *AGENT, "--json", cwd=project).output) == []
    terms = ("--scope", scope, "--class", "clinical", "--field", "name", "--days", "3")
    granted = run_memfs("grant", "agent:reader", *terms, *PERSON, "--json", cwd=project)
    identity = json.loads(granted.output)["target"]

    (seen,) = json.loads(run_memfs("list", *AGENT, "--json", cwd=project).output)
    assert (seen["unknown"], seen["path"], seen["blob"]) == ({"name": "Ada"}, "", "")
    (listed,) = json.loads(run_memfs("grants", *AGENT, "--json", cwd=project).output)
    assert (listed["id"], listed["state"], listed["issuer"]) == (identity, "in force", "user:ana")

    assert run_memfs("revoke", identity, *AGENT, cwd=project).status == 1
    assert run_memfs("revoke", identity[-6:], *PERSON, cwd=project).status == 0
    assert json.loads(run_memfs("list", *AGENT, "--json", cwd=project).output) == []
    assert run_memfs("grants", *PERSON, cwd=project).errors.startswith("no grant counts\n")
    assert "taken back" in run_memfs("grants", "--all", *PERSON, cwd=project).output


def test_an_agent_grants_nothing_and_a_wrong_word_is_a_usage_error(project: Path) -> None:
    refused = run_memfs("grant", "agent:reader", "--scope", "global", *AGENT, cwd=project)
    assert refused.status == 1
    assert "actor.not-a-person" in refused.errors
    for words in (
        ("nobody", "--scope", "global"),
        ("agent:reader",),
        ("agent:reader", "--scope", "ward"),
        ("agent:reader", "--scope", "global", "--to", "space"),
    ):
        assert run_memfs("grant", *words, *PERSON, cwd=project).status == 2
    assert run_memfs("revoke", "zzzzzz", *PERSON, cwd=project).status == 40


def test_a_field_has_a_name_of_its_own(project: Path) -> None:
    for field in ("status=active", "name", "=x"):
        ended = run_memfs("remember", "x", "--field", field, *PERSON, cwd=project)
        assert ended.status == 2
