"""Receipts: what an operation with consequences did, as a record of its own."""

from __future__ import annotations

from collections.abc import Mapping

from memfs.model.frozen import frozen
from memfs.model.values import JsonValue


@frozen
class Receipt:
    """Content-free account of one operation.

    Attributes:
        id: ``rcp_…``.
        operation: What was done, such as ``forget`` or ``import``.
        transaction: ``tx_…`` of the commit that carries it.
        targets: Ids concerned.
        details: Counts, places scanned, guarantees reached; never content.
    """

    id: str
    operation: str
    transaction: str
    targets: tuple[str, ...]
    details: Mapping[str, JsonValue]
