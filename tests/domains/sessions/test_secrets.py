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


def _said(text: str, answer: str = "I see.") -> Way:
    def talk_of(talk: ClaudeTalk) -> None:
        talk.user(text)
        talk.answer(answer)

    return talk_of


def _tool(name: str, value: object, result: str = "ok") -> Way:
    def talk_of(talk: ClaudeTalk) -> None:
        talk.user("Try it")
        talk.tool(name, value, result)
        talk.answer("Done.")

    return talk_of


def _line(**value: object) -> Way:
    def talk_of(talk: ClaudeTalk) -> None:
        talk.user("Hello there")
        talk.answer("Hello.")
        talk.line(value)

    return talk_of


def _id(talk: ClaudeTalk) -> None:
    talk.entry("user", message={"role": "user", "content": "Hi you"}, promptId=TOKEN)
    said = {
        "id": TOKEN,
        "role": "assistant",
        "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Hello."}],
    }
    ids = {"uuid": TOKEN, "parentUuid": talk.last, "sessionId": HOST_ID}
    talk.line({"type": "assistant", "message": said, **ids})


WAYS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "a message": _said(f"Log in with {TOKEN} please"),
        "a password in a message": _said(f"password: {PASSWORD}"),
        "a password on the next line": _said(f"The password is:\n{PASSWORD}"),
        "a key in a message": _said(f"Here it is:\n{KEY}\nUse it."),
        "a key that is torn": _said(KEY[40:-60]),
        "a card": _said(f"Pay with {CARD} now"),
        "behind hidden characters": _said(f"Log in with {TOKEN[:8]}\u200b{TOKEN[8:]}"),
        "between colours": _said(f"Log in with {TOKEN[:6]}\x1b[31m{TOKEN[6:]}\x1b[0m"),
        "an answer": _said("What is it?", f"It is {TOKEN}."),
        "the input of a tool": _tool(
            "Bash", {"command": f"curl -H 'Authorization: Bearer {TOKEN}' x"}
        ),
        "a field of the input": _tool(
            "Login", {"user": "ana", "password": PASSWORD, "n": {"token": TOKEN}}
        ),
        "a name and a value": _tool("Env", {"env": [{"name": "DB_PASSWORD", "value": PASSWORD}]}),
        "the words of a command": _tool(
            "Run", {"argv": ["mysql", "--password", PASSWORD, "-h", "db"]}
        ),
        "a file that is written": _tool("Write", {"path": "/k.pem", "content": f"a\n{KEY}\nb"}),
        "the name of a file": _tool("Read", {"file_path": f"/home/ana/{TOKEN}/notes.txt"}),
        "the name of a tool": _tool(TOKEN, {"a": "b"}),
        "what a tool printed": _tool("Bash", {}, f"HOME=/root\nAPI_TOKEN={TOKEN}\nPATH=/bin"),
        "deep in what a tool printed": _tool("Bash", {}, "x y\n" * 9_000 + TOKEN + "\nz" * 9_000),
        "at the cut of what a tool printed": _tool(
            "Bash", {}, "w " * (RESULT_CHARS * 3 // 8 - 8) + TOKEN + " w" * 40_000
        ),
        "the title": _line(type="custom-title", customTitle=f"Deploy {TOKEN}"),
        "a summary": _line(type="summary", summary=f"password: {PASSWORD}"),
        "an id": _id,
        "a key fact": _said(f"We use {TOKEN} for every deployment of the site."),
    }
)


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
