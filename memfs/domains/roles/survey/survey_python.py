"""Reads one Python file: what it defines, imports, tests, and what it can be seen to touch.

The text is parsed and never run: no module of the project is imported, and a file names its own
encoding only among those that are plain tables. A file that cannot be parsed says nothing.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Final

from memfs.domains.roles.survey.survey_flows import Touch, touches_in
from memfs.model.frozen import frozen

MOST_DEFINED: Final = 200
MOST_IMPORTS: Final = 500
_COOKIE: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_SPACE: Final = re.compile(r"[ \t\f]+|\\(?:\r\n?|\n)")
_CHAIN: Final = re.compile("(?<![\\w\x80-\U0010ffff.])(?:[\\w\x80-\U0010ffff]+\\.){100}")
"""A dotted name of a hundred parts: the parser keeps each of its beginnings, and a file that is
made to be would take all the memory that there is."""
_ENCODINGS: Final = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "utf-8-sig": "utf-8",
    "ascii": "ascii",
    "us-ascii": "ascii",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "iso-8859-1": "latin-1",
    "iso-8859-15": "iso-8859-15",
    "cp1252": "cp1252",
}


@frozen
class Imported:
    """One import as it is written.

    Attributes:
        module: The dotted name; empty for a relative import of the package alone.
        name: What is taken from it; empty where the module itself is.
        level: How many packages up a relative import begins; 0 for an absolute one.
        bound: The name that it gets here, at the top of the file; empty for one inside.
    """

    module: str
    name: str = ""
    level: int = 0
    bound: str = ""


@frozen
class Module:
    """What was read off one Python file.

    Attributes:
        classes: Names of the classes at its top, in order.
        functions: Names of the functions at its top, in order.
        imports: Its imports, each once, in order.
        tests: How many test functions it holds.
        touches: What it can be seen to read, write or start, each once, in order.
    """

    classes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    imports: tuple[Imported, ...] = ()
    tests: int = 0
    touches: tuple[Touch, ...] = ()

    @property
    def offered(self) -> tuple[str, ...]:
        """The names that it offers: classes first, without those that begin with ``_``."""
        names = (*self.classes, *self.functions)
        return tuple(dict.fromkeys(name for name in names if not name.startswith("_")))


def read_module(content: bytes) -> Module | None:
    """Reads a Python file; ``None`` where it cannot be parsed."""
    try:
        tree = _parsed(content)
        nodes = tuple(ast.walk(tree))
        return Module(
            classes=tuple(_defined(tree, ast.ClassDef)),
            functions=tuple(_defined(tree, ast.FunctionDef, ast.AsyncFunctionDef)),
            imports=tuple(dict.fromkeys(_imports(tree, nodes)))[:MOST_IMPORTS],
            tests=sum(map(_is_test, nodes)),
            touches=touches_in(nodes),
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        # A file may be of another version of Python, half written, or made to be parsed badly.
        return None


def _parsed(content: bytes) -> ast.Module:
    text = content.removeprefix(b"\xef\xbb\xbf")
    encoding = "utf-8"
    for line in text.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found is not None:
            name = found[1].decode("ascii", "replace").lower().replace("_", "-")
            encoding = _ENCODINGS[name]
            break
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
    with warnings.catch_warnings():
        # What a compiler would say of a file of somebody else's is theirs to hear.
        warnings.simplefilter("ignore")
        source = text.decode(encoding)
        if _CHAIN.search(_SPACE.sub("", source)) is not None:
            raise ValueError("a name of too many parts")
        return ast.parse(source)


def _defined(tree: ast.Module, *sorts: type[ast.stmt]) -> Iterator[str]:
    found = 0
    for statement in tree.body:
        if isinstance(statement, sorts) and found < MOST_DEFINED:
            found += 1
            yield str(getattr(statement, "name", ""))


def _is_test(node: ast.AST) -> bool:
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return is_function and str(getattr(node, "name", "")).startswith("test")


def _imports(tree: ast.Module, nodes: Sequence[ast.AST]) -> Iterator[Imported]:
    top = {id(statement) for statement in tree.body}
    for node in nodes:
        is_top = id(node) in top
        if isinstance(node, ast.Import):
            for item in node.names:
                bound = (item.asname or item.name) if is_top else ""
                yield Imported(module=item.name, bound=bound)
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                bound = (item.asname or item.name) if is_top else ""
                yield Imported(
                    module=node.module or "", name=item.name, level=node.level, bound=bound
                )
