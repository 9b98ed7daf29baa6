"""Sizes, names and habits of the modules."""

from __future__ import annotations

import ast

from tests.support.sources import module_paths, sources

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 50
FORBIDDEN_WORDS = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager"}
ENTRY_POINTS = {
    "memfs/cli/entry.py",
    "memfs/cli/hook.py",
    "memfs/app/background.py",
    "memfs/app/wrapping.py",
    "memfs/mcp/server.py",
    "memfs/mcp/compat/server.py",
    "memfs/mcp/transport.py",
}

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Counts the lines of a function from ``def`` to its end, its docstring apart."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_a_module_is_at_most_400_lines() -> None:
    long = [
        f"{name}: {lines} lines"
        for name, path in module_paths()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_MODULE_LINES
    ]

    assert long == []


def test_a_function_is_at_most_50_lines() -> None:
    long = [
        f"{name}:{node.lineno}: {node.name}: {_code_lines(node)} lines"
        for name, _, nodes in sources()
        for node in nodes
        if isinstance(node, FUNCTIONS) and _code_lines(node) > MAX_FUNCTION_LINES
    ]

    assert long == []


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    drawers = [name for name, path in module_paths() if FORBIDDEN_WORDS & set(path.stem.split("_"))]

    assert drawers == []


def test_every_module_says_what_it_guarantees() -> None:
    silent = [name for name, tree, _ in sources() if not ast.get_docstring(tree)]

    assert silent == []


def test_only_entry_points_catch_everything() -> None:
    broad = [
        f"{name}:{node.lineno}"
        for name, _, nodes in sources()
        if name not in ENTRY_POINTS
        for node in nodes
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and not _reraises(node)
    ]

    assert broad == []


def _reraises(handler: ast.ExceptHandler) -> bool:
    """Tells whether a handler only cleans up and lets the exception go on."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_the_library_never_prints_or_exits() -> None:
    found = [
        f"{name}:{node.lineno}: {ast.unparse(node.func)}"
        for name, _, nodes in sources()
        if not name.startswith("memfs/cli/") and name != "memfs/__main__.py"
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and _is_short(node.func)
        and ast.unparse(node.func) in {"print", "exit", "quit", "sys.exit", "os._exit"}
    ]

    assert [place for place in found if not place.startswith("memfs/formats/schema.py")] == []


def _is_short(called: ast.Name | ast.Attribute) -> bool:
    """Tells whether a name has one dot at most; spelling each call out takes long."""
    return isinstance(called, ast.Name) or isinstance(called.value, ast.Name)


def test_no_module_keeps_a_mutable_global() -> None:
    mutable = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    found = [
        f"{name}:{node.lineno}"
        for name, tree, _ in sources()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, mutable)
        and not _is_declared_read_only(node)
    ]

    assert found == []


def _is_declared_read_only(node: ast.Assign | ast.AnnAssign) -> bool:
    """Accepts ``__all__`` and what the type checker holds to reading only."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    return ast.unparse(node.annotation).startswith(("Final", "Mapping", "Sequence"))


def test_untyped_dictionaries_stay_inside_formats() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, _, nodes in sources()
        if not name.startswith("memfs/formats/")
        for node in nodes
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id in {"dict", "Mapping"}
        and ast.unparse(node).startswith(("dict[str, Any", "Mapping[str, Any"))
    ]

    assert found == []
