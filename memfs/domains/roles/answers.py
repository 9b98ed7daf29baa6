"""Proposed operations in, answers out: decoded, applied together, and told in words.

An answer keeps apart what a memory rests on that can be looked at, and what it rests on that is
only remembered (E44).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from memfs.domains.roles.apply import Report, apply_operations
from memfs.domains.roles.decoding import Decoded, decode_operation
from memfs.domains.roles.desk import Applied, Outcome
from memfs.errors import UsageError
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.result import Result, ResultStatus
from memfs.model.role import anchors_of, role_scope
from memfs.model.role_operation import RoleOperation
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason
from memfs.services.ports import Workspace
from memfs.services.propose import waiting_candidate

ACTION = "apply"


@frozen
class Told:
    """The answer to one proposed operation, and which it was; empty where it was none."""

    name: str
    result: Result


def apply_proposed(
    workspace: Workspace,
    role: str,
    proposals: Sequence[bytes | str],
    actor: Actor,
    *,
    key: str = "",
) -> tuple[Told, ...]:
    """Decodes operations and applies them in one commit; where one is refused, none is applied.

    Raises:
        UsageError: The role is no plain name.
    """
    try:
        role_scope(role)
    except ValueError as error:
        raise UsageError(f"expected the plain name of a role, got {role!r}") from error
    decoded = [decode_operation(text, role=role) for text in proposals]
    operations = [item.operation for item in decoded if item.operation is not None]
    if len(operations) < len(decoded):
        return tuple(_undecoded(workspace, role, item) for item in decoded)
    return told(workspace, role, operations, actor, key=key)


def told(
    workspace: Workspace,
    role: str,
    operations: Sequence[RoleOperation],
    actor: Actor,
    *,
    key: str = "",
) -> tuple[Told, ...]:
    """Applies decoded operations in one commit and words what became of each."""
    report = apply_operations(workspace, role, operations, actor, key=key)
    return tuple(
        Told(name=step.name, result=_answer(workspace, role, step, report)) for step in report.steps
    )


def _undecoded(workspace: Workspace, role: str, item: Decoded) -> Told:
    reasons = item.reasons or (reason("role.not-applied"),)
    result = _result(workspace, role, item.name, ResultStatus.REFUSED, reasons[0].message, reasons)
    return Told(name=item.name, result=result)


def _answer(workspace: Workspace, role: str, step: Applied, report: Report) -> Result:
    commit = report.commit
    match step.outcome:
        case Outcome.REFUSED:
            words = f"{step.name} refused: {step.reasons[0].message}"
            return _result(workspace, role, step.name, ResultStatus.REFUSED, words, step.reasons)
        case Outcome.NOTHING:
            words = f"{step.name}: {step.reasons[0].message}"
            return _result(workspace, role, step.name, ResultStatus.NOTHING, words, step.reasons)
        case Outcome.WAITING:
            return _waiting(workspace, role, step)
        case Outcome.APPLIED:
            pass
        case _:
            assert_never(step.outcome)
    if commit is not None and commit.is_replay:
        words = f"{step.name}: this key was used before; nothing new was written"
        return _result(workspace, role, step.name, ResultStatus.NOTHING, words)
    target = (*step.made, *step.changed, step.receipt)[0].partition("@")[0]
    done = [f"made {', '.join(step.made)}"] if step.made else []
    done += [f"changed {', '.join(step.changed)}"] if step.changed else []
    words = f"{step.name}: {'; '.join(done) or 'accounted for'}; receipt {step.receipt}"
    kept = commit.kept_working if commit is not None else ()
    words += report.aftermath.words + "".join(f"; the edited {path} was left" for path in kept)
    more: dict[str, JsonValue] = {
        "made": list(step.made),
        "changed": list(step.changed),
        "edges": list(step.edges),
        "receipt": step.receipt,
        "memories": [memory_value(record) for record in step.records],
    }
    operation = commit.transaction if commit is not None else ""
    return _result(
        workspace,
        role,
        step.name,
        ResultStatus.DONE,
        words,
        target=target,
        operation=operation,
        more=more,
    )


def _waiting(workspace: Workspace, role: str, step: Applied) -> Result:
    candidate = waiting_candidate(workspace, step.waiting[0])
    if candidate is None:
        full = (reason("bounds.quota"), *step.reasons)
        return _result(workspace, role, step.name, ResultStatus.REFUSED, full[0].message, full)
    words = f"{step.name}: waits for review as {candidate.id}: {step.reasons[0].message}"
    return _result(
        workspace,
        role,
        step.name,
        ResultStatus.WAITING,
        words,
        step.reasons,
        target=candidate.id,
    )


def _result(
    workspace: Workspace,
    role: str,
    name: str,
    status: ResultStatus,
    words: str,
    reasons: Sequence[Reason] = (),
    *,
    target: str = "",
    operation: str = "",
    more: Mapping[str, JsonValue] | None = None,
) -> Result:
    return Result(
        action=ACTION,
        target=target or role,
        status=status,
        message=words,
        operation=operation,
        store=str(workspace.store.root),
        reasons=tuple(reasons),
        data={"role": role, "operation": name, **(more or {})},
    )


def memory_value(record: Record) -> dict[str, JsonValue]:
    """Returns a memory as an answer tells it: what is evidence apart from what is remembered."""
    anchors = anchors_of(record)
    value: dict[str, JsonValue] = {
        "id": record.id,
        "version": record.version,
        "profile": text_field(record, "profile"),
        "lifecycle": text_field(record, "lifecycle"),
        "evidence": list(anchors.evidence),
        "remembered": list(anchors.remembered),
        "anchor_missing": anchors.is_missing,
    }
    return value
