"""Sizes that keep one file from hurting the rest (A83); the same for every producer.

Bytes are UTF-8 bytes, characters are Unicode code points.
"""

from __future__ import annotations

from typing import Final

TITLE_CHARS: Final = 200
BODY_BYTES: Final = 65_536
MATTER_BYTES: Final = 65_536
FILE_BYTES: Final = 262_144
LINE_CHARS: Final = 1_000
"""Longest one-line field: subject, source, entity, relation target."""
LABEL_CHARS: Final = 100
"""Longest tag or taint label."""
TEXT_CHARS: Final = 4_000
"""Longest ``summary`` or ``abstract``."""
LIST_ITEMS: Final = 1_000
DEPTH: Final = 16
"""Deepest nesting of lists and mappings in frontmatter and JSON."""
ALIASES: Final = 16
NODES: Final = 5_000
"""Most values in one frontmatter, aliases counted as often as they are used."""
MAX_VERSION: Final = 999_999_999
CAPTURES_A_DAY: Final = 10_000
"""Texts that one program may have kept as evidence within a day."""
WORK_A_DAY: Final = 10_000
"""Runs, or issues, or sessions, that one program may have recorded within a day."""
