"""The ledger in words: what was done, by whom and when, newest first, through the read gate.

The subject of an operation is made of titles. It is told only where every record that the
operation names may still be seen in a history: what was forgotten since, or is withheld, is told
by its id alone, whoever asks (A13).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from memfs.index.catalogue import Catalogue
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.policy.access import AccessRequest
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import require_history, served_from
from memfs.store.snapshot import Snapshot

VERBS: Final[Mapping[str, str]] = MappingProxyType(
    {
        OperationKind.INIT: "made the store",
        OperationKind.CAPTURE: "kept evidence",
        OperationKind.ACTIVATE: "remembered",
        OperationKind.REVISE: "revised",
        OperationKind.CORRECT: "corrected",
        OperationKind.SUPERSEDE: "replaced",
        OperationKind.RETRACT: "retracted",
        OperationKind.FORGET: "forgot",
        OperationKind.ERASE: "erased",
        OperationKind.WITHDRAW: "withheld",
        OperationKind.RESTORE: "restored",
        OperationKind.IMPORT: "imported",
        OperationKind.HOLD: "held an edit",
        OperationKind.RELEASE: "released an edit",
        OperationKind.REPAIR: "repaired",
        OperationKind.GRANT: "granted",
        OperationKind.REVOKE: "took a grant back",
        OperationKind.RESOLVE: "resolved a conflict",
        OperationKind.PUBLISH: "offered",
        OperationKind.POLLUTE: "withheld a namespace",
        OperationKind.CLEAR: "cleared a namespace",
        OperationKind.MERGE: "made two one",
        OperationKind.SPLIT: "made one two",
        OperationKind.SETTINGS: "changed the settings",
        OperationKind.RECORD: "recorded",
    }
)
"""What each operation did, as a person would say it."""
BY_HAND: Final = "committed by hand"
_NAMELESS: Final = frozenset({OperationKind.INIT, OperationKind.SETTINGS})
"""Operations whose subject tells of no record."""


@frozen
class LoggedOperation:
    """One commit of the ledger in words.

    Attributes:
        commit: The commit; its subject is empty where it may not be told.
        did: What was done.
        about: What it was done to, in words; empty where that may not be told.
    """

    commit: Commit
    did: str
    about: str


def ledger_log(
    workspace: Workspace,
    actor: Actor,
    *,
    limit: int = 0,
    since: datetime | None = None,
    until: datetime | None = None,
) -> tuple[LoggedOperation, ...]:
    """Returns what was done to the store, newest first.

    Args:
        workspace: The store.
        actor: Who reads; a person.
        limit: At most so many; 0 for all.
        since: At or after this instant.
        until: … and before it.

    Raises:
        MayNotReadError: The actor is not a person.
    """
    require_history(actor)
    request = access_request(workspace, actor, is_history=True)
    snapshot = workspace.store.snapshot()
    commits = workspace.store.commits(limit=limit, since=since, until=until)
    seen: dict[str, bool] = {}
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for commit in commits:
            for reference in commit.records:
                name = split_version(reference)[0]
                if name not in seen:
                    seen[name] = _may_be_told(workspace, snapshot, catalogue, name, request)
    return tuple(_logged(commit, seen) for commit in commits)


def _may_be_told(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    name: str,
    request: AccessRequest,
) -> bool:
    return any(served_from(workspace, snapshot, catalogue.by_id(name), request))


def _logged(commit: Commit, seen: Mapping[str, bool]) -> LoggedOperation:
    if not commit.is_operation:
        return LoggedOperation(commit=replace(commit, subject=""), did=BY_HAND, about="")
    names = [split_version(reference)[0] for reference in commit.records]
    is_told = all(seen[name] for name in names) if names else commit.operation in _NAMELESS
    did = VERBS.get(commit.operation, commit.operation)
    if not is_told:
        return LoggedOperation(commit=replace(commit, subject=""), did=did, about="")
    return LoggedOperation(commit=commit, did=did, about=commit.subject.partition(": ")[2])
