"""Content digests, versioned and separated by domain (A88).

The same bytes in two roles never give the same digest, and a digest names its
algorithm, so that a later one can stand beside it.
"""

from __future__ import annotations

import hashlib
from typing import Final

from memfs.model.ids import BlobId

IMPORT_DOMAIN: Final = "import"
"""Domain of the digests of what another system kept, item by item."""


def blob_id(content: bytes) -> BlobId:
    """Returns the id that Git gives to ``content`` as a blob (SHA-1 object format)."""
    return BlobId(
        hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    )


def content_digest(domain: str, content: bytes) -> str:
    """Returns ``sha256:<domain>:<64 hex digits>`` over the domain and the content."""
    digest = hashlib.sha256(domain.encode("ascii") + b"\0v1\0" + content).hexdigest()
    return f"sha256:{domain}:{digest}"


def is_digest_in(domain: str, digest: str) -> bool:
    """Whether a digest is one of ``domain``."""
    return digest.startswith(f"sha256:{domain}:")
