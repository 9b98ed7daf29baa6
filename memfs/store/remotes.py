"""Which remotes a repository names: where copies of it may lie. Reads one file, starts nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_REMOTE: Final = re.compile(r'^\s*\[\s*remote\s+"(?P<name>[^"]{1,200})"\s*\]', re.MULTILINE)


def remote_names(git_dir: Path) -> tuple[str, ...]:
    """Returns the names of the remotes in a repository's own configuration, sorted.

    Addresses are not returned: they can carry a password.
    """
    try:
        text = (git_dir / "config").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return tuple(sorted({match["name"] for match in _REMOTE.finditer(text)}))
