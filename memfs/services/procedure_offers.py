"""Whether a procedure is handed out in an answer; a search still finds it (A68)."""

from __future__ import annotations

import sys

from memfs.model.decision import Reason
from memfs.model.record import Record
from memfs.model.scope import ScopeKind
from memfs.policy.procedure_uses import check_offer
from memfs.services.pins import drift_of
from memfs.services.ports import Workspace
from memfs.services.procedure_moves import harm_of
from memfs.store.snapshot import Snapshot


def circumstances_here(workspace: Workspace) -> tuple[str, ...]:
    """Returns what memfs itself knows of where it is asked: platform and repository."""
    here = [f"platform={sys.platform}"]
    if workspace.scope.kind is ScopeKind.PROJECT and workspace.scope.name:
        here.append(f"repository={workspace.scope.name}")
    return tuple(here)


def not_offered(workspace: Workspace, snapshot: Snapshot, record: Record) -> Reason | None:
    """Returns why a procedure is left out of an answer, or ``None``.

    Harm that is on the ledger counts before the procedure was moved by it: it may have come from
    another clone, or while a commit made by hand waited.
    """
    return check_offer(
        record,
        drift=drift_of(workspace, record),
        here=circumstances_here(workspace),
        is_harmed=bool(harm_of(workspace, snapshot, record)),
    )
