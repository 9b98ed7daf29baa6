"""One predicate decides what may be served: nobody else filters by status (A89)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from memfs.model.status import Status
from tests.conftest import ROOT

# Where a status is looked at without deciding what is served, and why.
ALLOWED: Mapping[str, str] = MappingProxyType(
    {
        "memfs/services/health.py": "counts records by status; shows none",
        "memfs/cli/text.py": "marks a record that is not active; it was served already",
    }
)
_WORDS = {str(status) for status in Status}
_SQL = re.compile(r"\bstatus\s*(=|!=|<>|IN)\s*('|\")", re.IGNORECASE)


def _is_status(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="Status")):
            return True
        case ast.Constant(value=str(text)):
            return text in _WORDS - {"active"}
        case ast.Call(args=[argument]):
            return _is_status(argument)
        case ast.Tuple(elts=elements) | ast.Set(elts=elements) | ast.List(elts=elements):
            return any(_is_status(element) for element in elements)
        case _:
            return False


def _filters(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others) if any(
                map(_is_status, (left, *others))
            ):
                yield node.lineno
            case ast.Compare(
                left=ast.Attribute(attr="status"), comparators=[ast.Constant(value=str())]
            ):
                yield node.lineno
            case ast.MatchValue(value=value) if _is_status(value):
                yield node.lineno
            case ast.Constant(value=str(text)) if _SQL.search(text):
                yield node.lineno


def _places(folder: Path) -> list[str]:
    return [
        f"{name}:{line}"
        for path in sorted(folder.rglob("*.py"))
        if not (name := path.relative_to(folder.parent).as_posix()).startswith("memfs/policy/")
        and name not in ALLOWED
        for line in sorted(_filters(ast.parse(path.read_text(encoding="utf-8"))))
    ]


def test_only_policy_filters_by_status() -> None:
    assert _places(ROOT / "memfs") == []


def test_a_filter_of_ones_own_is_found(tmp_path: Path) -> None:
    room = tmp_path / "memfs" / "services"
    room.mkdir(parents=True)
    (room / "own.py").write_text(
        "a = [r for r in records if r.status is Status.ACTIVE]\n"
        "b = [r for r in records if r.status != 'active']\n"
        "c = 'SELECT id FROM entry WHERE status = \\'active\\''\n"
        "d = r.status in (Status.SUPERSEDED, Status.RETRACTED)\n"
    )

    assert _places(tmp_path / "memfs") == [f"memfs/services/own.py:{line}" for line in (1, 2, 3, 4)]
