"""Lineage: where a run stands among others, fixed when it is dispatched (C5, C6, C7, C8).

``parent`` and ``session`` are what the caller or the environment says, ``previous`` is the
newest run of the project at that moment, ``root`` the first run of the chain. What is not known
is absent. An id that the environment brought from another store is kept as an id and opens
nothing there (C9).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.domains.runs.dispatch import Dispatches, is_seen
from memfs.index.catalogue import Catalogue, CatalogueFilter
from memfs.model.ids import RUN_PREFIX, is_id
from memfs.model.instants import parse_instant
from memfs.model.record import Record
from memfs.model.run import RUN_KIND
from memfs.policy.access import AccessRequest
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.services.served_records import read_path
from memfs.store.snapshot import Snapshot

_LOOKED_AT: Final = 16
"""So many of the runs recorded last are looked at for the one that was dispatched last."""
_DEEPEST: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a run among others; empty where there is nothing to say."""

    run: str
    parent: str = ""
    previous: str = ""
    root: str = ""
    session: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a caller says of the place of a run; empty for what the environment says."""

    run: str = ""
    parent: str = ""
    session: str = ""
    agent: str = ""


def place_for(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    request: AccessRequest,
    wanted: Wanted,
) -> Place:
    """Returns the place of a run that is dispatched now.

    A process whose environment names a run that nobody has dispatched is that run; otherwise
    what it dispatches is a child of the run that it belongs to.
    """
    here = workspace.lineage
    dispatches = Dispatches(workspace)
    is_new = bool(here.run) and not is_known(workspace, snapshot, catalogue, here.run)
    own = wanted.run or (here.run if is_new else "")
    run = own or workspace.ids.new_id(RUN_PREFIX)
    named = here.parent if run == here.run else here.run or here.parent
    parent = wanted.parent or named
    parent = "" if parent == run else parent
    return Place(
        run=run,
        parent=parent,
        previous=_previous(workspace, snapshot, catalogue, request, dispatches, run),
        root=root_of(workspace, snapshot, catalogue, parent) if parent else run,
        session=wanted.session or here.session,
        agent=wanted.agent or here.agent,
    )


def is_known(workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, run: str) -> bool:
    """Tells whether a run was dispatched or recorded here, in any state."""
    return Dispatches(workspace).find(run) is not None or bool(catalogue.by_id(run))


def record_of(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, run: str
) -> Record | None:
    """Returns the record of a run in any state, for its lineage alone."""
    for row in catalogue.by_id(run):
        stored = read_path(workspace, snapshot, row.path)
        if stored is not None and stored.record.kind == RUN_KIND:
            return stored.record
    return None


def root_of(workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, run: str) -> str:
    """Returns the first run of the chain that ``run`` is in, as far as this store knows."""
    dispatches = Dispatches(workspace)
    for _ in range(_DEEPEST):
        note = dispatches.find(run)
        if note is not None:
            return note.root or run
        record = record_of(workspace, snapshot, catalogue, run)
        if record is None:
            return run
        root = str(record.fields.get("root", ""))
        if is_id(root, RUN_PREFIX):
            return root
        parent = str(record.fields.get("parent", ""))
        if not is_id(parent, RUN_PREFIX):
            return run
        run = parent
    return run


def _previous(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    request: AccessRequest,
    dispatches: Dispatches,
    own: str,
) -> str:
    """Returns the run of this project that was dispatched last, other than ``own``."""
    known = itertools.chain(
        (
            (note.started, note.run)
            for note in dispatches
            if note.run != own and is_seen(workspace, note, request)
        ),
        _recorded(workspace, snapshot, catalogue, request),
    )
    return max((item for item in known if item[1] != own), default=(None, ""))[1]


def _recorded(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, request: AccessRequest
) -> Iterator[tuple[datetime, str]]:
    rows = itertools.islice(catalogue.listing(CatalogueFilter(kinds=(RUN_KIND,))), _LOOKED_AT)
    for stored in served_from(workspace, snapshot, rows, request):
        started = started_of(stored.record)
        if started is not None:
            yield started, stored.record.id


def started_of(record: Record) -> datetime | None:
    """Returns when a recorded run was dispatched."""
    try:
        return parse_instant(str(record.fields.get("started", "")))
    except ValueError:
        return record.observed
