"""Text for comparison: what two spellings of the same words have in common.

Only comparison ever sees the result; what a person wrote is stored as it was written.
Nothing here is similarity: two texts are the same after folding or they are not (C11).
"""

from __future__ import annotations

import unicodedata
from typing import Final

from memfs.model.digests import content_digest

_FINGERPRINT_DOMAIN: Final = "claim"
_SEPARATOR: Final = "\x1f"


def normalise_text(text: str) -> str:
    """Returns ``text`` in NFC and case folded, with white space folded and trimmed.

    Normalising twice gives the same as normalising once.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())


def statement_of(title: str, body: str) -> str:
    """Returns the normalised words that a claim states.

    A title that only repeats how the body starts (as generated titles do, a mark of
    shortening included) adds nothing and is left out, so that the same sentence with and
    without a title is the same claim.
    """
    words = normalise_text(body).lstrip("# ")
    head = normalise_text(title).rstrip("…").rstrip().lstrip("# ")
    if not words or words.startswith(head):
        return words or head
    return f"{head}{_SEPARATOR}{words}"


def claim_fingerprint(kind: str, scope: str, subject: str, title: str, body: str) -> str:
    """Returns a digest that is equal for two claims of the same kind, scope, subject and words.

    Args:
        kind: Name of the kind, compared exactly.
        scope: Written form of the scope, compared exactly; empty for none.
        subject: Subject key, compared after normalising.
        title: Title; ignored where it repeats how the body starts.
        body: Body, compared after normalising.
    """
    parts = (kind, scope, normalise_text(subject), statement_of(title, body))
    return content_digest(_FINGERPRINT_DOMAIN, _SEPARATOR.join(parts).encode("utf-8", "replace"))
