"""Installing for a client: merged, once, with a copy, all or nothing, and taken out exactly."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memfs.agents.install import planning
from memfs.agents.install.config_files import ConfigChangedError, ConfigFile, write_config
from memfs.agents.install.recipes import CLIENTS
from memfs.agents.install.shelf import InstallScope
from memfs.agents.install.texts import Part
from memfs.app.installing import install_client, installed, uninstall_client
from memfs.errors import StoreError, UsageError
from memfs.model.result import Result, ResultStatus

PROJECT, USER = InstallScope.PROJECT, InstallScope.USER

OTHERS: Mapping[str, bytes] = {
    ".claude/settings.json": b'{"hooks": {"Stop": []}, "model": "x"}',
    ".claude.json": b'{\n  "mcpServers": {},\n  "userID": "u"\n}',
    ".mcp.json": b'\xef\xbb\xbf{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}',
    "CLAUDE.md": b"# Ours\r\n\r\nText without a last line end",
    ".codex/config.toml": b"# mine\nmodel = 'm'",
    ".codex/hooks.json": b"{}",
    ".cursor/hooks.json": b'{"version": 1, "hooks": {}}\n',
    ".cursor/mcp.json": b"",
    ".gemini/settings.json": b'{ // c\n "theme": "a", }\n',
    ".agents/hooks.json": b'{"lint": {"Stop": [{"command": "make"}]}}\n',
    "AGENTS.md": b"# Agents\n",
    "opencode.jsonc": b'{\n  /* c */ "mcp": { }\n}\n',
}
"""Files of a person's in all the states that are awkward to give back."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose path has a blank."""
    folder = tmp_path / "my project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def act(client: str, project: Path, scope: InstallScope = PROJECT, **options: object) -> Result:
    return install_client(client, scope, start=project, env=os.environ, **options)  # type: ignore[arg-type]


def undo(client: str, project: Path, scope: InstallScope = PROJECT, **options: object) -> Result:
    return uninstall_client(client, scope, start=project, env=os.environ, **options)  # type: ignore[arg-type]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def place(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def words(result: Result, name: str) -> str:
    return json.dumps(result.data[name], ensure_ascii=False)


def anew(file: Path) -> Path:
    file.unlink()
    return file


def note_of(result: Result) -> str:
    return words(result, "notes")


@pytest.mark.parametrize("scope", InstallScope)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_dry_run_writes_nothing_at_all(
    client: str, scope: InstallScope, project: Path, home: Path
) -> None:
    before = tree(project), tree(home)

    result = act(client, project, scope, dry_run=True)
    undo(client, project, scope, dry_run=True)

    assert (tree(project), tree(home)) == before
    assert not (home / "memfs-home").exists()
    assert result.status is ResultStatus.DONE
    assert "+" in words(result, "files")


@pytest.mark.parametrize("scope", InstallScope)
@pytest.mark.parametrize("client", CLIENTS)
def test_installing_again_changes_nothing_and_uninstalling_gives_back_every_byte(
    client: str, scope: InstallScope, project: Path, home: Path
) -> None:
    root = project if scope is PROJECT else home
    place(root, OTHERS)
    before = tree(root)
    folders = {path for path in root.rglob("*") if path.is_dir()}

    first = act(client, project, scope)
    after = tree(root)
    again = act(client, project, scope)

    assert first.status is ResultStatus.DONE
    assert again.status is ResultStatus.NOTHING
    assert tree(root) == after != before
    assert undo(client, project, scope).status is ResultStatus.DONE
    left = {name: content for name, content in tree(root).items() if "memfs-home" not in name}
    assert left == before
    kept = {path for path in root.rglob("*") if path.is_dir() and "memfs-home" not in path.parts}
    assert kept == folders
    assert undo(client, project, scope).status is ResultStatus.NOTHING


def test_a_copy_of_what_was_there_is_kept_privately(project: Path, home: Path) -> None:
    place(project, {".mcp.json": b'{"mcpServers": {}}'})

    result = act("claude", project)

    copies = {str(file["path"]): str(file["copy"]) for file in result.data["files"]}  # type: ignore[union-attr, call-overload, index]
    copy = Path(copies[str(project / ".mcp.json")])
    assert copy.read_bytes() == b'{"mcpServers": {}}'
    assert copy.is_relative_to(home / "memfs-home")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700


def test_what_a_person_wrote_since_stays_when_memfs_goes(project: Path) -> None:
    place(project, OTHERS)
    act("claude", project)
    settings = project / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace('"model": "x"', '"model": "y", "new": [1]'))
    (project / "CLAUDE.md").write_bytes((project / "CLAUDE.md").read_bytes() + b"More.\n")

    undo("claude", project)

    assert json.loads(settings.read_text()) == {"model": "y", "new": [1]}
    assert (project / "CLAUDE.md").read_bytes().startswith(OTHERS["CLAUDE.md"])
    assert b"memfs" not in (project / "CLAUDE.md").read_bytes()
    assert (project / "CLAUDE.md").read_bytes().endswith(b"More.\n")


def test_a_file_that_memfs_made_goes_even_when_it_was_laid_out_anew(project: Path) -> None:
    act("claude", project)
    for name in (".claude/settings.json", ".mcp.json"):
        text = (project / name).read_text()
        (project / name).write_text(json.dumps(json.loads(text)))

    undo("claude", project)

    assert tree(project) == {}
    assert not (project / ".claude").exists()


def test_what_is_known_can_get_lost_and_memfs_still_comes_out(project: Path, home: Path) -> None:
    place(project, OTHERS)
    act("claude", project)
    for note in (home / "memfs-home" / "installed").rglob("note.json"):
        note.write_text("[")

    undo("claude", project)

    assert "memfs" not in "".join(
        text.decode("utf-8", "replace") for text in tree(project).values()
    )


def test_one_file_that_does_not_parse_leaves_all_of_them_alone(project: Path) -> None:
    place(project, {".mcp.json": b'{\n  "mcpServers": {\n    oops\n'})
    before = tree(project)

    result = act("claude", project)

    assert result.status is ResultStatus.REFUSED
    assert f"{project}/.mcp.json:3:5: install.does-not-parse" in words(result, "problems")
    assert tree(project) == before
    assert undo("claude", project).status is ResultStatus.NOTHING


def test_what_cannot_be_taken_out_is_told_and_what_memfs_is_not_in_does_not_matter(
    project: Path,
) -> None:
    act("claude", project, without=(Part.SERVER,))
    place(project, {".mcp.json": b"{"})
    (project / ".mcp.json").chmod(0o400)
    settings = project / ".claude" / "settings.json"
    whole = settings.read_bytes()

    settings.write_bytes(whole[:-3])
    refused = undo("claude", project)
    settings.write_bytes(whole)

    assert refused.status is ResultStatus.REFUSED
    assert "settings.json" in words(refused, "problems")
    assert undo("claude", project).status is ResultStatus.DONE
    assert tree(project) == {".mcp.json": b"{"}


def test_no_copy_is_left_of_a_file_that_is_given_back(project: Path, home: Path) -> None:
    place(project, OTHERS)
    act("claude", project)
    (project / "CLAUDE.md").write_bytes((project / "CLAUDE.md").read_bytes() + b"More.\n")

    undo("claude", project)

    left = [path for path in (home / "memfs-home" / "installed").rglob("*") if path.is_file()]
    assert sorted(path.name for path in left) == ["before-last-change", "lock"]
    assert b"More." in next(path for path in left if path.name != "lock").read_bytes()


def _state(file: Path) -> tuple[int, ...]:
    found = os.lstat(file)
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda file: file.chmod(0o400), "may only be read"),
        (lambda file: os.link(file, file.with_suffix(".other")), "one with 2"),
        (lambda file: file.write_bytes(b"\xff\xfe{\x00}\x00"), "UTF-8"),
        (lambda file: anew(file).mkdir(), "got"),
        (lambda file: os.mkfifo(anew(file)), "regular file"),
        (lambda file: anew(file).symlink_to("nowhere"), "not there"),
        (lambda file: anew(file).symlink_to(file), "many levels"),
        (lambda file: anew(file).symlink_to("../outside.json"), "inside of the project"),
        (lambda file: anew(file).symlink_to(".git/HEAD"), ".git"),
    ],
    ids=[
        "read-only",
        "two names",
        "UTF-16",
        "folder",
        "fifo",
        "dangling",
        "circle",
        "outside",
        "in Git",
    ],
)
def test_a_file_that_is_a_trap_is_left_alone(make: object, said: str, project: Path) -> None:
    assert callable(make)
    file = project / ".mcp.json"
    file.write_text("{}")
    (project.parent / "outside.json").write_text("{}")
    make(file)
    before = _state(file)

    result = act("claude", project)

    assert result.status is ResultStatus.REFUSED
    assert said in words(result, "problems")
    assert not (project / ".claude").exists()
    assert _state(file) == before
    assert (project.parent / "outside.json").read_text() == "{}"


@pytest.mark.parametrize(
    "make",
    [
        lambda file: file.chmod(0o400),
        lambda file: file.with_name("other").hardlink_to(file),
        lambda file: file.parent.chmod(0o500),
    ],
    ids=["read-only", "two names", "in a folder that may only be read"],
)
def test_what_may_only_be_read_is_seen_as_installed(make: object, project: Path) -> None:
    act("claude", project, without=(Part.SERVER, Part.INSTRUCTIONS, Part.SKILL))
    before = installed(project, os.environ)
    assert before

    make(project / ".claude" / "settings.json")  # type: ignore[operator]

    assert installed(project, os.environ) == before
    (project / ".claude").chmod(0o700)


def test_a_link_stays_a_link_and_its_file_keeps_its_rights(project: Path, home: Path) -> None:
    dotfiles = home / "dotfiles" / "settings.json"
    place(home, {"dotfiles/settings.json": b'{"a": 1}\n'})
    dotfiles.chmod(0o640)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(dotfiles)

    act("claude", project, USER)

    assert (home / ".claude" / "settings.json").is_symlink()
    assert b"session-start" in dotfiles.read_bytes()
    assert stat.S_IMODE(dotfiles.stat().st_mode) == 0o640
    undo("claude", project, USER)
    assert dotfiles.read_bytes() == b'{"a": 1}\n'


def test_two_names_for_one_file_get_one_block(project: Path) -> None:
    place(project, {"AGENTS.md": b"# A\n"})
    (project / "CLAUDE.md").symlink_to("AGENTS.md")

    act("codex", project)
    act("claude", project)

    assert (project / "AGENTS.md").read_bytes().count(b"memfs:begin") == 1
    undo("claude", project)
    undo("codex", project)
    assert (project / "AGENTS.md").read_bytes() == b"# A\n"


def test_instructions_that_are_included_are_not_written_twice(project: Path) -> None:
    place(project, {"CLAUDE.md": b"@AGENTS.md\n", "AGENTS.md": b"# A\n"})

    act("claude", project)
    act("codex", project)

    assert (project / "CLAUDE.md").read_bytes() == b"@AGENTS.md\n"
    assert (project / "AGENTS.md").read_bytes().count(b"memfs:begin") == 1
    undo("claude", project)
    assert b"memfs:begin" in (project / "AGENTS.md").read_bytes()
    undo("codex", project)
    assert (project / "AGENTS.md").read_bytes() == b"# A\n"


def test_a_block_that_an_include_made_superfluous_is_taken_out_too(project: Path) -> None:
    act("claude", project)
    place(project, {"AGENTS.md": b"# A\n"})
    text = project / "CLAUDE.md"
    text.write_text("@AGENTS.md\n" + text.read_text())

    assert "not put in twice" in note_of(act("claude", project))
    undo("claude", project)

    assert tree(project) == {"AGENTS.md": b"# A\n", "CLAUDE.md": b"@AGENTS.md\n"}


def test_cursor_gets_no_rule_where_it_reads_the_block_of_another_client(project: Path) -> None:
    act("codex", project)

    assert "not put in twice" in note_of(act("cursor", project))

    assert not (project / ".cursor" / "rules").exists()
    undo("cursor", project)
    assert b"memfs:begin" in (project / "AGENTS.md").read_bytes()


@pytest.mark.parametrize(("first", "second"), [(USER, PROJECT), (PROJECT, USER)])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_second_installation_that_would_run_memfs_twice_is_refused(
    client: str, first: InstallScope, second: InstallScope, project: Path, home: Path
) -> None:
    act(client, project, first)
    before = tree(project)

    result = act(client, project, second)

    assert result.status is ResultStatus.REFUSED
    assert "install.twice" in words(result, "problems")
    assert f"memfs uninstall {client} --{first}" in words(result, "problems")
    assert tree(project) == before
    rest = act(client, project, second, without=(Part.HOOKS,))
    assert rest.status in (ResultStatus.DONE, ResultStatus.NOTHING)


def test_hooks_in_a_private_file_of_the_project_count_too(project: Path) -> None:
    command = "memfs hook stop --client claude"
    local = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    place(project, {".claude/settings.local.json": json.dumps(local).encode()})

    assert act("claude", project).status is ResultStatus.REFUSED
    undo("claude", project)
    assert json.loads((project / ".claude/settings.local.json").read_text()) == {}
    assert act("claude", project).status is ResultStatus.DONE


def test_what_another_client_reads_stays_until_the_last_one_goes(project: Path) -> None:
    for client in ("codex", "antigravity", "opencode"):
        act(client, project)

    undo("codex", project)
    result = undo("antigravity", project)

    assert "opencode is installed and reads it too" in note_of(result)
    assert (project / "AGENTS.md").exists()
    assert (project / ".agents/skills/memfs/SKILL.md").exists()
    undo("opencode", project)
    assert tree(project) == {}


def test_parts_can_be_left_out(project: Path) -> None:
    act("claude", project, without=(Part.INSTRUCTIONS, Part.SKILL, Part.SERVER))

    assert list(tree(project)) == [".claude/settings.json"]
    assert [item.found.part for _, things in installed(project, os.environ) for item in things] == [
        Part.HOOKS
    ] * 6


def test_a_program_at_another_place_is_called_and_known_again(
    project: Path, tmp_path: Path
) -> None:
    program = tmp_path / "bin (old)" / "memfs"

    act("codex", project, program=str(program))
    hooks = (project / ".codex/hooks.json").read_text()
    act("codex", project)

    assert f"'{program}' hook stop" in hooks
    assert str(program) not in (project / ".codex/hooks.json").read_text()
    assert str(program) not in (project / ".codex/config.toml").read_text()
    with pytest.raises(UsageError, match="called memfs"):
        act("codex", project, program="/bin/sh")


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / ".mcp.json"
    file.write_text("{}")

    def late(config: ConfigFile, content: bytes | None) -> None:
        if config.path == file:
            file.write_text('{"mine": 1}')
        write_config(config, content)

    with monkeypatch.context() as patch:
        patch.setattr(planning, "write_config", late)
        with pytest.raises(ConfigChangedError):
            act("claude", project)

    assert file.read_text() == '{"mine": 1}'
    assert act("claude", project).status is ResultStatus.DONE
    undo("claude", project)
    assert tree(project) == {".mcp.json": b'{"mine": 1}'}


def test_installers_that_run_at_once_do_not_meet_in_a_file(project: Path) -> None:
    clients = ("codex", "opencode", "antigravity", "codex", "opencode", "antigravity")
    with ThreadPoolExecutor(max_workers=len(clients)) as pool:
        results = list(pool.map(lambda client: act(client, project), clients))

    assert {result.exit_status for result in results} == {0}
    assert (project / "AGENTS.md").read_bytes().count(b"memfs:begin") == 1
    for client in set(clients):
        assert act(client, project).status is ResultStatus.NOTHING
        undo(client, project)
    assert tree(project) == {}


@pytest.mark.parametrize("step", range(4))
@pytest.mark.parametrize("is_before", [True, False])
def test_being_killed_between_the_copy_and_any_file_loses_nothing(
    step: int, is_before: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(project, OTHERS)
    before = tree(project)
    count = iter(range(100))

    def dying(config: ConfigFile, content: bytes | None) -> None:
        is_due = next(count) == step
        if not is_due or not is_before:
            write_config(config, content)
        if is_due:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(planning, "write_config", dying)
        with pytest.raises(KeyboardInterrupt):
            act("claude", project)
    # What the killed process left of a file that it was writing.
    (project / ".mcp.json.memfs-new").write_text("half")

    assert act("claude", project).exit_status == 0
    assert undo("claude", project).status is ResultStatus.DONE
    assert {k: v for k, v in tree(project).items() if not k.endswith(".memfs-new")} == before


def test_a_secret_of_a_person_is_not_shown_in_a_difference(project: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    place(
        project,
        {".mcp.json": f'{{\n  "mcpServers": {{\n    "a": {{"k": "{token}"}}\n  }}\n}}'.encode()},
    )

    result = act("claude", project)

    assert token not in words(result, "files")
    assert "[not shown]" in words(result, "files")
    assert token in (project / ".mcp.json").read_text()


def test_a_missing_home_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(project / "nobody"))

    with pytest.raises(UsageError, match="home folder"):
        act("claude", project, USER)


def test_clients_are_found_where_their_variables_say(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home / name))

    for client in ("claude", "codex", "opencode"):
        act(client, project, USER)

    names = set(tree(home))
    assert "CLAUDE_CONFIG_DIR/settings.json" in names
    assert "CLAUDE_CONFIG_DIR/.claude.json" in names
    assert stat.S_IMODE((home / "CLAUDE_CONFIG_DIR/.claude.json").stat().st_mode) == 0o600
    assert "CODEX_HOME/config.toml" in names
    assert "XDG_CONFIG_HOME/opencode/plugins/memfs.js" in names


def test_what_a_person_has_to_do_is_said(project: Path) -> None:
    assert "open /hooks" in note_of(act("codex", project))
    assert "memfs init" in note_of(act("claude", project))
    assert "--program" in note_of(act("gemini", project, program="/nowhere/memfs"))


def test_a_store_that_does_not_open_is_told_by_its_code_and_not_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = StoreError("expected one store, got two", code="store.several")

    def two_stores(*_: object) -> None:
        raise error

    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    home = {"HOME": str(tmp_path / "home"), "PATH": ""}
    missing = install_client("claude", PROJECT, start=tmp_path / "work", env=home, dry_run=True)
    monkeypatch.setattr("memfs.app.installing.discover", two_stores)
    several = install_client("claude", PROJECT, start=tmp_path / "work", env=home, dry_run=True)

    nothing = "there is no store for this folder yet: memfs init"
    assert nothing in str(missing.data["notes"])
    assert "store.several: expected one store, got two" in str(several.data["notes"])
    assert nothing not in str(several.data["notes"])
