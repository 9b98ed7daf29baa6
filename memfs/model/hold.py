"""A hold: a file on the branch that policy has not admitted yet.

While ``holds/<key>.json`` stands in the ledger, readers are served the admitted blob of
``path`` (or nothing, when there is none), whatever the tree itself has there.
"""

from __future__ import annotations

from memfs.model.frozen import frozen


@frozen
class Hold:
    """One held path.

    Attributes:
        path: Store-relative path of the record or settings file.
        admitted: Blob id that is served meanwhile; empty when nothing was ever admitted.
        found: Blob id that the foreign commit put there; empty when it removed the file.
        candidate: ``cand_…`` that waits for a decision; empty when what was found cannot be
            proposed, such as bytes that are no text.
    """

    path: str
    admitted: str
    found: str
    candidate: str
