"""One predicate says what may be served; nobody else filters by status (A89)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.support.sources import sources

JUDGES = ("policy", "model")


def status_tests(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yields the line of every comparison with a record status."""
    for node in nodes:
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
            case ast.MatchValue():
                sides = [node.value]
            case _:
                continue
        if any(is_status(part) for side in sides for part in ast.walk(side)):
            yield node.lineno


def is_status(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and (
        isinstance(node.value, ast.Name) and node.value.id == "Status"
    )


def test_no_room_but_policy_tests_a_record_status() -> None:
    found = [
        f"{name}:{line}"
        for name, _, nodes in sources()
        if name.split("/")[1] not in JUDGES
        for line in status_tests(nodes)
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "kept = [r for r in records if r.status is Status.ACTIVE]",
        "if record.status in (Status.ACTIVE, Status.EXPIRED): serve(record)",
        "match record.status:\n    case Status.SUPERSEDED:\n        pass",
    ],
)
def test_the_check_sees_a_filter_of_its_own(code: str) -> None:
    assert len(list(status_tests(ast.walk(ast.parse(code))))) == 1
