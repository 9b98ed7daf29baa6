"""Records and proposals as entries of a fenced text: who said it, when, and its words quoted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from memfs.mcp.answers import excerpt
from memfs.model.candidate import Candidate
from memfs.model.instants import format_instant
from memfs.model.record import Record, StoredRecord
from memfs.model.role import told_text
from memfs.model.values import JsonValue
from memfs.services.card_words import worth
from memfs.services.packet_text import escaped, escaped_line

if TYPE_CHECKING:
    from memfs.domains.runs.chain import RunChain
    from memfs.domains.runs.issue_views import IssueView
    from memfs.domains.runs.views import RunView
    from memfs.domains.timeline.events import EventView

EXCERPT_CHARS: Final = 200
_COMMIT_CHARS: Final = 12
_CHUNK: Final = 2_000
"""Characters after which a line of a record goes on in the next: a page ends between two."""


def entry(stored: StoredRecord, *, score: float | None = None) -> str:
    """Returns a record as an entry of a list: how it is named, and the beginning of its words."""
    record = stored.record
    parts = [record.reference, record.kind, _scope(record)]
    if record.observed is not None:
        parts.append(f"{record.observed:%Y-%m-%d}")
    if score is not None:
        parts.append(f"score {score:.2f}")
    if record.conflicts:
        parts.append("CONFLICT")
    words = (excerpt(text, EXCERPT_CHARS) for text in _words(record))
    return "\n".join([" · ".join(parts), *(f"> {line}" for line in words)])


def _words(record: Record) -> list[str]:
    """Returns title and body, or the one that says both."""
    body = (record.summary or record.body or told_text(record)).strip()
    if not body or not record.title or _says_title(record):
        return [body or record.title]
    return [record.title, body]


def whole_lines(stored: StoredRecord, sides: Sequence[StoredRecord]) -> list[str]:
    """Returns all that a record says, line by line."""
    record = stored.record
    lines = [" · ".join([record.reference, record.kind, _scope(record), str(record.status)])]
    lines.append(" · ".join(_provenance(record)))
    for name, several in (
        ("evidence", record.evidence),
        ("derived from", record.derived_from),
        ("supersedes", record.supersedes),
    ):
        if several:
            lines.append(f"{name}: {escaped_line(', '.join(several))}")
    if record.superseded_by:
        lines.append(f"superseded by: {escaped_line(record.superseded_by)}")
    if record.tags:
        lines.append(f"tags: {escaped_line(', '.join(record.tags))}")
    if record.subject:
        lines.append(f"subject: {escaped_line(record.subject)}")
    for side in sides:
        lines.append(f"CONFLICT with {side.record.reference}: {excerpt(side.record.title, 120)}")
    title = "" if _says_title(record) else record.title
    for words in (title, told_text(record), record.summary, record.body):
        if words.strip():
            lines.extend(quoted_lines(words))
    return lines


def _says_title(record: Record) -> bool:
    """Whether the words of a record begin with its title, as they mostly do."""
    body = record.body.strip() or record.summary.strip()
    return bool(record.title) and body.lstrip("# ").startswith(record.title.rstrip("…"))


def proposal_entry(candidate: Candidate) -> str:
    """Returns a proposal as an entry of a list."""
    parts = [candidate.id, str(candidate.action), candidate.kind, str(candidate.state)]
    parts.append(f"{candidate.created:%Y-%m-%d}")
    why = ", ".join(reason.code for reason in candidate.reasons)
    lines = [" · ".join(part for part in parts if part)]
    if why:
        lines.append(f"waits: {escaped_line(why)}")
    if candidate.title:
        lines.append(f"> {excerpt(candidate.title, EXCERPT_CHARS)}")
    return "\n".join(lines)


def proposal_lines(candidate: Candidate, difference: str) -> list[str]:
    """Returns all that a proposal says: the text, or the difference from what it would change."""
    words = difference if candidate.base else candidate.content.decode("utf-8", "replace")
    return [
        *proposal_entry(candidate).split("\n"),
        "a proposal: it is not memory, and served to nobody, until it is admitted",
        *quoted_lines(words),
    ]


def issue_entry(view: IssueView) -> str:
    """Returns an issue as an entry of a list, with what was said of it last."""
    last = view.events[-1] if view.events else None
    parts = [view.id, str(view.state)]
    if last is not None:
        parts.append(f"{last.kind} {last.at:%Y-%m-%d} by {last.by}")
    words = [view.title, last.detail if last is not None else ""]
    quoted = (f"> {excerpt(text, EXCERPT_CHARS)}" for text in words if text.strip())
    return "\n".join([escaped_line(" · ".join(parts)), *quoted])


def event_entry(view: EventView) -> str:
    """Returns an event as an entry of a list: when, what, how that is known, what about."""
    parts = [view.id, format_instant(view.at), str(view.sort)]
    parts += [view.session, view.run, view.commit[:_COMMIT_CHARS]]
    lines = [escaped_line(" · ".join(part for part in parts if part))]
    if view.names:
        lines.append(f"about: {excerpt(', '.join(view.names), EXCERPT_CHARS)}")
    if view.superseded_by:
        lines.append(f"told anew: {escaped_line(view.superseded_by)}")
    return "\n".join([*lines, f"> {excerpt(view.text, EXCERPT_CHARS)}"])


def run_entry(view: RunView) -> str:
    """Returns a run as an entry of a list."""
    parts = [view.run, str(view.state)]
    if view.started is not None:
        parts.append(f"started {format_instant(view.started)}")
    words = (f"> {excerpt(text, EXCERPT_CHARS)}" for text in (view.task, view.summary) if text)
    return "\n".join([" · ".join(parts), *words])


def run_lines(view: RunView, chain: RunChain) -> list[str]:
    """Returns all that a run says, and where it stands among others."""
    place = {
        "root": chain.root,
        "parent": view.parent,
        "previous": chain.previous,
        "followed by": ", ".join(chain.following),
        "ancestors": ", ".join(chain.ancestors),
        "descendants": ", ".join(chain.descendants),
        "session": view.session,
        "replaces": ", ".join(view.replaces),
        "issues": ", ".join(view.issues),
    }
    lines = run_entry(view).split("\n")
    lines.extend(f"{name}: {escaped_line(value)}" for name, value in place.items() if value)
    if view.stored is not None:
        lines.extend(whole_lines(view.stored, ()))
    return lines


def quoted_lines(text: str) -> list[str]:
    """Returns a text quoted line by line."""
    return [f"> {line}".rstrip() for line in escaped(text).strip("\n").split("\n")]


def in_pieces(lines: Iterable[str]) -> list[str]:
    """Returns lines of which none is longer than a chunk; what is quoted goes on quoted."""
    found: list[str] = []
    for line in lines:
        mark = "> " if line.startswith("> ") else ""
        words = line.removeprefix(mark)
        pieces = [words[at : at + _CHUNK] for at in range(0, len(words), _CHUNK)] or [""]
        found.extend(f"{mark}{piece}".rstrip() for piece in pieces)
    return found


def record_facts(stored: StoredRecord) -> dict[str, JsonValue]:
    """Returns what can be said of a record without a word of it."""
    record = stored.record
    facts: dict[str, JsonValue] = {
        "id": record.id,
        "version": record.version,
        "kind": record.kind,
        "status": str(record.status),
        "scope": _scope(record),
    }
    if record.observed is not None:
        facts["observed"] = format_instant(record.observed)
    if record.authority is not None:
        facts["authority"] = record.authority.label
    if record.superseded_by:
        facts["superseded_by"] = record.superseded_by
    if record.conflicts:
        facts["conflicts"] = list(record.conflicts)
    return facts


def _provenance(record: Record) -> list[str]:
    origin, said = record.origin, worth(record)
    times = (
        ("observed", record.observed),
        ("happened", record.event_time),
        ("valid from", record.valid_from),
        ("valid until", record.valid_until),
        ("review after", record.review_after),
    )
    said.extend(f"{name} {format_instant(moment)}" for name, moment in times if moment is not None)
    if origin and origin.source:
        said.append(f"source {escaped_line(origin.source)}")
    return said


def _scope(record: Record) -> str:
    return str(record.scope) if record.scope else "project"
