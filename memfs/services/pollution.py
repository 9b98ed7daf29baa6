"""Pollution: a person marks a namespace that is not to be relied on, and clears it again (A74).

While the mark stands nothing of the namespace is served to anybody, nothing enters it and
nothing leaves it. Forgetting and retracting in it work all the same; that is how it is
repaired. memfs itself sets a mark where the audit finds what nobody admitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memfs.errors import UsageError
from memfs.model.decision import Reason
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.policy.administration import decide_operation
from memfs.policy.authority import capture_origin
from memfs.policy.namespaces import is_owner
from memfs.policy.pollution import POLLUTION_KIND, polluted_by
from memfs.policy.reasons import reason
from memfs.services.answers import done, refused
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import POLLUTION_FOLDER
from memfs.services.ports import Workspace
from memfs.services.proposals import edited_file, new_file, plan_from
from memfs.services.secret_lines import secret_problems
from memfs.services.served_records import read_records
from memfs.store.snapshot import Snapshot

AUDIT_CAUSE: Final = "pollution.audit"
"""The cause of a mark that the audit set."""
_CAUSE_LENGTH: Final = 64
_NOT_PLAIN: Final = re.compile(r"[^a-z0-9.]+")


def pollute(workspace: Workspace, scope: Scope, cause: str, actor: Actor) -> Result:
    """Withholds everything in ``scope`` until a person clears it.

    Args:
        workspace: The store.
        scope: A namespace of this store.
        cause: Why, in a few words; kept as one plain label.
        actor: A person, or memfs itself.

    Returns:
        Done with the id of the mark, nothing when one stands, or refused with reasons.

    Raises:
        UsageError: The cause says nothing, or holds a secret.
    """
    label = cause_label(cause)
    decision = decide_operation("pollution.mark", actor, workspace.settings)
    denials = decision.reasons or _check_owner(workspace, scope)
    if denials:
        return refused(workspace, "pollute", str(scope), denials)

    def decide_on(snapshot: Snapshot) -> Decided[str]:
        standing = next(_marks(workspace, snapshot, scope), None)
        if standing is not None:
            return Decided(standing.record.id)
        record = Record(
            kind=POLLUTION_KIND,
            title=f"{scope}: {label}",
            scope=workspace.scope,
            origin=capture_origin(actor, label),
            observed=workspace.clock.now(),
            fields={"namespace": str(scope), "cause": label},
        )
        draft = new_file(workspace, snapshot, record, decision)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.POLLUTE,
            actor=actor,
            drafts=(draft,),
            subject=f"{scope}: {label}",
        )
        return Decided(draft.record.id, plan)

    committed = commit_decided(workspace, decide_on)
    if committed.commit is None:
        message = f"{scope} is marked already as {committed.outcome}"
        return done(workspace, "pollute", committed.outcome, message, None)
    message = f"nothing of {scope} is served, taken in or published until it is cleared"
    return done(workspace, "pollute", committed.outcome, message, committed.commit)


def clear(workspace: Workspace, scope: Scope, actor: Actor) -> Result:
    """Lifts the mark on ``scope``; only a person does, who has looked at it.

    Returns:
        Done with the ids of the marks, nothing when none stands, or refused with reasons.
    """
    decision = decide_operation("pollution.clear", actor, workspace.settings)
    if not decision.is_admitted:
        return refused(workspace, "clear", str(scope), decision.reasons)

    def decide_on(snapshot: Snapshot) -> Decided[str]:
        standing = tuple(_marks(workspace, snapshot, scope))
        if not standing:
            return Decided("")
        drafts = []
        for stored in standing:
            lifted = replace(stored.record, status=Status.RETRACTED)
            before = snapshot.read_blob(stored.blob)
            drafts.append(edited_file(workspace, stored, before, lifted, decision))
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.CLEAR,
            actor=actor,
            drafts=tuple(drafts),
            subject=str(scope),
        )
        return Decided(standing[0].record.id, plan)

    committed = commit_decided(workspace, decide_on)
    if committed.commit is None:
        return done(workspace, "clear", str(scope), f"{scope} is not marked", None)
    message = f"{scope} is served again"
    return done(workspace, "clear", committed.outcome, message, committed.commit)


def cause_label(cause: str) -> str:
    """Returns a cause as one plain label, such as ``poisoned-import``.

    Raises:
        UsageError: It says nothing, or holds a secret.
    """
    if secret_problems("cause", cause.encode("utf-8", "replace")):
        raise UsageError("expected a cause in a few plain words, got one that holds a secret")
    label = _NOT_PLAIN.sub("-", cause.lower())[:_CAUSE_LENGTH].strip("-.")
    if not label:
        raise UsageError("expected a cause in a few plain words, got none")
    return label


def _check_owner(workspace: Workspace, scope: Scope) -> tuple[Reason, ...]:
    return () if is_owner(workspace.scope, scope) else (reason("scope.other-store"),)


def _marks(workspace: Workspace, snapshot: Snapshot, scope: Scope) -> Iterator[StoredRecord]:
    places = ((entry.path, entry.blob) for entry in snapshot.entries(POLLUTION_FOLDER))
    for stored in read_records(workspace, snapshot, places):
        if polluted_by(stored.record) == scope:
            yield stored
