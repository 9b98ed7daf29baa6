"""Pollution: which namespace a record says is not to be relied on until it is repaired."""

from __future__ import annotations

from typing import Final

from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status

POLLUTION_KIND: Final = "pollution"


def polluted_by(record: Record) -> Scope | None:
    """Returns the namespace that ``record`` marks; ``None`` where it marks none any more."""
    namespace = record.fields.get("namespace")
    if record.kind != POLLUTION_KIND or record.status is not Status.ACTIVE:
        return None
    try:
        return Scope.parse(str(namespace))
    except ValueError:
        return None
