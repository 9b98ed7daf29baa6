"""Scans the project for a role: what was seen becomes what the role remembers, in one commit.

Everything is observed, whoever asks: decided as the role itself and worth nothing as a ground. A
few claims are put up for review, and a person alone says that one holds. What cannot be admitted is
left out and counted, and keeps nothing else from being taken in.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from memfs.domains.roles.desk import opened_desk
from memfs.domains.roles.laying import Laying, Piece, Setting
from memfs.domains.roles.survey.repo_claims import (
    Claimer,
    Claims,
    bears_on_scan,
    with_turns,
)
from memfs.domains.roles.survey.scan_ledger import (
    edge_turns,
    ended_edges,
    load_claims,
    standing_edges,
)
from memfs.domains.roles.survey.scan_review import chosen, put_up, rejected_ids
from memfs.domains.roles.survey.survey_files import deadlines, read_files
from memfs.domains.roles.survey.surveying import survey
from memfs.domains.roles.view import Planned
from memfs.errors import UsageError
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.ids import TRANSACTION_PREFIX
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.role import ROLE_KIND, Because, Lifecycle, lifecycle_of, role_actor
from memfs.model.role_operation import Phase
from memfs.model.settings import Mode
from memfs.model.survey import Survey
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_role_operation
from memfs.policy.authority import capture_origin
from memfs.policy.bounds import check_bounds
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_admission import check_anatomy, check_words
from memfs.policy.role_lifecycle import is_open
from memfs.services.apart import commit_apart
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, is_held, plan_from
from memfs.store.snapshot import Snapshot

RECEIPT: Final = "role scan"
MOST_TOLD: Final = 100
"""Ids that a receipt names."""
_PUT_ASIDE: Final = "a person rejected it in review"


@frozen
class Scanned:
    """What a scan came to.

    Attributes:
        counts: How many memories and edges were made, changed, left and so on, by what happened.
        left_out: How many files were left out, by why.
        refused: How many memories and edges were not admitted, by code.
        reasons: Why nothing was done at all.
        receipt: Id of its receipt; empty where nothing was written.
        candidates: Ids of what waits for a person.
        commit: The one commit; ``None`` where nothing was to be written.
    """

    counts: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()
    receipt: str = ""
    candidates: tuple[str, ...] = ()
    commit: Commit | None = None


def scan_for(
    workspace: Workspace, role: str, asker: Actor, *, propose: int, is_dry: bool = False
) -> Scanned:
    """Scans the project and takes what was seen into what a role remembers.

    Args:
        workspace: The store, and the project that it belongs to.
        role: Whose memory.
        asker: Who asks: the role itself, or a person.
        propose: How many claims may wait for review.
        is_dry: Nothing is written; the counts say what would be.

    Raises:
        UsageError: The store belongs to no project.
    """
    if workspace.project_dir is None:
        raise UsageError("expected a project to scan, got a store that belongs to none")
    refused = decide_role_operation(asker, role, workspace.settings).reasons
    if refused:
        return Scanned(counts={}, reasons=refused)
    if workspace.settings.mode is Mode.SHADOW and not is_dry:
        return Scanned(counts={}, reasons=(reason("mode.shadow"),))
    # Work is counted and not the time that others take from it: the same files, the same survey.
    clock, start = time.process_time, time.process_time()
    files = read_files(workspace.project_dir, (workspace.store.root,), clock)
    seen = survey(files, *deadlines(clock, start))
    actor = role_actor(role)

    def decide_on(snapshot: Snapshot) -> Decided[_Laid]:
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            catalogue.detach()
            scan = _Scan(workspace, snapshot, catalogue, role, actor)
            laid = scan.laid(seen, asker, propose=propose)
        if is_dry or not laid.drafts:
            return Decided(laid)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=asker,
            drafts=laid.drafts,
            subject="role memory: scan of the project",
        )
        return Decided(laid, replace(plan, transaction=laid.transaction))

    committed = commit_apart(workspace, decide_on, partial(bears_on_scan, role))
    laid = committed.outcome
    waiting = () if is_dry or laid.reasons else put_up(workspace, laid.proposed, actor)
    return Scanned(
        counts={**laid.counts, "files": seen.looked_at, "waiting": len(waiting)},
        left_out=seen.left_out,
        refused=laid.refused,
        reasons=laid.reasons,
        receipt=laid.receipt if committed.commit is not None else "",
        candidates=waiting,
        commit=committed.commit,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laid:
    """What one look at the ledger decided, and the files of it."""

    counts: Mapping[str, int]
    refused: Mapping[str, int] = field(default_factory=dict)
    drafts: tuple[Draft, ...] = ()
    proposed: tuple[str, ...] = ()
    receipt: str = ""
    transaction: str = ""
    reasons: tuple[Reason, ...] = ()


class _Scan:
    """One survey against one state of the ledger."""

    def __init__(
        self,
        workspace: Workspace,
        snapshot: Snapshot,
        catalogue: Catalogue,
        role: str,
        actor: Actor,
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._catalogue = catalogue
        self._role = role
        self._actor = actor
        self._loaded = load_claims(workspace, snapshot, role, actor)
        self._refused: Counter[str] = Counter()

    def laid(self, seen: Survey, asker: Actor, *, propose: int) -> _Laid:
        """Decides on everything that was seen, and lays it out."""
        view = self._loaded.view
        with opened_desk(
            self._workspace,
            self._snapshot,
            self._catalogue,
            self._loaded,
            self._actor,
            phase=Phase.LIVE,
        ) as desk:
            if desk.faults:
                return _Laid(counts={}, reasons=desk.faults)
        claimer = Claimer(store=self._workspace.store_id, role=self._role, now=view.now)
        edges = standing_edges(self._catalogue, frozenset(view.memories))
        claims = claimer.claims(seen, view.memories, edges)
        made = self._admitted(claims.made)
        aside = self._rejected(claimer)
        changed = [
            item for item in claims.changed if item.id not in aside and self._may_change(item)
        ]
        changed += aside.values()
        behind = {**view.memories, **{item.id: item for item in changed}}
        up = chosen(
            {**behind, **{name: piece.record for name, piece in made.items()}},
            claims.weights,
            again=[name for name in claims.again if name not in aside],
            most=propose,
        )
        changed, made = self._proposed(up, changed, made, behind, claimer)
        known = {**behind, **{name: piece.record for name, piece in made.items()}}
        drawn = self._drawn(claims, known)
        waiting = {
            name for name, item in known.items() if lifecycle_of(item) is Lifecycle.PROPOSED
        } | set(up)
        counts = self._counts(claims, made, changed, drawn, len(up))
        return self._lay_out(made, changed, drawn, claims, counts, tuple(sorted(waiting)), asker)

    # What stands ---------------------------------------------------------------------------

    def _rejected(self, claimer: Claimer) -> dict[str, Record]:
        """Returns what a person rejected in review, retired; whatever is seen of it now."""
        found = {}
        for name in rejected_ids(self._workspace):
            record = self._loaded.view.get(name)
            if record is None or lifecycle_of(record) is not Lifecycle.PROPOSED:
                continue
            gone = claimer.moved(record, Lifecycle.RETIRED, why=_PUT_ASIDE, because=Because.STATED)
            if gone is not None and self._is_free(name):
                found[name] = gone
        return found

    # Decisions -----------------------------------------------------------------------------

    def _admitted(self, drafts: Iterable[Record]) -> dict[str, Piece]:
        """Decides on new memories; one whose id stands already, in any state, is left alone."""
        drafts = list(drafts)
        taken = {row.id for row in self._catalogue.by_ids(item.id for item in drafts)}
        found: dict[str, Piece] = {}
        for draft in drafts:
            if draft.id in taken:
                self._refused["put aside"] += 1
                continue
            piece = self._judged(draft, {draft.id: draft})
            if piece is not None:
                found[draft.id] = piece
        return found

    def _judged(self, record: Record, known: Mapping[str, Record]) -> Piece | None:
        submission = Submission(
            draft=record,
            origin=capture_origin(self._actor, f"{record.title}\n{record.said}"),
            is_typed=True,
        )
        judgement = judge_with(
            self._workspace, self._snapshot, self._catalogue, submission, planned=known
        )
        decision = judgement.decision
        if not decision.is_admitted:
            codes = [item.code for item in decision.reasons] or [decision.rule]
            self._refused[codes[0]] += 1
            return None
        drawn = replace(judgement.submission.draft, id=record.id)
        return Piece(record=drawn, decision=decision)

    def _may_change(self, record: Record) -> bool:
        """Tells whether a memory that stands may say what was seen now."""
        if not self._is_free(record.id):
            return False
        kind = self._workspace.registry.get(ROLE_KIND)
        faults = (
            *check_words(record.title, is_person=False),
            *check_anatomy(record),
            *check_bounds(record, kind),
        )
        for fault in faults[:1]:
            self._refused[fault.code] += 1
        return not faults

    def _is_free(self, name: str) -> bool:
        """Tells whether no commit made by hand waits on a memory; one that does is left alone."""
        if not is_held(self._snapshot, self._loaded.stored[name]):
            return True
        self._refused["conflict.held"] += 1
        return False

    def _proposed(
        self,
        up: tuple[str, ...],
        changed: list[Record],
        made: dict[str, Piece],
        behind: Mapping[str, Record],
        claimer: Claimer,
    ) -> tuple[list[Record], dict[str, Piece]]:
        """Returns what changes and what is made with some of it put up for review."""
        by_id = {item.id: item for item in changed}
        for name in up:
            piece = made.get(name)
            if piece is not None:
                fields = {**piece.record.fields, "lifecycle": str(Lifecycle.PROPOSED)}
                made[name] = replace(piece, record=replace(piece.record, fields=fields))
                continue
            moved = claimer.moved(by_id.get(name, behind[name]), Lifecycle.PROPOSED)
            if moved is not None and (name in by_id or self._is_free(name)):
                by_id[name] = moved
        return list(by_id.values()), made

    def _drawn(self, claims: Claims, known: Mapping[str, Record]) -> list[Piece]:
        there = {name for name, item in known.items() if is_open(item)}
        wanted = [edge for edge in claims.edges if {*_ends(edge)} <= there]
        taken = edge_turns(self._catalogue, wanted)
        pieces = (self._judged(edge, known) for edge in with_turns(wanted, taken))
        return [piece for piece in pieces if piece is not None]

    # Laying out ----------------------------------------------------------------------------

    def _counts(
        self,
        claims: Claims,
        made: Mapping[str, Piece],
        changed: list[Record],
        drawn: list[Piece],
        proposed: int,
    ) -> dict[str, int]:
        ids = {item.id for item in changed}
        return {
            "made": len(made),
            "refreshed": sum(item.id in ids for item in claims.refreshed),
            "restated": sum(item.id in ids for item in claims.restated),
            "stale": sum(item.id in ids for item in claims.staled),
            "unchanged": claims.unchanged,
            "put aside": claims.aside,
            "proposed": proposed,
            "edges": len(drawn),
            "edges gone": len(claims.gone),
        }

    def _lay_out(
        self,
        made: Mapping[str, Piece],
        changed: list[Record],
        drawn: list[Piece],
        claims: Claims,
        counts: dict[str, int],
        waiting: tuple[str, ...],
        asker: Actor,
    ) -> _Laid:
        gone = tuple(
            ended_edges(self._workspace, self._snapshot, self._catalogue, self._role, claims.gone)
        )
        counts = {**counts, "edges gone": len(gone)}
        decision = decide_role_operation(self._actor, self._role, self._workspace.settings)
        laying = Laying(
            Setting(
                workspace=self._workspace,
                snapshot=self._snapshot,
                loaded=self._loaded,
                decision=decision,
                actor=self._actor,
            )
        )
        edges = tuple(piece.record for piece in drawn)
        new = tuple(piece.record for piece in made.values())
        planned = Planned(made=new, changed=tuple(changed), edges=edges)
        laying.take(None, planned, (*made.values(), *drawn))
        _, drafts = laying.laid_out((), "")
        if not drafts and not gone:
            return _Laid(counts=counts, refused=dict(self._refused), proposed=waiting)
        transaction = self._workspace.ids.new_id(TRANSACTION_PREFIX)
        told = [draft.record.reference for draft in drafts if draft.record.kind == ROLE_KIND]
        details: dict[str, JsonValue] = {
            "role": self._role,
            "by": str(asker.principal),
            **{name: count for name, count in counts.items() if count},
            "refused": dict(sorted(self._refused.items())),
        }
        receipt = laying.account(RECEIPT, transaction, told[:MOST_TOLD], details, RECEIPT)
        return _Laid(
            counts=counts,
            refused=dict(sorted(self._refused.items())),
            drafts=(*drafts, *gone, receipt),
            proposed=waiting,
            receipt=receipt.record.id,
            transaction=transaction,
        )


def _ends(edge: Record) -> tuple[str, str]:
    start, _, end = ends_of_edge(edge)
    return start, end
