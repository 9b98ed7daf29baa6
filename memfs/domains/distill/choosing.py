"""Chooses what stands in ``core.md``, from everything that programs are served."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from memfs.domains.distill.core import CORE_KINDS, Core, Ranked, composed, ranked
from memfs.domains.distill.staging import staged_groups
from memfs.index.catalogue import CatalogueFilter
from memfs.model.event import EVENT_KIND
from memfs.model.record import StoredRecord
from memfs.policy.access import SERVED_STATUS
from memfs.policy.lasting import is_for_core
from memfs.services.catalogue import open_catalogue
from memfs.services.core_note import CoreNote
from memfs.services.core_view import core_reader, read_places
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.services.signals import uses_of
from memfs.store.snapshot import Snapshot


def chosen_core(workspace: Workspace, snapshot: Snapshot) -> Core:
    """Returns the core as a sleep makes it: chosen anew from all that there is."""
    half_life = workspace.settings.recall.rank.half_life_days
    groups = {
        member.id: group.lead for group in staged_groups(workspace) for member in group.members
    }
    choice = ranked(
        _to_choose_from(workspace, snapshot),
        uses_of(workspace),
        half_life_days=half_life,
        groups=groups,
    )
    return composed(choice, most_bytes=workspace.settings.sleep.core_bytes)


def kept_core(workspace: Workspace, snapshot: Snapshot, note: CoreNote) -> Core:
    """Returns the core between two sleeps: what was chosen, as the ledger has it now."""
    found = list(read_places(workspace, snapshot, note.places, core_reader(workspace)))
    is_event = {stored.record.id: stored.record.kind == EVENT_KIND for stored in found}
    choice = Ranked(
        facts=tuple(stored for stored in found if not is_event[stored.record.id]),
        events=tuple(stored for stored in found if is_event[stored.record.id]),
    )
    return composed(choice, left=note.left, most_bytes=workspace.settings.sleep.core_bytes)


def _to_choose_from(workspace: Workspace, snapshot: Snapshot) -> Iterator[StoredRecord]:
    """Yields what any program is served whole; what is disputed stands in no core."""
    kinds = tuple(name for name in CORE_KINDS if name in workspace.registry)
    wanted = CatalogueFilter(kinds=kinds, status=str(SERVED_STATUS))
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = catalogue.listing(wanted)
        for stored in served_from(workspace, snapshot, rows, core_reader(workspace)):
            if stored.path and not stored.record.conflicts and is_for_core(stored.record):
                yield stored
