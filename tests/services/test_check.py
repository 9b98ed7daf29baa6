"""Check: every problem of every file with its place, and nothing else disturbed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.app.memory import Memory
from memfs.errors import UsageError
from tests.support.memory import git, memory_of, new_project, record_files, store_root
from tests.support.review import edit, said

TOKEN = "AKIA" + "IOSFODNN7EXAMPL" + "Q"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two facts."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember("CI needs Node 20", kind="fact")
        memory.remember("The port is 8000", kind="fact")
    return made


def found(memory: Memory) -> list[tuple[str, int, str]]:
    return [(Path(item.path).name, item.line, item.code) for item in memory.check()]


def test_a_store_that_memfs_wrote_has_no_problems(project: Path) -> None:
    with memory_of(project) as memory:
        assert memory.check() == ()


def test_every_problem_of_every_file_is_named_with_its_place(project: Path) -> None:
    folder = record_files(project)[0].parent
    (folder / "a.md").write_text("---\nkind: fact\nkind: note\n---\nx\n")
    (folder / "b.md").write_text("---\nkind: gossip\nimportance: 99\n---\nx\n")
    (folder / "c.md").write_text(f"---\nkind: fact\n---\nfine\nthe key is {TOKEN}\n")
    with memory_of(project) as memory:
        problems = memory.check()
        names = found(memory)
    assert ("c.md", 5, "screening.secret") in names
    assert {name for name, _, _ in names} == {"a.md", "b.md", "c.md"}
    assert [name for name, _, _ in names if name == "b.md"]
    assert all(line > 0 for _, line, _ in names)
    assert TOKEN not in str(problems)
    assert list(problems) == sorted(problems)
    assert said(project) == ["CI needs Node 20", "The port is 8000"]


def test_a_link_and_a_pipe_are_named_and_never_followed(project: Path, tmp_path: Path) -> None:
    folder = record_files(project)[0].parent
    outside = tmp_path / "outside.md"
    outside.write_text("---\nkind: fact\n---\nfrom outside\n")
    (folder / "link.md").symlink_to(outside)
    os.mkfifo(folder / "pipe.md")
    with memory_of(project) as memory:
        names = {name for name, _, _ in found(memory)}
        assert memory.candidates() == ()
    assert "link.md" in names
    assert "from outside" not in str(said(project))


def test_only_the_files_that_are_named_are_checked(project: Path) -> None:
    first, second = record_files(project)
    for file in (first, second):
        edit(file, "kind: fact\n", "kind: gossip\n")
    with memory_of(project) as memory:
        problems = memory.check([first])
    assert {store_root(project) / item.path for item in problems} == {first}


def test_a_file_that_is_not_there_is_a_problem_and_one_outside_is_wrong_usage(
    project: Path, tmp_path: Path
) -> None:
    with memory_of(project) as memory:
        (problem,) = memory.check([Path("records/fact/none.md")])
        assert problem.code == "file.missing"
        with pytest.raises(UsageError):
            memory.check([tmp_path / "elsewhere.md"])


def test_what_git_is_about_to_commit_is_checked(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "kind: fact\n", "kind: gossip\n")
    git(store_root(project), "add", "-A")
    edit(file, "kind: gossip\n", "kind: fact\ntags: [ci]\n")
    with memory_of(project) as memory:
        problems = memory.check_staged()
        assert memory.check([file]) == ()
    assert [(item.line, item.code) for item in problems] == [(3, "record.kind")]


def test_names_that_differ_in_case_alone_are_reported(project: Path) -> None:
    file = record_files(project)[0]
    with memory_of(project) as memory:
        memory.remember("Tabs, never spaces", kind="fact")
    other = next(item for item in record_files(project) if "tabs" in item.name)
    other.rename(file.with_name(file.name.upper().replace(".MD", ".md")))
    assert len(said(project)) == 3
    with memory_of(project) as memory:
        codes = [code for _, _, code in found(memory)]
    assert codes == ["file.name-collision"]


def test_hidden_names_and_odd_files_hide_no_record(project: Path) -> None:
    folder = record_files(project)[0].parent
    (folder / ".hidden.md").write_text("x")
    (folder / "x.md~").write_text("x")
    (folder / "#x.md#").write_text("x")
    assert said(project) == ["CI needs Node 20", "The port is 8000"]
