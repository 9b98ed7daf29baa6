"""Retract, forget and restore: the verbs by which a person takes something back, or back again.

Each is one transaction that carries the barrier; what follows it (purge, repair, canary,
receipt) is the same for all (see ``memfs.services.aftermath``). What would be reached can be
asked before anything is done, so that a person confirms the very scope.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.index.catalogue import Catalogue
from memfs.model.decision import Decision
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest, may_read, read_right
from memfs.policy.administration import decide_retract
from memfs.policy.closure import inputs_of
from memfs.policy.withdrawal import is_retracted
from memfs.services.barrier import Aftermath, descendants_of
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.door import Committed, Decided, commit_decided
from memfs.services.forget import EXCERPT_KIND, forget_each
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import NAMED_RECORDS, Draft, edited_file, plan_from, require_free
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError, named_entries
from memfs.services.tombstones import SOURCE_KIND
from memfs.store.snapshot import Snapshot

MOST_REASON: Final = 60

_Outcome = tuple[Decision, tuple[StoredRecord, ...]]


@frozen
class Reach:
    """What a withdrawal would reach, asked before it is done.

    Attributes:
        targets: The records that are meant, as they stand.
        descendants: What rests on them and would be withheld until it is repaired.
        is_source: A source is deleted, not only what was learned from it.
    """

    targets: tuple[StoredRecord, ...]
    descendants: tuple[StoredRecord, ...]
    is_source: bool = False


def reach_of(workspace: Workspace, references: Sequence[str], actor: Actor) -> Reach:
    """Tells what taking the named records back would reach; changes nothing.

    Raises:
        UnknownRecordError: A reference matches nothing, or nothing that may be seen.
        AmbiguousRecordError: A reference matches several; the message lists them.
    """
    snapshot = workspace.store.snapshot()
    targets = targets_named(workspace, snapshot, references, actor)
    named = {stored.record.id for stored in targets}
    reached = descendants_of(workspace, snapshot, targets)
    return Reach(
        targets=targets,
        descendants=tuple(stored for stored in reached if stored.record.id not in named),
        is_source=any(stored.record.kind == SOURCE_KIND for stored in targets),
    )


def retract(workspace: Workspace, reference: str, actor: Actor, *, why: str = "") -> Result:
    """Takes back a record that was wrong; a person can restore it.

    Args:
        workspace: The store.
        reference: The record.
        actor: Who takes it back.
        why: A word of the person's, kept in the commit.

    Raises:
        UnknownRecordError: Nothing matches, or nothing that may be seen.
        AmbiguousRecordError: Several match.
        HeldRecordError: A commit made by hand waits on it.
        CanaryError: It can still be read; the barrier stands.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        (target,) = targets_named(workspace, snapshot, (reference,), actor)
        decision = decide_retract(actor, target.record, workspace.settings)
        if is_retracted(target.record) or not decision.is_admitted:
            return Decided((decision, (target,)))
        draft = moved_to(workspace, snapshot, target, Status.RETRACTED, decision)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RETRACT,
            actor=actor,
            drafts=(draft,),
            subject=_subject((target,), why),
        )
        return Decided((decision, (target,)), plan)

    return _answer(workspace, "retract", commit_decided(workspace, decide_on))


def forget(
    workspace: Workspace, references: Sequence[str], actor: Actor, *, why: str = ""
) -> Result:
    """Removes records for good, in one transaction; tombstones keep them from coming back.

    An envelope or an excerpt is a source: with it goes what was learned from it alone. A record
    that was learned from a source leaves the source where it is (A63).

    Raises:
        UnknownRecordError: A reference matches nothing, or nothing that may be seen.
        AmbiguousRecordError: A reference matches several.
        HeldRecordError: A commit made by hand waits on one of them.
        CanaryError: Something of it can still be read; the barrier stands.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        targets = targets_named(workspace, snapshot, references, actor)
        for target in targets:
            require_free(snapshot, target)
        changes, decision = forget_each(workspace, snapshot, targets, actor)
        if not changes:
            return Decided((decision, targets))
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.FORGET,
            actor=actor,
            drafts=(),
            subject=_subject(targets, why),
            extra=changes,
        )
        names = tuple(target.record.reference for target in targets)
        return Decided((decision, targets), replace(plan, records=names[:NAMED_RECORDS]))

    return _answer(workspace, "forget", commit_decided(workspace, decide_on))


def targets_named(
    workspace: Workspace, snapshot: Snapshot, references: Sequence[str], actor: Actor
) -> tuple[StoredRecord, ...]:
    """Finds what is meant, each once; an excerpt stands for the source that it is of."""
    request = access_request(workspace, actor, is_history=actor.is_person, sees_polluted=True)
    found: dict[str, StoredRecord] = {}
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for reference in references:
            stored = _find(workspace, snapshot, catalogue, reference, request)
            found.setdefault(stored.record.id, stored)
            if stored.record.kind == EXCERPT_KIND:
                rows = [row for it in inputs_of(stored.record) for row in catalogue.by_id(it)]
                for source in read_entries(workspace, snapshot, rows):
                    found.setdefault(source.record.id, source)
    return tuple(found.values())


def _find(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    reference: str,
    request: AccessRequest,
) -> StoredRecord:
    """Finds the one record that is meant.

    A person may name what nobody may read at the moment, such as what stands behind a barrier.
    """
    name, _ = split_version(reference.strip())
    judge = read_right if request.is_trusted_reader else may_read
    found = [
        stored
        for stored in read_entries(workspace, snapshot, named_entries(catalogue, name))
        if judge(stored.record, request).is_whole
    ]
    if not found:
        raise UnknownRecordError(
            f"no record matches {reference!r}", hint="see: memfs list, memfs search"
        )
    if len(found) > 1:
        names = ", ".join(named(stored) for stored in found)
        raise AmbiguousRecordError(
            f"{reference!r} matches several records: {names}", hint="give more of the id"
        )
    return found[0]


def named(stored: StoredRecord) -> str:
    """Returns how a record is named to a person: its id, and its title where that is open."""
    record = stored.record
    return (
        record.id
        if record.sensitivity.is_opaque or not record.title
        else (f"{record.id} ({record.title})")
    )


def moved_to(
    workspace: Workspace,
    snapshot: Snapshot,
    target: StoredRecord,
    status: Status,
    decision: Decision,
) -> Draft:
    """Lays out a record in another state; what it says stays as it is."""
    require_free(snapshot, target)
    record = replace(target.record, status=status)
    return edited_file(workspace, target, snapshot.read_blob(target.blob), record, decision)


def _subject(targets: Sequence[StoredRecord], why: str) -> str:
    """Returns a commit subject without words of a record: it outlives what it is about."""
    first = targets[0].record.id
    more = f" (+{len(targets) - 1})" if len(targets) > 1 else ""
    words = " ".join(why.split())[:MOST_REASON]
    return f"{first}{more}: {words}" if words else f"{first}{more}"


# Answers -----------------------------------------------------------------------------------


def _answer(workspace: Workspace, action: str, committed: Committed[_Outcome]) -> Result:
    decision, targets = committed.outcome
    first = targets[0].record
    answer = Result(
        action=action,
        target=first.id,
        status=ResultStatus.DONE,
        message="",
        operation=committed.commit.transaction if committed.commit else "",
        store=str(workspace.store.root),
        reasons=decision.reasons,
        data=_data(targets, committed.aftermath),
    )
    if not decision.is_admitted:
        message = decision.reasons[0].message if decision.reasons else decision.rule
        return replace(answer, status=ResultStatus.REFUSED, message=message)
    if committed.commit is None:
        return replace(answer, status=ResultStatus.NOTHING, message="nothing was left to do")
    verb = "forgot" if action == "forget" else "took back"
    what = first.reference if len(targets) == 1 else f"{len(targets)} records"
    kept = "".join(f"; the edited {path} was left" for path in committed.commit.kept_working)
    return replace(answer, message=f"{verb} {what}{committed.aftermath.words}{kept}")


def _data(targets: Sequence[StoredRecord], aftermath: Aftermath) -> dict[str, JsonValue]:
    return {
        "targets": [stored.record.reference for stored in targets],
        "receipt": aftermath.receipt,
        "restored": list(aftermath.restored),
        "withheld": list(aftermath.withheld),
        "details": dict(aftermath.details),
    }
