"""How many records there are, for one who asks: a program counts what it may read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.origin import Actor
from memfs.policy.access import SERVED_STATUS, may_read, may_serve
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.index_gates import record_of_gate
from memfs.services.ports import Workspace
from memfs.services.reindex import open_index
from memfs.store.snapshot import Snapshot


def records_by_kind(workspace: Workspace, snapshot: Snapshot, actor: Actor) -> Mapping[str, int]:
    """Returns the number of served records of each kind that ``actor`` may read, by kind.

    Envelopes are not counted: there is one for nearly every statement. Records whose time is
    over are counted until they are marked. Where nothing is served, nothing is looked at.
    """
    if not may_serve(workspace.settings.mode, actor):
        return {}
    request = access_request(workspace, actor)
    if request.is_trusted_reader:
        catalogue = open_catalogue(workspace, snapshot)
        try:
            counts = catalogue.counts()
        finally:
            catalogue.close()
        served = {
            kind: number
            for (kind, state), number in counts.items()
            if state == SERVED_STATUS and kind != EVIDENCE_KIND
        }
        return dict(sorted(served.items()))
    found: Counter[str] = Counter()
    for gate, number in open_index(workspace, snapshot).index.gates().items():
        record = record_of_gate(gate)
        if may_read(record, request).allowed:
            found[record.kind] += number
    return dict(sorted(found.items()))
