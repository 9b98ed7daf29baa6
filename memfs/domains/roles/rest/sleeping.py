"""Rests of a role: a mind proposes, core decides, and one commit with an account, or nothing.

A rumination touches short-term memory alone, by the phases of ``memfs.policy.role_operations``. A
nap makes one of what says the same and makes the moves that time makes. A sleep accounts for
every memory that was open when it began: one that leaves something over, or does nothing while
something is open, fails and changes nothing (E36 to E40). One rest of a role at a time; whoever
dies in one leaves the store as it was, or as it is behind it.

A rest is decided as the role itself, whoever asked for it: it may what the role may, and what it
makes is worth what the role says to itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from memfs.domains.roles.desk import Desk, opened_desk
from memfs.domains.roles.loading import Loaded, load_pointed, load_role, names_of
from memfs.domains.roles.rest.course import NOTHING_ENDED, Asked, Course, Ended, Maintenance
from memfs.domains.roles.rest.mind import Mind
from memfs.domains.roles.rest.rest_state import note_rest, resting
from memfs.domains.roles.shaping import ids_in
from memfs.domains.roles.summaries.summary_upkeep import Kept, keep_summaries
from memfs.domains.roles.view import RoleView
from memfs.index.catalogue import Catalogue
from memfs.model.frozen import frozen
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import (
    SUMMARY_KIND,
    Profile,
    is_role_edge,
    profile_of,
    role_actor,
    role_scope,
)
from memfs.model.role_operation import RoleOperation
from memfs.model.role_sleep import PHASE_OF, Rejected, Rest
from memfs.model.values import JsonValue
from memfs.policy.role_sleep import MOST_TOLD
from memfs.services.apart import commit_apart
from memfs.services.barrier import NOTHING_FOLLOWED, Aftermath
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.services.propose import own_key, waiting_candidate
from memfs.store.snapshot import Snapshot

RECEIPTS: Final[Mapping[Rest, str]] = {
    Rest.RUMINATION: "role rumination",
    Rest.NAP: "role nap",
    Rest.SLEEP: "role sleep",
}
"""What the receipt of a rest is called, and found by."""


@frozen
class Rested:
    """What one rest did, or what it would have done where it failed.

    Attributes:
        rest: Which it was.
        mind: What proposed.
        ended: What became of everything.
        receipt: Id of its receipt; empty where nothing was to be written.
        made: References of new memories.
        candidates: Ids of what waits in the inbox.
        commit: The one commit; ``None`` where nothing was to be written.
        aftermath: What followed, where a label that became stricter reached something else.
    """

    rest: Rest
    mind: str
    ended: Ended
    receipt: str = ""
    made: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    commit: Commit | None = None
    aftermath: Aftermath = NOTHING_FOLLOWED


def rest_role(
    workspace: Workspace,
    role: str,
    rest: Rest,
    mind: Mind,
    asker: Actor,
    *,
    maintenance: Sequence[Maintenance] = (),
    key: str = "",
) -> Rested:
    """Goes over what a role remembers, as one commit with an account, or changes nothing.

    Args:
        workspace: The store.
        role: Whose memory.
        rest: Which rest; see the module.
        mind: What proposes.
        asker: Who asked for it; the receipt says so. Whether they may is not looked at here.
        maintenance: Moves that no operation makes, planned behind the operations, in order.
        key: Makes a repetition harmless.

    Raises:
        RoleRestingError: The role rests already.
    """
    with resting(workspace, role):
        earlier = workspace.store.committed(own_key(asker, key)) if key else None
        if earlier is not None:
            return Rested(rest=rest, mind=mind.name, ended=NOTHING_ENDED, commit=earlier)
        now = workspace.clock.now()
        note_rest(workspace, role, rest, now)
        night = _Night(
            workspace=workspace,
            role=role,
            rest=rest,
            mind=mind,
            asker=asker,
            maintenance=tuple(maintenance),
            key=key,
            now=now,
        )
        asked = night.asked_first() if mind.is_slow else None
        committed = commit_apart(
            workspace, lambda snapshot: night.decided(snapshot, asked), partial(_bears, role)
        )
    rested = replace(committed.outcome, commit=committed.commit, aftermath=committed.aftermath)
    if rested.ended.fault is not None:
        return rested
    found = [waiting_candidate(workspace, item) for item in rested.ended.waiting]
    return replace(rested, candidates=tuple(item.id for item in found if item is not None))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Night:
    """One rest of one role."""

    workspace: Workspace
    role: str
    rest: Rest
    mind: Mind
    asker: Actor
    maintenance: tuple[Maintenance, ...]
    key: str
    now: datetime

    @property
    def actor(self) -> Actor:
        return role_actor(self.role)

    def asked_first(self) -> Asked:
        """Asks a mind that takes its time, while everybody else goes on writing."""
        snapshot = self.workspace.store.snapshot()
        with closing(open_catalogue(self.workspace, snapshot)) as catalogue:
            view = self._read(snapshot, catalogue).view
        return self._asked(view)

    def _asked(self, view: RoleView) -> Asked:
        opened = frozenset(view.short_term())
        return Asked(proposals=self.mind.propose(view, self.now), opened=opened)

    def _read(self, snapshot: Snapshot, catalogue: Catalogue) -> Loaded:
        """Reads what the role remembers, and what the anchors of what is open lead to."""
        loaded = load_role(self.workspace, snapshot, self.role, self.actor)
        read = (*loaded.view.short_term().values(), *_threads(loaded.view))
        names = (name for item in read for name in ids_in(texts_field(item, "anchors")))
        return load_pointed(self.workspace, snapshot, catalogue, loaded, names, self.actor)

    def decided(self, snapshot: Snapshot, asked: Asked | None) -> Decided[Rested]:
        """Decides on a snapshot; nothing is written by it."""
        with closing(open_catalogue(self.workspace, snapshot)) as catalogue:
            catalogue.detach()
            loaded = self._read(snapshot, catalogue)
            found = asked or self._asked(loaded.view)
            with opened_desk(
                self.workspace,
                snapshot,
                catalogue,
                loaded,
                self.actor,
                phase=PHASE_OF[self.rest],
            ) as desk:
                ended = self._course(snapshot, catalogue, loaded, desk, found).run()
                rested = Rested(rest=self.rest, mind=self.mind.name, ended=ended)
                if ended.fault is not None:
                    return Decided(rested)
                return self._planned(snapshot, catalogue, desk, rested)

    def _course(
        self, snapshot: Snapshot, catalogue: Catalogue, loaded: Loaded, desk: Desk, asked: Asked
    ) -> Course:
        def point_at(operations: Iterable[RoleOperation]) -> frozenset[str]:
            names = names_of(operations)
            more = load_pointed(self.workspace, snapshot, catalogue, loaded, names, self.actor)
            return more.view.known

        return Course(
            desk=desk,
            rest=self.rest,
            mind=self.mind,
            role=self.role,
            now=self.now,
            asked=asked,
            point_at=point_at,
            maintenance=self.maintenance,
        )

    def _planned(
        self, snapshot: Snapshot, catalogue: Catalogue, desk: Desk, rested: Rested
    ) -> Decided[Rested]:
        steps, drafts = desk.laid_out()
        kept = Kept()
        if self.rest is Rest.SLEEP:
            # Summaries are of what is left behind the rest, and stand in the same commit.
            kept = keep_summaries(
                self.workspace,
                snapshot,
                catalogue,
                desk.view,
                self.actor,
                beside=[draft.record for draft in drafts],
            )
            drafts = (*drafts, *kept.drafts)
        if not drafts:
            return Decided(rested)
        called = RECEIPTS[self.rest]
        account = account_value(rested, self.role, self.asker)
        receipt = desk.receipt(called, {**account, "summaries": dict(kept.counts)})
        plan = plan_from(
            self.workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=self.actor,
            drafts=(*drafts, receipt),
            subject=f"role memory: {called}",
            key=own_key(self.asker, self.key),
        )
        made = tuple(name for step in steps for name in step.made)
        rested = replace(rested, receipt=receipt.record.id, made=made)
        return Decided(rested, replace(plan, transaction=desk.transaction))


def _bears(role: str, record: Record, is_new: bool) -> bool:
    """Tells whether what a rest decides rests on a record that came or changed beside it.

    A short-term memory that comes meanwhile is the next rest's, and a receipt says nothing new.
    """
    is_later = is_new and profile_of(record) in (Profile.CONVERSATION, None)
    is_beside = is_later and not is_role_edge(record) and record.kind != SUMMARY_KIND
    return record.scope == role_scope(role) and not is_beside


def _threads(view: RoleView) -> Iterable[Record]:
    return (item for item in view.memories.values() if profile_of(item) is Profile.INCUBATION)


def account_value(rested: Rested, role: str, asker: Actor) -> dict[str, JsonValue]:
    """Returns the account of a rest as its receipt tells it: counts, ids and codes, no word.

    What was made and changed by which operation stands in the receipts of the operations, which
    name the same transaction.
    """
    tally, account = rested.ended.tally, rested.ended.account
    return {
        "role": role,
        "rest": str(rested.rest),
        "mind": rested.mind,
        "asked_by": str(asker.principal),
        "proposed": tally.proposed,
        "accepted": tally.accepted,
        "applied": tally.applied,
        "unchanged": tally.unchanged,
        "waiting": tally.waiting,
        "rejected": len(tally.rejected),
        "rejections": list(_rejections(tally.rejected)),
        "opened": len(account.opened),
        "distilled": len(account.distilled),
        "incubated": len(account.incubated),
        "clustered": len(account.clustered),
        "pruned": len(account.pruned),
        "because": dict(account.because),
        "kept": len(account.kept),
        "kept_because": str(rested.rest) if account.kept else "",
        "residue": list(account.residue[:MOST_TOLD]),
        "moved": {name: list(ids[:MOST_TOLD]) for name, ids in rested.ended.moved.items()},
        "moves": sum(len(ids) for ids in rested.ended.moved.values()),
        "later": rested.ended.later,
        "held": rested.ended.held,
    }


def _rejections(rejected: Sequence[Rejected]) -> Iterator[JsonValue]:
    """Yields the first rejections one by one, and how many of each sort came behind them."""
    for item in rejected[:MOST_TOLD]:
        yield {"operation": item.operation, "codes": list(item.codes)}
    rest = Counter((item.operation, item.codes) for item in rejected[MOST_TOLD:])
    for (name, codes), count in sorted(rest.items())[:MOST_TOLD]:
        yield {"operation": name, "codes": list(codes), "count": count}
