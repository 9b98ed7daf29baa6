"""Whether a record has been taken back: what a question about the past must respect.

What memory knew at an earlier moment may be told, replaced wording included; what was
retracted, forgotten or awaits repair since then may not, however the question is put.
"""

from __future__ import annotations

from typing import Final

from memfs.model.record import Record
from memfs.model.status import Status

_WITHDRAWN: Final = frozenset({Status.RETRACTED, Status.DELETED, Status.REPAIR_PENDING})


def is_withdrawn(record: Record) -> bool:
    """Tells whether ``record``, as it stands now, bars its earlier versions from being served."""
    return record.status in _WITHDRAWN
