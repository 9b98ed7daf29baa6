"""Files that are made to take the memory or the time of whoever reads them say nothing instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.domains.roles.survey import survey_files
from memfs.domains.roles.survey.survey_files import Files, read_files
from memfs.domains.roles.survey.survey_manifests import Manifest, mentioned, read_manifest
from memfs.domains.roles.survey.survey_python import read_module
from memfs.domains.roles.survey.surveying import survey


@pytest.mark.parametrize("joint", [".", " . ", "\\\n.", "\\\r.", ".\\\r\n", "\f."])
@pytest.mark.parametrize("part", ["a", "\u2118", "a\xb7b"])
def test_a_name_of_hundreds_of_parts_is_not_parsed(joint: str, part: str) -> None:
    name = joint.join([part] * 200)
    for statement in (f"import {name}", f"import b, {name}", f"from {name} import b"):
        assert read_module(statement.encode()) is None


def test_many_names_of_a_few_parts_are_parsed() -> None:
    found = read_module(b"import a.b\n" * 300 + b"# One. Two. Three\n" * 300)
    assert found is not None
    assert [item.module for item in found.imports] == ["a.b"]


def test_a_document_of_one_dotted_name_is_read_in_one_go() -> None:
    assert mentioned(b"a." * 200_000 + b"b", {"a.a"}) == ("a.a",)


def test_a_manifest_of_endless_keys_says_only_that_it_is_there() -> None:
    named = b'[project]\nname = "tool"\n'
    assert read_manifest("pyproject.toml", named) == Manifest(name="tool")
    for more in (b"a." * 2_000 + b"a = 1\n", b"[b]\n" + b"# ...\n" * 30_000):
        assert read_manifest("pyproject.toml", named + more) == Manifest()


def test_what_is_not_looked_at_to_the_end_is_said_of_nothing() -> None:
    contents = {f"tests/test_{n}.py": b"from p import a\n" for n in range(4)} | {
        "p/__init__.py": b"",
        "p/a.py": b"open('x')\n",
    }
    looks = iter([*[False] * 3, *[True] * 99])
    found = survey(Files(contents=contents), is_over=lambda: next(looks))
    whole = survey(Files(contents=contents))
    assert (found.parts, found.bonds) == ({}, ())
    assert found.unread == contents.keys()
    assert found.left_out == {"time": len(contents), "edges": 1}
    assert len(whole.parts) > len(contents)


def test_what_many_write_and_read_flows_a_bounded_number_of_times() -> None:
    both = b"open('x')\nopen('x', 'w')\n"
    found = survey(Files(contents={f"m{number}.py": both for number in range(60)}))
    flows = [bond for bond in found.bonds if bond.relation == "flows-to"]
    assert len(flows) == 400


def test_folders_without_end_are_gone_through_for_a_bounded_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_files, "MOST_FILES", 1)
    for number in range(40):
        (tmp_path / f"folder{number:02}" / "inner").mkdir(parents=True)
    (tmp_path / "folder00" / "inner" / "late.py").write_text("x = 1\n", encoding="utf-8")
    found = read_files(tmp_path, (), lambda: 0.0)
    assert (found.contents, dict(found.left_out)) == ({}, {"files": 1})
