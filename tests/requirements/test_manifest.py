"""The manifest names every requirement row once, and only tests that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.conftest import ROOT

MANIFEST = Path(__file__).with_name("manifest.yaml")
ROWS_IN_SECTION: Mapping[str, int] = {"C": 39, "O": 62, "A": 100, "M": 39, "E": 60}
_OPEN = re.compile(r"open: not built yet \(.+\)\Z")


@cache
def rows() -> Mapping[str, str | list[str]]:
    """Reads the manifest; duplicate keys are an error of the reader."""
    loaded = YAML(typ="safe", pure=True).load(MANIFEST.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


@cache
def _tests_in(path: Path) -> frozenset[str]:
    """Returns the names of a module that pytest collects: functions and state machines."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef():
                names.add(node.name)
            case ast.Assign():
                # Hypothesis state machines: ``test_x = Machine.TestCase``.
                names.update(t.id for t in node.targets if isinstance(t, ast.Name))
    return frozenset(names)


def test_every_row_is_in_the_manifest_once_and_in_order() -> None:
    expected = [
        f"{section}{number}"
        for section, count in ROWS_IN_SECTION.items()
        for number in range(1, count + 1)
    ]

    assert list(rows()) == expected


def test_every_row_names_tests_or_says_why_it_is_open() -> None:
    odd = [
        row
        for row, value in rows().items()
        if not (isinstance(value, list) and value)
        and not (isinstance(value, str) and _OPEN.match(value))
    ]

    assert odd == []


@pytest.mark.parametrize("row", [row for row, value in rows().items() if isinstance(value, list)])
def test_the_tests_of_a_row_exist(row: str) -> None:
    references = rows()[row]
    assert isinstance(references, list)

    assert [reference for reference in references if not _exists(reference)] == []


def _exists(reference: str) -> bool:
    """Tells whether ``tests/…/test_x.py::test_name`` is there; parameters are not looked at."""
    file, _, name = reference.partition("::")
    name = name.split("[", 1)[0]
    return name.startswith("test_") and (ROOT / file).is_file() and name in _tests_in(ROOT / file)
