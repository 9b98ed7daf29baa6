"""Every operator verb exists, answers in JSON, and refuses with stable codes (A85, O54)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from memfs.cli.catalogue import COMMANDS
from memfs.cli.entry import main
from tests.support.memory import AGENT, memory_of, new_project

ANA = ("--as", "user:ana", "--yes")
BUILDER = ("--as", "agent:builder")
GONE = "mem_01kb8x3v6yq4m9t2r7w5z1c0de"
VERBS = {
    *("list", "search", "review", "show", "history", "diff", "explain", "conflicts", "resolve"),
    *("correct", "retract", "forget", "restore", "erase", "status", "doctor", "rebuild"),
    *("reconcile", "import", "audit", "stats", "grant", "grants", "revoke", "publish"),
    *("pollute", "clear", "config", "check"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = new_project(tmp_path)
    monkeypatch.chdir(project)
    with memory_of(project) as memory:
        memory.remember("Ruff formats the code", kind="preference")
    with memory_of(project, AGENT) as memory:
        memory.propose("Builds run on Node 20", kind="fact")
    return project


def run(
    capsys: pytest.CaptureFixture[str], arguments: Sequence[str], who: Sequence[str] = ANA
) -> tuple[int, object]:
    status = main([*arguments, "--json", *who])
    said = capsys.readouterr()
    text = said.out or said.err
    return status, json.loads(text) if text.strip() else None


def test_every_operator_verb_is_a_command() -> None:
    assert not VERBS - set(COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("search", "formats"),
        ("recall", "what formats the code"),
        ("review",),
        ("conflicts",),
        ("status",),
        ("doctor",),
        ("check",),
        ("reconcile",),
        ("rebuild",),
        ("grants",),
        ("audit",),
        ("stats",),
        ("config",),
        ("pollute", "agent:scout", "--cause", "guesses"),
        ("clear", "agent:scout"),
    ],
)
def test_a_verb_that_needs_no_record_answers_in_json(
    project: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    status, value = run(capsys, arguments)
    assert status == 0
    assert isinstance(value, dict | list)


@pytest.mark.parametrize("verb", ["show", "history", "diff", "explain"])
def test_a_verb_on_a_record_answers_in_json(
    project: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id
    if verb == "diff":
        run(capsys, ("correct", reference, "Ruff formats and lints the code"))
    status, value = run(capsys, (verb, reference))
    assert status == 0
    assert value


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("show", GONE), 40, "conflict.unknown-record"),
        (("explain", GONE), 40, "conflict.unknown-record"),
        (("explain", "last"), 40, "conflict.nothing-recalled"),
        (("correct", GONE, "x"), 40, "conflict.unknown-record"),
        (("pollute", "nowhere", "--cause", "x"), 2, "usage"),
        (("pollute", "agent:x", "--cause", "!"), 2, "usage"),
        (("restore", GONE), 40, "conflict.unknown-record"),
        (("revoke", GONE), 40, "conflict.unknown-grant"),
    ],
)
def test_a_refusal_has_a_stable_exit_number_and_code(
    project: Path,
    arguments: tuple[str, ...],
    status: int,
    code: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended, value = run(capsys, arguments)
    assert isinstance(value, dict)
    error = value.get("error", value)
    assert isinstance(error, dict)
    assert (ended, error["code"]) == (status, code)


@pytest.mark.parametrize(
    "arguments", [("pollute", "project:datasync", "--cause", "x"), ("clear", "project:datasync")]
)
def test_a_program_is_refused_with_the_code_of_the_rule(
    project: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    status, value = run(capsys, arguments, BUILDER)
    assert isinstance(value, dict)
    assert (status, value["status"]) == (1, "refused")
    assert [item["code"] for item in value["reasons"]] == ["actor.not-a-person"]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("recall", "what formats the code"), 0),
        (("search", "formats"), 0),
        (("list",), 30),
        (("show", GONE), 30),
        (("history", GONE), 30),
        (("diff", GONE), 30),
        (("remember", "x"), 1),
        (("propose", "x"), 1),
        (("correct", GONE, "x"), 30),
        (("rebuild",), 30),
        (("reconcile",), 30),
        (("status",), 0),
        (("doctor",), 0),
        (("stats",), 0),
        (("audit",), 0),
    ],
)
def test_where_memory_is_switched_off_each_command_ends_as_it_should(
    project: Path,
    arguments: tuple[str, ...],
    status: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMFS", "off")
    ended, value = run(capsys, arguments)
    assert ended == status
    if status in (1, 30):
        assert "mode.off" in json.dumps(value)
    if arguments[0] == "recall":
        assert isinstance(value, dict)
        assert (value["state"], value["cards"]) == ("off", [])


def test_an_audit_that_finds_something_ends_with_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = project / ".memfs" / ".git" / "refs" / "memfs" / "ledger"
    with memory_of(project) as memory:
        memory.remember("Typer for tools", kind="preference")
        first = memory.history(memory.list_records()[0].record.id)[0].parents[0]
    place.write_text(f"{first}\n")
    status, value = run(capsys, ("audit", "--no-mark"))
    assert isinstance(value, dict)
    assert (status, value["sound"]) == (1, False)
    assert value["problems"][0]["code"] == "audit.ledger-moved"
