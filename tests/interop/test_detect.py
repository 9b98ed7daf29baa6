"""The format of a file or folder is recognised, and a folder may hold several."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.interop.detect import (
    FORMATS,
    IMPORTERS,
    ImportPathError,
    UnknownFormatError,
    find_parts,
)
from memfs.interop.pipeline import read_items
from tests.support.imports import FIXTURES, drafts_of, items_of, real_source


@pytest.mark.parametrize("name", [importer.name for importer in IMPORTERS])
def test_every_format_has_a_fixture_that_is_recognised(name: str) -> None:
    batch = read_items(FIXTURES / name)
    assert batch.format == name
    assert drafts_of(batch)


@pytest.mark.parametrize("name", [importer.name for importer in IMPORTERS])
def test_a_fixture_reads_the_same_when_its_format_is_named(name: str) -> None:
    assert items_of(FIXTURES / name, name) == items_of(FIXTURES / name)


def test_a_folder_with_several_formats_is_taken_apart() -> None:
    parts, problems = find_parts(FIXTURES)
    by_format = {part.importer.name for part in parts}
    assert by_format == set(FORMATS[1:])
    assert problems == ()
    memories = [part for part in parts if part.importer.name == "agent-memory"]
    assert [(part.path.name, part.below) for part in memories] == [
        ("agent-memory", "agent-memory/")
    ]
    items = items_of(FIXTURES)
    assert read_items(FIXTURES).format == "mixed"
    sources = [item.source for item in items]
    assert len(set(sources)) == len(sources)
    assert "import:agent-memory/agent-memory/user_role.md" in sources
    assert "import:knowledge-graph/hostile/streams/graph.jsonl#1.1" in sources


def test_real_sources_are_recognised() -> None:
    assert read_items(real_source("claude-memory")).format == "agent-memory"
    assert read_items(real_source("server-memory")).format == "knowledge-graph"


def test_nothing_at_the_path_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ImportPathError) as caught:
        find_parts(tmp_path / "missing")
    assert caught.value.code == "import.not-found"
    assert caught.value.path.endswith("missing")


def test_an_unknown_format_is_an_error_that_lists_the_formats(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x00\x01")
    for path in (tmp_path, tmp_path / "a.bin"):
        with pytest.raises(UnknownFormatError) as caught:
            find_parts(path)
        assert "knowledge-graph" in caught.value.hint
    with pytest.raises(UnknownFormatError):
        find_parts(tmp_path, "no-such-format")


def test_json_that_nobody_knows_is_a_problem_beside_what_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Words.\n")
    (tmp_path / "package.json").write_text('{"name": "datasync"}')
    items = items_of(tmp_path)
    assert [problem.code for item in items for problem in item.problems] == [
        "import.unknown-format"
    ]
    assert len(drafts_of(items)) == 1


def test_a_link_inside_a_memory_folder_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text("# M\nwords\n")
    (tmp_path / "memory" / "link.md").symlink_to(tmp_path / "memory" / "MEMORY.md")
    codes = [problem.code for item in items_of(tmp_path) for problem in item.problems]
    assert codes == ["import.symlink"]
