"""Replays the ledger from its trailers and compares what each operation says with what it did.

The *served view* is rebuilt step by step. Whatever changes in it has to be named by the step
that changed it, and whatever a step names has to have changed: so a copied trailer, a commit
that slipped past a hold and a record that nobody admitted all show as a difference. Costs what
the history changed, never its square.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import TRANSACTION_PREFIX, is_id, split_version
from memfs.model.instants import format_instant
from memfs.model.operation import OperationKind
from memfs.model.problem import Problem, Severity
from memfs.policy.administration import RULES
from memfs.policy.promotion import ROWS
from memfs.policy.reasons import SENTENCES
from memfs.services.audit_facts import Facts, HistoryFacts
from memfs.services.ports import Workspace
from memfs.services.proposals import NAMED_RECORDS
from memfs.store.layout import HOLD_FOLDER, SETTINGS_PATH, is_record_path, is_tombstone_path
from memfs.store.ledger_walk import LedgerStep
from memfs.store.snapshot import Snapshot, TreeChange

_ALLOW: Final = "allow "
_SETTINGS: Final = frozenset({OperationKind.INIT, OperationKind.SETTINGS, OperationKind.REPAIR})


@frozen
class Finding:
    """A problem and the step that it was found at; -1 for the heads."""

    step: int
    problem: Problem


@frozen
class PolicyChange:
    """Settings that came into force: their digest, and who put them in force when."""

    digest: str
    transaction: str
    actor: str
    at: str


@dataclass(slots=True)
class Replay:
    """The outcome of a replay.

    Attributes:
        findings: What is wrong, in order.
        admitted: Path of each record that is served in the end, and the transaction of the
            operation that last changed it.
        served: Path and blob of everything that is served in the end.
        transactions: Every transaction of the ledger.
        policies: Settings in force, oldest first.
        operations: How often each operation was carried out.
        between: How many commits others made that the ledger took in.
        acknowledged: Steps before this one were looked at by a person who cleared a mark of
            the audit.
    """

    findings: list[Finding] = field(default_factory=list)
    admitted: dict[str, str] = field(default_factory=dict)
    served: dict[str, str] = field(default_factory=dict)
    transactions: set[str] = field(default_factory=set)
    policies: list[PolicyChange] = field(default_factory=list)
    operations: dict[str, int] = field(default_factory=dict)
    between: int = 0
    acknowledged: int = 0
    steps: dict[str, int] = field(default_factory=dict)


def replay(
    workspace: Workspace,
    snapshot: Snapshot,
    steps: Iterable[LedgerStep],
    *,
    erased: frozenset[str],
    audit_cause: str,
) -> Replay:
    """Replays ``steps``.

    Args:
        workspace: The store.
        snapshot: Any snapshot of it, for reading blobs.
        steps: Oldest first.
        erased: Ids whose bytes were erased from the history; what names them may be empty.
        audit_cause: Cause of the marks that the audit sets.
    """
    listed = tuple(steps)
    reader = HistoryFacts(workspace, snapshot, listed)
    replayer = _Replayer(reader, erased, audit_cause)
    # A rewrite that was killed has left its tombstones and no receipt.
    replayer.expect_buried(change.path for step in listed for change in step.changes)
    for number, step in enumerate(listed):
        replayer.take(number, step)
    return replayer.result


class _Replayer:
    """Keeps the served view while steps are taken."""

    def __init__(self, reader: HistoryFacts, erased: frozenset[str], audit_cause: str) -> None:
        self.result = Replay()
        self._reader = reader
        self._erased = erased
        self._buried: set[str] = set()
        self._audit_cause = audit_cause
        self._raw: dict[str, str] = {}
        self._holds: dict[str, tuple[str, str]] = {}
        self._held: dict[str, str] = {}
        self._digests: set[str] = set()
        self._keys: set[str] = set()
        self._current: dict[str, str] = {}

    def expect_buried(self, paths: Iterable[str]) -> None:
        """Notes whose bytes may be gone from earlier steps."""
        self._buried.update(_stem(path) for path in paths if is_tombstone_path(path))

    def take(self, number: int, step: LedgerStep) -> None:
        """Takes one step and notes what is wrong with it."""
        result, commit = self.result, step.commit
        result.between += len(step.between)
        result.steps[commit.id] = number
        for other in step.between:
            result.steps[other.id] = number
        for problem in self._check_words(step):
            self._find(number, problem)
        before = {path: self._serve(path) for path in self._touched(step.changes)}
        self._apply(step.changes)
        touched = {*before, *self._touched(step.changes)}
        delta = {
            path: (before.get(path), self._serve(path))
            for path in touched
            if before.get(path) != self._serve(path)
        }
        for problem in self._check_delta(step, delta):
            self._find(number, problem)
        result.operations[commit.operation] = result.operations.get(commit.operation, 0) + 1
        self._note_clearing(number, step, delta)

    def _find(self, number: int, problem: Problem) -> None:
        self.result.findings.append(Finding(step=number, problem=problem))

    def _serve(self, path: str) -> str | None:
        if path in self._held:
            return self._held[path] or None
        return self._raw.get(path)

    def _touched(self, changes: Iterable[TreeChange]) -> set[str]:
        """Returns the paths whose served version may change: their own, and what holds are of."""
        found: set[str] = set()
        for change in changes:
            if is_record_path(change.path) or change.path == SETTINGS_PATH:
                found.add(change.path)
            for blob in (change.old, change.new):
                if blob in self._reader.holds:
                    found.add(self._reader.holds[blob][0])
        return found

    def _apply(self, changes: Iterable[TreeChange]) -> None:
        for change in changes:
            if change.path.startswith(f"{HOLD_FOLDER}/"):
                gone = self._holds.pop(change.path, None)
                if gone is not None:
                    self._held.pop(gone[0], None)
                hold = self._reader.holds.get(change.new or "")
                if hold is not None:
                    self._holds[change.path] = hold
                    self._held[hold[0]] = hold[1]
            elif change.new is None:
                self._raw.pop(change.path, None)
            else:
                self._raw[change.path] = change.new

    # -- what a step says of itself -----------------------------------------------------

    def _check_words(self, step: LedgerStep) -> Iterator[Problem]:
        commit = step.commit
        if not commit.is_operation:
            yield _wrong(
                step, "audit.no-transaction", "the ledger stands on a commit that is no operation"
            )
            return
        if not is_id(commit.transaction, TRANSACTION_PREFIX):
            yield _wrong(step, "audit.bad-transaction", "the transaction is no id")
        if commit.transaction in self.result.transactions:
            yield _wrong(
                step, "audit.repeated-transaction", "an earlier operation has the same one"
            )
        self.result.transactions.add(commit.transaction)
        if commit.key and commit.key in self._keys:
            yield _wrong(step, "audit.repeated-key", "an earlier operation has the same key")
        self._keys.add(commit.key)
        if commit.operation not in set(OperationKind):
            yield _wrong(step, "audit.unknown-operation", "no operation of that name")
        if not step.actor.startswith(f"{commit.author} ("):
            yield _wrong(step, "audit.other-actor", "the author is not the actor of the trailer")
        for other in step.between:
            if other.transaction:
                yield _claim(other.id, is_copied=other.transaction in self.result.transactions)

    # -- what it did --------------------------------------------------------------------

    def _check_delta(
        self, step: LedgerStep, delta: Mapping[str, tuple[str | None, str | None]]
    ) -> Iterator[Problem]:
        records = {path: pair for path, pair in delta.items() if path != SETTINGS_PATH}
        if SETTINGS_PATH in delta:
            yield from self._check_settings(step, delta[SETTINGS_PATH][1])
        policies = [item for item in step.policies if item not in self._digests]
        if policies:
            yield _wrong(step, "audit.unknown-policy", "it was decided by settings never in force")
        named = {split_version(item)[0]: item for item in step.commit.records}
        moved = _moved(records)
        # A step that only takes note of commits which touched no memory decides on nothing.
        is_note = step.commit.operation == OperationKind.HOLD and not set(delta) - moved
        if not is_note and not any(_is_allowing(item) for item in step.decisions):
            yield _wrong(step, "audit.no-decision", "expected a decision that allows it, got none")
        buried = {_stem(item.path) for item in step.changes if is_tombstone_path(item.path)}
        is_large = len(records) > NAMED_RECORDS
        changed: set[str] = set()
        for path, (old, new) in sorted(records.items()):
            facts = self._reader.facts.get(new or old or "")
            if facts is not None:
                changed.add(facts.id)
            if path in moved:
                self._admit(path, new, step)
                continue
            is_buried = new is None and facts is not None and facts.id in buried
            wrong = "" if is_buried else self._fault(step, facts, new, named)
            if wrong and not (is_large and wrong == "audit.unnamed-change"):
                yield _wrong(step, wrong, "what is served changed and no trailer says so", path)
            self._admit(path, new, step)
        standing = {item for item in step.commit.records if self._is_current(item)}
        bare = {split_version(item)[0] for item in {*step.commit.records} - standing}
        bare -= changed | self._erased | self._buried
        raw = {self._id_of(blob) for item in step.changes for blob in (item.old, item.new)}
        for identifier in sorted(bare - raw):
            message = f"it names {identifier}, of which it changed nothing"
            yield _wrong(step, "audit.nothing-changed", message)
        graves = [item for item in step.changes if is_tombstone_path(item.path)]
        # Moved byte for byte, it bars the same as before.
        moved_graves = {(_stem(item.path), item.new) for item in graves if item.old is None}
        for change in graves:
            if change.new is None and (_stem(change.path), change.old) not in moved_graves:
                yield _wrong(step, "audit.tombstone-lifted", "a tombstone was removed", change.path)

    def _fault(
        self, step: LedgerStep, facts: Facts | None, new: str | None, named: Mapping[str, str]
    ) -> str:
        """Returns the code of what is wrong with one served change; empty where it is explained."""
        if facts is None:
            # Bytes that no longer say which record they are: erased, or never readable.
            return "" if self._erased or new is None else "audit.unreadable-change"
        said = named.get(facts.id)
        if said is None:
            return "" if facts.id in self._erased else "audit.unnamed-change"
        if (
            new is not None
            and said != facts.reference
            and facts.reference not in step.commit.records
        ):
            return "audit.other-version"
        return ""

    def _id_of(self, blob: str | None) -> str:
        facts = self._reader.facts.get(blob or "")
        return facts.id if facts is not None else ""

    def _is_current(self, reference: str) -> bool:
        """Whether a record stands as it is named: to accept what changes nothing is no change."""
        return self._current.get(split_version(reference)[0]) == reference

    def _admit(self, path: str, blob: str | None, step: LedgerStep) -> None:
        if blob is None:
            self.result.served.pop(path, None)
            self.result.admitted.pop(path, None)
        else:
            self.result.served[path] = blob
            facts = self._reader.facts.get(blob)
            if facts is not None:
                self._current[facts.id] = facts.reference
            self.result.admitted[path] = step.commit.transaction if step.commit.is_operation else ""

    def _check_settings(self, step: LedgerStep, blob: str | None) -> Iterator[Problem]:
        digest = self._reader.digests.get(blob or "", "")
        if digest:
            self._digests.add(digest)
        commit = step.commit
        change = PolicyChange(
            digest=digest,
            transaction=commit.transaction,
            actor=step.actor,
            at=format_instant(commit.at),
        )
        self.result.policies.append(change)
        if commit.operation not in _SETTINGS:
            yield _wrong(step, "audit.settings", "the settings changed and nobody accepted them")

    def _note_clearing(
        self, number: int, step: LedgerStep, delta: Mapping[str, tuple[str | None, str | None]]
    ) -> None:
        """A person who clears a mark of the audit has looked at what was found until then."""
        if step.commit.operation != OperationKind.CLEAR or not step.actor.startswith("user:"):
            return
        facts = (self._reader.facts.get(new or "") for _, new in delta.values())
        if any(item is not None and item.cause == self._audit_cause for item in facts):
            self.result.acknowledged = number


def _moved(records: Mapping[str, tuple[str | None, str | None]]) -> frozenset[str]:
    """Returns both paths of each file that was moved and says what it said."""
    left = {old: path for path, (old, new) in records.items() if new is None and old is not None}
    found: set[str] = set()
    for path, (old, new) in records.items():
        if old is None and new in left:
            found |= {path, left[new]}
    return frozenset(found)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _is_allowing(decision: str) -> bool:
    """Whether a decision trailer allows something by a rule of this build's tables."""
    rule = decision.removeprefix(_ALLOW)
    return decision.startswith(_ALLOW) and (rule in ROWS or rule in RULES or rule in SENTENCES)


def _claim(commit: str, *, is_copied: bool) -> Problem:
    """Judges a commit that bears the marks of an operation which this ledger never made."""
    code = "audit.forged-commit" if is_copied else "audit.foreign-operation"
    message = (
        "a commit made by hand bears the trailers of an operation"
        if is_copied
        else "an operation of another ledger was brought in; what it changed was held"
    )
    severity = Severity.ERROR if is_copied else Severity.WARNING
    return Problem(f"commit {commit[:12]}", 0, 0, code, message, severity=severity)


def _wrong(step: LedgerStep, code: str, message: str, path: str = "") -> Problem:
    place = f"commit {step.commit.id[:12]}"
    return Problem(f"{place} {path}" if path else place, 0, 0, code, message)
