"""Identifiers: a prefix that names the kind of thing and a lower-case ULID.

An id never changes, never encodes content and never refers to a commit, so that
history can be rewritten on demand without breaking a reference. Making ids needs a
clock and randomness and therefore lives in ``memfs.app.system``.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, NewType

RecordId = NewType("RecordId", str)
TransactionId = NewType("TransactionId", str)
CandidateId = NewType("CandidateId", str)
StoreId = NewType("StoreId", str)
CommitId = NewType("CommitId", str)
"""A full lower-case hexadecimal Git commit id (40 digits)."""
BlobId = NewType("BlobId", str)
"""A full lower-case hexadecimal Git blob id (40 digits)."""

RECORD_PREFIX: Final = "mem"
EVIDENCE_PREFIX: Final = "ev"
EXCERPT_PREFIX: Final = "ex"
RECEIPT_PREFIX: Final = "rcp"
PUBLICATION_PREFIX: Final = "pub"
OUTCOME_PREFIX: Final = "out"
RUN_PREFIX: Final = "run"
ISSUE_PREFIX: Final = "iss"
EVENT_PREFIX: Final = "evt"
"""Of an event in the log of an issue; what happened at large is a record of its own."""
TIMELINE_PREFIX: Final = "event"
ENTITY_PREFIX: Final = "ent"
EDGE_PREFIX: Final = "edge"
SESSION_PREFIX: Final = "ses"
PACKET_PREFIX: Final = "pkt"
TRANSACTION_PREFIX: Final = "tx"
CANDIDATE_PREFIX: Final = "cand"
STORE_PREFIX: Final = "store"

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_ULID = r"[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}"
_ID: Final = re.compile(rf"(?P<prefix>[a-z]{{2,8}})_(?P<ulid>{_ULID})\Z")
_VERSIONED: Final = re.compile(
    rf"(?P<id>(?:[a-z]{{2,8}}_{_ULID})|[0-9a-z]{{4,26}})(?:@(?P<version>[1-9][0-9]{{0,8}}))?\Z"
)


def is_id(text: str, prefix: str = "") -> bool:
    """Tells whether ``text`` is a well-formed id, of kind ``prefix`` when one is given."""
    match = _ID.match(text)
    return match is not None and (not prefix or match["prefix"] == prefix)


def prefix_of(identifier: str) -> str:
    """Returns the part before the underscore, or an empty string for anything malformed."""
    match = _ID.match(identifier)
    return match["prefix"] if match else ""


def short_id(identifier: str) -> str:
    """Returns the last six characters: what a file name carries and what people type."""
    return identifier[-6:]


def split_version(reference: str) -> tuple[str, int | None]:
    """Splits ``mem_…@2``, or the end of an id with a version, into the id and the version.

    Returns:
        The id and the version, ``None`` when the reference names no version. A
        malformed reference comes back whole with ``None``.
    """
    match = _VERSIONED.match(reference)
    if match is None:
        return reference, None
    return match["id"], int(match["version"]) if match["version"] else None


def derived_id(prefix: str, *parts: str) -> str:
    """Returns an id that follows from ``parts`` alone, for what is made in two places at once."""
    text = "\x1f".join((prefix, *parts)).encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.sha256(text).digest()[:16], "big")
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return f"{prefix}_{''.join(reversed(digits))}"
