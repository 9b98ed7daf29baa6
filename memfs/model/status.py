"""Life of a record (A34). Candidates have a life of their own in ``candidate``."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The states of an admitted record; only ``active`` is ever served."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    EXPIRED = "expired"
    REPAIR_PENDING = "repair_pending"
    DELETED = "deleted_tombstone"
