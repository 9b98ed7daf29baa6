"""Places of a file system that a text names (M28). Pure."""

from __future__ import annotations

import re
from typing import Final

_PLACES: Final = r"(?:^|[\s`\"'(])(?:\.{0,2}/|~/|[A-Za-z]:\\)?[\w.-]+[/\\][\w./\\-]+"


def paths_in(text: str) -> tuple[str, ...]:
    """Returns the places of a file system that a text names, in order, each once."""
    found = (match[0].strip(" \t\n`\"'(") for match in re.finditer(_PLACES, text))
    return tuple(dict.fromkeys(path.rstrip(".,;:") for path in found if "://" not in path))
