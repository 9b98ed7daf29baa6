"""Plain files of the project, for whoever looks something up in it: read, never run or followed.

A name that leads out of the project, into Git's own folder or through a link names nothing.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def inner_parts(name: str) -> tuple[str, ...]:
    """Returns the parts of a name that stays inside the project; none for any other."""
    path = Path(name)
    is_inner = not path.is_absolute() and not {"..", ".git"} & set(path.parts)
    return path.parts if is_inner else ()


def plain_mode(project: Path, parts: tuple[str, ...]) -> int:
    """Returns the file mode of a file or folder that is reached over folders alone; else 0.

    Args:
        project: Where the name begins.
        parts: The parts of the name, from the outermost, at least one.
    """
    here = project
    try:
        for part in parts:
            here = here / part
            mode = os.lstat(here).st_mode
            if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
                return 0
    except (OSError, ValueError):
        return 0
    return mode
