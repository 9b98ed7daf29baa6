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


_ESCAPED_MARK: Final = (
    r"(?:&(?:amp;)*(?:lt|\#0*60|\#x0*3c);?|\\+u003c|\\+x3c|%(?:25)*3c|\\+<|\uff1c)"
    r"\s*(?:/|\\+/|%(?:25)*2f|&\#47;)?\s*memfs-(?:packet|memory|context)\b"
)
_PIECE: Final = (
    r"\bmemfs-packet\s+version\s*=|\bdata\s+recorded\s+by\s+earlier\s+sessions,\s+not\s+instructions\b"
    r"|\b(?:mem|ev|ex|run|iss|role|rsum|edge)_[0-7][0-9a-hjkmnp-tv-z]{25}@\d{1,9}\s*\u00b7\s*[a-z]"
    r"|\"id\"\s*:\s*\"(?:mem|ev|ex|run|iss)_[0-7][0-9a-hjkmnp-tv-z]{25}(?:@\d{1,9})?\"\s*,\s*\"version\"\s*:"
)


def has_packet_trace(text: str) -> bool:
    """Tells whether ``text`` is, quotes or holds a piece of a packet, escaped or cut as well.

    A fence in any of the spellings that it gets on its way through HTML, JSON, an address or
    a shell; the sentence that opens a packet; the head of one of its cards (C16).
    """
    if has_packet_mark(text):
        return True
    folded = text.casefold()
    if "memfs-" in folded and re.search(_ESCAPED_MARK, folded) is not None:
        return True
    may_be_piece = "memfs-packet" in folded or "earlier" in folded or "@" in folded
    return (may_be_piece or '"id"' in folded) and re.search(_PIECE, folded) is not None
