"""What the receipt of a withdrawal says: which level each place reached, and what is beyond it.

Never content: ids, counts, names of remotes and of destinations (A21, A61, A63).
"""

from __future__ import annotations

from memfs.model.frozen import frozen
from memfs.model.values import JsonValue
from memfs.policy.erasure import Level
from memfs.services.barrier import Withdrawal
from memfs.services.canary import CanaryReport
from memfs.services.outbox import offered_elsewhere
from memfs.services.ports import Workspace
from memfs.services.repair import Repaired
from memfs.services.tombstones import SOURCE_KIND
from memfs.store.remotes import remote_names


@frozen
class Purged:
    """Of which derived files nothing of what was withdrawn is left in.

    Attributes:
        index: The search index holds no word of what was removed.
        vectors: No place of vectors holds a point of it, as far as any was ever put somewhere.
    """

    index: bool
    vectors: bool


def details_of(
    workspace: Workspace,
    withdrawal: Withdrawal,
    repaired: Repaired,
    report: CanaryReport,
    *,
    purged: Purged,
) -> dict[str, JsonValue]:
    """Returns the account of one withdrawal.

    ``purged`` tells of which derived files nothing of it is left in.
    """
    details: dict[str, JsonValue] = {
        "what": _what(withdrawal),
        "levels": _levels(withdrawal, purged=purged),
        "removed": len(withdrawal.removed),
        "reached": len(withdrawal.withheld),
        "restored": list(repaired.restored),
        "withheld": list(repaired.withheld),
        "canary": {"asked": report.asked, "found": len(report.found), "paths": list(report.paths)},
        "beyond_reach": _beyond_reach(workspace, withdrawal),
    }
    return details


def _what(withdrawal: Withdrawal) -> str:
    """Says in one word which of two things happened (A63)."""
    if any(stored.record.kind == SOURCE_KIND for stored in withdrawal.removed):
        return "source deleted, with what was learned from it alone"
    if withdrawal.removed:
        return "memory forgotten; its source stays and is not learned from again"
    if withdrawal.retracted:
        return "memory taken back; a person can restore it"
    return "memory replaced; its earlier wording stays in its history"


def _levels(withdrawal: Withdrawal, *, purged: Purged) -> dict[str, JsonValue]:
    reached = str(Level.MANAGED if withdrawal.removed else Level.WITHDRAWN)
    return {
        "read paths": str(Level.WITHDRAWN),
        "ledger head and working tree": reached,
        "search index": str(Level.MANAGED if purged.index else Level.WITHDRAWN),
        "vectors": str(Level.MANAGED if purged.vectors else Level.WITHDRAWN),
        "catalogue and projections": str(Level.MANAGED),
        "inbox": reached,
        "records that rest on it": str(Level.WITHDRAWN),
        "git history": str(Level.WITHDRAWN),
        "copies elsewhere": str(Level.EXTERNAL),
    }


def _beyond_reach(workspace: Workspace, withdrawal: Withdrawal) -> dict[str, JsonValue]:
    return {
        "git history": "earlier versions stay until they are erased: memfs erase",
        "packets handed out": "what was recalled before is where it was sent",
        "publications": list(_publications(workspace, withdrawal)),
        "remotes": list(remote_names(workspace.store.git_dir)),
        "backups": "a restored one is brought up to the tombstones when it is opened",
    }


def _publications(workspace: Workspace, withdrawal: Withdrawal) -> tuple[str, ...]:
    """Names the publications of what was withdrawn: other stores decide for themselves."""
    gone = {stored.record.id for stored in (*withdrawal.roots, *withdrawal.withheld)}
    return offered_elsewhere(workspace, workspace.store.snapshot(), gone)
