"""Reads what is no Python: how a project is built and tested, and which modules a document names.

Names alone are taken: no sentence of a document, no command of a manifest and no value of a
setting. A file that cannot be read in its format says only that it is there.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.values import JsonValue
from memfs.policy.role_survey import MOST_MENTIONS, is_tellable

_TARGET: Final = re.compile(r"^([A-Za-z][A-Za-z0-9_.-]{0,39})\s*:(?!=)", re.MULTILINE)
_GO_MODULE: Final = re.compile(r"^module\s+(\S{1,120})\s*$", re.MULTILINE)
_SECTION: Final = re.compile(r"^\[(?:tool:)?([A-Za-z0-9_.:-]{1,60})\]\s*$", re.MULTILINE)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@/-]{0,80}\Z")
_WORD: Final = re.compile(
    r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w])|`{1,2}([A-Za-z_]\w*)`"
)
_MOST_NAMES: Final = 200
_MOST_PARTS: Final = 40
"""Parts of a dotted name that are looked at."""
_MOST_TOML: Final = 131_072
_MOST_LINE: Final = 2_000
"""Characters of a line of TOML, and so of a key."""


@frozen
class Manifest:
    """What was read off a manifest.

    Attributes:
        name: What it calls the project; empty where it does not.
        needs: How many other projects it needs.
        starts: Modules that it starts by a command, in order.
        targets: What can be made or run by it, in order.
        testers: Programs that test the project, as it sets them up.
    """

    name: str = ""
    needs: int = 0
    starts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    testers: tuple[str, ...] = ()


def read_manifest(base: str, content: bytes) -> Manifest:
    """Reads a manifest by its name, in lower case."""
    text = content.decode("utf-8", "replace")
    try:
        match base:
            case "pyproject.toml":
                return _pyproject(_toml(text))
            case "cargo.toml":
                return _cargo(_toml(text))
            case "package.json":
                return _package(json.loads(text))
            case "makefile" | "justfile":
                return Manifest(targets=_targets(text))
            case "go.mod":
                found = _GO_MODULE.search(text)
                return Manifest(name=_plain(found[1]) if found else "")
            case "setup.cfg" | "tox.ini":
                sections = set(_SECTION.findall(text))
                return Manifest(testers=tuple(sorted(sections & _TESTERS)))
            case _:
                return Manifest()
    except (ValueError, RecursionError, TypeError):
        return Manifest()


def _toml(text: str) -> Mapping[str, JsonValue]:
    """Reads TOML; a key of thousands of parts would take the reader minutes.

    Raises:
        ValueError: It is none, or larger than what people write.
    """
    if len(text) > _MOST_TOML or max(map(len, text.splitlines()), default=0) > _MOST_LINE:
        raise ValueError("too large")
    return tomllib.loads(text)


_TESTERS: Final = frozenset({"pytest", "nose", "tox", "hypothesis", "unittest", "nox"})


def _pyproject(value: Mapping[str, JsonValue]) -> Manifest:
    project, tools = _table(value, "project"), _table(value, "tool")
    scripts = (*_table(project, "scripts").values(), *_table(project, "gui-scripts").values())
    started = (str(item).partition(":")[0].strip() for item in scripts)
    needed = project.get("dependencies")
    return Manifest(
        name=_plain(project.get("name")),
        needs=len(needed) if isinstance(needed, list) else 0,
        starts=tuple(dict.fromkeys(filter(is_tellable, started)))[:_MOST_NAMES],
        testers=tuple(sorted(_TESTERS & set(tools))),
    )


def _cargo(value: Mapping[str, JsonValue]) -> Manifest:
    package = _table(value, "package")
    return Manifest(name=_plain(package.get("name")), needs=len(_table(value, "dependencies")))


def _package(value: JsonValue) -> Manifest:
    if not isinstance(value, Mapping):
        return Manifest()
    scripts = (_plain(name) for name in _table(value, "scripts"))
    return Manifest(
        name=_plain(value.get("name")),
        needs=len(_table(value, "dependencies")),
        targets=tuple(name for name in scripts if name)[:_MOST_NAMES],
    )


def _targets(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(name for name in _TARGET.findall(text) if is_tellable(name))
    return tuple(found)[:_MOST_NAMES]


def _table(value: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _plain(value: JsonValue) -> str:
    name = value if isinstance(value, str) else ""
    return name if _NAME.match(name) is not None and is_tellable(name) else ""


def mentioned(content: bytes, modules: Collection[str]) -> tuple[str, ...]:
    """Returns the modules of a project that a document names, in order of their first mention.

    A dotted name counts where it is a module or something in one, a single word only where it
    stands between backquotes.

    Args:
        content: The document.
        modules: Dotted names of the modules.
    """
    found: dict[str, None] = {}
    for name in _names(content.decode("utf-8", "replace")):
        parts = name.split(".", _MOST_PARTS)[:_MOST_PARTS]
        while parts and ".".join(parts) not in modules:
            parts.pop()
        if parts:
            found.setdefault(".".join(parts))
        if len(found) >= MOST_MENTIONS:
            break
    return tuple(found)


def _names(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        yield found[1] or found[0]
