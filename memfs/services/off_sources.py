"""Kill switches reach what was made of a source: a record that rests on it is withheld too (A75).

Looked at only where a switch is set and a program reads. What a record rests on is followed to
its end within a bound; what is beyond the bound, or not there, counts as switched off.
"""

from __future__ import annotations

from contextlib import closing
from typing import Final

from memfs.model.record import Record
from memfs.policy.access import AccessRequest
from memfs.policy.closure import inputs_of
from memfs.policy.sources import is_switched_off
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot

_MOST: Final = 256


def rests_on_off_source(
    workspace: Workspace, snapshot: Snapshot, record: Record, request: AccessRequest
) -> bool:
    """Tells whether anything that ``record`` rests on came from a source that is off."""
    if request.is_trusted_reader or not request.sources_off:
        return False
    # Hardly any store switches a source off, and every question imports this module.
    from memfs.services.catalogue import open_catalogue, read_entries

    seen: set[str] = set()
    waiting = list(inputs_of(record))
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            found = read_entries(workspace, snapshot, catalogue.by_id(name))
            if not found or len(seen) > _MOST:
                return True
            for stored in found:
                if is_switched_off(stored.record.origin, request.sources_off):
                    return True
                waiting.extend(inputs_of(stored.record))
    return False
