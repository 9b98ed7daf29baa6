"""The one way to the read gate: who asks, as the entry point says, and what the ledger allows.

Every surface makes its :class:`AccessRequest` here, so that grants, polluted namespaces and
switched-off sources hold for all of them alike, at the ledger's head: a grant that was taken
back a moment ago opens nothing, whatever the reader looked at before (A7, A31).
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from memfs.model.authority import Sink
from memfs.model.grant import Grant
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.settings import Mode
from memfs.policy.access import AccessRequest
from memfs.policy.grants import grant_from
from memfs.policy.pollution import polluted_by
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records
from memfs.store.snapshot import Snapshot, TreeEntry

GRANT_FOLDER: Final = "grants/"
POLLUTION_FOLDER: Final = "pollution/"


def access_request(
    workspace: Workspace,
    actor: Actor,
    *,
    sink: Sink | None = None,
    scopes: tuple[Scope, ...] = (),
    purpose: str = "",
    valid_at: datetime | None = None,
    as_of: datetime | None = None,
    is_history: bool = False,
    sees_replaced: bool = False,
    sees_polluted: bool = False,
    is_trial: bool = False,
) -> AccessRequest:
    """Makes the question that the read gate answers for ``actor`` now.

    Args:
        workspace: The store.
        actor: Who asks.
        sink: Where the text goes; by default to the person, or into the agent's context.
        scopes: Scopes that were asked for; empty for all that the actor may see.
        purpose: What it is for, matched by grants; by default what the host says.
        valid_at: What was true then; by default at ``as_of``, or now.
        as_of: The moment whose ledger is asked; ``None`` for now.
        is_history: A person looks at earlier versions and replaced records.
        sees_replaced: A person looks at what was replaced too, not at what was taken back.
        sees_polluted: A person gives account of what happened, or takes something back:
            polluted or not, and in every mode.
        is_trial: What would be served is looked for, and not handed out (shadow mode).
    """
    head = workspace.store.snapshot()
    rules = _kept_rules(workspace.store.root)
    return AccessRequest(
        actor=actor,
        sink=sink or (Sink.PERSON if actor.is_person else Sink.AGENT),
        now=workspace.clock.now(),
        project=workspace.scope,
        scopes=scopes,
        memberships=workspace.memberships,
        valid_at=valid_at or as_of,
        is_as_of=valid_at is None and as_of is not None,
        is_history=is_history,
        sees_replaced=sees_replaced,
        purpose=purpose or workspace.purpose,
        grants=rules.grants_of(workspace, head, actor),
        polluted=rules.polluted(workspace, head),
        sources_off=workspace.settings.sources_off,
        sees_polluted=sees_polluted,
        mode=Mode.ENFORCED if is_trial else workspace.settings.mode,
    )


def polluted_namespaces(workspace: Workspace, snapshot: Snapshot) -> frozenset[Scope]:
    """Returns the namespaces that are polluted at ``snapshot``."""
    return _kept_rules(workspace.store.root).polluted(workspace, snapshot)


class _Rules:
    """The grants and polluted namespaces of one store, as last read from its ledger.

    They are read again whenever a file among them is another one than before.
    """

    def __init__(self) -> None:
        self._grant_files: tuple[TreeEntry, ...] = ()
        self._grants: tuple[Grant, ...] = ()
        self._pollution_files: tuple[TreeEntry, ...] = ()
        self._polluted: frozenset[Scope] = frozenset()

    def grants_of(self, workspace: Workspace, head: Snapshot, actor: Actor) -> tuple[Grant, ...]:
        """Returns the grants that name ``actor``, in force or not."""
        files = tuple(head.entries(GRANT_FOLDER))
        if files != self._grant_files:
            read = map(grant_from, _records(workspace, head, files))
            self._grants = tuple(grant for grant in read if grant is not None)
            self._grant_files = files
        return tuple(item for item in self._grants if item.grantee == actor.principal)

    def polluted(self, workspace: Workspace, head: Snapshot) -> frozenset[Scope]:
        """Returns the namespaces that are polluted now."""
        files = tuple(head.entries(POLLUTION_FOLDER))
        if files != self._pollution_files:
            read = map(polluted_by, _records(workspace, head, files))
            self._polluted = frozenset(scope for scope in read if scope is not None)
            self._pollution_files = files
        return self._polluted


def _records(workspace: Workspace, head: Snapshot, files: tuple[TreeEntry, ...]) -> list[Record]:
    places = ((entry.path, entry.blob) for entry in files)
    return [stored.record for stored in read_records(workspace, head, places)]


@lru_cache(maxsize=8)
def _kept_rules(root: Path) -> _Rules:
    """Keeps what a long-lived process has read of a store; ``root`` tells stores apart."""
    return _Rules()
