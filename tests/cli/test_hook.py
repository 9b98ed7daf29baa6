"""The hook program: it answers, it puts off, and whatever goes wrong it fails open."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memfs.agents.clients import NAMES
from memfs.agents.contract import MOST_CHARACTERS
from memfs.app.hooking import BUDGETS
from memfs.cli import entry, hook
from memfs.cli.hook import MOST_BYTES, asked_from, main, read_payload
from memfs.cli.start import agent_hook
from memfs.model.values import JsonValue
from memfs.services.queue import Job, job_files
from tests.support.hooks import called, context_of, payload
from tests.support.memory import (
    git,
    memory_of,
    new_project,
    record_files,
    replaced_settings,
    store_root,
    workspace_of,
)

CLAIM = "The export job runs at two in the morning, after the vacuum"
QUESTION = "When does the export job run, and after what?"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one record, for tests that change nothing of it."""
    return furnished(tmp_path_factory.mktemp("hooks"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one record, for a test that changes it."""
    return furnished(tmp_path)


def furnished(folder: Path) -> Path:
    project = new_project(folder)
    with memory_of(project) as memory:
        memory.remember(CLAIM, kind="fact")
    return project


def prompt(project: Path, words: str = QUESTION, **fields: Any) -> dict[str, Any]:
    return payload(project, hook_event_name="UserPromptSubmit", prompt=words, **fields)


def queued(project: Path) -> tuple[Job, ...]:
    with memory_of(project) as memory:
        memory.work_off_some = lambda: None  # type: ignore[method-assign]
        from memfs.services.queue import jobs

        return jobs(memory.workspace)


# Answering ---------------------------------------------------------------------------------


def test_a_prompt_is_answered_with_what_memory_has(shared: Path) -> None:
    text = context_of(called("prompt", prompt(shared)))

    assert CLAIM in text
    assert text.startswith("<memfs-packet ")
    assert text.endswith("</memfs-packet>\n")


def test_a_session_start_is_answered_with_the_brief(shared: Path) -> None:
    for source in ("startup", "resume", "clear", "compact"):
        output = called("session-start", payload(shared, source=source))
        assert CLAIM in context_of(output)
        assert json.loads(output)["hookSpecificOutput"]["hookEventName"] == "SessionStart"


def test_nothing_is_said_where_memory_has_nothing_to_say(shared: Path) -> None:
    for words in ("zebra xylophone quartz", "ok", "", "yes", "/compact now please", "!ls -la src"):
        assert called("prompt", prompt(shared, words)) == b""
    for event in ("stop", "pre-compact", "post-compact", "session-end", "tool"):
        assert called(event, payload(shared)) == b""


@pytest.mark.parametrize("name", [name for name in NAMES if name != "antigravity"])
def test_every_client_gets_one_json_object_or_nothing(name: str, shared: Path) -> None:
    fields: dict[str, JsonValue] = {"workspace_roots": [str(shared)], "conversation_id": "c1"}
    answer = called("prompt", payload(shared, prompt=QUESTION, **fields), client=name)

    assert isinstance(json.loads(answer), dict)
    assert CLAIM in answer.decode()
    assert called("prompt", payload(shared, prompt="zebra", **fields), client=name) == b""
    assert called("stop", payload(shared, **fields), client=name) == b""


def test_antigravity_is_answered_once_a_prompt(shared: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"

    def asked() -> str:
        value = {"conversationId": "c1", "workspacePaths": [str(shared)]}
        output = called(
            "PreInvocation", {**value, "transcriptPath": str(transcript)}, client="antigravity"
        )
        if not output:
            return ""
        (step,) = json.loads(output)["injectSteps"]
        return str(step["ephemeralMessage"])

    def typed(words: str) -> None:
        row = {"type": "USER_INPUT", "source": "USER_EXPLICIT", "content": words}
        with transcript.open("a") as stream:
            stream.write(json.dumps(row) + "\n")

    typed("Good morning, let us begin")
    assert CLAIM in asked(), "the first call of a conversation gets the brief"
    assert asked() == ""
    typed(QUESTION)
    assert CLAIM in asked()
    assert asked() == ""


def test_a_session_is_told_each_record_once_and_again_when_it_threw_it_away(project: Path) -> None:
    def asked() -> str:
        return context_of(called("prompt", prompt(project)))

    assert CLAIM in asked()
    assert asked() == ""
    other = "The export job runs as the user exporter, who may only read"
    with memory_of(project) as memory:
        memory.remember(other, kind="note")

    told = asked()
    assert (other in told, CLAIM in told) == (True, False)
    begun = payload(project, hook_event_name="SessionStart", source="compact")
    assert CLAIM in context_of(called("session-start", begun))


def test_a_packet_in_a_prompt_is_no_part_of_the_question(shared: Path) -> None:
    packet = context_of(called("prompt", prompt(shared)))

    assert called("prompt", prompt(shared, f"{packet}\nzebra xylophone quartz")) == b""


def test_a_long_prompt_is_asked_by_its_ends(shared: Path) -> None:
    words = f"{QUESTION}\n" + "lorem ipsum dolor\n" * 20_000 + "and that is the log"

    assert CLAIM in context_of(called("prompt", prompt(shared, words)))


def test_the_whole_output_stays_below_the_limit_of_hosts(project: Path) -> None:
    with memory_of(project) as memory:
        for number in range(8):
            words = '"quoted"\t' * 120
            memory.remember(f"The export job number {number} says {words}", kind="note")
    output = called("prompt", prompt(project, "what does the export job say, quoted"))

    assert 1000 < len(output.decode()) < MOST_CHARACTERS
    assert context_of(output).endswith("</memfs-packet>\n")
    assert sorted(BUDGETS, reverse=True) == list(BUDGETS)


def test_an_answer_that_fits_nowhere_is_none(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memfs.app.hooking.MOST_CHARACTERS", 40)

    assert called("prompt", prompt(shared)) == b""


# What a host may do wrong ------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"not json",
        b'{"prompt": "half',
        b"[1, 2]",
        b'"text"',
        b"null",
        b"\x00\x00",
        b"\xff\xfe{",
        b'{"hook_event_name": 7}',
        b'{"hook_event_name": "Weather"}',
        b"{" * 5000,
        b"[" * 50_000,
        b'{"prompt": 1e999999}',
        b'{"n": ' + b"9" * 5000 + b"}",
    ],
    ids=range(15),
)
def test_a_payload_that_cannot_be_used_is_answered_with_nothing(content: bytes) -> None:
    assert called("prompt", content) == b""


def test_odd_but_whole_payloads_are_read(shared: Path) -> None:
    plain = json.dumps(prompt(shared, session_id="chat-0")).encode()
    contents = (
        b"\xef\xbb\xbf" + plain,
        b"\r\n  " + plain + b"\n\n",
        plain + b"\n" + plain,
        plain.replace(b"When does", b"When\n\tdoes"),
        plain.replace(b"When does", b"When \xff does"),
        plain.replace(b"When does", b"When \\u0000 \\ud800 does"),
    )

    for number, content in enumerate(contents):
        said = content.replace(b"chat-0", b"chat-odd-%d" % number)
        assert CLAIM in context_of(called("prompt", said)), said


def test_a_pipe_that_stays_open_does_not_hold_the_hook_up(shared: Path) -> None:
    assert CLAIM in context_of(called("prompt", prompt(shared), is_left_open=True))


def test_a_silent_host_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "IDLE_S", 0.01)

    assert called("prompt", b"", is_left_open=True) == b""
    assert called("prompt", b'{"prompt": "half', is_left_open=True) == b""


def test_a_payload_in_pieces_is_put_together() -> None:
    reading, writing = os.pipe()
    pieces = (b'{"a": {"b": "}', b'"}', b', "c": 1', b"}")

    def write() -> None:
        for piece in pieces:
            os.write(writing, piece)

    thread = threading.Thread(target=write)
    thread.start()
    assert read_payload(reading) == {"a": {"b": "}"}, "c": 1}
    thread.join()
    os.close(reading)
    os.close(writing)


def test_a_payload_beyond_the_limit_is_none(shared: Path) -> None:
    assert called("prompt", prompt(shared, "x" * (MOST_BYTES + 10))) == b""
    large = prompt(shared, QUESTION + " " + "x" * (MOST_BYTES // 2))
    assert CLAIM in context_of(called("prompt", large))


@pytest.mark.parametrize(
    "words", [[], ["prompt"], ["--client", "claude"], ["prompt", "--client", "nobody"]]
)
def test_a_command_line_that_says_too_little_ends_with_0(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"{}")
    os.close(writing)

    assert main(words, env={}, stdin=reading) == 0
    os.close(reading)
    assert "expected" in capsys.readouterr().err


def test_a_reader_that_left_is_no_trouble(shared: Path) -> None:
    reading, writing = os.pipe()
    answer, told = os.pipe()
    os.close(answer)
    os.write(writing, json.dumps(prompt(shared)).encode())
    os.close(writing)

    assert main(["prompt", "--client", "claude"], env=os.environ, stdin=reading, stdout=told) == 0
    os.close(reading)
    os.close(told)


# What may be wrong with the store ------------------------------------------------------------


def test_without_a_store_there_is_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("prompt", prompt(tmp_path)) == b""
    assert called("session-start", payload(tmp_path)) == b""
    assert capsys.readouterr().err == ""


def test_memory_that_is_off_is_not_there_at_all(shared: Path, home: Path) -> None:
    off = {"MEMFS": "off"}

    for event in ("session-start", "prompt", "stop", "session-end"):
        assert called(event, prompt(shared), env=off) == b""
    assert not (home / "memfs-home").exists()
    assert not (home / ".cache").exists()


@pytest.mark.parametrize("mode", ["off", "shadow", "read-only"])
def test_a_mode_of_the_store_holds_for_its_hooks(project: Path, mode: str) -> None:
    replaced_settings(project, "mode: enforced", f"mode: {mode}")
    answers = [called("prompt", prompt(project)), called("session-start", payload(project))]

    assert [bool(answer) for answer in answers] == [mode == "read-only"] * 2
    assert [job.kind for job in queued(project)] == (["capture-prompt"] if mode == "shadow" else [])


def test_a_hook_inside_a_hook_does_nothing(shared: Path) -> None:
    assert called("prompt", prompt(shared), env={"MEMFS_HOOK": "prompt"}) == b""
    assert "MEMFS_HOOK" not in os.environ


def test_what_a_hook_starts_knows_that_it_is_inside_one(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str | None] = []

    def look(*_: object) -> Path:
        seen.append(os.environ.get("MEMFS_HOOK"))
        return shared

    monkeypatch.setattr("memfs.app.hooking.folder_of", look)
    called("prompt", prompt(shared))
    assert seen == ["prompt"]


def test_a_store_of_a_newer_format_is_said_to_the_agent(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = store_root(project) / "memfs.yaml"
    settings.write_text(settings.read_text().replace("format: 1", "format: 99"))
    git(store_root(project), "-c", "core.hooksPath=/dev/null", "commit", "-qam", "newer")
    newer = git(store_root(project), "rev-parse", "HEAD").strip()
    git(store_root(project), "update-ref", "refs/memfs/ledger", newer)

    text = context_of(called("prompt", prompt(project)))
    assert "memory state: degraded (store.newer-format)" in text
    assert text.startswith("<memfs-packet ")
    assert "store.newer-format" in capsys.readouterr().err
    assert called("stop", payload(project)) == b""


def test_a_store_that_cannot_be_read_is_said_to_the_agent(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "no access to private/place")

    monkeypatch.setattr("memfs.app.hooking.open_memory_for", refused)
    text = context_of(called("prompt", prompt(shared)))
    assert "memory state: degraded (system.refused)" in text
    assert "private" not in text


def test_a_locked_store_is_still_asked(shared: Path) -> None:
    with locked(shared):
        assert CLAIM in context_of(called("prompt", prompt(shared)))


@contextlib.contextmanager
def locked(project: Path) -> Iterator[None]:
    lock = os.open(store_root(project) / ".git/memfs/write.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


def test_a_disk_that_cannot_be_written_costs_the_job_and_not_the_answer(
    shared: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "memfs-home").write_text("no folder")

    assert CLAIM in context_of(called("prompt", prompt(shared)))
    assert "queue.no-folder" in capsys.readouterr().err


def test_a_hook_that_takes_too_long_has_the_index_made(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(*_: object, **__: object) -> None:
        raise hook.TookTooLong

    monkeypatch.setattr("memfs.app.memory.Memory.recall", late)
    assert called("prompt", prompt(shared)) == b""
    assert "took too long" in capsys.readouterr().err
    assert {job.kind for job in queued(shared)} == {"build-index", "capture-prompt"}


def test_whatever_waits_is_ended_when_the_time_is_up() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(hook.TookTooLong), hook._within(0.01):
        threading.Event().wait()
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_bug_is_named_and_its_words_are_not(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("private words")

    monkeypatch.setattr("memfs.app.memory.Memory.recall", broken)
    assert called("prompt", prompt(shared)) == b""
    told = capsys.readouterr().err
    assert told == "memfs hook: memfs.bug: ZeroDivisionError\n"


# Where the store is looked for ------------------------------------------------------------


def test_the_project_of_the_host_wins_over_the_folder_of_the_agent(
    shared: Path, tmp_path: Path
) -> None:
    other = new_project(tmp_path, "other")
    named = {"CLAUDE_PROJECT_DIR": str(shared)}

    assert called("prompt", prompt(other)) == b""
    elsewhere = prompt(other, session_id="chat-elsewhere")
    assert CLAIM in context_of(called("prompt", elsewhere, env=named))
    gone = prompt(tmp_path / "gone", session_id="chat-gone")
    assert CLAIM in context_of(called("prompt", gone, env=named))


def test_a_store_that_the_command_names_is_the_one(shared: Path, tmp_path: Path) -> None:
    asked = asked_from(["--store", str(shared), "prompt", "--client=claude"])
    assert asked is not None
    assert (asked.event, asked.client, asked.store) == ("prompt", "claude", str(shared))
    answers = []
    for named in (str(shared), str(tmp_path)):
        reading, writing = os.pipe()
        answer, told = os.pipe()
        os.write(writing, json.dumps(prompt(tmp_path)).encode())
        os.close(writing)
        words = ["prompt", "--client", "claude", "--store", named]
        assert main(words, env=os.environ, stdin=reading, stdout=told) == 0
        os.close(told)
        os.close(reading)
        with os.fdopen(answer, "rb") as stream:
            answers.append(CLAIM in stream.read().decode())
    assert answers == [True, False]


def test_a_folder_below_the_project_finds_its_store(shared: Path) -> None:
    deep = shared / "src" / "deep"
    deep.mkdir(parents=True, exist_ok=True)

    assert CLAIM in context_of(called("prompt", prompt(deep)))


def test_the_commands_of_a_session_learn_which_one_it_is(shared: Path, tmp_path: Path) -> None:
    place = tmp_path / "session.env"
    place.write_text("export OTHER=1\n")
    for _ in range(2):
        called("session-start", payload(shared), env={"CLAUDE_ENV_FILE": str(place)})
    assert place.read_text().splitlines() == [
        "export OTHER=1",
        "export MEMFS_SESSION_ID='chat-1'",
        "export MEMFS_AGENT='claude'",
    ]
    hostile = payload(shared, session_id="x'; rm -rf /; '")
    called("session-start", hostile, env={"CLAUDE_ENV_FILE": str(tmp_path / "other.env")})
    assert not (tmp_path / "other.env").exists()


# What is put off ----------------------------------------------------------------------------


def test_a_trial_is_answered_and_puts_nothing_off(shared: Path) -> None:
    trial = {"MEMFS_HOOK_TRIAL": "1"}

    assert called("prompt", prompt(shared), env=trial)
    assert queued(shared) == ()


def test_reading_changes_no_record_and_no_file_of_the_store(project: Path) -> None:
    head = git(store_root(project), "rev-parse", "HEAD")
    before = record_files(project)
    for event in ("session-start", "prompt", "stop", "pre-compact", "session-end"):
        called(event, prompt(project, transcript_path=str(project / "t.jsonl")))

    assert git(store_root(project), "rev-parse", "HEAD") == head
    assert record_files(project) == before


def test_each_event_puts_off_what_it_should_and_once(shared: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("{}\n")
    place = {"transcript_path": str(transcript)}
    for _ in range(2):
        called("prompt", prompt(shared, prompt_id="p1", **place))
        called("stop", payload(shared, **place))
        called("pre-compact", payload(shared, **place))
        called("post-compact", payload(shared, compact_summary="Exports were moved.", **place))
        called("session-end", payload(shared, reason="clear", **place))
    found = {job.kind: dict(job.arguments) for job in queued(shared)}
    assert len(queued(shared)) == 5
    said = {"client": "claude", "session": "chat-1"}
    assert found == {
        "capture-prompt": {**said, "turn": "p1", "words": QUESTION},
        "import-transcript": {**said, "transcript": str(transcript)},
        "flush-before-compaction": {**said, "transcript": str(transcript), "until": 3},
        "propose-summary": {**said, "words": "Exports were moved."},
        "end-session": {**said, "reason": "clear", "transcript": str(transcript)},
    }


def test_a_second_prompt_of_a_turn_is_kept_as_well(shared: Path) -> None:
    for words in ("Please move the export to three", "No, rather move it to four"):
        called("prompt", prompt(shared, words, turn_id="t1"), client="codex")
    assert len(queued(shared)) == 2


def secret() -> str:
    """Returns a token that no issuer gave out, made here so that no scanner finds it."""
    return "ghp" + "_" + "".join(f"{number:x}" for number in range(1, 31))[:36]


def test_a_secret_in_a_prompt_reaches_no_file(shared: Path, home: Path) -> None:
    token = secret()
    called("prompt", prompt(shared, f"use the token {token} to push the branch"))
    called("prompt", prompt(shared, f"the database password is hunter2-{token[4:12]}!"))
    called("post-compact", payload(shared, compact_summary=f"Pushed.\nToken: {token}\nDone."))
    called(
        "tool",
        payload(
            shared,
            tool_name="Bash",
            tool_input={"command": f"curl -H 'Authorization: Bearer {token}' https://x.example"},
            tool_response={"exit_code": 0, "stdout": token},
        ),
    )
    words = [job.arguments.get("words") for job in queued(shared)]
    assert words == ["Pushed.\nDone."]
    for folder in (home, store_root(shared)):
        for path in filter(Path.is_file, folder.rglob("*")):
            assert token.encode() not in path.read_bytes(), path
            assert b"hunter2" not in path.read_bytes(), path


def test_words_that_might_hold_a_token_stay_in_the_hosts_transcript(
    shared: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("")
    words = "The job src/exports/nightly_2_window.py fails with KeyError"
    called("prompt", prompt(shared, words, transcript_path=str(transcript), prompt_id="p7"))
    (job,) = queued(shared)
    assert job.arguments["transcript"] == str(transcript)
    assert "words" not in job.arguments
    with workspace_of(shared) as workspace:
        files = job_files(workspace)
        (name,) = files.names("waiting")
        assert b"nightly" not in (files.read("waiting", name) or b"")


@pytest.mark.parametrize(
    ("words", "fields", "env"),
    [
        ("ok", {}, {}),
        ("continue", {}, {}),
        ("/review the whole thing", {}, {}),
        ("<command-name>/clear</command-name>", {}, {}),
        ("<task-notification>worker one ended</task-notification>", {}, {}),
        ("x " * 10_000, {}, {}),
        ("Do the thing in the file", {"agent_id": "sub-1"}, {}),
        ("Do the thing in the file", {}, {"MEMFS_RUN_ID": "run_01kb8x3v6yq4m9t2r7w5z1c0de"}),
    ],
)
def test_what_nobody_typed_or_means_nothing_is_no_evidence(
    words: str, fields: dict[str, str], env: dict[str, str], shared: Path
) -> None:
    called("prompt", prompt(shared, words, **fields), env=env)

    assert queued(shared) == ()


def test_a_packet_in_a_prompt_is_no_evidence(shared: Path) -> None:
    packet = context_of(called("prompt", prompt(shared, QUESTION, prompt_id="first")))
    called("prompt", prompt(shared, f"{packet}\nWe deploy on Tuesdays only", prompt_id="second"))

    words = sorted(str(job.arguments["words"]) for job in queued(shared))
    assert words == ["We deploy on Tuesdays only", QUESTION]


# The process --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        (["hook", "prompt", "--client", "claude"], ["prompt", "--client", "claude"]),
        (["hook", "--client=codex", "stop"], ["--client=codex", "stop"]),
        (["hook", "git", "post-commit"], None),
        (["hook", "post-commit", "--client", "git"], None),
        (["hook", "post-commit", "--client=git"], None),
        (["hook", "prompt"], None),
        (["hook", "--help"], None),
        (["hook", "prompt", "--client", "claude", "--help"], None),
        (["recall", "hook", "--client", "claude"], None),
        ([], None),
    ],
)
def test_only_a_coding_agents_hook_goes_the_short_way(
    words: list[str], rest: list[str] | None
) -> None:
    assert agent_hook(words) == rest


def test_a_hook_of_git_is_named_both_ways(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(store_root(shared))
    for words in (
        ["git", "post-commit"],
        ["post-commit", "--client", "git"],
        ["git", "pre-commit"],
    ):
        assert entry.main(["hook", *words]) == 0
    for words in (["git", "weather"], ["weather", "--client", "git"], ["prompt"]):
        assert entry.main(["hook", *words]) == 2
    capsys.readouterr()


def test_the_command_line_is_read_in_any_order() -> None:
    assert asked_from(["--client", "codex", "stop"]) == asked_from(["stop", "--client=codex"])
    assert asked_from(["stop", "--client"]) is None


_PROGRAM = """
import os, sys
from memfs.cli import hook
status = hook.main(sys.argv[2:], env=os.environ)
with open(sys.argv[1], "w") as out:
    out.write("\\n".join(sys.modules))
"""


def test_a_hook_imports_nothing_that_it_does_not_need(shared: Path, tmp_path: Path) -> None:
    with memory_of(shared) as memory:
        memory.recall(QUESTION)
    report = tmp_path / "modules"
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(report), "prompt", "--client", "claude"],
        input=json.dumps(prompt(shared)).encode(),
        capture_output=True,
        timeout=60,
    )
    modules = set(report.read_text().splitlines())
    assert CLAIM in context_of(ended.stdout)
    slow = {
        "click", "git", "watchdog", "mcp", "ruamel", "frontmatter", "pydantic", "rich",
        "detect_secrets", "pyrage", "sqlite3", "httpx2",
    }  # fmt: skip
    assert sorted({name.partition(".")[0] for name in modules} & slow) == []
    assert not any(name.startswith("memfs.agents.") and name.rpartition(".")[2] in NAMES
                   and not name.endswith("claude") for name in modules)  # fmt: skip


def test_the_process_answers_and_ends_with_0(shared: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "memfs", "hook", "prompt", "--client", "claude"],
        input=json.dumps(prompt(shared)).encode(),
        capture_output=True,
        timeout=60,
    )
    assert ended.returncode == 0
    assert CLAIM in context_of(ended.stdout)
    assert ended.stderr == b""


def test_streams_that_are_closed_are_no_trouble(shared: Path) -> None:
    before = {path: path.read_bytes() for path in files_of(shared)}
    for closed in ("2>&-", "<&- >&- 2>&-"):
        command = f'exec "$0" -m memfs hook prompt --client claude {closed}'
        ended = subprocess.run(
            ["/bin/sh", "-c", command, sys.executable],
            input=json.dumps(prompt(shared)).encode(),
            capture_output=True,
            timeout=60,
        )
        assert ended.returncode == 0, closed
        assert bool(ended.stdout) is (closed == "2>&-")
    assert {path: path.read_bytes() for path in files_of(shared)} == before


def files_of(project: Path) -> list[Path]:
    return sorted(path for path in store_root(project).rglob("*") if path.is_file())
