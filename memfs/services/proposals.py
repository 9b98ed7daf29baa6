"""From a draft to a plan: completes what the proposer left out and lays out the files.

Nothing here decides. The decision comes from ``memfs.policy`` and travels with every
change that is planned.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.errors import ConflictError
from memfs.formats.record_codec import encode_record, update_record
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.decision import Decision
from memfs.model.digests import IMPORT_DOMAIN, is_digest_in
from memfs.model.event import EVENT_KIND
from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.ids import TRANSACTION_PREFIX, split_version
from memfs.model.instants import month_of
from memfs.model.kinds import KindSpec
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import Actor, Origin
from memfs.model.record import Record, StoredRecord
from memfs.model.role import ROLE_KINDS
from memfs.model.status import Status
from memfs.policy.conflicts import is_replaced_already, is_unchanged, replaced_from
from memfs.policy.log_text import is_log
from memfs.policy.logs import is_continued
from memfs.services.graph_drafts import named_by_ends
from memfs.services.ports import Workspace
from memfs.store.layout import filed_at, hold_path, record_path
from memfs.store.snapshot import Snapshot

TITLE_LENGTH: Final = 120
NAMED_RECORDS: Final = 100
_EVERYWHERE: Final = frozenset({ENTITY_KIND, EDGE_KIND, *ROLE_KINDS})


class HeldRecordError(ConflictError):
    """A commit made by hand changed the record; a person decides on it before anything else."""

    code = "conflict.held"


@frozen
class Draft:
    """A completed record, the bytes that will stand in its file and what allows them."""

    record: Record
    path: str
    content: bytes
    expected: str | None
    decision: Decision
    replaces_working: frozenset[str] = frozenset()


def title_from(text: str) -> str:
    """Returns the first line of a text, shortened at a word to at most 120 characters."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    first = first.lstrip("# ").strip()
    if len(first) <= TITLE_LENGTH:
        return first
    return first[:TITLE_LENGTH].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def completed_draft(workspace: Workspace, submission: Submission, now: datetime) -> Submission:
    """Fills in what every draft needs before policy can look at it: scope, title, origin."""
    draft = named_by_ends(submission.draft, workspace.scope)
    observed = draft.observed or now
    # What happened has a time: where nobody said when, it is when it was learned.
    is_undated = draft.kind == EVENT_KIND and draft.event_time is None
    return replace(
        submission,
        draft=replace(
            draft,
            scope=draft.scope or workspace.scope,
            title=draft.title or title_from(draft.body or draft.summary),
            origin=submission.origin,
            observed=observed,
            event_time=observed if is_undated else draft.event_time,
            branch=draft.branch or _branch_of(workspace, draft.kind),
        ),
    )


def _branch_of(workspace: Workspace, kind: str) -> str:
    """Returns the branch that a draft is learned on.

    A log is written in from every branch, and a thing is there on all of them: they belong to none.
    """
    return "" if is_log(kind) or kind in _EVERYWHERE else workspace.project_branch


def new_file(workspace: Workspace, snapshot: Snapshot, record: Record, decision: Decision) -> Draft:
    """Lays out the file of a new record, with its id, authority and review date.

    A second call for the same folder in one plan must go through :class:`ShardCount`.
    """
    kind = kind_of(workspace, record)
    shards = snapshot.shard_sizes(kind.folder)
    return place_new(workspace, record, decision, shards=dict(shards))


def place_new(
    workspace: Workspace, record: Record, decision: Decision, *, shards: dict[str, int]
) -> Draft:
    """Like :func:`new_file` with the folder's counts given; raises the count it used."""
    kind = kind_of(workspace, record)
    is_replaced = is_replaced_already(record, kind)
    admitted = replace(
        record,
        origin=_lasting_origin(record.origin) if kind.is_claim else record.origin,
        id=record.id or workspace.ids.new_id(kind.id_prefix),
        authority=decision.authority,
        review_after=record.review_after or decision.review_after,
        supersedes=_replaced_by(kind, record, decision),
        superseded_by=record.superseded_by if is_replaced else "",
        superseded_from=record.superseded_from if is_replaced else None,
        conflicts=(),
        status=Status.SUPERSEDED if is_replaced else Status.ACTIVE,
    )
    month = month_of(filed_at(kind, admitted) or workspace.clock.now())
    path = record_path(kind, admitted, month, shards)
    shard = path.rsplit("/", 2)[1]
    shards[shard] = shards.get(shard, 0) + 1
    admitted = as_kept(workspace, admitted)
    content = encode_record(admitted, workspace.registry)
    return Draft(record=admitted, path=path, content=content, expected=None, decision=decision)


def _replaced_by(kind: KindSpec, record: Record, decision: Decision) -> tuple[str, ...]:
    """Returns what a new record takes the place of; an event or edge of nothing but what it may."""
    if kind.append_only and kind.is_stated:
        return tuple(sorted(decision.supersedes))
    return tuple(sorted({*record.supersedes, *decision.supersedes}))


def _lasting_origin(origin: Origin | None) -> Origin | None:
    """Leaves out the pointer of what was said to memfs itself: the record is that text."""
    if origin is None or origin.source != f"{origin.channel}:{origin.principal}":
        return origin
    return replace(origin, source="", digest="")


def _next_origin(before: Origin | None, now: Origin | None) -> Origin | None:
    """Returns the origin of a next version: what was imported is known by its source for good.

    Without that, the source would bring the words of before once more when it is read again.
    """
    lasting = _lasting_origin(now)
    if before is None or lasting is None or lasting.digest:
        return lasting
    is_imported = is_digest_in(IMPORT_DOMAIN, before.digest)
    return replace(lasting, digest=before.digest) if is_imported else lasting


def next_version(
    workspace: Workspace,
    stored: StoredRecord,
    before: bytes,
    record: Record,
    decision: Decision,
) -> Draft:
    """Lays out a new version of an admitted record: same file, same id, version raised."""
    revised = replace(
        record,
        id=stored.record.id,
        kind=stored.record.kind,
        origin=_next_origin(stored.record.origin, record.origin),
        version=stored.record.version + 1,
        authority=decision.authority,
        review_after=record.review_after or decision.review_after,
        supersedes=tuple(sorted({*stored.record.supersedes, *decision.supersedes})),
        superseded_by="",
        superseded_from=None,
        conflicts=stored.record.conflicts,
        status=Status.ACTIVE,
    )
    revised = as_kept(workspace, revised)
    return edited_file(workspace, stored, before, revised, decision)


def is_more_of(record: Record, target: Record) -> bool:
    """Tells whether ``record`` is the log ``target`` with more in it and nothing else changed."""
    same_words = replace(record, title=target.title, body=target.body)
    return is_continued(target, record) and is_unchanged(same_words, target)


def continued(
    workspace: Workspace,
    stored: StoredRecord,
    before: bytes,
    record: Record,
    decision: Decision,
    *,
    opener: Origin | None = None,
) -> Draft:
    """Lays out a log with more in it: same file, same id, same version (C3).

    ``opener`` is who opened it as the longer file says; ``None`` for whoever is known.
    """
    longer = replace(
        stored.record,
        title=record.title,
        body=record.body,
        taint=tuple(sorted({*stored.record.taint, *record.taint})),
        origin=opener or stored.record.origin,
        observed=record.observed if opener else stored.record.observed,
    )
    return edited_file(workspace, stored, before, longer, decision)


def edited_file(
    workspace: Workspace,
    stored: StoredRecord,
    before: bytes,
    record: Record,
    decision: Decision,
) -> Draft:
    """Lays out ``record`` in the file of ``stored``, which holds ``before``.

    Only what differs is written: every other byte of the file stays. Whether a commit made by hand
    waits on it is not looked at here; see :func:`require_free`.
    """
    content = update_record(before, record, path=stored.path, registry=workspace.registry)
    return Draft(
        record=record,
        path=stored.path,
        content=content,
        expected=stored.blob,
        decision=decision,
    )


def as_kept(workspace: Workspace, record: Record) -> Record:
    """Returns a record as its file says it: one that is sealed without a word in plain text."""
    if record.sensitivity is not Sensitivity.SEALED:
        return record
    from memfs.services.sealing import sealed  # hardly any record is

    return sealed(workspace, record)


def superseded(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    successor: Record,
    decision: Decision,
) -> Draft:
    """Marks an admitted record as replaced; its content stays as it is (C4).

    Where the successor begins later, the record goes on answering for the time before.

    Raises:
        HeldRecordError: A commit made by hand changed it and waits for a decision.
    """
    require_free(snapshot, stored)
    before = snapshot.read_blob(stored.blob)
    record = replace(
        stored.record,
        status=Status.SUPERSEDED,
        superseded_by=successor.id,
        superseded_from=replaced_from(successor, stored.record),
    )
    return edited_file(workspace, stored, before, record, decision)


def is_held(snapshot: Snapshot, stored: StoredRecord) -> bool:
    """Whether a commit made by hand changed the record and waits for a decision."""
    return snapshot.raw_entry(hold_path(stored.path)) is not None


def require_free(snapshot: Snapshot, stored: StoredRecord) -> None:
    """Lets nothing change a record while a commit made by hand waits for a decision on it.

    Raises:
        HeldRecordError: It is held.
    """
    if is_held(snapshot, stored):
        raise HeldRecordError(
            f"expected {stored.record.id} to be free, got a commit made by hand that waits",
            hint="decide on it first: memfs review",
            path=stored.path,
        )


def change_from(draft: Draft) -> FileChange:
    """Turns a laid-out file into a change that carries its decision."""
    return FileChange(
        path=draft.path,
        content=draft.content,
        expected=draft.expected,
        decision=draft.decision,
        replaces_working=draft.replaces_working,
    )


def plan_from(
    workspace: Workspace,
    snapshot: Snapshot,
    *,
    operation: OperationKind,
    actor: Actor,
    drafts: tuple[Draft, ...],
    subject: str = "",
    key: str = "",
    extra: tuple[FileChange, ...] = (),
) -> Plan:
    """Makes one plan of several files, each with its own decision.

    A plan of very many records names none of them in its trailers: the tree says which.
    """
    return Plan(
        transaction=workspace.ids.new_id(TRANSACTION_PREFIX),
        operation=operation,
        subject=subject or subject_from(drafts),
        actor=actor,
        at=workspace.clock.now(),
        changes=(*(change_from(draft) for draft in drafts), *extra),
        base=snapshot.commit,
        key=key,
        records=tuple(draft.record.reference for draft in drafts)
        if len(drafts) <= NAMED_RECORDS
        else (),
    )


def subject_from(drafts: tuple[Draft, ...]) -> str:
    """Returns a commit subject: the title of the first record, or only its id when opaque."""
    if not drafts:
        return ""
    first = drafts[0].record
    title = first.id if first.sensitivity.is_opaque else first.title
    others = sum(1 for draft in drafts[1:] if draft.record.kind != EVIDENCE_KIND)
    return f"{title} (+{others})" if others else title


def kind_of(workspace: Workspace, record: Record) -> KindSpec:
    """Returns the registered kind of a record that was validated before.

    Raises:
        KeyError: Nobody registered it, so that it was not validated.
    """
    kind = workspace.registry.get(record.kind)
    if kind is None:
        raise KeyError(record.kind)
    return kind


def evidence_ids(submission: Submission) -> tuple[str, ...]:
    """Returns the ids of all that a submission rests on, in order, unique."""
    draft = submission.draft
    quoted = (quote.evidence_id for quote in submission.quotes)
    cited = (*draft.evidence, *draft.derived_from, *quoted)
    return tuple(dict.fromkeys(split_version(item)[0] for item in cited))
