"""Explanations as text and as plain data; the keys are API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, faint, printable, strong
from memfs.cli.values import origin_value
from memfs.model.instants import format_instant
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.model.outcome import Utility
    from memfs.services.explain import Explanation, Recalled, Service, Step
    from memfs.services.retrieval_log import LoggedItem, LoggedRecall


def explanation_value(explanation: Explanation) -> JsonValue:
    """Returns the account of a record; it never holds the words of the record."""
    record = explanation.stored.record
    return {
        "id": record.id,
        "reference": record.reference,
        "kind": record.kind,
        "status": str(record.status),
        "scope": str(record.scope or ""),
        "record_class": record.record_class,
        "origin": origin_value(record.origin),
        "authority": record.authority.label if record.authority is not None else "",
        "may_be_acted_on": False,
        "sensitivity": record.sensitivity.label,
        "sinks": sorted(record.sinks),
        "taint": list(record.taint),
        "age_days": explanation.age_days,
        "review_after": format_instant(record.review_after) if record.review_after else "",
        "expires": format_instant(record.expires) if record.expires else "",
        "verify": explanation.verification,
        "utility": utility_value(explanation.utility),
        "steps": [_step_value(step) for step in explanation.steps],
        "links": [
            {"id": link.id, "relation": link.relation, "kind": link.kind, "status": link.status}
            for link in explanation.links
        ],
        "conflicts": list(record.conflicts),
        "served_to": [
            {"reader": item.reader, "served": item.is_served, "code": item.code, "why": item.why}
            for item in explanation.services
        ],
        "recalled": _recalled_value(explanation.recalled),
    }


def utility_value(utility: Utility) -> dict[str, JsonValue]:
    """Returns how using a record turned out, counted."""
    return {
        "success": utility.success,
        "partial": utility.partial,
        "failure": utility.failure,
        "worth": round(utility.value, 3),
    }


def _step_value(step: Step) -> JsonValue:
    return {
        "operation": step.operation,
        "transaction": step.transaction,
        "actor": step.actor,
        "at": format_instant(step.at),
        "reference": step.reference,
        "rule": step.rule,
        "why": step.why,
    }


def _recalled_value(recalled: Recalled | None) -> JsonValue:
    if recalled is None:
        return None
    return {
        "at": recalled.answer.at,
        "question": recalled.answer.question,
        "left_out": recalled.left_out,
        "item": None if recalled.item is None else _item_value(recalled.item),
    }


def recall_value(answer: LoggedRecall) -> JsonValue:
    """Returns an answer as the log has it."""
    return {
        "at": answer.at,
        "verb": answer.verb,
        "actor": answer.actor,
        "state": answer.state,
        "reason": answer.reason,
        "ledger": answer.ledger,
        "question": answer.question,
        "filters": {name: _plain(part) for name, part in answer.filters.items()},
        "budget": answer.budget,
        "tokens": answer.tokens,
        "coverage": answer.coverage,
        "vectors": {name: _plain(part) for name, part in answer.vectors.items()},
        "considered": answer.considered,
        "items": [_item_value(item) for item in answer.items],
        "left_out": [{"id": name, "code": code} for name, code in answer.left_out],
    }


def _item_value(item: LoggedItem) -> JsonValue:
    return {
        "reference": item.reference,
        "rank": item.rank,
        "score": item.score,
        "components": dict(item.parts),
        "packed": item.is_packed,
        "tokens": item.tokens,
        "store": item.store,
    }


def _plain(part: object) -> JsonValue:
    if isinstance(part, list):
        return [str(item) for item in part]
    return part if isinstance(part, bool | int | float) else str(part)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Yields the account of a record as a page."""
    record = explanation.stored.record
    yield faint(f"{record.reference}  {record.kind} · {record.status}")
    yield strong(printable(record.title or record.id))
    yield columns([(name, printable(said)) for name, said in _facts(explanation)], indent="  ")
    if explanation.steps:
        yield "\nhow it came to be"
        rows = [
            (format_instant(step.at)[:16], step.operation, step.actor, step.rule, step.why)
            for step in explanation.steps
        ]
        yield columns([tuple(map(printable, row)) for row in rows], indent="  ")
    if explanation.links:
        yield "\nwhat it hangs together with"
        links = [
            (link.relation, link.id, link.kind, link.status or "not there")
            for link in explanation.links
        ]
        yield columns(links, indent="  ")
    yield "\nwho is served it now"
    yield columns([_service_row(item) for item in explanation.services], indent="  ")
    recalled = explanation.recalled
    if recalled is not None:
        yield f"\nin the answer of {recalled.answer.at}"
        yield f"  {_item_line(recalled.item, recalled.left_out)}"


def _facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    record = explanation.stored.record
    if record.origin is not None:
        origin = record.origin
        yield "origin", f"{origin.origin_class} by {origin.principal}, {origin.channel}"
    if record.authority is not None:
        yield "authority", f"{record.authority.label}; it permits no action"
    if record.taint:
        yield "taint", ", ".join(record.taint)
    if record.record_class:
        yield "class", record.record_class
    if explanation.age_days is not None:
        yield "age", f"{explanation.age_days} days"
    if explanation.verification:
        yield "verify", explanation.verification
    if record.conflicts:
        yield "conflict", ", ".join(record.conflicts)
    if explanation.utility.count:
        yield "outcomes", str(explanation.utility)


def _service_row(item: Service) -> tuple[str, ...]:
    said = "yes" if item.is_served else "no"
    return (item.reader, said, f"{item.code}: {item.why}" if item.code else item.why)


def _item_line(item: LoggedItem | None, left_out: str) -> str:
    if item is None:
        return f"left out: {left_out}"
    parts = ", ".join(f"{name} {part:g}" for name, part in item.parts.items())
    packed = f"packed, {item.tokens} tokens" if item.is_packed else f"not packed {left_out}"
    if not item.rank:
        return f"{item.reference}  told as work"
    return f"{item.reference}  rank {item.rank}, score {item.score:g} ({parts}); {packed}".strip()


def recall_lines(answer: LoggedRecall) -> Iterator[str]:
    """Yields an answer as a page."""
    yield faint(f"{answer.at}  {answer.verb} by {answer.actor}")
    why = f" ({answer.reason})" if answer.reason else ""
    yield strong(f"{answer.state}{why}")
    filters = ", ".join(f"{name} {part}" for name, part in answer.filters.items())
    vectors = ", ".join(f"{name} {part}" for name, part in answer.vectors.items())
    rows = [
        ("tokens", f"{answer.tokens} of {answer.budget}"),
        ("considered", str(answer.considered)),
        ("coverage", f"{answer.coverage:g}"),
        *([("vectors", printable(vectors))] if vectors else []),
        ("filters", printable(filters)),
        ("ledger", answer.ledger[:12]),
    ]
    yield columns(rows, indent="  ")
    for item in answer.items:
        code = next((code for name, code in answer.left_out if item.reference.startswith(name)), "")
        yield f"  {printable(_item_line(item, code))}"
    named = {item.reference.partition("@")[0] for item in answer.items}
    for name, code in answer.left_out:
        if name not in named:
            yield f"  {name}  left out: {code}"
