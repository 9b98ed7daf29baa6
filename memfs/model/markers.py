"""Markers around text that memfs itself put into a context.

The compiler of packets writes them, ``memfs strip`` removes what stands between them, and
policy refuses text that carries them as evidence or as a claim (C16): what was recalled
must never come back as something new.
"""

from __future__ import annotations

import re
from typing import Final

PACKET_TAG: Final = "memfs-packet"
"""Name of the element that fences a packet: ``<memfs-packet …> … </memfs-packet>``."""

PACKET_MARK: Final = re.compile(r"<\s*/?\s*memfs-(?:packet|memory|context)\b", re.IGNORECASE)
"""An opening or closing packet fence, also when it was copied carelessly."""


def has_packet_mark(text: str) -> bool:
    """Tells whether ``text`` carries a fence of a memfs packet."""
    return PACKET_MARK.search(text) is not None
