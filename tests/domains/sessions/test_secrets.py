"""A secret in a transcript, wherever it stands, reaches no file, index, log or Git object.

Every token is made at run time.
"""

from __future__ import annotations

import base64
import os
import random
import string
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from memfs.domains.sessions.metadata import session_id
from memfs.domains.sessions.raw_words import RESULT_CHARS, raw_words
from tests.support.conversations import HOST_ID, ClaudeTalk, CodexTalk
from tests.support.memory import AGENT, ANA, memory_of, new_project

ALNUM: Final = string.ascii_letters + string.digits


def _random(name: str, length: int) -> str:
    source = random.Random(name)
    return "Q7" + "".join(source.choice(ALNUM) for _ in range(length - 2))


TOKEN: Final = "gh" + "p_" + _random("token", 36)
PASSWORD: Final = "Zq7#" + _random("password", 10)
KEY_LINES: Final = [
    base64.b64encode(random.Random(line).randbytes(48)).decode() for line in range(6)
]
KEY: Final = "\n".join(
    ["-----BEGIN RSA PRIVATE" + " KEY-----", *KEY_LINES, "-----END RSA PRIVATE" + " KEY-----"]
)
CARD: Final = "4111 1111" + " 1111 1111"
SECRETS: Final = (TOKEN, PASSWORD, *KEY_LINES, CARD)

Way = Callable[[ClaudeTalk], None]


def _said(talk: ClaudeTalk, text: str) -> None:
    talk.user(text)
    talk.answer("I see.")


def _hidden(token: str) -> str:
    return token[:8] + "\u200b" + token[8:]


WAYS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "a message": lambda talk: _said(talk, f"Log in with {TOKEN} please"),
        "a password in a message": lambda talk: _said(talk, f"password: {PASSWORD}"),
        "a password on the next line": lambda talk: _said(talk, f"The password is:\n{PASSWORD}"),
        "a key in a message": lambda talk: _said(talk, f"Here it is:\n{KEY}\nUse it."),
        "a key that is torn": lambda talk: _said(talk, KEY[40:-60]),
        "a card": lambda talk: _said(talk, f"Pay with {CARD} now"),
        "behind hidden characters": lambda talk: _said(talk, f"Log in with {_hidden(TOKEN)}"),
        "between colours": lambda talk: _said(
            talk, f"Log in with {TOKEN[:6]}\x1b[31m{TOKEN[6:]}\x1b[0m"
        ),
        "an answer": lambda talk: (talk.user("What is it?"), talk.answer(f"It is {TOKEN}."))[0],
        "the input of a tool": lambda talk: (
            talk.user("Try"),
            talk.tool("Bash", {"command": f"curl -H 'Authorization: Bearer {TOKEN}' x"}, "ok"),
            talk.answer("Done."),
        )[0],
        "a field of the input": lambda talk: (
            talk.user("Try"),
            talk.tool("Login", {"user": "ana", "password": PASSWORD, "n": {"token": TOKEN}}, "ok"),
            talk.answer("Done."),
        )[0],
        "a file that is written": lambda talk: (
            talk.user("Write it"),
            talk.tool("Write", {"file_path": "/k.pem", "content": f"a\n{KEY}\nb"}, "ok"),
            talk.answer("Done."),
        )[0],
        "a name and a value": lambda talk: (
            talk.user("Set it"),
            talk.tool("Env", {"env": [{"name": "DB_PASSWORD", "value": PASSWORD}]}, "ok"),
            talk.answer("Done."),
        )[0],
        "the words of a command": lambda talk: (
            talk.user("Run it"),
            talk.tool("Run", {"argv": ["mysql", "--password", PASSWORD, "-h", "db"]}, "ok"),
            talk.answer("Done."),
        )[0],
        "the name of a file": lambda talk: (
            talk.user("Read it"),
            talk.tool("Read", {"file_path": f"/home/ana/{TOKEN}/notes.txt"}, "text"),
            talk.answer("Done."),
        )[0],
        "the name of a tool": lambda talk: (
            talk.user("Try"),
            talk.tool(TOKEN, {"a": "b"}, "ok"),
            talk.answer("Done."),
        )[0],
        "what a tool printed": lambda talk: (
            talk.user("Print it"),
            talk.tool("Bash", {"command": "env"}, f"HOME=/root\nAPI_TOKEN={TOKEN}\nPATH=/bin"),
            talk.answer("Done."),
        )[0],
        "deep in what a tool printed": lambda talk: (
            talk.user("Print it"),
            talk.tool("Bash", {"command": "log"}, "x y\n" * 9_000 + TOKEN + "\nz" * 9_000),
            talk.answer("Done."),
        )[0],
        "at the cut of what a tool printed": lambda talk: (
            talk.user("Print it"),
            talk.tool("Bash", {}, "w " * (RESULT_CHARS * 3 // 8 - 8) + TOKEN + " w" * 40_000),
            talk.answer("Done."),
        )[0],
        "the title": lambda talk: (
            _said(talk, "Hello there"),
            talk.line({"type": "custom-title", "customTitle": f"Deploy {TOKEN}"}),
        )[0],
        "a summary": lambda talk: (
            _said(talk, "Hello there"),
            talk.line({"type": "summary", "summary": f"password: {PASSWORD}"}),
        )[0],
        "an id": lambda talk: (
            talk.entry("user", message={"role": "user", "content": "Hi you"}, promptId=TOKEN),
            talk.line(
                {
                    "type": "assistant", "uuid": TOKEN, "parentUuid": talk.last,
                    "sessionId": HOST_ID, "message": {
                        "id": TOKEN, "role": "assistant", "stop_reason": "end_turn",
                        "content": [{"type": "text", "text": "Hello."}],
                    },
                }
            ),
        )[0],
        "a key fact": lambda talk: _said(talk, f"We use {TOKEN} for every deployment of the site."),
    }
)  # fmt: skip


def every_byte(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the names and contents of all files, and every Git object unpacked."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place) / name
            yield str(path), os.fsencode(name)
            if path.is_file():
                yield str(path), path.read_bytes()
        if ".git" in folders:
            done = subprocess.run(
                ["git", "cat-file", "--batch-all-objects", "--batch"],
                cwd=place,
                capture_output=True,
                check=True,
            )
            yield f"{place} objects", done.stdout


def places_with(folders: tuple[Path, ...], needles: tuple[str, ...]) -> list[str]:
    marks = [needle.encode() for needle in needles]
    return [
        place
        for folder in folders
        for place, content in every_byte(folder)
        if any(mark in content for mark in marks)
    ]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("secrets"))


def _folders(project: Path) -> tuple[Path, ...]:
    return (
        project,
        Path(os.environ["MEMFS_HOME"]),
        Path(os.environ["MEMFS_CACHE"]) if "MEMFS_CACHE" in os.environ else project,
        Path(os.environ["HOME"]),
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_reaches_no_file_no_log_and_no_object(
    way: str, tmp_path: Path, project: Path
) -> None:
    host_id = f"5e55a000-0000-4000-8000-{list(WAYS).index(way):012d}"
    with (tmp_path / f"{host_id}.jsonl").open("w"):
        talk = ClaudeTalk(tmp_path / f"{host_id}.jsonl", host_id=host_id)
    WAYS[way](talk)
    with memory_of(project, AGENT) as memory:
        assert memory.import_session(talk.path, is_ended=True).data["turns"] == 1
        memory.flush_session(talk.path)
        shown = memory.open_session(host_id)
        memory.search("deployment of the site")
    assert shown.nodes
    assert places_with(_folders(project), SECRETS) == []
    assert not any(secret in shown.text for secret in SECRETS)


def test_the_words_around_a_secret_are_kept(tmp_path: Path, project: Path) -> None:
    talk = ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl")
    talk.user(f"First line\nthe token is {TOKEN}\nLast line")
    talk.answer("I see.")
    with memory_of(project, AGENT) as memory:
        memory.import_session(talk.path)
        node = memory.open_session(HOST_ID).nodes[0]
    assert node.words.startswith("First line")
    assert node.words.endswith("Last line")
    assert node.left_out["screening.secret"] >= 1


def test_a_session_whose_id_is_a_secret_is_no_session(tmp_path: Path, project: Path) -> None:
    talk = ClaudeTalk(tmp_path / "talk.jsonl", host_id=TOKEN)
    talk.user("Hello there")
    talk.answer("Hello.")
    with memory_of(project, ANA) as memory:
        result = memory.import_session(talk.path)
    assert [item.code for item in result.reasons] == ["session.nameless"]
    assert places_with(_folders(project), (TOKEN,)) == []


def test_a_secret_in_a_rollout_reaches_nothing(tmp_path: Path, project: Path) -> None:
    host_id = "5e55a000-0000-4000-8000-00000000c0de"
    talk = CodexTalk(tmp_path / "rollout.jsonl", host_id=host_id)
    talk.user(f"Log in with {TOKEN}")
    talk.tool("shell", {"command": ["deploy", "--password", PASSWORD], "env": KEY}, f"ok\n{KEY}")
    talk.item("custom_tool_call", name="apply_patch", input=f"+{TOKEN}\n+ok", call_id="c")
    talk.item("local_shell_call", action={"command": ["echo", TOKEN]}, call_id="d")
    talk.line("event_msg", {"type": "thread_name_updated", "thread_name": f"With {TOKEN}"})
    talk.answer(f"Done with {PASSWORD} as password: {PASSWORD}")
    with memory_of(project, AGENT) as memory:
        assert memory.import_session(talk.path).data["turns"] == 1
        memory.flush_session(talk.path)
    assert places_with(_folders(project), SECRETS) == []
    assert (Path(os.environ["MEMFS_HOME"]) / "sessions" / session_id("codex", host_id)).is_dir()


@pytest.mark.parametrize("at", range(-60, 20, 7))
def test_no_cut_leaves_a_piece_of_a_secret(at: int) -> None:
    limit = 2_000
    head = limit - limit // 4
    text = "w " * ((head + at) // 2) + TOKEN + " w" * 9_000
    kept = raw_words(text, limit=limit).text
    assert not any(TOKEN[:size] in kept for size in range(12, len(TOKEN)))


def test_what_was_kept_is_kept_again_unchanged() -> None:
    text = f'a\n{KEY}\nb\x1b[1m c\u200b d\n<memfs-packet version="1">x</memfs-packet>\n{TOKEN}\n'
    once = raw_words(text)
    again = raw_words(once.text)
    assert again.text == once.text
    assert dict(again.left_out) == {}
