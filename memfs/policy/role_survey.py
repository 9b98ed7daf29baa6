"""What a scan of a project looks at, and how much: tables, and names that may stand in a claim.

The figures are choices of this project, not taken from elsewhere: they let a project of five
thousand files be scanned in seconds, and keep one that is larger, or made to be, from taking more.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.policy.role_operations import MOST_CLAIM
from memfs.policy.screening import scan_personal, scan_secrets

MOST_FILES: Final = 5_000
"""Files that are looked at; of a larger project those that come first by name."""
MOST_FILE_BYTES: Final = 1024 * 1024
"""A larger file is left out: hardly any that a person wrote is."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Bytes that are read in all."""
MOST_SECONDS: Final = 30.0
"""Of processor time; after that no further file is looked at."""
MOST_DEPTH: Final = 40
"""Folders that a file may be below."""
MOST_NAME: Final = 160
"""Characters of a path, or of the name of a part, that may stand in a claim."""
MOST_PARTS: Final = 2_000
MOST_BONDS: Final = 4_000
MOST_NAMED: Final = 3
"""Names that a claim lists; the rest is counted."""
MOST_SEAMS: Final = 8
"""Tests that a part names as what shows whether it works."""
MOST_SOURCES: Final = 24
"""Files that one claim was read off; of more, those that come first by name."""
MOST_MENTIONS: Final = 40
"""Modules that one document is taken to describe."""
PROPOSED: Final = 12
MOST_PROPOSED: Final = 64
"""Claims that one scan puts up for review: as many as a packet holds."""
REVIEWED_SORTS: Final = frozenset(
    ("package", "module", "setup", "disk", "database", "environment", "network")
)
"""Sorts of parts that a person is asked about; that a test or a document is there asks nothing."""

LANGUAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".cs": "C#",
        ".css": "CSS", ".dart": "Dart", ".ex": "Elixir", ".exs": "Elixir", ".go": "Go",
        ".hs": "Haskell", ".html": "HTML", ".java": "Java", ".js": "JavaScript",
        ".jsx": "JavaScript", ".mjs": "JavaScript", ".kt": "Kotlin", ".lua": "Lua",
        ".php": "PHP", ".pl": "Perl", ".proto": "Protocol Buffers", ".rb": "Ruby", ".rs": "Rust",
        ".scala": "Scala", ".sh": "shell", ".sql": "SQL", ".svelte": "Svelte",
        ".swift": "Swift", ".ts": "TypeScript", ".tsx": "TypeScript", ".vue": "Vue",
        ".zig": "Zig",
    }
)  # fmt: skip
"""Suffixes of files that are counted by folder, and not read into."""
DOCUMENTS: Final = frozenset({".md", ".rst", ".txt", ".adoc"})
MANIFESTS: Final = frozenset(
    (
        "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "makefile",
        "package.json", "cargo.toml", "go.mod", "justfile", "dockerfile", "gemfile", "pom.xml",
        "build.gradle", "cmakelists.txt", "meson.build",
    )
)  # fmt: skip
"""Names, in lower case, of files that say how a project is built, run or tested."""
SKIPPED_FOLDERS: Final = frozenset(
    (
        "node_modules", "__pycache__", "venv", "env", "build", "dist", "target", "vendor",
        "site-packages", "third_party", "bower_components",
    )
)  # fmt: skip
"""Folders that are left out where no Git says what belongs to the project; hidden ones too."""

_LINE: Final = re.compile(
    r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+\Z"
)
_PLAIN: Final = re.compile(r"[\w][\w. +@/-]*\Z")
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,158}[a-z0-9])?\Z")


def is_tellable(name: str) -> bool:
    """Tells whether a path or a name of the project may stand in a claim as it is.

    One line, of characters that can be seen, not too long, and nothing that looks like a secret
    or a person's number.
    """
    return (
        0 < len(name) <= MOST_NAME
        and name == name.strip()
        and _LINE.match(name) is not None
        and not scan_secrets(name)
        and not scan_personal(name)
    )


def place_named(literal: str) -> str:
    """Returns the place in the project that a literal names; empty where it is not told.

    A place outside the project may be somebody's own, and words that are no path may be anything.
    """
    name = literal.replace("\\", "/").removeprefix("./")
    is_inner = not name.startswith(("/", "~")) and ":" not in name and ".." not in name.split("/")
    return name if is_inner and _PLAIN.match(name) is not None and is_tellable(name) else ""


def host_named(literal: str) -> str:
    """Returns the host of an address; without who logs in, and without anything behind it."""
    scheme, colon, rest = literal.partition("://")
    if not colon or scheme.lower() not in ("http", "https", "ws", "wss", "ftp"):
        return ""
    authority = re.split(r"[/?#\s]", rest, maxsplit=1)[0]
    host = authority.rpartition("@")[2].partition(":")[0].lower()
    return host if _HOST.match(host) is not None and is_tellable(host) else ""


def claim_line(text: str) -> str:
    """Returns a claim that fits on a line of its kind, cut with an ellipsis where it is longer."""
    return text if len(text) <= MOST_CLAIM else f"{text[: MOST_CLAIM - 1]}…"


def listed(names: tuple[str, ...]) -> str:
    """Returns names as a claim lists them: a few, and how many more."""
    shown = names[:MOST_NAMED]
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else "".join(shown)
