"""Capture: a text is kept as evidence before anything is made of it (A3, A32).

One commit of an envelope and an excerpt, with the origin of the channel that the text came
through. A text is screened for secrets and refused whole, it is bounded, and programs have a
quota; what it says is nobody's claim, however it is worded. What the host observed is a value;
the text that a tool printed meanwhile is that tool's and is kept beside it as such.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from memfs.errors import UsageError
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.decision import Decision, Verdict
from memfs.model.evidence import EVIDENCE_KIND, EXCERPT_KIND, Observation
from memfs.model.frozen import frozen
from memfs.model.ids import EXCERPT_PREFIX
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor, Channel, Origin, OriginClass
from memfs.model.record import Record
from memfs.model.relation import RelationKind
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin, class_of_actor
from memfs.policy.verification import source_text
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.door import Decided, commit_decided
from memfs.services.evidence import Envelope, envelope_record, laid_out_envelope
from memfs.services.judgement import Judgement, judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, kind_of, place_new, plan_from
from memfs.services.propose import activated, first_reason, own_key
from memfs.services.verifiers import command_digest
from memfs.store.snapshot import Snapshot

_ELSEWHERE: Final = re.compile(
    r"(?:https?|ftp|file|mail|mailto|doc|docs|mcp|web|tool):", re.IGNORECASE
)
"""Pointers to what somebody else wrote: a person who hands it in has not said it."""


@frozen
class _Piece:
    """One source: its origin, its words, and what an observation adds to the envelope."""

    origin: Origin
    words: str = ""
    fields: tuple[tuple[str, JsonValue], ...] = ()


@frozen
class _Kept:
    decision: Decision
    evidence: tuple[str, ...] = ()
    excerpts: tuple[str, ...] = ()
    path: str = ""
    reference: str = ""
    is_known: bool = False


def capture(
    workspace: Workspace,
    text: str,
    actor: Actor,
    *,
    source: str = "",
    speaker: str = "",
    scope: Scope | None = None,
    key: str = "",
) -> Result:
    """Keeps a text as evidence from the channel that it came through.

    The same text from the same source by the same principal is kept once.

    Args:
        workspace: The store.
        text: The text as it arrived.
        actor: Who hands it in, and through which channel.
        source: Pointer to where it stands, such as ``session:abc#12`` or an address.
        speaker: Who said it according to the transport.
        scope: Namespace that it belongs to; the store's by default.
        key: Makes a repetition harmless.

    Raises:
        UsageError: There is no text.
    """
    words = source_text(text)
    if not words.strip():
        raise UsageError("expected a text to keep as evidence, got nothing")
    teller = _teller(actor, source)
    piece = _Piece(
        origin=capture_origin(teller, words, source=source, speaker=speaker), words=words
    )
    return _capture(workspace, (piece,), actor, scope=scope, key=key)


def observe(
    workspace: Workspace,
    observation: Observation,
    actor: Actor,
    *,
    output: str = "",
    source: str = "",
    scope: Scope | None = None,
    key: str = "",
) -> Result:
    """Keeps what the host observed, and apart from it what was printed meanwhile.

    On any other channel than the host's own the observation is worth what that channel gives.

    Args:
        workspace: The store.
        observation: Values that the host saw.
        actor: The host.
        output: What a tool printed; it is that tool's text, wherever the host got it from.
        source: Pointer to where it happened, such as ``session:abc#12``.
        scope: Namespace that it belongs to; the store's by default.
        key: Makes a repetition harmless.
    """
    command = source_text(observation.command)
    seen: dict[str, JsonValue] = {"outcome": str(observation.result)}
    if observation.exit_code is not None:
        seen["exit_code"] = observation.exit_code
    if command:
        seen["command_digest"] = command_digest(command)
    if observation.path:
        seen["path"] = observation.path
    if observation.commit:
        seen["commit"] = observation.commit
    said = command or " ".join(f"{name}={value}" for name, value in sorted(seen.items()))
    first = _Piece(
        origin=capture_origin(actor, said, source=source),
        words=command,
        fields=tuple(seen.items()),
    )
    printed = source_text(output)
    if not printed.strip():
        return _capture(workspace, (first,), actor, scope=scope, key=key)
    tool = replace(actor, channel=Channel.TOOL)
    second = _Piece(origin=capture_origin(tool, printed, source=source), words=printed)
    return _capture(workspace, (first, second), actor, scope=scope, key=key)


def _teller(actor: Actor, source: str) -> Actor:
    """Returns whose words a text is: never higher than the channel says, sometimes lower.

    What the host hands on as text is some tool's output, and what a person hands in from
    elsewhere is what stands there.
    """
    is_document = class_of_actor(actor) is OriginClass.USER_STATED and _ELSEWHERE.match(source)
    if actor.channel is Channel.HOST or is_document:
        return replace(actor, channel=Channel.TOOL)
    return actor


def _capture(
    workspace: Workspace,
    pieces: tuple[_Piece, ...],
    actor: Actor,
    *,
    scope: Scope | None,
    key: str,
) -> Result:
    key = own_key(actor, key)

    def decide_on(snapshot: Snapshot) -> Decided[_Kept]:
        catalogue = open_catalogue(workspace, snapshot)
        try:
            return _kept(workspace, snapshot, catalogue, pieces, actor, scope=scope, key=key)
        finally:
            catalogue.close()

    committed = commit_decided(workspace, decide_on)
    kept, commit = committed.outcome, committed.commit
    decision = kept.decision
    answer = Result(
        action="capture",
        target=kept.evidence[0] if kept.evidence else "",
        status=ResultStatus.DONE,
        message="",
        operation=commit.transaction if commit else "",
        store=str(workspace.store.root),
        reasons=decision.reasons,
        data={
            "verdict": str(decision.verdict),
            "rule": decision.rule,
            "origin": str(pieces[0].origin.origin_class),
            "evidence": list(kept.evidence),
            "excerpts": list(kept.excerpts),
            "path": kept.path,
        },
    )
    if kept.is_known:
        message = f"already kept as {answer.target}"
        return replace(answer, status=ResultStatus.DUPLICATE, message=message)
    if decision.verdict is not Verdict.ACTIVATE:
        return replace(answer, status=ResultStatus.REFUSED, message=first_reason(decision))
    done = activated(answer, kept.reference, commit)
    if done.status is not ResultStatus.DONE:
        return done
    origin = pieces[0].origin.origin_class
    return replace(done, message=f"kept as evidence {answer.target} ({origin}), not as a claim")


def _kept(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    pieces: tuple[_Piece, ...],
    actor: Actor,
    *,
    scope: Scope | None,
    key: str,
) -> Decided[_Kept]:
    known = _standing(workspace, snapshot, catalogue, pieces[0], scope or workspace.scope)
    judged: list[tuple[_Piece, Judgement]] = []
    for piece in pieces:
        draft = Record(
            kind=EXCERPT_KIND if piece.words else EVIDENCE_KIND,
            body=f"{piece.words}\n" if piece.words else "",
            scope=scope,
            fields={} if piece.words else dict(piece.fields),
        )
        submission = Submission(draft=draft, origin=piece.origin, key=key)
        judgement = judge_with(workspace, snapshot, catalogue, submission)
        if judgement.decision.verdict is not Verdict.ACTIVATE:
            return Decided(_Kept(decision=judgement.decision))
        judged.append((piece, judgement))
    decision = judged[0][1].decision
    if known is not None and len(pieces) == 1:
        return Decided(_Kept(decision=decision, evidence=(known.id,), is_known=True))
    drafts = [draft for item in judged for draft in _files(workspace, snapshot, *item)]
    # Several files of one kind and one commit: each knows the count that the ledger has.
    evidence = tuple(draft.record.id for draft in drafts if draft.record.kind == EVIDENCE_KIND)
    excerpts = tuple(draft.record.id for draft in drafts if draft.record.kind == EXCERPT_KIND)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.CAPTURE,
        actor=actor,
        drafts=tuple(drafts),
        subject=evidence[0],
        key=key,
    )
    kept = _Kept(
        decision=decision,
        evidence=evidence,
        excerpts=excerpts,
        path=drafts[0].path,
        reference=drafts[0].record.reference,
    )
    return Decided(kept, plan)


def _files(
    workspace: Workspace, snapshot: Snapshot, piece: _Piece, judgement: Judgement
) -> tuple[Draft, ...]:
    draft, decision = judgement.submission.draft, judgement.decision
    is_value = piece.origin.origin_class is OriginClass.HOST_OBSERVED
    envelope = Envelope(
        origin=piece.origin,
        relation=RelationKind.OUTCOME_VALIDATED if is_value else RelationKind.SUPPORTS,
        fields=piece.fields,
    )
    record = envelope_record(workspace, envelope, draft)
    file = laid_out_envelope(workspace, snapshot, record, decision)
    if not piece.words:
        return (file,)
    excerpt = replace(
        draft, id=workspace.ids.new_id(EXCERPT_PREFIX), title="", derived_from=(record.id,)
    )
    shards = dict(snapshot.shard_sizes(kind_of(workspace, excerpt).folder))
    return (file, place_new(workspace, excerpt, decision, shards=shards))


def _standing(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    piece: _Piece,
    scope: Scope,
) -> Record | None:
    """Finds the envelope of the same text from the same source by the same principal."""
    if piece.fields:
        return None
    rows = [
        row
        for row in catalogue.by_source_digest(piece.origin.digest)
        if row.kind == EVIDENCE_KIND and row.scope == str(scope)
    ]
    for stored in read_entries(workspace, snapshot, rows):
        found = stored.record
        if found.origin == piece.origin and "statement_of" not in found.fields:
            return found
    return None
