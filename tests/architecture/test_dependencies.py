"""What is declared is used, and what is used is declared."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any

from tests.conftest import ROOT
from tests.support.sources import sources


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared() -> set[str]:
    return _names(_project()["dependencies"])


def _optional() -> set[str]:
    """Returns what comes with an extra for users; a module that needs it does without as well."""
    extras = _project()["optional-dependencies"]
    return {name for extra in extras if extra != "dev" for name in _names(extras[extra])}


def _project() -> dict[str, Any]:
    content = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(content)["project"]
    return project


def _names(lines: list[str]) -> set[str]:
    return {_normal(re.split(r"[<>=!~ ;\[]", line, maxsplit=1)[0]) for line in lines}


def _imported() -> set[str]:
    names: set[str] = set()
    for source in sources():
        for node in source.nodes:
            match node:
                case ast.Import(names=aliases):
                    names.update(alias.name.partition(".")[0] for alias in aliases)
                case ast.ImportFrom(module=str(module), level=0):
                    names.add(module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"memfs"}


def test_each_dependency_is_imported_and_each_import_is_a_dependency() -> None:
    distributions = packages_distributions()

    # What only an extra brings need not be here; it is called as it is imported then.
    used = {_normal(distributions.get(name, [name])[0]) for name in _imported()}

    assert used - _optional() == _declared()


def test_no_file_names_a_package_index() -> None:
    named = [
        name
        for name in ("pyproject.toml", "Makefile", ".ci/run", ".pre-commit-config.yaml")
        if re.search(r"index-url|find-links|https?://", (ROOT / name).read_text(encoding="utf-8"))
    ]

    assert named == []
