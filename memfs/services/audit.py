"""The audit: whether everything that is served was admitted, by the ledger's own account (A84).

Three questions, answered from the commits and their trailers alone and never from a cache: did
every operation do what it says and nothing else; do the refs stand where memfs moved them; does
what is served keep to the tombstones. Grants, settings and marks are listed for a person to look
at. It reads and judges; only :func:`mark_found` writes, and withholds what nobody admitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from memfs.errors import DataError
from memfs.formats.tombstone_codec import decode_tombstone
from memfs.model.frozen import frozen
from memfs.model.ids import TRANSACTION_PREFIX, CommitId, is_id
from memfs.model.origin import SYSTEM_ACTOR, Actor
from memfs.model.problem import Problem, Severity
from memfs.model.record import StoredRecord
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.policy.access import is_trusted
from memfs.policy.pollution import polluted_by
from memfs.policy.withdrawal import is_standing
from memfs.services.audit_replay import Finding, Replay, replay
from memfs.services.grants import standing_grants
from memfs.services.pollution import AUDIT_CAUSE, pollute
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records, served_places
from memfs.services.tombstones import claim_mark
from memfs.store.history import is_ancestor
from memfs.store.layout import TOMBSTONE_FOLDER
from memfs.store.ledger_walk import foreign_moves, is_shallow, operations_beyond, walk_ledger
from memfs.store.snapshot import Snapshot

_AT_HEAD: Final = -1
_ERASE: Final = "eras"
"""How operations of receipts begin that erased: what they are of may be gone from history."""
_MARKING: Final = frozenset(
    {
        "audit.no-transaction",
        "audit.no-decision",
        "audit.repeated-transaction",
        "audit.unnamed-change",
        "audit.other-version",
        "audit.settings",
        "audit.ledger-moved",
        "audit.unadmitted-record",
    }
)
"""What shows that something is served which nobody admitted."""


@frozen
class AuditReport:
    """What the audit found.

    Attributes:
        problems: By place; warnings are told and need no action.
        facts: Counts, settings in force with who accepted them, grants, marks.
        suspect: Namespaces in which something is served that nobody admitted.
        marked: Those of them that were marked as polluted.
    """

    problems: tuple[Problem, ...]
    facts: Mapping[str, JsonValue]
    suspect: frozenset[Scope] = frozenset()
    marked: tuple[Scope, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not any(item.severity is Severity.ERROR for item in self.problems)


@dataclass(slots=True)
class _Head:
    """What the served records at the head come to."""

    records: list[tuple[str, str, str, Scope | None]]
    marks: dict[str, str]
    receipts: list[tuple[str, str, str]]
    erased: set[str]
    polluted: list[str]
    active: Counter[str]


def audit(workspace: Workspace, actor: Actor) -> AuditReport:
    """Audits the ledger; what it costs grows with the history and no faster.

    A program learns what is wrong and where in history, and no name of a record.
    """
    store = workspace.store
    ledger = store.ledger_head()
    if ledger is None:
        return AuditReport(problems=(), facts={})
    snapshot = store.snapshot(ledger)
    head = _read_head(workspace, snapshot)
    steps = walk_ledger(store.git_dir, ledger)
    found = replay(
        workspace, snapshot, steps, erased=frozenset(head.erased), audit_cause=AUDIT_CAUSE
    )
    findings = [
        *found.findings,
        *_check_refs(workspace, found, ledger),
        *_check_head(snapshot, head, found),
        *_check_tombstones(snapshot, head),
    ]
    problems = tuple(sorted({_told(item, found) for item in findings}))
    report = AuditReport(
        problems=problems,
        facts=_facts(workspace, actor, snapshot, head, found),
        suspect=_suspect(workspace, head, problems),
    )
    return report if is_trusted(actor) else _without_names(report)


def mark_found(workspace: Workspace, report: AuditReport) -> AuditReport:
    """Marks the namespaces in which something is served that nobody admitted."""
    marked = []
    for scope in sorted(report.suspect, key=str):
        result = pollute(workspace, scope, AUDIT_CAUSE, SYSTEM_ACTOR)
        if result.operation:
            marked.append(scope)
    return replace(report, marked=tuple(marked))


def _read_head(workspace: Workspace, snapshot: Snapshot) -> _Head:
    head = _Head([], {}, [], set(), [], Counter())
    for stored in read_records(workspace, snapshot, served_places(snapshot)):
        record = stored.record
        if is_standing(record):
            head.active[record.kind] += 1
            head.records.append((stored.path, record.id, stored.blob, record.scope))
            head.marks[record.id] = stored.path
            kind = workspace.registry.get(record.kind)
            if kind is not None and kind.is_claim:
                head.marks[claim_mark(workspace, record)] = stored.path
        _note_accounts(head, stored)
    return head


def _note_accounts(head: _Head, stored: StoredRecord) -> None:
    record = stored.record
    scope = polluted_by(record)
    if scope is not None:
        head.polluted.append(str(scope))
    if record.kind == "receipt":
        operation = str(record.fields.get("operation", ""))
        head.receipts.append((stored.path, operation, str(record.fields.get("transaction", ""))))
        targets = record.fields.get("targets")
        if operation.startswith(_ERASE) and isinstance(targets, list | tuple):
            head.erased.update(map(str, targets))


def _check_refs(workspace: Workspace, found: Replay, ledger: CommitId) -> Iterator[Finding]:
    """Checks that the ledger stands where memfs moved it, and the branch at or beyond it."""
    store = workspace.store
    for move in foreign_moves(store.git_dir):
        message = "the ledger was moved by something else than memfs"
        step = found.steps.get(move.new, _AT_HEAD)
        yield _finding(f"commit {move.new[:12]}", "audit.ledger-moved", message, step=step)
    if is_shallow(store.git_dir):
        message = "the history was cut off when the store was cloned; what is before is not audited"
        yield _finding("history", "audit.shallow", message, severity=Severity.WARNING)
    main = store.main_head()
    if main is None:
        yield _finding("main", "audit.no-branch", "the branch main is gone")
        return
    beyond = operations_beyond(store.git_dir, ledger, main)
    if beyond:
        message = f"the ledger was moved back; {len(beyond)} of its operations are beyond it"
        yield _finding(f"commit {beyond[0].id[:12]}", "audit.ledger-moved", message)
    elif not is_ancestor(store.git_dir, ledger, main):
        message = "the branch main does not contain the ledger; the next command settles it"
        yield _finding("main", "audit.main-behind", message, severity=Severity.WARNING)


def _check_head(snapshot: Snapshot, head: _Head, found: Replay) -> Iterator[Finding]:
    """Checks that each record that counts was admitted as it stands."""
    seen: dict[str, str] = {}
    for path, identifier, blob, _ in head.records:
        if found.served.get(path) != blob or not found.admitted.get(path):
            message = "no operation admitted this record as it is served"
            yield _finding(path, "audit.unadmitted-record", message)
        if identifier in seen:
            message = f"{seen[identifier]} has the same id"
            yield _finding(path, "audit.same-id", message)
        seen[identifier] = path
    for path in snapshot.broken_holds():
        yield _finding(path, "audit.broken-hold", "the hold cannot be read")
    for path, operation, transaction in head.receipts:
        is_known = transaction in found.transactions or operation.startswith(_ERASE)
        if not is_id(transaction, TRANSACTION_PREFIX) or not is_known:
            message = "the receipt is of a transaction that is not on the ledger"
            yield _finding(path, "audit.receipt", message)


def _check_tombstones(snapshot: Snapshot, head: _Head) -> Iterator[Finding]:
    for entry in snapshot.entries(f"{TOMBSTONE_FOLDER}/"):
        try:
            tombstone = decode_tombstone(snapshot.read_blob(entry.blob), entry.path)
        except DataError:
            yield _finding(entry.path, "audit.tombstone-unreadable", "it bars nothing")
            continue
        for mark in (tombstone.id, tombstone.fingerprint):
            if mark and mark in head.marks:
                message = f"it is served although {entry.path} bars it"
                yield _finding(head.marks[mark], "audit.tombstone", message)


def _finding(
    place: str,
    code: str,
    message: str,
    *,
    step: int = _AT_HEAD,
    severity: Severity = Severity.ERROR,
) -> Finding:
    return Finding(step=step, problem=Problem(place, 0, 0, code, message, severity=severity))


def _told(item: Finding, found: Replay) -> Problem:
    """Returns a finding; a warning where a person has looked at it and cleared the mark."""
    if not _AT_HEAD < item.step < found.acknowledged:
        return item.problem
    return replace(
        item.problem,
        severity=Severity.WARNING,
        message=f"{item.problem.message}; a person has cleared it",
    )


def _suspect(workspace: Workspace, head: _Head, problems: tuple[Problem, ...]) -> frozenset[Scope]:
    """Returns the namespaces of what is suspect; the store's own where nothing names one."""
    errors = [item for item in problems if item.severity is Severity.ERROR]
    wrong = [item for item in errors if item.code in _MARKING]
    if not wrong:
        return frozenset()
    scopes = {path: scope or workspace.scope for path, _, _, scope in head.records}
    places = (item.path.rpartition(" ")[2] for item in wrong)
    named = frozenset(scopes[place] for place in places if place in scopes)
    return named or frozenset({workspace.scope})


def _facts(
    workspace: Workspace, actor: Actor, snapshot: Snapshot, head: _Head, found: Replay
) -> dict[str, JsonValue]:
    grants = Counter(str(item.state) for item in standing_grants(workspace, actor))
    tombstones = sum(1 for _ in snapshot.entries(f"{TOMBSTONE_FOLDER}/"))
    return {
        "ledger": snapshot.commit,
        "operations": dict(sorted(found.operations.items())),
        "commits_of_others": found.between,
        "active": dict(sorted(head.active.items())),
        "held": len(snapshot.holds()),
        "tombstones": tombstones,
        "receipts": len(head.receipts),
        "grants": dict(sorted(grants.items())),
        "polluted": sorted(head.polluted),
        "policies": [
            {
                "policy": item.digest,
                "accepted_by": item.actor,
                "at": item.at,
                "transaction": item.transaction,
            }
            for item in found.policies
        ],
    }


def _without_names(report: AuditReport) -> AuditReport:
    """Leaves a program the codes and the commits, and nothing that names or counts records."""
    kept = (
        replace(item, path=_commit_of(item.path), message=item.code, hint="")
        for item in report.problems
    )
    facts = {name: report.facts[name] for name in ("ledger", "policies") if name in report.facts}
    return AuditReport(problems=tuple(sorted(set(kept))), facts=facts)


def _commit_of(place: str) -> str:
    words = place.split(" ")
    return " ".join(words[:2]) if words[0] == "commit" else "ledger"
