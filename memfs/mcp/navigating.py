"""What navigates to the sources: turns of a session, and the commits of the project (O29 to O31).

They are what memory can be checked against and never memory themselves. Pages of a session and
of one commit go on by lines, those of the project's log by commits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memfs.mcp.answers import Answer, excerpt, fenced, page_of, with_facts
from memfs.mcp.arguments import ArgumentError, Field, FieldType
from memfs.mcp.cards import EXCERPT_CHARS, in_pieces, quoted_lines
from memfs.mcp.cursors import FIELD
from memfs.mcp.cursors import MOST_CHARS as CURSOR_CHARS
from memfs.mcp.tools import Call, Tool
from memfs.model.instants import format_instant
from memfs.model.markers import PACKET_MARK

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memfs.app.container import Memory
    from memfs.domains.sessions.reading import SessionView, TurnHit
    from memfs.model.values import JsonValue

SESSION_PREFIXES: Final = ("ses_", "session:")
MOST_READ: Final = 1_000_000
"""Bytes of one turn or one change that are looked at; what lies beyond is said to be left out."""
COMMITS: Final = 20
MOST_COMMITS: Final = 500
_SHORT: Final = 12


def read_lines(
    memory: Memory,
    call: Call,
    lines: Iterable[str],
    facts: dict[str, JsonValue],
    *,
    state: str | None = None,
    note: str = "",
) -> Answer:
    """Returns lines of one long text from where the cursor says, as many as fit."""
    lines = in_pieces(lines)
    first = call.position(memory, state)
    if first and first >= len(lines):
        raise ArgumentError("expected a cursor within the text", hint="ask again without it")
    page = page_of(lines[first:], first=first, is_more=False)
    body = "\n".join(page.entries)
    text = fenced([body], store=str(memory.workspace.store_id), ledger=memory.ledger)
    if page.next:
        text += f"lines {first + 1} to {page.next} of {len(lines)}: call again with next_cursor\n"
    return with_facts(
        Answer(facts={**facts, "root": memory.root}, text=f"{text}{note}"),
        next_cursor=call.cursor(memory, page.next, state),
    )


def session(memory: Memory, call: Call, reference: str) -> Answer:
    """Returns what was said in one turn of a session, or which turns it has."""
    turn = call.arguments.number("turn", 0)
    if not turn and "#" not in reference:
        return _turns(memory, call, reference)
    opened = memory.open_session(reference, turns=(turn,) if turn else (), limit_bytes=MOST_READ)
    facts: dict[str, JsonValue] = {
        "session": opened.session,
        "state": str(opened.state),
        "turns": list(opened.turns),
        "branch": opened.branch,
    }
    if not opened.is_kept or not opened.nodes:
        said = "that was not kept, or is gone" if not opened.is_kept else "there is no such turn"
        return Answer(facts=facts, text=said, is_no=opened.is_kept)
    # Its own fence goes: a page of it gets one of its own.
    lines = [line for line in opened.text.splitlines() if not PACKET_MARK.match(line)]
    note = f"{opened.omitted} messages are too long to be shown here\n" if opened.omitted else ""
    return read_lines(memory, call, lines, facts, note=note)


def _turns(memory: Memory, call: Call, reference: str) -> Answer:
    view = memory.session(reference)
    facts: dict[str, JsonValue] = {"session": view.id, "state": str(view.state)}
    if view.metadata is None:
        return Answer(facts=facts, text="that was not kept, or is gone")
    runs = ", ".join(run.run for run in memory.session_runs(reference))
    lines = session_entry(view).split("\n")
    lines.extend([f"runs: {runs}"] if runs else [])
    lines.extend(
        f"turn {turn.number} > {excerpt(turn.subject, EXCERPT_CHARS)}" for turn in view.turns
    )
    return read_lines(memory, call, lines, facts)


def session_entry(view: SessionView) -> str:
    """Returns a session as an entry of a list."""
    about = view.metadata
    parts = [view.id, f"{view.count} turns" if view.count else ""]
    if about is not None:
        parts.append(excerpt(about.client, 80))
        parts.append(format_instant(about.updated) if about.updated is not None else "")
    head = " · ".join(part for part in parts if part)
    if about is None or not about.title:
        return head
    return f"{head}\n> {excerpt(about.title, EXCERPT_CHARS)}"


def turn_entry(hit: TurnHit) -> str:
    """Returns a message that was found as an entry of a list."""
    return f"{hit.session} · turn {hit.turn} · {hit.role}\n> {excerpt(hit.line, EXCERPT_CHARS)}"


def log(memory: Memory, call: Call) -> Answer:
    """Lists commits of the project, or shows what one of them changed."""
    arguments = call.arguments
    commit = arguments.text("commit").strip()
    if commit:
        return _change(memory, call, commit)
    newest = memory.project_log(limit=1)
    state = newest[0].id if newest else "none"
    first = call.position(memory, state)
    size = arguments.number("limit", COMMITS)
    found = memory.project_log(
        since=arguments.text("since"),
        until=arguments.text("until"),
        path=arguments.text("path"),
        limit=min(first + size + 1, MOST_COMMITS),
    )
    shown = found[first : first + size]
    entries = [_commit_entry(it.id, it.at, it.author, it.subject) for it in shown]
    page = page_of(entries, first=first, is_more=len(found) > first + size)
    facts: dict[str, JsonValue] = {"count": len(page.entries), "root": memory.root}
    if not page.entries:
        return Answer(facts=facts, text="no commit matches")
    text = fenced(page.entries, store=str(memory.workspace.store_id), ledger=memory.ledger)
    if page.next:
        text += "there is more: call again with next_cursor\n"
    return with_facts(
        Answer(facts=facts, text=text), next_cursor=call.cursor(memory, page.next, state)
    )


def _change(memory: Memory, call: Call, commit: str) -> Answer:
    taken = {"commit", "path", FIELD}
    other = next((name for name in call.arguments.values if name not in taken), "")
    if other:
        raise ArgumentError(f"{other}: one commit is not narrowed by it", hint="leave it out")
    change = memory.project_change(commit, path=call.arguments.text("path"), limit_bytes=MOST_READ)
    about = change.commit
    lines = _commit_entry(about.id, about.at, about.author, about.subject).split("\n")
    lines += quoted_lines(change.commit.body) if change.commit.body.strip() else []
    lines += [f"{status} {excerpt(name, EXCERPT_CHARS)}" for status, name in change.files]
    lines += quoted_lines(change.diff) if change.diff else []
    note = "the change is longer than what is shown\n" if change.is_cut else ""
    facts: dict[str, JsonValue] = {"commit": change.commit.id, "files": len(change.files)}
    return read_lines(memory, call, lines, facts, state=change.commit.id, note=note)


def _commit_entry(identifier: str, at: datetime, author: str, subject: str) -> str:
    head = f"{identifier[:_SHORT]} · {format_instant(at)} · {excerpt(author, 80)}"
    return f"{head}\n> {excerpt(subject, EXCERPT_CHARS)}"


NAVIGATING: Final = (
    Tool(
        name="memory_log",
        title="Commits of the project",
        help=(
            "List commits of the project (not of its memory) since a time, or with commit show "
            "what one changed. Read only."
        ),
        fields=(
            Field(name="commit", help="its id or the start of it", most=100),
            Field(name="since", help="a date, or 3d, 2 weeks ago", most=100),
            Field(name="until", most=100),
            Field(name="path", help="file or folder", most=1_000),
            Field(name="limit", type=FieldType.NUMBER, least=1, most=50),
            Field(name=FIELD, help="next_cursor of the last page", most=CURSOR_CHARS),
        ),
        carry=log,
        is_reading=True,
    ),
)
