"""A split as an operation: the second record, its edges and what is left of the first, at once.

The words that a person gives the second are decided on like any statement of theirs. Those that
move stood in the first and keep its origin; the second is worth no more than the first was.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.domains.graph.redrawing import MOST_EDGES, copied, redirected
from memfs.domains.graph.reshaped import SPLIT, Account, Desk, desk_of, find_meant
from memfs.domains.graph.splitting import SPLIT_RELATION, Part, check_split, split_off
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.digests import blob_id
from memfs.model.frozen import frozen
from memfs.model.graph import ENTITY_KIND
from memfs.model.ids import split_version
from memfs.model.naming import entity_id, entity_key
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.authority import authority_of, capture_origin
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.screening import screen
from memfs.policy.withdrawal import is_standing
from memfs.services.answers import refused
from memfs.services.door import Decided, commit_decided
from memfs.services.graph_drafts import edge_draft
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot

_RULE: Final = "record.split"


@frozen
class _Outcome:
    """What became of one split; empty where it was refused."""

    first: str
    second: str = ""
    reasons: tuple[Reason, ...] = ()
    copied: int = 0
    moved: int = 0
    path: str = ""
    receipt: str = ""


def split(
    workspace: Workspace, reference: str, part: Part, actor: Actor, *, why: str = ""
) -> Result:
    """Makes one record two, linked with each other; the first keeps its id.

    Every edge is drawn at both, unless ``part`` names the edges that move to the second.

    Args:
        workspace: The store.
        reference: The record: id, end of an id, file or name.
        part: What goes with the second.
        actor: Who says that they are two.
        why: A word of theirs, kept in the commit.

    Raises:
        UnknownRecordError: Nothing matches, or nothing that may be seen.
        AmbiguousRecordError: Several match.
        HeldRecordError: A commit made by hand waits on one of the files.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        with desk_of(workspace, snapshot, actor, _RULE) as desk:
            stored = find_meant(desk, reference)
            faults = desk.decision.reasons or screen(why, is_person=actor.is_person).rejects
            faults = faults or check_split(stored.record, part) or _check_name(desk, stored, part)
            if faults:
                return Decided(_Outcome(first=stored.record.id, reasons=tuple(faults)))
            return _planned(desk, stored, part, why)

    committed = commit_decided(workspace, decide_on)
    return _answer(workspace, committed.outcome, committed.commit)


def _check_name(desk: Desk, stored: StoredRecord, part: Part) -> tuple[Reason, ...]:
    """An entity of the second's name that is not the first would be a third thing."""
    if stored.record.kind != ENTITY_KIND:
        return ()
    bearers = desk.catalogue.entities_named(entity_key(part.title))
    others = [row.id for row in bearers if row.id != stored.record.id]
    return (reason("entity.name-taken", others[0]),) if others else ()


def _planned(desk: Desk, stored: StoredRecord, part: Part, why: str) -> Decided[_Outcome]:
    first, second = split_off(stored.record, part)
    second = replace(second, id=_new_id(desk, second), authority=authority_of(stored.record))
    faults = _judged(desk, first, second)
    drawn, gone, missing = _edges(desk, stored.record.id, second.id, part.edges)
    faults = (*faults, *missing)
    if len(drawn) + len(gone) > MOST_EDGES:
        faults = (*faults, reason("merge.edges", str(len(drawn))))
    outcome = _Outcome(
        first=stored.record.id,
        second=second.id,
        copied=0 if gone else len(drawn),
        moved=len(gone),
    )
    if faults:
        return Decided(replace(outcome, reasons=faults))
    first = replace(first, version=stored.record.version + 1)
    whole = desk.edited(stored, first)
    (other,) = desk.made((second,))
    link = _link(desk, stored.record, second.id)
    edges = (*drawn, link)
    account = Account(
        operation=SPLIT,
        kept=stored.record.id,
        other=second.id,
        before=stored.blob,
        after=blob_id(whole.content),
        other_blob=blob_id(other.content),
        made=tuple(edge.id for edge in edges),
        gone=tuple(gone.items()),
    )
    receipt = desk.account(account, (first, other.record))
    standing = desk.read(gone)
    drafts = (
        whole,
        other,
        *desk.made(edges),
        *(desk.replaced(standing[name], heir) for name, heir in gone.items()),
        receipt,
    )
    plan = desk.plan(OperationKind.SPLIT, drafts, f"{second.id} off {stored.record.id}", why)
    return Decided(replace(outcome, path=other.path, receipt=receipt.record.id), plan)


def _new_id(desk: Desk, second: Record) -> str:
    """Returns the id that follows from a name, or a new one where that was given before."""
    workspace = desk.workspace
    if second.kind == ENTITY_KIND:
        derived = entity_id(second.scope or workspace.scope, second.title)
        if not desk.catalogue.by_id(derived):
            return derived
    kind = workspace.registry.get(second.kind)
    if kind is None:
        raise KeyError(second.kind)
    return workspace.ids.new_id(kind.id_prefix)


def _judged(desk: Desk, first: Record, second: Record) -> tuple[Reason, ...]:
    """Returns why the second may not stand in the ledger, decided like any statement."""
    origin = capture_origin(desk.actor, f"{second.title}\n{second.summary}\n{second.abstract}")
    submission = Submission(draft=second, origin=origin, is_confirmed=True)
    judged = judge_with(
        desk.workspace,
        desk.snapshot,
        desk.catalogue,
        submission,
        reviewer=desk.actor.principal,
        # Names that the second takes with it are not the first's any longer.
        planned={first.id: first},
    )
    decision = judged.decision
    if decision.is_admitted and not decision.supersedes:
        return ()
    return decision.reasons or (reason("entity.name-taken", decision.duplicate_of),)


def _edges(
    desk: Desk, first: str, second: str, wanted: tuple[str, ...]
) -> tuple[tuple[Record, ...], dict[str, str], tuple[Reason, ...]]:
    """Returns the edges to make, what gives way to which of them, and what is wrong."""
    active = {
        name: stored.record
        for name, stored in desk.edges_at([first]).items()
        if is_standing(stored.record)
    }
    resolve = desk.resolver({first: second})
    if not wanted:
        return copied(active.values(), resolve=resolve, new_id=desk.new_edge_id), {}, ()
    names = {split_version(name.strip())[0].lower() for name in wanted}
    chosen = [name for name in active if any(name.endswith(wish) for wish in names)]
    if len(chosen) != len(names):
        return (), {}, (reason("split.edge"),)
    made, gone = [], {}
    for name in chosen:
        start, _, end = ends_of_edge(active[name])
        moved = redirected(active[name], resolve(start), resolve(end), desk.new_edge_id())
        made.append(replace(moved, supersedes=(name,)))
        gone[name] = moved.id
    return tuple(made), gone, ()


def _link(desk: Desk, first: Record, second: str) -> Record:
    scope = first.scope or desk.workspace.scope
    drawn = edge_draft(scope, first.id, second, SPLIT_RELATION)
    return replace(
        drawn,
        id=desk.new_edge_id(),
        observed=desk.workspace.clock.now(),
        origin=capture_origin(desk.actor, drawn.title),
        authority=authority_of(first),
        sensitivity=first.sensitivity,
        sinks=first.sinks,
        taint=first.taint,
    )


def _answer(workspace: Workspace, outcome: _Outcome, commit: Commit | None) -> Result:
    if outcome.reasons:
        return refused(workspace, "split", outcome.first, outcome.reasons)
    edges = (
        f"{outcome.moved} of its edges moved"
        if outcome.moved
        else f"{outcome.copied} edges are drawn at both"
    )
    kept = commit.kept_working if commit is not None else ()
    return Result(
        action="split",
        target=outcome.second,
        status=ResultStatus.DONE,
        message=f"{outcome.second} was split off {outcome.first}; {edges}"
        + "".join(f"; the edited {path} was left" for path in kept),
        operation=commit.transaction if commit is not None else "",
        store=str(workspace.store.root),
        data={
            "first": outcome.first,
            "second": outcome.second,
            "copied": outcome.copied,
            "moved": outcome.moved,
            "path": outcome.path,
            "receipt": outcome.receipt,
        },
    )
