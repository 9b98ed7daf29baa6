"""Keeps the summaries of a role: reads what stands, decides on what is to stand, lays it out.

What is made is worth nothing as a ground, is derived from all that it covers, and passes the one
door like any memory. A summary that is refused is not there, and its memories are told themselves;
that one is refused hinders no other. One that stands behind a barrier, or that waits for a person
after an edit by hand, is left alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memfs.domains.roles.loading import load_edges
from memfs.domains.roles.summaries.summarizing import (
    Joins,
    Wording,
    clusters_of,
    lossy,
    summaries_for,
    summary_id,
    worded,
)
from memfs.domains.roles.view import RoleView
from memfs.index.catalogue import Catalogue
from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.decision import Decision, Reason
from memfs.model.frozen import frozen
from memfs.model.ids import short_id
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    ROLES_FOLDER,
    SUMMARY_FOLDER,
    SUMMARY_KIND,
    Lifecycle,
    is_role_edge,
    lifecycle_of,
    role_of,
    role_scope,
)
from memfs.model.settings import Mode
from memfs.policy.access import may_read
from memfs.policy.administration import decide_role_operation
from memfs.policy.authority import capture_origin
from memfs.policy.bounds import check_bounds
from memfs.policy.reasons import reason
from memfs.policy.role_admission import check_anatomy, check_words
from memfs.policy.role_summary_check import Loss
from memfs.policy.sources import is_switched_off
from memfs.services.gate import access_request, polluted_namespaces
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, edited_file, is_held, place_new
from memfs.services.served_records import read_records, served_places
from memfs.store.layout import role_folder, tombstone_path
from memfs.store.snapshot import Snapshot


@frozen
class Kept:
    """What the summaries of a role come to; nothing of it is written yet.

    Attributes:
        drafts: The files, to be put into the commit of whoever keeps them.
        made: References of new ones.
        changed: References of those that were made again.
        retired: References of those that were put aside: they cover nothing any more.
        refused: Id of a summary that may not stand so, with why; what it would cover is told.
        fault: Why nothing was decided on: the role may write nothing now.
        standing: All that stand behind it, by id.
        edges: The edges of what they cover.
    """

    drafts: tuple[Draft, ...] = ()
    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    refused: tuple[tuple[str, tuple[Reason, ...]], ...] = ()
    fault: tuple[Reason, ...] = ()
    standing: Mapping[str, Record] = field(default_factory=dict)
    edges: tuple[Record, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """What a receipt says of it; no id and no word."""
        parts = ("made", "changed", "retired", "refused")
        return {name: len(found) for name in parts if (found := getattr(self, name))}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """The summaries that stand: those that may be read, and ids that are in the way."""

    snapshot: Snapshot
    stored: Mapping[str, StoredRecord]
    closed: frozenset[str]
    unread: frozenset[str]

    @property
    def taken(self) -> Container[str]:
        """Ids under which nothing may be made: withheld, held, or forgotten for good."""
        return _Taken(self)


class _Taken:
    def __init__(self, standing: _Standing) -> None:
        self._standing = standing

    def __contains__(self, name: object) -> bool:
        if name in self._standing.closed or short_id(str(name)) in self._standing.unread:
            return True
        path = tombstone_path(str(name))
        return self._standing.snapshot.raw_entry(path) is not None


def keep_summaries(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    view: RoleView,
    actor: Actor,
    *,
    beside: Iterable[Record] = (),
    wordings: Mapping[str, Wording] | None = None,
) -> Kept:
    """Decides what summaries a role has, as part of a commit; writes nothing.

    Done again on what it left, it gives nothing more.

    Args:
        workspace: The store.
        snapshot: What is decided on.
        catalogue: Of it.
        view: What the role remembers, as it stands behind the commit and as the role may see it.
        actor: The role itself.
        beside: Memories and edges that the same commit makes or changes, as they are laid out.
        wordings: Other words, by the id that a summary of their target and topic has by rule.
    """
    faults = _closed(workspace, snapshot, view.role, actor)
    if faults:
        return Kept(fault=faults)
    laid = {record.id: record for record in beside}
    memories = {name: laid.get(name, record) for name, record in view.memories.items()}
    view = RoleView(role=view.role, now=view.now, memories=memories, known=view.known)
    standing = _read_standing(workspace, snapshot, view.role, actor)
    edges = _edges(workspace, snapshot, catalogue, view, actor)
    edges.update({name: record for name, record in laid.items() if is_role_edge(record)})
    upkeep = _Upkeep(
        workspace=workspace,
        snapshot=snapshot,
        catalogue=catalogue,
        view=view,
        actor=actor,
        standing=standing,
        edges=tuple(edges.values()),
        planned=laid,
    )
    return upkeep.kept(wordings or {})


def _closed(
    workspace: Workspace, snapshot: Snapshot, role: str, actor: Actor
) -> tuple[Reason, ...]:
    decision = decide_role_operation(actor, role, workspace.settings)
    if not decision.is_admitted:
        return decision.reasons
    if workspace.settings.mode is Mode.SHADOW:
        return (reason("mode.shadow"),)
    if is_switched_off(capture_origin(actor, role), workspace.settings.sources_off):
        return (reason("source.off"),)
    if role_scope(role) in polluted_namespaces(workspace, snapshot):
        return (reason("namespace.polluted"),)
    return ()


def _read_standing(workspace: Workspace, snapshot: Snapshot, role: str, actor: Actor) -> _Standing:
    request = access_request(workspace, actor)
    folder = f"{ROLES_FOLDER}/{role_folder(role)}/{SUMMARY_FOLDER}"
    stored: dict[str, StoredRecord] = {}
    closed: set[str] = set()
    places = tuple(served_places(snapshot, folder))
    unread = {path for path, _ in places}
    for item in read_records(workspace, snapshot, places):
        unread.discard(item.path)
        record = item.record
        is_own = record.kind == SUMMARY_KIND and record.scope == role_scope(role)
        if is_own and may_read(record, request).is_whole and not is_held(snapshot, item):
            stored[record.id] = item
        else:
            closed.add(record.id)
    # What cannot be read stands all the same, and is in the way of one of its id.
    short = frozenset(short_id(path.rpartition(".")[0]) for path in unread)
    return _Standing(snapshot=snapshot, stored=stored, closed=frozenset(closed), unread=short)


def _edges(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, view: RoleView, actor: Actor
) -> dict[str, Record]:
    """Reads the edges of what would be covered that the role may see, by id."""
    covered = {item.id for cluster in clusters_of(view.memories.values()) for item in cluster}
    request = access_request(workspace, actor)
    return load_edges(workspace, snapshot, catalogue, view.role, covered, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Upkeep:
    """One keeping of one role's summaries."""

    workspace: Workspace
    snapshot: Snapshot
    catalogue: Catalogue
    view: RoleView
    actor: Actor
    standing: _Standing
    edges: Sequence[Record]
    planned: Mapping[str, Record]

    def kept(self, wordings: Mapping[str, Wording]) -> Kept:
        """Decides on each summary by itself."""
        known = {name: item.record for name, item in self.standing.stored.items()}
        planned = summaries_for(self.view, self.edges, known, taken=self.standing.taken)
        asked = {record.id: record for record in (*planned.made, *planned.changed)}
        refused: list[tuple[str, tuple[Reason, ...]]] = []
        standing = {_named(item): item for item in (known | asked).values() if _is_used(item)}
        for name, wording in wordings.items():
            found = standing.get(name)
            if found is None:
                refused.append((name, (reason("role.unknown-memory", name),)))
                continue
            new, lost = self._worded(found, wording)
            if lost:
                refused.append((found.id, (lossy(lost),)))
            elif new != found:
                asked[found.id] = new
        drafts: list[Draft] = []
        for record in asked.values():
            draft = self._again(record) if record.id in known else self._new(record)
            if isinstance(draft, Draft):
                drafts.append(draft)
            else:
                refused.append((record.id, draft))
        return replace(_told(drafts, known, refused), edges=tuple(self.edges))

    def _worded(self, summary: Record, wording: Wording) -> tuple[Record, tuple[Loss, ...]]:
        names = texts_field(summary, "covers_nodes")
        children = [self.view.memories[name] for name in names if name in self.view.memories]
        return worded(summary, wording, children, Joins(self.edges).of(names))

    def _new(self, record: Record) -> Draft | tuple[Reason, ...]:
        origin = capture_origin(self.actor, f"{record.title}\n{record.said}")
        submission = Submission(draft=record, origin=origin, is_typed=True)
        judged = judge_with(
            self.workspace, self.snapshot, self.catalogue, submission, planned=self.planned
        )
        if not judged.decision.is_admitted:
            return judged.decision.reasons
        drawn = replace(judged.submission.draft, id=record.id)
        return place_new(self.workspace, drawn, judged.decision, shards={})

    def _again(self, record: Record) -> Draft | tuple[Reason, ...]:
        """Lays out a summary that stands, made again or put aside; its version goes on."""
        stored = self.standing.stored[record.id]
        is_over = lifecycle_of(record) is Lifecycle.RETIRED
        faults = () if is_over else self._faults(record)
        if faults:
            return faults
        changed = replace(record, version=stored.record.version + 1, authority=Authority.NONE)
        before = self.snapshot.read_blob(stored.blob)
        return edited_file(self.workspace, stored, before, changed, self._decision)

    @property
    def _decision(self) -> Decision:
        decision = decide_role_operation(self.actor, self.view.role, self.workspace.settings)
        return replace(decision, authority=Authority.NONE)

    def _faults(self, record: Record) -> tuple[Reason, ...]:
        lines = (record.title, *(text_field(record, name) for name in _WORDED), record.body)
        text = "\n".join(line for line in lines if line)
        kind = self.workspace.registry.get(SUMMARY_KIND)
        return (
            *check_words(text, is_person=self.actor.is_person),
            *check_anatomy(record),
            *check_bounds(record, kind),
        )


def _named(summary: Record) -> str:
    """Returns the id that a summary of this target and topic has by rule."""
    target, topic = text_field(summary, "target"), text_field(summary, "topic")
    return summary_id(role_of(summary), target, topic)


def _is_used(summary: Record) -> bool:
    return lifecycle_of(summary) is not Lifecycle.RETIRED


_WORDED: Final = ("target", "topic", "question", "tension", "implication")


def _told(
    drafts: Iterable[Draft],
    known: Mapping[str, Record],
    refused: Iterable[tuple[str, tuple[Reason, ...]]],
) -> Kept:
    every = tuple(drafts)
    over = [item for item in every if lifecycle_of(item.record) is Lifecycle.RETIRED]
    fresh = [item for item in every if item.record.id not in known]
    again = [item for item in every if item not in over and item not in fresh]
    standing = {**known, **{item.record.id: item.record for item in every}}
    return Kept(
        drafts=every,
        made=tuple(item.record.reference for item in fresh),
        changed=tuple(item.record.reference for item in again),
        retired=tuple(item.record.reference for item in over),
        refused=tuple(refused),
        standing=standing,
    )
