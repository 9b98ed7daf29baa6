"""Nodes and the profile as text for people, and as the plain data of ``--json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, counted, faint, printable, strong
from memfs.cli.text import day
from memfs.cli.values import record_value
from memfs.model.ids import short_id
from memfs.model.record import Record, StoredRecord
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.domains.nodes.counting import NodeStats
    from memfs.domains.nodes.domain_nodes import DomainNode
    from memfs.domains.nodes.looking import NodeAnswer
    from memfs.domains.nodes.opened import OpenedNode
    from memfs.domains.nodes.profile_lines import KeptLine, Profile


def node_rows(nodes: Sequence[StoredRecord]) -> str:
    """Returns one line a node: end of the id, importance, date, summary, tags and flags."""
    from memfs.domains.nodes.node import flags_of, summary_of

    rows = []
    for stored in nodes:
        record = stored.record
        rows.append(
            (
                short_id(record.id),
                str(record.importance),
                day(record.observed),
                f"{printable(summary_of(record))}{_labels(record)}{_flags(flags_of(record))}",
            )
        )
    return columns(rows)


def answer_lines(answer: NodeAnswer, *, explain: bool) -> str:
    """Returns places first, then one line a node, best first; with ``explain`` its parts."""
    lines = [f"{strong('path')}  {printable(path)}" for path in answer.paths]
    for hit in answer.hits:
        record = hit.stored.record
        lines.append(
            f"{hit.score:.3f}  {short_id(record.id)}  {printable(hit.summary)}{_labels(record)}"
        )
        if explain:
            parts = "  ".join(f"{name} {part:.3f}" for name, part in hit.parts.items())
            lines.append(faint(f"       {parts}"))
    return "\n".join(lines)


def node_page(node: OpenedNode) -> str:
    """Returns a node as a page: its summary and abstract, one page of content, its session."""
    record = node.stored.record
    head = f"{record.id}  node · importance {record.importance}"
    head += f" · {record.scope}" if record.scope else ""
    parts = [faint(head), strong(printable(node.summary)) + _labels(record), ""]
    parts.append(printable(node.abstract, keep_lines=True))
    if node.page is not None:
        parts += ["", printable(node.page.text, keep_lines=True).rstrip("\n")]
        if node.next_page:
            parts.append(faint(f"page {node.page.number} of {node.page.total}"))
    if node.session:
        named = f" ({printable(node.session_name)})" if node.session_name else ""
        parts += ["", faint(f"saved in session {printable(node.session)}{named}")]
        parts.append(faint(f"open it with: {printable(node.resume_hint)}"))
    return "\n".join(parts)


def stats_lines(stats: NodeStats) -> str:
    """Returns what there is and the thresholds in force, a line each."""
    at = stats.thresholds
    rows = [
        ("nodes", f"{stats.nodes}, {stats.isolated} of them linked to nothing"),
        ("edges", str(stats.edges)),
        ("rules", str(stats.rules)),
        ("alike by", str(stats.mode)),
        ("thresholds", f"duplicate {at.duplicate:g}, link {at.link:g} (at most {at.links}),"
         f" similar {at.similar:g}, saved from {at.save_score}"),
    ]  # fmt: skip
    rows += [(name, counted(number, "node")) for name, number in sorted(stats.flagged.items())]
    return columns(rows)


def node_value(node: OpenedNode) -> dict[str, JsonValue]:
    """Returns an opened node as plain data."""
    value = record_value(node.stored)
    value.pop("body", None)
    page = node.page
    return {
        **value,
        "summary": node.summary,
        "abstract": node.abstract,
        "page": None
        if page is None
        else {"number": page.number, "total": page.total, "text": page.text},
        "next_page": node.next_page or None,
        "session": node.session or None,
        "session_name": node.session_name or None,
        "resume": node.resume_hint or None,
    }


def line_of(stored: StoredRecord) -> dict[str, JsonValue]:
    """Returns a node in a list as plain data: its summary, and no content."""
    from memfs.domains.nodes.node import flags_of, summary_of

    record = stored.record
    return {
        "id": record.id,
        "version": record.version,
        "summary": summary_of(record),
        "importance": record.importance,
        "tags": list(record.tags),
        "scope": str(record.scope or ""),
        "flags": list(flags_of(record)),
        "path": stored.path,
    }


def answer_value(answer: NodeAnswer) -> dict[str, JsonValue]:
    """Returns an answer as plain data: summaries alone, with the parts of each score."""
    return {
        "paths": list(answer.paths),
        "nodes": [
            {**line_of(hit.stored), "score": round(hit.score, 4), "parts": _rounded(hit.parts)}
            for hit in answer.hits
        ],
        "mode": str(answer.mode),
        "reason": answer.reason,
    }


def stats_value(stats: NodeStats) -> dict[str, JsonValue]:
    """Returns counts and thresholds as plain data."""
    at = stats.thresholds
    return {
        "nodes": stats.nodes,
        "edges": stats.edges,
        "isolated": stats.isolated,
        "rules": stats.rules,
        "flagged": dict(stats.flagged),
        "mode": str(stats.mode),
        "thresholds": {
            "duplicate": at.duplicate,
            "link": at.link,
            "links": at.links,
            "similar": at.similar,
            "save_score": at.save_score,
        },
    }


def domain_lines(nodes: Sequence[DomainNode]) -> str:
    """Returns what is wanted of each domain, below its name."""
    parts = []
    for node in nodes:
        body = printable(node.stored.record.body, keep_lines=True).rstrip("\n")
        parts.append(f"{strong(node.domain)}  {short_id(node.stored.record.id)}\n{body}")
    return "\n\n".join(parts)


def domain_value(nodes: Sequence[DomainNode]) -> list[JsonValue]:
    """Returns the nodes of domains as plain data."""
    return [
        {"domain": node.domain, **line_of(node.stored), "content": node.stored.record.body}
        for node in nodes
    ]


def profile_value(profile: Profile) -> dict[str, JsonValue]:
    """Returns the profile as plain data."""
    return {
        "lines": [_line_value(kept) for kept in profile.lines],
        "cap": profile.cap,
        "dropped": [_line_value(kept) for kept in profile.dropped],
    }


def _line_value(kept: KeptLine) -> JsonValue:
    from memfs.domains.nodes.profile_lines import line_value

    return dict(line_value(kept))


def _labels(record: Record) -> str:
    return f"  {faint('[' + ', '.join(map(printable, record.tags)) + ']')}" if record.tags else ""


def _flags(flags: Sequence[str]) -> str:
    return f"  {strong('(' + ', '.join(flags) + ')')}" if flags else ""


def _rounded(parts: dict[str, float]) -> dict[str, JsonValue]:
    return {name: round(part, 4) for name, part in parts.items()}
