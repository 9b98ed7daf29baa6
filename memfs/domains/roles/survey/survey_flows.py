"""What a Python file can be seen to read, write or start: by what stands in it as a literal.

Conservative: a call counts only where the name that is called is a well-known one and was imported
or is built in, and a place only where it is written there as plain text. Nothing is worked out,
and a call through anything else is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen
from memfs.policy.role_survey import host_named, is_tellable, place_named

MOST_TOUCHES: Final = 60


class Medium(StrEnum):
    """What is touched."""

    DISK = "disk"
    DATABASE = "database"
    ENVIRONMENT = "environment"
    NETWORK = "network"
    PROGRAM = "program"


@frozen
class Touch:
    """One thing that a file reads, writes or starts.

    Attributes:
        medium: What sort of thing.
        name: Its name where that is written there; empty where it is not, or is not told.
        is_write: Whether it is changed; else it is read, or started.
    """

    medium: Medium
    name: str = ""
    is_write: bool = False


_WRITING: Final = frozenset("wax+")
_OPENERS: Final = frozenset({"open", "io.open", "codecs.open", "gzip.open", "bz2.open"})
_PLACES: Final = frozenset({"pathlib.Path", "pathlib.PosixPath"})
_READERS: Final = frozenset({"read_text", "read_bytes"})
_WRITERS: Final = frozenset({"write_text", "write_bytes"})
_READ_ENVIRONMENT: Final = frozenset({"os.getenv", "os.environ.get", "os.getenvb"})
_WRITE_ENVIRONMENT: Final = frozenset({"os.putenv", "os.environ.setdefault", "os.environ.pop"})
_DATABASES: Final = frozenset({"sqlite3.connect", "aiosqlite.connect", "duckdb.connect"})
_PROGRAMS: Final = frozenset(
    (
        "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call",
        "subprocess.check_output", "asyncio.create_subprocess_exec", "os.execvp",
    )
)  # fmt: skip
_REQUESTS: Final[Mapping[str, bool]] = MappingProxyType(
    {
        f"{library}.{verb}": verb not in ("get", "head", "options")
        for library in ("requests", "httpx", "aiohttp")
        for verb in ("get", "head", "options", "post", "put", "patch", "delete")
    }
    | {"urllib.request.urlopen": False, "urllib.request.Request": False}
)
"""Calls that speak to an address, and whether they hand something over."""


def touches_in(nodes: Sequence[ast.AST]) -> tuple[Touch, ...]:
    """Returns what a file can be seen to touch, each once, in order.

    Args:
        nodes: All nodes of what was parsed.
    """
    names = _called(nodes)
    found: dict[Touch, None] = {}
    for node in nodes:
        for touch in _touches(node, names):
            found.setdefault(touch)
        if len(found) >= MOST_TOUCHES:
            break
    return tuple(found)[:MOST_TOUCHES]


def _called(nodes: Sequence[ast.AST]) -> Mapping[str, str]:
    """Returns what the names that a file imports stand for, by the name here."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for item in node.names:
                names[item.asname or item.name.partition(".")[0]] = (
                    item.name if item.asname else item.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for item in node.names:
                names[item.asname or item.name] = f"{node.module}.{item.name}"
    return names


def _touches(node: ast.AST, names: Mapping[str, str]) -> Iterator[Touch]:
    if isinstance(node, ast.Subscript):
        if _dotted(node.value, names) == "os.environ":
            name = _literal(node.slice)
            is_write = not isinstance(node.ctx, ast.Load)
            yield Touch(medium=Medium.ENVIRONMENT, name=_variable(name), is_write=is_write)
        return
    if not isinstance(node, ast.Call):
        return
    name = _dotted(node.func, names)
    first = _literal(node.args[0]) if node.args else ""
    if name in _OPENERS:
        yield Touch(medium=Medium.DISK, name=place_named(first), is_write=_is_writing(node, 1))
    elif name in _READ_ENVIRONMENT | _WRITE_ENVIRONMENT:
        is_write = name in _WRITE_ENVIRONMENT
        yield Touch(medium=Medium.ENVIRONMENT, name=_variable(first), is_write=is_write)
    elif name in _DATABASES:
        if first != ":memory:":
            for is_write in (False, True):
                yield Touch(medium=Medium.DATABASE, name=place_named(first), is_write=is_write)
    elif name in _REQUESTS:
        is_write = _REQUESTS[name]
        yield Touch(medium=Medium.NETWORK, name=host_named(first), is_write=is_write)
    elif name in _PROGRAMS:
        yield Touch(medium=Medium.PROGRAM, name=_program(node))
    else:
        yield from _of_path(node, names)


def _of_path(node: ast.Call, names: Mapping[str, str]) -> Iterator[Touch]:
    """Yields what is done to a path that is written on the spot: ``Path("a").read_text()``."""
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Call):
        return
    made = function.value
    if _dotted(made.func, names) not in _PLACES:
        return
    place = place_named(_literal(made.args[0])) if made.args else ""
    if function.attr in _READERS | _WRITERS:
        yield Touch(medium=Medium.DISK, name=place, is_write=function.attr in _WRITERS)
    elif function.attr == "open":
        yield Touch(medium=Medium.DISK, name=place, is_write=_is_writing(node, 0))


def _dotted(node: ast.expr, names: Mapping[str, str]) -> str:
    """Returns the full name of what is called, as far as it is written; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    first = names.get(node.id, node.id if not parts and node.id == "open" else "")
    return ".".join((first, *reversed(parts))) if first else ""


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_writing(node: ast.Call, place: int) -> bool:
    given = [item.value for item in node.keywords if item.arg == "mode"]
    modes = given or node.args[place : place + 1]
    return any(not _WRITING.isdisjoint(_literal(mode)) for mode in modes)


def _variable(name: str) -> str:
    return name if name.isidentifier() and name.isascii() and is_tellable(name) else ""


def _program(node: ast.Call) -> str:
    """Returns the program that is started, without a word of what it is told."""
    if not node.args:
        return ""
    first = node.args[0]
    if isinstance(first, ast.List | ast.Tuple) and first.elts:
        first = first.elts[0]
        return _tool(_literal(first))
    return _tool(_literal(first).split(" ", 1)[0])


def _tool(name: str) -> str:
    base = name.rpartition("/")[2]
    is_plain = bool(base) and all(sign.isalnum() or sign in "._+-" for sign in base)
    return base if is_plain and base.isascii() and is_tellable(base) else ""
