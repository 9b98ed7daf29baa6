"""Typed answers as plain data: what ``--json`` prints. The keys are API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memfs.model.authority import DEFAULT_SINKS
from memfs.model.instants import format_instant
from memfs.model.origin import Origin
from memfs.model.packet import Packet, ScoredRecord
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result
from memfs.model.role import ROLE_KINDS, anchors_of, is_role_edge
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.model.candidate import Candidate
    from memfs.model.decision import Reason
    from memfs.model.operation import Commit
    from memfs.model.problem import Problem
    from memfs.services.ledger_log import LoggedOperation


def _filled(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Leaves out what is empty; zero and false stay."""
    return {key: part for key, part in value.items() if part not in (None, "", [], {}, ())}


def result_value(result: Result) -> JsonValue:
    """Returns a result; always with action, target, status and message."""
    return {
        "action": result.action,
        "target": result.target,
        "status": str(result.status),
        "message": result.message,
        **_filled(
            {
                "operation": result.operation,
                "store": result.store,
                "reasons": reasons_value(result.reasons),
                "data": dict(result.data),
            }
        ),
    }


def reasons_value(reasons: Iterable[Reason]) -> list[JsonValue]:
    """Returns reasons as a list of code and message."""
    return [{"code": reason.code, "message": reason.message} for reason in reasons]


def origin_value(origin: Origin | None) -> JsonValue:
    """Returns an origin with the field names of a record file."""
    if origin is None:
        return None
    return _filled(
        {
            "class": str(origin.origin_class),
            "principal": str(origin.principal),
            "channel": str(origin.channel),
            "source": origin.source,
            "digest": origin.digest,
            "speaker": origin.speaker,
        }
    )


def record_value(stored: StoredRecord) -> dict[str, JsonValue]:
    """Returns a record with the field names of its file, its body, path, blob and store."""
    record = stored.record
    return {
        "id": record.id,
        "kind": record.kind,
        "title": record.title,
        "status": str(record.status),
        "version": record.version,
        **_filled(
            {
                "scope": str(record.scope or ""),
                "subject": record.subject,
                **_instants(record),
                "origin": origin_value(record.origin),
                "authority": record.authority.label if record.authority is not None else None,
                "confidence": record.confidence,
                "importance": record.importance,
                "sensitivity": record.sensitivity.label,
                "sinks": sorted(record.sinks) if record.sinks != DEFAULT_SINKS else None,
                "taint": list(record.taint),
                "evidence": list(record.evidence),
                "derived_from": list(record.derived_from),
                "transform": record.transform,
                "supersedes": list(record.supersedes),
                "superseded_by": record.superseded_by,
                "conflicts": list(record.conflicts),
                "tags": list(record.tags),
                "entities": list(record.entities),
                "relations": [
                    _filled({"kind": str(link.kind), "target": link.target, "label": link.label})
                    for link in record.relations
                ],
                "summary": record.summary,
                "abstract": record.abstract,
                "branch": record.branch,
                "anchors": _anchors(record),
                "fields": dict(record.fields),
                "unknown": dict(record.unknown),
            }
        ),
        "body": record.body,
        "path": stored.path,
        "blob": stored.blob,
        "store": stored.store,
    }


def _anchors(record: Record) -> dict[str, JsonValue]:
    """Returns what role memory rests on: evidence apart from what is only remembered (E44)."""
    if not (record.kind in ROLE_KINDS or is_role_edge(record)):
        return {}
    anchors = anchors_of(record)
    return {
        "evidence": list(anchors.evidence),
        "remembered": list(anchors.remembered),
        "missing": anchors.is_missing,
    }


def _instants(record: Record) -> dict[str, JsonValue]:
    return {
        name: format_instant(moment)
        for name, moment in (
            ("observed", record.observed),
            ("event_time", record.event_time),
            ("valid_from", record.valid_from),
            ("valid_until", record.valid_until),
            ("review_after", record.review_after),
            ("expires", record.expires),
            ("superseded_from", record.superseded_from),
        )
        if moment is not None
    }


def hit_value(hit: ScoredRecord) -> dict[str, JsonValue]:
    """Returns a hit: rank, score, its components, and the record."""
    return {
        "rank": hit.rank,
        "score": round(hit.score, 6),
        "components": {name: round(part, 6) for name, part in hit.components.items()},
        **record_value(hit.stored),
    }


def packet_value(packet: Packet) -> JsonValue:
    """Returns a packet: state, cards in rank order, what was left out, and the fenced text."""
    return {
        "state": str(packet.state),
        "reason": packet.reason,
        "store": packet.store,
        "ledger": packet.ledger,
        "tokens": packet.tokens,
        "cards": [
            {**hit_value(card.hit), "tokens": card.tokens, "text": card.text}
            for card in packet.cards
        ],
        "left_out": [
            {"id": left.id, "code": left.code, "message": left.message} for left in packet.left_out
        ],
        **_filled(
            {
                "id": packet.id,
                "work": [
                    {
                        "name": section.name,
                        "entries": [
                            {"reference": entry.reference, "text": entry.text}
                            for entry in section.entries
                        ],
                        "beyond": section.beyond,
                    }
                    for section in packet.sections
                ],
            }
        ),
        "text": packet.text,
    }


def candidate_value(candidate: Candidate) -> dict[str, JsonValue]:
    """Returns a candidate; its content as text, never as what memory holds."""
    return {
        "candidate": candidate.id,
        "action": str(candidate.action),
        "state": str(candidate.state),
        "path": candidate.path,
        **_filled(
            {
                "record": candidate.record_id,
                "kind": candidate.kind,
                "title": candidate.title,
                "origin": origin_value(candidate.origin),
                "reasons": reasons_value(candidate.reasons),
                "created": format_instant(candidate.created),
                "expires": format_instant(candidate.expires) if candidate.expires else None,
                "base": candidate.base,
                "theirs": candidate.theirs,
                "batch": candidate.batch,
            }
        ),
        "content": candidate.content.decode("utf-8", "replace"),
    }


def operation_value(item: LoggedOperation) -> JsonValue:
    """Returns one line of the ledger in words."""
    return {**commit_value(item.commit), "did": item.did}


def commit_value(commit: Commit) -> dict[str, JsonValue]:
    """Returns one line of history."""
    return {
        "commit": commit.id,
        "at": format_instant(commit.at),
        "author": commit.author,
        "subject": commit.subject,
        "is_operation": commit.is_operation,
        **_filled(
            {
                "operation": commit.operation,
                "transaction": commit.transaction,
                "decision": commit.decision,
                "records": list(commit.records),
            }
        ),
    }


def problem_value(problem: Problem) -> JsonValue:
    """Returns a problem with its place."""
    return {
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint,
        "severity": str(problem.severity),
    }
