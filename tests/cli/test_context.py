"""``memfs context`` as people and hosts run it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.cli.entry import main
from tests.support.memory import memory_of, new_project, replaced_settings
from tests.support.work import issue_id, issue_of, recorded, run_of

AGENT = ("--as", "agent:builder")
NOW = datetime.now(UTC).replace(microsecond=0)
PROMPT = b"let the importer resume\r\n\tafter a crash \xff\n\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a fact, a run and an open issue; the place to run commands in."""
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("The importer keeps its offset in a file", kind="fact")
    recorded(
        project,
        run_of(1, "The importer streams now.", next_steps=("measure it",), at=NOW),
        issue_of(2, "Importer drops the last line", at=NOW),
    )
    monkeypatch.chdir(project)
    (project / "prompt.txt").write_bytes(PROMPT)
    return project


def printed(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> tuple[int, bytes, bytes]:
    status = main(["context", *words, *AGENT])
    out, err = capfdbinary.readouterr()
    return status, out, err


def test_the_packet_alone_is_printed(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    status, out, err = printed(capfdbinary, "--session-start")

    assert (status, err) == (0, b"")
    assert out.startswith(b"<memfs-packet ")
    assert out.endswith(b"</memfs-packet>\n")
    assert b"> Importer drops the last line\n" in out


def test_a_prompt_is_printed_behind_its_packet_and_off_exactly_as_it_is(
    project: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("--task-file", "prompt.txt", "--prepend")
    status, out, _ = printed(capfdbinary, *words)
    packet, fence, rest = out.rpartition(b"</memfs-packet>\n")
    assert status == 0
    assert b"keeps its offset" in packet
    assert (fence, rest) == (b"</memfs-packet>\n", PROMPT)

    monkeypatch.setenv("MEMFS", "off")
    assert printed(capfdbinary, *words) == (0, PROMPT, b"")
    assert printed(capfdbinary, "--session-start") == (0, b"", b"")
    assert printed(capfdbinary, "--task-file", "prompt.txt") == (0, b"", b"")


def test_a_packet_is_made_again_by_its_name_and_by_none(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    _, out, _ = printed(capfdbinary, "--task", "let the importer resume", "--json")
    packet = json.loads(out)
    assert [part["name"] for part in packet["work"]] == ["last_run", "next_steps", "open_issues"]

    for words in (("--replay", packet["id"]), ("--replay",)):
        status, again, err = printed(capfdbinary, *words)
        assert status == 0
        assert again.decode() == packet["text"]
        assert b"the same bytes" in err
    status, out, _ = printed(capfdbinary, "--replay", packet["id"], "--json")
    found = json.loads(out)
    assert (status, found["is_identical"], found["text"]) == (0, True, packet["text"])
    assert {item["section"] for item in found["manifest"]["entries"]} == {
        "last_run",
        "next_steps",
        "open_issues",
    }
    assert issue_id(2) in str(found["manifest"])


def test_a_packet_that_cannot_be_whole_again_says_so(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    _, out, _ = printed(capfdbinary, "--task", "where is the offset of the importer", "--json")
    packet = json.loads(out)
    with memory_of(project) as memory:
        memory.forget([packet["cards"][0]["id"]])
    capfdbinary.readouterr()
    status, again, err = printed(capfdbinary, "--replay", packet["id"])

    assert status == 1
    assert b"offset" not in again
    assert b"not the same any more" in err


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((), 2),
        (("--task", "x", "--session-start"), 2),
        (("--task", "x", "--task-file", "prompt.txt"), 2),
        (("--task-file", "missing.txt"), 2),
        (("--session-start", "--budget", "0"), 2),
        (("--replay", "pkt_nothing"), 40),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: tuple[str, ...],
    status: int,
    project: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    code, out, err = printed(capfdbinary, *words)

    assert (code, out) == (status, b"")
    assert err


def test_explain_shows_the_parts_of_each_score(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    _, out, _ = printed(capfdbinary, "--task", "where is the offset", "--explain")

    assert b"lineage" in out
    assert b"packet pkt_" in out


def test_a_session_that_has_had_its_share_is_told_so(
    project: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replaced_settings(project, "session_bytes: 61440", "session_bytes: 500")
    monkeypatch.setenv("MEMFS_SESSION_ID", "chat-1")
    capfdbinary.readouterr()
    for _ in range(2):
        status, out, err = printed(capfdbinary, "--session-start")
    assert (status, out) == (0, b"")
    assert b"its share of memory" in err

    assert main(["recall", "the importer", *AGENT]) == 0
    assert b"its share of memory" in capfdbinary.readouterr().err
