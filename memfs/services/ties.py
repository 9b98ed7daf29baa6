"""Ties of a process: the runs and the session that it works in, for ranking (C24).

A host says them in the environment; the first run of the chain is read from the ledger, or from
the note of a run that is not over yet. Nothing here opens anything: a tie only orders what
matches and may be seen.
"""

from __future__ import annotations

import json
from typing import Final

from memfs.model.ids import is_id
from memfs.model.record import Record
from memfs.services.ports import Workspace
from memfs.services.ranking import RUN_KIND
from memfs.services.served_records import record_from
from memfs.store.private_notes import PrivateNotes
from memfs.store.snapshot import Snapshot

DISPATCHES: Final = "dispatches"
"""Folder of the notes of runs that are not over yet."""
DISTILLED: Final = "distill"
"""Folder of the notes of a distillation that is under way."""
ROUND: Final = "work"
"""The note of what it has in hand."""


def ties_here(workspace: Workspace, snapshot: Snapshot) -> frozenset[str]:
    """Returns the ids of the runs and the session that this process works in; often none."""
    lineage = workspace.lineage
    named = {lineage.run, lineage.parent, lineage.session} - {""}
    if not named:
        return frozenset()
    for run in (lineage.run, lineage.parent):
        root = _root_of(workspace, snapshot, run) if run else ""
        if is_id(root):
            named.add(root)
    return frozenset(named)


def _root_of(workspace: Workspace, snapshot: Snapshot, run: str) -> str:
    """Returns the first run of the chain of a run that is not over yet, or is recorded."""
    note = PrivateNotes(workspace.store.git_dir, DISPATCHES).read(run)
    if note is not None:
        try:
            value = json.loads(note)
            return str(value["root"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""
    found = run_record(workspace, snapshot, run)
    return str(found.fields.get("root", "")) if found is not None else ""


def run_record(workspace: Workspace, snapshot: Snapshot, identifier: str) -> Record | None:
    """Returns the record of a run as the ledger has it; ``None`` where it has none."""
    for entry in snapshot.find_suffix(identifier):
        stored = record_from(workspace, entry.path, entry.blob, snapshot.read_blob(entry.blob))
        if stored is not None and stored.record.kind == RUN_KIND and stored.record.id == identifier:
            return stored.record
    return None
