"""Which store-relative paths may exist at all: pure rules, no file is looked at (A82).

The rules are those of the strictest system that a store may be copied to, so that a path that
is accepted here means the same file everywhere and can never reach a Git directory.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from memfs.errors import DataError

MAX_COMPONENT_BYTES: Final = 255
MAX_PATH_BYTES: Final = 1024
MAX_DEPTH: Final = 32

_PLAIN: Final = re.compile(
    r"(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z))[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_-])?\Z",
    re.IGNORECASE | re.ASCII,
)
"""Names that need no closer look: nearly all that there are."""
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\Z")
_GIT_NAMES: Final = frozenset({".git", "git~1"})


class PathRefusedError(DataError):
    """A path that no file of a store may have."""

    code = "path.refused"


def check_path(path: str) -> tuple[str, ...]:
    """Returns the components of a store-relative POSIX path.

    Raises:
        PathRefusedError: The path is empty or absolute, leaves the store, has a component that a
            file system could take for ``.git``, is too long or deep, is not valid Unicode, or has a
            control character, a backslash or a name that some system reserves.
    """
    if not path or len(path) > MAX_PATH_BYTES:
        raise _refusal(path, "length", f"expected 1 to {MAX_PATH_BYTES} bytes, got {len(path)}")
    parts = tuple(path.split("/"))
    if len(parts) > MAX_DEPTH:
        raise _refusal(path, "depth", f"expected at most {MAX_DEPTH} names, got {len(parts)}")
    for part in parts:
        problem = component_problem(part)
        if problem is not None:
            raise _refusal(path, *problem)
    if len(path.encode()) > MAX_PATH_BYTES:
        raise _refusal(path, "length", f"expected at most {MAX_PATH_BYTES} bytes")
    return parts


def component_problem(name: str) -> tuple[str, str] | None:
    """Tells what is wrong with one component: a short code and a sentence, or ``None``."""
    if _PLAIN.match(name):
        return None
    if name in ("", ".", ".."):
        return "traversal", f"expected a name, got {name!r}"
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return "encoding", "expected a name in UTF-8, got other bytes"
    if size > MAX_COMPONENT_BYTES:
        return "length", f"expected at most {MAX_COMPONENT_BYTES} bytes in a name, got {size}"
    if any(_is_control(letter) for letter in name):
        return "control", f"expected printable characters, got {name!r}"
    if "\\" in name or "/" in name:
        return "separator", f"expected a name without a separator, got {name!r}"
    if _is_git_name(name):
        return "git", f"expected a name that no system takes for a Git directory, got {name!r}"
    if name[-1] in ". " or _is_reserved(name):
        return "reserved", f"expected a name that every system allows, got {name!r}"
    return None


def find_collisions(paths: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Returns groups of paths that some file system takes for the same file.

    Compared are NFC, case folding and again NFC; groups and their members are sorted.
    """
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(collision_key(path), []).append(path)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1))


def collision_key(path: str) -> str:
    """Returns what two paths share when a file system could take one for the other."""
    if path.isascii():
        return path.lower()
    folded = unicodedata.normalize("NFC", path).casefold()
    return unicodedata.normalize("NFC", folded)


def _is_control(letter: str) -> bool:
    # Format characters (bidirectional marks, zero-width joiners) would make a name look like
    # another one; the joiners that some scripts need stay allowed.
    category = unicodedata.category(letter)
    if category == "Cf":
        return letter not in "\u200c\u200d"
    return category in ("Cc", "Cs", "Zl", "Zp")


def _is_reserved(name: str) -> bool:
    return _RESERVED.match(name.partition(".")[0].rstrip(" ").lower()) is not None


def _is_git_name(name: str) -> bool:
    """Whether a file system could take ``name`` for ``.git``: NTFS streams, HFS+ ignorables."""
    visible = "".join(letter for letter in name if unicodedata.category(letter) != "Cf")
    plain = unicodedata.normalize("NFKC", visible).casefold()
    plain = plain.partition(":")[0].rstrip(". ")
    return plain in _GIT_NAMES


def _refusal(path: str, code: str, message: str) -> PathRefusedError:
    shown = path[:200].encode("utf-8", "backslashreplace").decode("utf-8")
    printable = "".join(letter if letter.isprintable() else "?" for letter in shown)
    return PathRefusedError(message, path=printable, code=f"path.{code}")
