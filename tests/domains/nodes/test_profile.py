"""The profile: lines that are always there, their order, their cap, their files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.nodes.profile import parsed_profile
from memfs.domains.nodes.profile_lines import profile_key
from memfs.errors import UsageError
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result, ResultStatus
from memfs.services.standing_sections import ProfileLine
from tests.support.memory import AGENT, memory_of, new_project, store_root
from tests.support.namespaces import new_global

BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty store."""
    with memory_of(new_project(tmp_path)) as opened:
        yield opened


def lines(memory: Memory) -> list[str]:
    return memory.profile().text.splitlines()


def test_each_line_is_a_file_of_its_own_made_on_first_use(memory: Memory) -> None:
    folder = Path(memory.root) / "records" / "profile"
    assert memory.profile().lines == ()
    assert not folder.exists()

    memory.set_profile("editor", "vim")
    (file,) = folder.rglob("*.md")

    assert "\neditor: vim\n" in file.read_text(encoding="utf-8")
    assert lines(memory) == ["editor: vim"]


def test_a_new_value_changes_its_line_where_it_stands(memory: Memory) -> None:
    for key, value in (("Name", "Ana"), ("editor", "vim"), ("shell", "fish")):
        memory.set_profile(key, value)
    first = memory.profile().lines[0].stored
    result = memory.set_profile("  NAME ", "Ana R.")

    assert result.status is ResultStatus.DONE
    assert lines(memory) == ["Name: Ana R.", "editor: vim", "shell: fish"]
    assert memory.profile().lines[0].stored.path == first.path
    assert memory.show(f"{first.record.id}@1").record.body == "Name: Ana\n"
    assert memory.set_profile("name", "Ana R.").status is ResultStatus.DUPLICATE


def test_beyond_the_cap_the_oldest_is_dropped_and_reported(memory: Memory) -> None:
    assert memory.profile().cap == 12
    settings = memory.workspace.settings
    nodes = replace(settings.nodes, profile_lines=3)
    memory.workspace = replace(memory.workspace, settings=replace(settings, nodes=nodes))
    for number in range(3):
        memory.set_profile(f"key {number}", f"value {number}")
    result = memory.set_profile("key 3", "value 3")
    profile = memory.profile()

    assert (profile.cap, len(profile.lines)) == (3, 3)
    assert lines(memory) == [f"key {n}: value {n}" for n in range(1, 4)]
    assert [kept.line.key for kept in profile.dropped] == ["key 0"]
    assert result.message.endswith("no longer: key 0")
    assert dropped(result) == ["key 0"]

    back = memory.set_profile("key 0", "again")

    assert lines(memory)[-1] == "key 0: again"
    assert dropped(back) == ["key 1"]
    assert dropped(memory.set_profile("key 2", "two")) == []


def dropped(result: Result) -> list[str]:
    found = result.data.get("dropped", [])
    assert isinstance(found, list)
    return [item["key"] for item in found]


def test_what_another_statement_says_of_the_profile_is_a_line_as_well(memory: Memory) -> None:
    memory.remember("Lives in Lisbon", kind="profile", subject="home")
    memory.remember("Speaks Portuguese", kind="profile")

    assert lines(memory) == ["home: Lives in Lisbon", "Speaks Portuguese"]
    memory.set_profile("home", "Porto")
    assert lines(memory)[0] == "home: Porto"


def test_two_people_who_say_otherwise_are_both_heard(memory: Memory) -> None:
    memory.set_profile("office", "Lisbon")
    memory.actor = BEN
    memory.remember("office: Porto", kind="profile", subject="office")
    found = memory.profile().lines

    assert [str(kept.line) for kept in found] == ["office: Lisbon", "office: Porto"]
    assert all(kept.stored.record.conflicts for kept in found)


def test_what_an_agent_sets_waits(memory: Memory) -> None:
    memory.actor = AGENT
    result = memory.set_profile("editor", "emacs")

    assert result.status is ResultStatus.WAITING
    assert memory.profile().lines == ()
    assert "dropped" not in result.data


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("", "x"),
        ("a:b", "x"),
        ("-", "x"),
        ("k", ""),
        ("k", "a\nb"),
        ("k", "v" * 501),
        ("k" * 61, "x"),
    ],
)
def test_what_is_no_line_is_refused(memory: Memory, key: str, value: str) -> None:
    with pytest.raises(UsageError):
        memory.set_profile(key, value)


def test_two_who_set_one_key_leave_one_line(memory: Memory) -> None:
    project = Path(memory.root).parent

    def keep_setting(word: str) -> None:
        with memory_of(project) as other:
            for number in range(3):
                other.set_profile("shared", f"{word} {number}")

    writers = [threading.Thread(target=keep_setting, args=(word,)) for word in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert lines(memory) in (["shared: a 2"], ["shared: b 2"])


def test_what_belongs_elsewhere_is_refused_with_the_place(memory: Memory) -> None:
    domain = memory.set_profile("Python", "type hints")
    place = memory.set_profile("entry", "src/app.py")

    assert [domain.reasons[0].code, place.reasons[0].code] == ["profile.domain", "profile.place"]
    assert "memfs node save" in domain.message
    assert memory.profile().lines == ()


def test_what_holds_everywhere_comes_first_and_gives_way(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    root = new_global()
    with memory_of(root) as everywhere:
        everywhere.set_profile("editor", "vim", is_global=True)
        everywhere.set_profile("shell", "fish", is_global=True)
    with memory_of(project) as memory:
        memory.set_profile("shell", "bash")

        assert lines(memory) == ["editor: vim", "shell: bash"]
        assert memory.profile().lines[0].stored.store != str(memory.workspace.store_id)


@pytest.mark.parametrize(
    "text",
    [
        "n: no\n<!-- PROFILE START -->\nname: Ana\n- editor: vim\n<!-- PROFILE END -->\nx: y",
        "[PROFILE]\nname: Ana\neditor: vim\n[/PROFILE]\nx: y\n",
        "<profile>\n* name: Ana\neditor:   vim\n</profile>",
        "--- PROFILE ---\nname: Ana\neditor: vim\n--- END PROFILE ---",
        "# About me\n\nname: old\nname: Ana\neditor: vim\nno line here\n",
        "<!-- profile -->\r\nname: Ana\r\neditor: vim\r\n",
    ],
)
def test_the_marks_of_older_profiles_are_honoured(text: str) -> None:
    assert parsed_profile(text) == (
        ProfileLine(key="name", value="Ana"),
        ProfileLine(key="editor", value="vim"),
    )


def test_an_older_file_becomes_lines(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "profile.md"
    file.write_text("\ufeff[PROFILE]\nname: Ana\neditor: vim\n[/PROFILE]\n", encoding="utf-8")
    before = file.read_bytes()
    results = memory.import_profile(file)

    assert [result.status for result in results] == [ResultStatus.DONE] * 2
    assert lines(memory) == ["name: Ana", "editor: vim"]
    assert file.read_bytes() == before
    for content in (b"\xff\xfe", b"", b"nothing here", b"k: v\n" * 20_000):
        file.write_bytes(content)
        with pytest.raises(UsageError):
            memory.import_profile(file)
    with pytest.raises(UsageError):
        memory.import_profile(tmp_path / "missing")


def test_spellings_of_one_key_are_one_key() -> None:
    assert {profile_key(key) for key in ("Time Zone", "time_zone", " TIME-zone ")} == {"time-zone"}
    assert profile_key("E\u0301diteur") == profile_key("éditeur")
    assert store_root(Path("p")).name == ".memfs"
