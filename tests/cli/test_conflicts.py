"""``memfs conflicts`` and ``memfs resolve``, and the options for when a claim holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memfs.model.origin import Actor, Channel, Principal
from tests.support.memory import memory_of
from tests.support.processes import Ended, run_memfs

ANA = ("--as", "user:ana", "--yes")
BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose store lets scripts act for people."""
    made = run_memfs("init", "--scripted", "--project", "datasync", *ANA, cwd=tmp_path)
    assert made.status == 0, made.errors
    return tmp_path


def parsed(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def say(project: Path, text: str, who: tuple[str, ...], *options: str) -> str:
    words = ("remember", text, "--kind", "fact", "--subject", "port", *options, *who, "--json")
    return str(parsed(run_memfs(*words, cwd=project))["target"])


def test_a_conflict_is_listed_shown_and_resolved(project: Path) -> None:
    one = say(project, "On 80", ANA)
    with memory_of(project, BEN) as memory:
        other = memory.remember("On 81", kind="fact", subject="port").target
    listed = run_memfs("conflicts", cwd=project)
    assert "user:ana" in listed.output
    assert "user:ben" in listed.output
    (found,) = parsed(run_memfs("conflicts", "--json", cwd=project))
    assert [side["id"] for side in found["sides"]] == [one, other]
    shown = run_memfs("show", one, *ANA, cwd=project)
    assert f"says otherwise: {other}@1  user:ben" in shown.output
    assert [side["id"] for side in parsed(run_memfs("show", one, "--json", cwd=project))["against"]]
    assert "(conflicts with" in run_memfs("list", cwd=project).output

    refused = run_memfs("resolve", found["id"], "--keep", one, cwd=project)
    assert (refused.status, "actor.not-a-person" in refused.errors) == (1, True)
    done = run_memfs("resolve", found["id"][-6:], "--keep", one[-6:], *ANA, cwd=project)
    assert done.status == 0, done.errors
    assert parsed(run_memfs("conflicts", "--json", cwd=project)) == []
    assert [item["id"] for item in parsed(run_memfs("list", "--json", cwd=project))] == [one]


def test_a_claim_says_when_it_holds_and_the_past_is_asked_for(project: Path) -> None:
    old = say(project, "On 80", ANA, "--event-time", "2026-01-02")
    new = say(project, "On 81", ANA, "--valid-from", "2026-06-01")

    def ids(*options: str) -> list[str]:
        return [item["id"] for item in parsed(run_memfs("list", *options, "--json", cwd=project))]

    assert ids("--valid-at", "2026-05-31") == [old]
    assert ids("--valid-at", "2026-06-01") == [new]
    shown = parsed(run_memfs("show", new, "--valid-at", "2026-05-31", "--json", cwd=project))
    assert (shown["id"], shown["event_time"]) == (old, "2026-01-02T00:00:00Z")
    assert shown["superseded_from"] == "2026-06-01T00:00:00Z"
    assert ids("--as-of", "2020-01-01") == []
    wrong = run_memfs("list", "--valid-at", "soon", cwd=project)
    assert wrong.status == 2


def test_a_correction_can_end_what_it_corrects(project: Path) -> None:
    name = say(project, "On 80", ANA)
    done = run_memfs("correct", name, "On 80", "--valid-until", "2026-06-01", *ANA, cwd=project)
    assert done.status == 0, done.errors
    assert parsed(run_memfs("list", "--json", cwd=project)) == []
