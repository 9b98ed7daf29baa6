"""Hooks, servers, blocks and files: put in once, found again, taken out, others left alone."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from types import MappingProxyType

import pytest

from memfs.agents.install.calls import Kinship, call_from, call_in_line
from memfs.agents.install.json_hooks import Hook, JsonHooks
from memfs.agents.install.json_servers import JsonServer
from memfs.agents.install.marked_text import MarkdownBlock, OwnFile
from memfs.agents.install.refusals import (
    BlockDamagedError,
    InstallRefusedError,
    NameTakenError,
    NotReadableAsError,
)
from memfs.agents.install.texts import Edited, Editor, Part
from memfs.agents.install.toml_server import MARK, TomlServer

START = Hook(event="SessionStart", arguments=("hook", "session-start", "--client", "codex"))
STOP = Hook(event="Stop", arguments=("hook", "stop", "--client", "codex"), timeout=10)
LINE = "memfs hook session-start --client codex"
GROUPED = JsonHooks(hooks=(START, STOP), program="memfs")
SPLIT = JsonHooks(hooks=(START,), program="memfs", is_split=True)
FLAT = JsonHooks(
    hooks=(START,), program="memfs", is_grouped=False, head=MappingProxyType({"version": 1})
)
NAMED = JsonHooks(
    hooks=(START,), program="memfs", base=("memfs",), is_grouped=False, is_strict=True
)
SERVER = JsonServer(program="memfs", base="mcpServers", more=MappingProxyType({}))
LISTED = JsonServer(
    program="memfs", base="mcp", more=MappingProxyType({"type": "local"}), is_list=True
)
TOML = TomlServer(program="memfs")
BLOCK = MarkdownBlock(body="\nUse memfs.\n\n")
FILE = OwnFile(body="# Skill\n", comment=lambda text: f"<!-- {text} -->", what=Part.SKILL)
EVERY: tuple[Editor, ...] = (GROUPED, SPLIT, FLAT, NAMED, SERVER, LISTED, TOML, BLOCK, FILE)


def installed(editor: Editor, text: str | None, *, force: bool = False) -> str:
    result = editor.install(text, force=force).text
    assert result is not None
    return result


@pytest.mark.parametrize("editor", EVERY)
def test_what_is_installed_is_found_once_and_installing_again_changes_nothing(
    editor: Editor,
) -> None:
    text = installed(editor, None)

    assert installed(editor, text) == text
    assert {found.kinship for found in editor.find(text)} == {Kinship.CURRENT}
    assert not any(found.is_edited for found in editor.find(text))
    left = editor.uninstall(text).text
    assert left is None or (editor.is_blank(left) and not editor.find(left))


THEIRS = """{
  // what I like
  "theme": "dark",
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "date"}]}
    ],
    "PreToolUse": [ { "hooks": [] } ],
  },
}
"""


@pytest.mark.parametrize("editor", [GROUPED, SPLIT, SERVER])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_everything_of_a_persons_stays_byte_for_byte(editor: Editor, newline: str) -> None:
    before = THEIRS.replace("\n", newline)

    after = installed(editor, before)

    assert editor.uninstall(after).text == before
    assert after.count("\n") == after.count(newline)
    for line in before.splitlines():
        assert line.rstrip(" ,") in after


def test_a_hook_stands_beside_those_of_a_person() -> None:
    groups = json.loads(installed(GROUPED, '{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}'))

    assert groups["hooks"]["Stop"] == [
        {"hooks": [{"command": "x"}]},
        {"hooks": [{"command": "memfs hook stop --client codex", "timeout": 10}]},
    ]


@pytest.mark.parametrize(
    "older",
    [
        "/opt/old/bin/memfs hook session-start --client codex",
        "memfs hook SessionStart --client codex",
        "memfs hook session-start",
        "/usr/bin/python3 -m memfs hook session-start --client codex",
        "'/home/a b/memfs' hook session-start --client codex --quiet",
    ],
)
def test_what_an_older_version_wrote_is_renewed_in_its_place(older: str) -> None:
    handler = {"type": "command", "timeout": 77, "command": older}
    before = json.dumps({"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [handler]}]}})

    after = json.loads(installed(GROUPED, before))

    handler["command"] = LINE
    assert after["hooks"]["SessionStart"] == [{"matcher": "startup", "hooks": [handler]}]


def test_arguments_move_between_one_line_and_a_list_of_their_own() -> None:
    in_list = json.dumps({"hooks": {"SessionStart": [{"hooks": [{"command": LINE}]}]}})

    split = json.loads(installed(SPLIT, in_list))["hooks"]["SessionStart"][0]["hooks"]
    joined = json.loads(installed(GROUPED, installed(SPLIT, None)))["hooks"]["SessionStart"]

    assert split == [{"command": "memfs", "args": list(START.arguments)}]
    assert joined == [{"hooks": [{"command": LINE}]}]


def test_a_hook_that_stands_there_twice_stands_there_once_then() -> None:
    group = {"hooks": [{"command": LINE}]}
    other = {"hooks": [{"command": "date"}, {"command": "/old/memfs hook session-start"}]}
    before = json.dumps({"hooks": {"SessionStart": [group, other, group]}})

    edited = GROUPED.install(before, force=False)

    assert json.loads(edited.text or "")["hooks"]["SessionStart"] == [
        group,
        {"hooks": [{"command": "date"}]},
    ]
    assert "more than once" in edited.notes[0]


@pytest.mark.parametrize(
    ("theirs", "kinship"),
    [
        ("uvx --from memfs-ledger memfs hook session-start --client codex", Kinship.WRAPPED),
        ("env MEMFS_PURPOSE=x memfs hook session-start --client codex", Kinship.WRAPPED),
        ("memfs hook session-start --client codex | tee log", Kinship.MENTION),
        ("test -d .memfs && memfs hook session-start --client codex", Kinship.MENTION),
    ],
)
def test_memfs_is_not_called_beside_a_persons_own_call(theirs: str, kinship: Kinship) -> None:
    before = json.dumps({"hooks": {"SessionStart": [{"hooks": [{"command": theirs}]}]}})

    edited = GROUPED.install(before, force=False)

    assert json.loads(edited.text or "")["hooks"]["SessionStart"] == [
        {"hooks": [{"command": theirs}]}
    ]
    assert "a command of your own" in edited.notes[0]
    assert [f.kinship for f in GROUPED.find(before)] == [kinship]
    left = GROUPED.uninstall(before)
    assert (theirs in (left.text or "")) is (kinship is Kinship.MENTION)


def test_what_only_sounds_like_memfs_is_foreign() -> None:
    for line in ("memfs recall x", "notmemfs hook stop", "echo memfs", "memfs-hook stop", "hook"):
        assert call_in_line(line) is None
    assert call_from(("memfs", "hook", "stop")) is not None
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "memfs recall x"}]}]}})
    assert GROUPED.find(text) == ()


def test_an_event_that_memfs_gave_up_is_cleared_and_a_persons_group_stays() -> None:
    stale = {"command": "memfs hook tool --client codex"}
    before = json.dumps(
        {"hooks": {"PostToolUse": [{"hooks": [stale]}], "Edit": [{"name": "n", "hooks": [stale]}]}}
    )

    after = json.loads(installed(GROUPED, before))["hooks"]

    assert "PostToolUse" not in after
    assert after["Edit"] == [{"name": "n", "hooks": []}]


def test_a_flat_list_and_a_list_by_name_have_their_own_shape() -> None:
    assert json.loads(installed(FLAT, None)) == {
        "version": 1,
        "hooks": {"SessionStart": [{"command": LINE}]},
    }
    assert json.loads(installed(NAMED, '{"lint": {"Stop": []}}')) == {
        "lint": {"Stop": []},
        "memfs": {"SessionStart": [{"command": LINE}]},
    }


@pytest.mark.parametrize(
    ("editor", "text", "said"),
    [
        (GROUPED, "[]", "an object"),
        (GROUPED, '{"hooks": []}', "object at hooks"),
        (GROUPED, '{"hooks": {"Stop": {}}}', "a list at hooks/Stop"),
        (GROUPED, '{"hooks": {', "double quotes"),
        (FLAT, '{"version": 2}', "version 1, got 2"),
        (NAMED, '{"a": {},}', "without comments"),
        (NAMED, "{ // note\n}", "without comments"),
        (SERVER, '{"mcpServers": 1}', "object at mcpServers"),
        (SERVER, '{"mcpServers": {"memfs": {"command": "npx"}}}', "runs something else"),
        (LISTED, '{"mcp": {"memfs": {"type": "remote", "url": "x"}}}', "runs something else"),
        (TOML, "a = \n", "TOML"),
        (TOML, '[mcp_servers.memfs]\nurl = "http://x"\n', "runs something else"),
        (TOML, 'mcp_servers = { a = { command = "x" } }\n', "in one line"),
        (FILE, "# My own\n", "got another"),
    ],
)
def test_a_file_that_is_not_as_expected_is_refused(editor: Editor, text: str, said: str) -> None:
    with pytest.raises(InstallRefusedError, match=said):
        editor.install(text, force=True)


def test_hooks_that_are_switched_off_are_told() -> None:
    editor = JsonHooks(
        hooks=(START,), program="memfs", switches=MappingProxyType({("disableAllHooks",): True})
    )

    assert editor.install('{"disableAllHooks": true}', force=False).notes == (
        "hooks are switched off here: disableAllHooks is true",
    )
    assert editor.install('{"disableAllHooks": false}', force=False).notes == ()


def test_what_a_person_added_to_the_server_stays_and_only_the_program_is_renewed() -> None:
    entry = {"command": "/old/memfs", "args": ["mcp", "--root", "/p"], "env": {"A": "1"}}

    after = json.loads(installed(SERVER, json.dumps({"mcpServers": {"memfs": entry}})))

    assert after["mcpServers"]["memfs"] == {**entry, "command": "memfs"}
    listed = json.dumps({"mcp": {"memfs": {"command": ["/old/memfs", "mcp"], "enabled": False}}})
    assert json.loads(installed(LISTED, listed))["mcp"]["memfs"] == {
        "command": ["memfs", "mcp"],
        "enabled": False,
    }


def test_a_second_server_is_not_put_beside_one_that_runs_memfs() -> None:
    mine = {"command": "memfs", "args": ["mcp"]}
    before = json.dumps({"mcpServers": {"memory": mine}})
    compat = json.dumps({"mcpServers": {"memory": {"command": "memfs", "args": [
        "mcp", "--compat", "server-memory"]}}})  # fmt: skip

    edited = SERVER.install(before, force=False)

    assert edited.text == before
    assert "runs memfs already" in edited.notes[0]
    assert set(json.loads(installed(SERVER, compat))["mcpServers"]) == {"memory", "memfs"}


CONFIG = (
    '# mine\nmodel = "o"  # why\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "[x]",\n]\n'
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_table_goes_into_toml_and_out_again(newline: str) -> None:
    before = CONFIG.replace("\n", newline)

    after = installed(TOML, before)

    assert after.startswith(before)
    assert tomllib.loads(after)["mcp_servers"]["memfs"] == {"command": "memfs", "args": ["mcp"]}
    assert TOML.uninstall(after).text == before


def test_tables_that_codex_puts_behind_ours_stay() -> None:
    after = (
        installed(TOML, CONFIG) + '\n# next\n[mcp_servers.new]\ncommand = "[mcp_servers.memfs]"\n'
    )
    inner = '[mcp_servers.memfs.env]\nA = "1"\n\n'
    with_inner = after.replace("\n# next", "\n" + inner + "# next")

    assert TOML.uninstall(after).text == (
        CONFIG + '\n# next\n[mcp_servers.new]\ncommand = "[mcp_servers.memfs]"\n'
    )
    left = tomllib.loads(TOML.uninstall(with_inner).text or "")
    assert set(left["mcp_servers"]) == {"docs", "new"}


def test_what_looks_like_our_table_in_a_text_of_a_person_is_no_table() -> None:
    before = f'text = """\n{MARK}\n[mcp_servers.memfs]\ncommand = "memfs"\n"""\n'

    after = installed(TOML, before)

    assert TOML.uninstall(after).text == before
    assert TOML.uninstall(before).text == before


def test_a_table_of_another_program_is_renewed_and_one_written_inline_is_told() -> None:
    old = CONFIG + '\n[mcp_servers.memfs]\n# slow disk\ncommand = "/old/memfs"\nargs = ["mcp"]\n'
    inline = 'mcp_servers.memfs = { command = "memfs", args = ["mcp"] }\n'

    assert installed(TOML, old) == old.replace("/old/memfs", "memfs")
    assert installed(TOML, inline) == inline
    with pytest.raises(NotReadableAsError, match="another way"):
        TOML.uninstall(inline)


def test_switched_off_hooks_and_hooks_in_toml_are_told() -> None:
    text = (
        "[features]\nhooks = false\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\n"
        'type = "command"\ncommand = "memfs hook stop --client codex"\n'
    )

    notes = TOML.install(text, force=False).notes

    assert "switched off" in notes[0]
    assert "this file too" in notes[1]
    assert [(found.part, found.name) for found in TOML.find(text)] == [(Part.HOOKS, "Stop")]


@pytest.mark.parametrize("before", ["# Mine\n", "# Mine\n\n", "# Mine\r\n\r\nText.\r\n"])
def test_a_block_goes_into_markdown_and_out_again(before: str) -> None:
    after = installed(BLOCK, before)

    assert after.startswith(before)
    assert BLOCK.uninstall(after).text == before
    assert BLOCK.uninstall(after + "More.\n").text == before + "More.\n"


def test_a_block_of_an_older_version_is_replaced_where_it_stands() -> None:
    older = installed(MarkdownBlock(body="Old.\n"), "# A\n") + "\n# B\n"

    assert installed(BLOCK, older) == installed(BLOCK, "# A\n") + "\n# B\n"


def test_a_block_that_was_edited_by_hand_stays_until_it_is_forced() -> None:
    edited = installed(BLOCK, "# A\n").replace("Use memfs.", "Use memfs well.")

    kept = BLOCK.install(edited, force=False)

    assert kept.text == edited
    assert "edited by hand" in kept.notes[0]
    assert [found.is_edited for found in BLOCK.find(edited)] == [True]
    assert installed(BLOCK, edited, force=True) == installed(BLOCK, "# A\n")
    assert BLOCK.uninstall(edited).text == "# A\n"


def test_a_block_that_stands_there_twice_stands_there_once_then() -> None:
    once = installed(BLOCK, "# A\n")
    twice = BLOCK.install(once + "\n" + installed(BLOCK, None), force=False)

    assert twice.text == once
    assert "more than once" in twice.notes[0]
    assert BLOCK.uninstall(once + "\n" + installed(BLOCK, None)).text == "# A\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n<!-- memfs:begin 01234567 -->\nb\n", 2),
        ("a\n<!-- memfs:end -->\n", 2),
        ("<!-- memfs:begin -->\n<!-- memfs:begin -->\n<!-- memfs:end -->\n", 2),
    ],
)
def test_marks_that_do_not_pair_up_are_refused_with_their_line(text: str, line: int) -> None:
    acts: tuple[Callable[[], Edited], ...] = (
        lambda: BLOCK.install(text, force=True),
        lambda: BLOCK.uninstall(text),
    )
    for act in acts:
        with pytest.raises(BlockDamagedError) as refused:
            act()
        assert refused.value.line == line


def test_a_file_of_our_own_is_renewed_and_kept_when_it_was_edited() -> None:
    older = installed(OwnFile(body="Old\n", comment=FILE.comment, what=Part.SKILL), None)
    edited = older.replace("Old", "Old and mine")

    assert installed(FILE, older) == installed(FILE, None)
    assert installed(FILE, edited) == edited
    assert installed(FILE, edited, force=True) == installed(FILE, None)
    assert installed(FILE, installed(FILE, None).replace("\n", "\r\n")).count("\r\n") == 2
    assert FILE.uninstall(edited).text is None
    assert FILE.uninstall("# Mine\n").text == "# Mine\n"
    with pytest.raises(NameTakenError):
        FILE.install("# Mine\n", force=True)
