"""The modules of memfs as the parser sees them, parsed once for everything that looks at them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

PACKAGE = ROOT / "memfs"


class Source(NamedTuple):
    """A module: its path below the repository, its tree, and every node of that tree."""

    name: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]


def module_paths() -> tuple[tuple[str, Path], ...]:
    """Returns every module of memfs with its path below the repository; no data of others."""
    found = (path for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts)
    return tuple((path.relative_to(ROOT).as_posix(), path) for path in found)


@cache
def sources() -> tuple[Source, ...]:
    """Returns every module of memfs, parsed."""
    return tuple(_parsed(name, path) for name, path in module_paths())


def _parsed(name: str, path: Path) -> Source:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Source(name, tree, tuple(ast.walk(tree)))
