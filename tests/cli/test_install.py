"""The commands install and uninstall, and the words that they put before agents."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from memfs.cli.catalogue import COMMANDS
from memfs.cli.entry import main, root
from memfs.model.markers import has_packet_trace
from tests.conftest import ROOT
from tests.support.memory import new_project

AGENTS = ROOT / "templates" / "agents"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "datasync"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_dry_run_shows_the_difference(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".mcp.json").write_text('{\n  "mcpServers": {}\n}\n')

    assert main(["install", "claude", "--dry-run"]) == 0

    out, err = capsys.readouterr()
    assert "changed  .mcp.json" in out
    assert f"--- {project}/.mcp.json" in out
    assert '+      "command": "memfs",' in out
    assert "--- /dev/null" in out
    assert "would change 4 files for claude" in err
    assert list(project.iterdir()) == [project / ".mcp.json"]


def test_an_installation_is_told_listed_and_taken_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "cursor"]) == 0
    told = capsys.readouterr().out
    assert main(["install"]) == 0
    listed = capsys.readouterr().out
    assert main(["install", "cursor", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert main(["uninstall", "cursor"]) == 0
    assert main(["install", "--json"]) == 0

    assert re.findall(r"^(\w+) +(\S+) +(\w+)$", told, re.M) == [
        ("created", ".cursor/hooks.json", "hooks"),
        ("created", ".cursor/mcp.json", "server"),
        ("created", ".cursor/rules/memfs.mdc", "instructions"),
    ]
    assert "cursor  project" in listed
    assert (again["status"], again["target"]) == ("nothing", "cursor")
    assert [file["verb"] for file in again["data"]["files"]] == ["unchanged"] * 3
    assert capsys.readouterr().out.rstrip().endswith("[]")
    assert list(project.iterdir()) == []


def test_a_refusal_names_file_and_line_and_ends_with_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".cursor").mkdir()
    (project / ".cursor" / "hooks.json").write_text('{\n  "version": 1,,\n}')

    assert main(["install", "cursor"]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert f"{project}/.cursor/hooks.json:2:16: install.does-not-parse" in err
    assert "nothing was written" in err


def test_git_hooks_of_a_store_are_put_back_and_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(new_project(tmp_path))
    hooks = Path(".memfs/.git/hooks")
    own = hooks / "pre-commit"
    own.write_text("#!/bin/sh\nexit 0\n")
    names = {path.name for path in hooks.iterdir()}

    assert main(["uninstall", "git", "--dry-run"]) == 0
    assert {path.name for path in hooks.iterdir()} == names
    assert main(["uninstall", "git"]) == 0
    assert (hooks / "post-commit").exists() is False
    assert main(["install", "git"]) == 0

    assert {path.name for path in hooks.iterdir()} == names
    assert own.read_text() == "#!/bin/sh\nexit 0\n"
    assert "pre-commit is a hook of your own" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["instructions.md", "SKILL.md", "cursor-rule.mdc"])
def test_agents_are_told_of_commands_that_exist_and_given_no_orders(name: str) -> None:
    text = (AGENTS / name).read_text()
    context = click.Context(root)

    for match in re.finditer(r"`memfs ([a-z-]+)(?: ([a-z-]+))?([^`]*)", text):
        assert match[1] in COMMANDS, match[0]
        command = root.get_command(context, match[1])
        if isinstance(command, click.Group):
            assert match[2] in command.commands, match[0]
            command = command.commands[match[2]]
        assert command is not None
        known = {spelling for item in command.params for spelling in item.opts}
        assert set(re.findall(r"--[a-z][a-z-]*", match[3])) <= known, match[0]
    # It must not look like a packet itself, or be taken out of texts as one.
    assert not has_packet_trace(text)
    # Facts, not orders: hosts take imperatives in what memory says for an injection.
    assert not re.search(r"\b(you must|important|ignore)\b", text, re.I)


def test_the_skill_has_the_head_that_clients_read() -> None:
    head = (AGENTS / "SKILL.md").read_text().split("---\n")[1]

    assert head.startswith("name: memfs\ndescription: ")
    assert len(head.split("description: ")[1]) < 1024


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_plugin_asks_memfs_and_puts_its_context_beside_the_prompt(tmp_path: Path) -> None:
    program = tmp_path / "my bin" / "memfs"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\ninput=$(cat)\n"
        f"printf '%s %s\\n' \"$2\" \"$input\" >> '{tmp_path}/calls'\n"
        'case $2 in session-start|prompt) printf \'{"context": "<%s>"}\' "$2";; '
        "stop) echo broken; exit 3;; esac\n"
    )
    program.chmod(0o755)
    source = (
        (AGENTS / "opencode-plugin.js").read_text().replace("@PROGRAM@", json.dumps(str(program)))
    )
    (tmp_path / "memfs.mjs").write_text(source)
    (tmp_path / "drive.mjs").write_text(_DRIVE)

    ran = subprocess.run(
        ["node", str(tmp_path / "drive.mjs")], capture_output=True, text=True, cwd=tmp_path
    )

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "first": ["typed", "<session-start>", "<prompt>"],
        "second": ["typed", "<prompt>"],
        "after": ["typed", "<session-start>", "<prompt>"],
        "nested": ["typed", "<prompt>"],
        "odd": True,
        "missing": ["typed"],
    }
    calls = [line.split(" ", 1) for line in (tmp_path / "calls").read_text().splitlines()]
    by_event = {name: json.loads(given) for name, given in calls}
    assert by_event["post-compact"]["summary"] == "what was done"
    assert by_event["session-start"]["source"] == "compact"
    assert by_event["stop"]["session_id"] == by_event["session-end"]["session_id"] == "ses_1"
    assert {given["cwd"] for given in by_event.values()} == {str(tmp_path)}
    assert {"pre-compact", "prompt"} <= set(by_event)


_DRIVE = """
import { readFileSync, writeFileSync } from "node:fs";
import { MemfsPlugin } from "./memfs.mjs";

const messages = [{ info: { summary: true }, parts: [{ type: "text", text: "what was done" }] }];
const session = { messages: async () => ({ data: messages }) };
const host = { client: { session }, directory: process.cwd() };
const plugin = await MemfsPlugin(host);
const say = async (sessionID, hooks = plugin) => {
  const message = { id: "msg_1", sessionID };
  const output = { message, parts: [{ type: "text", text: "typed" }, { type: "file" }] };
  await hooks["chat.message"]({ sessionID }, output);
  return output.parts.filter((part) => part.type === "text").map((part) => part.text);
};
const tell = (type, properties) => plugin.event({ event: { type, properties } });

const first = await say("ses_1");
const second = await say("ses_1");
await plugin["experimental.session.compacting"]({ sessionID: "ses_1" }, { context: [] });
await tell("session.compacted", { sessionID: "ses_1" });
const after = await say("ses_1");
await tell("session.created", { info: { id: "ses_2", parentID: "ses_1" } });
const nested = await say("ses_2");
await tell("session.idle", { sessionID: "ses_1" });
await tell("session.deleted", { info: { id: "ses_1" } });
await tell("session.created", null);
await tell("something.new", {});
const source = readFileSync("memfs.mjs", "utf8");
const gone = 'const PROGRAM = "/nowhere/memfs";';
writeFileSync("other.mjs", source.replace(/^const PROGRAM = .*$/m, gone));
const other = await (await import("./other.mjs")).MemfsPlugin(host);
const missing = await say("ses_3", other);
console.log(JSON.stringify({ first, second, after, nested, odd: true, missing }));
"""
