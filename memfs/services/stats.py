"""Statistics: how much there is, how it was used and how writing goes, without any content (A86).

Counts are a side channel: a program counts what its own read gate shows it, its own candidates
and its own questions (A7).
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing

from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.policy.access import is_trusted
from memfs.services.catalogue import open_catalogue
from memfs.services.counting import records_by_kind
from memfs.services.inbox import is_visible, read_inbox
from memfs.services.ports import Workspace
from memfs.services.queue import counts as job_counts
from memfs.services.usage import usage
from memfs.services.writer_status import writer_status
from memfs.store.snapshot import Snapshot


def stats(workspace: Workspace, actor: Actor) -> Result:
    """Counts what there is and how it was used, as far as ``actor`` may know."""
    snapshot = workspace.store.snapshot()
    counts = records_by_kind(workspace, snapshot, actor)
    waiting = [item for item in read_inbox(workspace).waiting if is_visible(item, actor)]
    by_reason = Counter(reason.code for item in waiting for reason in item.reasons[:1])
    data: dict[str, JsonValue] = {
        "mode": str(workspace.settings.mode),
        "records": dict(counts),
        "waiting": len(waiting),
        "waiting_for": dict(sorted(by_reason.items())),
        "usage": usage(workspace, actor),
        "writer": writer_status(workspace, actor).value,
    }
    if is_trusted(actor):
        data |= _all_states(workspace, snapshot)
        data["held"] = len(snapshot.holds())
        data["jobs"] = dict(job_counts(workspace))
        if workspace.embedder is not None:
            from memfs.services.vector_status import vector_values  # hardly any store has them

            data["vectors"] = vector_values(workspace)
    total = sum(counts.values())
    return Result(
        action="stats",
        target=workspace.settings.project,
        status=ResultStatus.DONE,
        message=f"{total} record{'s' * (total != 1)}, {len(waiting)} waiting",
        store=str(workspace.store.root),
        data=data,
    )


def _all_states(workspace: Workspace, snapshot: Snapshot) -> dict[str, JsonValue]:
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        counts = catalogue.counts()
        scopes = catalogue.counts_by_scope()
    states: Counter[str] = Counter()
    for (_, state), number in counts.items():
        states[state] += number
    return {"states": dict(sorted(states.items())), "scopes": dict(sorted(scopes.items()))}
