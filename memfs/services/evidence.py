"""Evidence: the envelope around a source, made before anything interprets the text (A32, A36).

An envelope is content-free: who, through which channel, from where, a digest, and how it bears
on the claim. The words stand in an excerpt of their own, so that they can be erased and the
envelope goes on telling where a claim came from. A captured text is one commit of envelope and
excerpt; a claim that is admitted has the envelope of its own statement in its commit. What is
refused leaves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memfs.formats.record_codec import update_record
from memfs.model.authority import Authority, Sensitivity
from memfs.model.candidate import CandidateAction
from memfs.model.decision import Decision
from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.frozen import frozen
from memfs.model.ids import EVIDENCE_PREFIX, split_version
from memfs.model.limits import LIST_ITEMS
from memfs.model.origin import SYSTEM_ACTOR, Actor, Origin, OriginClass
from memfs.model.record import Record, StoredRecord
from memfs.model.relation import RelationKind
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_operation
from memfs.policy.authority import (
    capture_origin,
    default_authority,
    default_taint,
    is_person_origin,
)
from memfs.policy.conflicts import is_same_statement
from memfs.policy.grounds import new_support
from memfs.policy.pipeline import Context
from memfs.policy.support import confidence_from, independent_support
from memfs.services.judgement import Judgement
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, is_held, kind_of, place_new
from memfs.store.snapshot import Snapshot

_CARRIED: Final = frozenset({"proposal.quoted", "claim.corroborated", "abstract.quoted"})
"""Rows that rest on evidence which stands in the ledger already; the proposer adds none."""
_VERIFIED: Final = "fact.verified"


@frozen
class Envelope:
    """What an envelope says; everything else follows from the origin."""

    origin: Origin
    relation: RelationKind
    statement_of: str = ""
    fields: tuple[tuple[str, JsonValue], ...] = ()


def envelope_record(workspace: Workspace, envelope: Envelope, about: Record) -> Record:
    """Returns the record of an envelope, kept as closely as what it is about.

    The digest of something sealed would let anybody try guesses on it and is left out.
    """
    is_sealed = about.sensitivity is Sensitivity.SEALED
    origin = replace(envelope.origin, digest="") if is_sealed else envelope.origin
    fields: dict[str, JsonValue] = {"relation": str(envelope.relation), **dict(envelope.fields)}
    if envelope.statement_of:
        fields["statement_of"] = envelope.statement_of
    return Record(
        kind=EVIDENCE_KIND,
        id=workspace.ids.new_id(EVIDENCE_PREFIX),
        scope=about.scope or workspace.scope,
        record_class=about.record_class,
        observed=about.observed,
        origin=origin,
        authority=default_authority(origin.origin_class),
        sensitivity=min(about.sensitivity, Sensitivity.SECRET),
        sinks=about.sinks,
        taint=default_taint(origin.origin_class),
        fields=fields,
    )


def laid_out_envelope(
    workspace: Workspace, snapshot: Snapshot, record: Record, decision: Decision
) -> Draft:
    """Lays out the file of an envelope; its authority is that of its own origin."""
    folder = kind_of(workspace, record).folder
    own = replace(
        decision, authority=record.authority or Authority.NONE, review_after=None, supersedes=()
    )
    return place_new(workspace, record, own, shards=dict(snapshot.shard_sizes(folder)))


def evidenced(
    workspace: Workspace, snapshot: Snapshot, judgement: Judgement, actor: Actor
) -> tuple[Judgement, tuple[Draft, ...]]:
    """Returns an admitted judgement whose draft names its evidence, and the envelope's file.

    Imported claims have none of their own (A36): what they rest on is the file they came from.
    Evidence of earlier words does not support new ones and is no longer named by them (C19).

    Args:
        workspace: The store.
        snapshot: What the plan is based on.
        judgement: Admitted.
        actor: Who carries it out: the person who accepts, where one does.
    """
    submission = judgement.submission
    kind = kind_of(workspace, submission.draft)
    if not kind.is_claim:
        return (_carried(judgement) if kind.is_stated else judgement), ()
    draft, is_new = _identified(workspace, judgement)
    known = judgement.view.evidence
    cited = [item for item in draft.evidence if split_version(item)[0] in known]
    if is_new and judgement.target is not None:
        earlier = set(judgement.target.record.evidence)
        cited = [item for item in cited if item not in earlier]
    if judgement.decision.rule in _CARRIED:
        cited.extend(quote.evidence_id for quote in submission.quotes)
    envelope = _statement(judgement, draft, actor, is_new=is_new)
    drafts: tuple[Draft, ...] = ()
    if envelope is not None:
        record = envelope_record(workspace, envelope, draft)
        drafts = (laid_out_envelope(workspace, snapshot, record, judgement.decision),)
        cited.append(record.id)
    named = replace(draft, evidence=tuple(dict.fromkeys(cited)))
    return replace(judgement, submission=replace(submission, draft=named)), drafts


def _carried(judgement: Judgement) -> Judgement:
    """Names on an event or edge the evidence that carries it: with that it goes."""
    if judgement.decision.rule not in _CARRIED:
        return judgement
    draft, known = judgement.submission.draft, judgement.view.evidence
    quoted = (quote.evidence_id for quote in judgement.submission.quotes)
    cited = (*draft.evidence, *(item for item in quoted if item in known))
    named = replace(draft, evidence=tuple(dict.fromkeys(cited)))
    return replace(judgement, submission=replace(judgement.submission, draft=named))


def _identified(workspace: Workspace, judgement: Judgement) -> tuple[Record, bool]:
    """Returns the draft with its id and version, and whether it says something else now."""
    draft, target = judgement.submission.draft, judgement.target
    if judgement.submission.action is CandidateAction.REVISE and target is not None:
        version = target.record.version + 1
        is_new = not is_same_statement(draft, target.record)
        return replace(draft, id=target.record.id, version=version), is_new
    prefix = kind_of(workspace, draft).id_prefix
    return replace(draft, id=draft.id or workspace.ids.new_id(prefix)), True


def _statement(
    judgement: Judgement, draft: Record, actor: Actor, *, is_new: bool
) -> Envelope | None:
    submission, rule = judgement.submission, judgement.decision.rule
    origin = submission.origin
    if rule in _CARRIED or origin.origin_class is OriginClass.IMPORTED:
        return None
    if rule == _VERIFIED:
        names = "+".join(check.name for check in judgement.view.verifications)
        found = capture_origin(SYSTEM_ACTOR, draft.body or draft.title, source=f"check:{names}")
        return Envelope(
            origin=found,
            relation=RelationKind.OUTCOME_VALIDATED,
            statement_of=draft.reference,
        )
    if submission.is_confirmed:
        if not is_person_origin(origin):
            origin = capture_origin(actor, draft.body or draft.title)
        relation = RelationKind.USER_CONFIRMED
    elif is_person_origin(origin):
        relation = RelationKind.USER_CONFIRMED
    elif origin.origin_class is OriginClass.HOST_OBSERVED:
        relation = RelationKind.OUTCOME_VALIDATED
    else:
        relation = RelationKind.SUPPORTS
    is_correction = judgement.replaced or (judgement.target is not None and is_new)
    if is_correction and relation is RelationKind.USER_CONFIRMED:
        relation = RelationKind.CORRECTS
    return Envelope(origin=origin, relation=relation, statement_of=draft.reference)


def support_drafts(
    workspace: Workspace, snapshot: Snapshot, judgement: Judgement, actor: Actor
) -> tuple[Draft, ...]:
    """Lays out what a repetition adds to the record that says the same already.

    Independent evidence alone is added: the list grows and the version does not, since the
    record says what it said. An append-only record, or one that a commit made by hand holds,
    stays as it is. Empty when nothing is added.
    """
    known = _known(judgement)
    if known is None or kind_of(workspace, known.record).append_only:
        return ()
    if is_held(snapshot, known) or len(known.record.evidence) >= LIST_ITEMS:
        return ()
    context = Context(
        submission=judgement.submission,
        view=judgement.view,
        settings=workspace.settings,
        registry=workspace.registry,
        now=workspace.clock.now(),
    )
    found = new_support(context, known.record)
    decision = decide_operation("record.support", actor, workspace.settings)
    if not found or not decision.is_admitted:
        return ()
    files = [
        _own_envelope(workspace, snapshot, judgement, known, decision)
        for item in found
        if not item.id
    ]
    ids = [item.id for item in found if item.id] + [file.record.id for file in files]
    return (_supported(workspace, snapshot, judgement, known, ids, found, decision), *files)


def _known(judgement: Judgement) -> StoredRecord | None:
    wanted = judgement.decision.duplicate_of
    if not any(item.code == "duplicate.new-evidence" for item in judgement.decision.reasons):
        return None
    found = (*judgement.view.same_content, *judgement.view.same_subject)
    return next((stored for stored in found if stored.record.id == wanted), None)


def _own_envelope(
    workspace: Workspace,
    snapshot: Snapshot,
    judgement: Judgement,
    known: StoredRecord,
    decision: Decision,
) -> Draft:
    envelope = Envelope(origin=judgement.submission.origin, relation=RelationKind.USER_CONFIRMED)
    about = replace(known.record, observed=judgement.submission.draft.observed)
    record = envelope_record(workspace, envelope, about)
    return laid_out_envelope(workspace, snapshot, record, decision)


def _supported(
    workspace: Workspace,
    snapshot: Snapshot,
    judgement: Judgement,
    known: StoredRecord,
    added: Sequence[str],
    found: Sequence[Record],
    decision: Decision,
) -> Draft:
    record = known.record
    standing = judgement.view.support.get(record.id, ())
    stated = Record(kind=EVIDENCE_KIND, origin=record.origin)
    support = independent_support((stated, *standing, *found))
    grown = replace(
        record,
        evidence=(*record.evidence, *added),
        confidence=max(record.confidence or 0.0, confidence_from(support)),
    )
    before = snapshot.read_blob(known.blob)
    return Draft(
        record=grown,
        path=known.path,
        content=update_record(before, grown, path=known.path, registry=workspace.registry),
        expected=known.blob,
        decision=replace(decision, authority=record.authority or Authority.NONE),
    )
