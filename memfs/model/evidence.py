"""What a claim rests on: a source pointer, a digest and, where needed, a quote."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A span that is said to stand verbatim in an evidence record.

    Attributes:
        evidence_id: Id of the evidence record, ``ev_…``.
        text: The quoted words, compared in NFC with white space folded.
    """

    evidence_id: str
    text: str
