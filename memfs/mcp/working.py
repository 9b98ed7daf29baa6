"""The tools by which an agent accounts for its work: runs, and issues that stay open.

What it says is its own account. The words are screened like any others, and what of them may
not be kept is left out and told by its code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from memfs.mcp.answers import Answer, told, with_facts
from memfs.mcp.arguments import ArgumentError, Arguments, Field, FieldType
from memfs.mcp.tools import Call, Tool

if TYPE_CHECKING:
    from memfs.app.container import Memory
    from memfs.model.result import Result
    from memfs.model.values import JsonValue

_ID: Final = 300
_LINE: Final = 400
_START: Final = ("task", "workflow", "parent", "session", "run")
_FINISH: Final = (
    "run", "state", "task", "summary", "accomplished", "issues", "resolved", "next", "verdict",
    "workflow", "parent", "session",
)  # fmt: skip
_STATES: Final = ("done", "error", "cancelled")


def track(memory: Memory, call: Call) -> Answer:
    """Opens an issue, or says what became of one."""
    arguments = call.arguments
    act, key = arguments.text("act"), arguments.text("key")
    title, reference, detail = (arguments.text(name) for name in ("title", "issue", "detail"))
    if act == "open":
        _take_only(arguments, act, ("act", "title", "detail", "key"), needed="title")
        return _told(memory.open_issue(title, detail=detail, key=key))
    needed = "detail" if act == "note" else ""
    _take_only(arguments, act, ("act", "issue", "detail", "key"), needed="issue", also=needed)
    match act:
        case "resolve":
            return _told(memory.resolve_issue(reference, detail=detail, key=key))
        case "reopen":
            return _told(memory.reopen_issue(reference, detail=detail, key=key))
        case "wontfix":
            return _told(memory.wontfix_issue(reference, detail=detail, key=key))
        case _:
            return _told(memory.note_issue(reference, detail, key=key))


def run(memory: Memory, call: Call) -> Answer:
    """Begins a run, or records how one ended."""
    arguments = call.arguments
    text = arguments.text
    if text("act") == "start":
        _take_only(arguments, "start", ("act", *_START), needed="task")
        started = memory.start_run(
            text("task"),
            run=text("run"),
            parent=text("parent"),
            session=text("session"),
            workflow=text("workflow"),
        )
        return _told(started)
    _take_only(arguments, "finish", ("act", *_FINISH))
    ended = memory.finish_run(
        text("state") or "done",
        run=text("run"),
        task=text("task"),
        workflow=text("workflow"),
        parent=text("parent"),
        session=text("session"),
        summary=text("summary"),
        accomplished=arguments.texts("accomplished"),
        issues=arguments.texts("issues"),
        resolved=arguments.texts("resolved"),
        next=arguments.texts("next"),
        verdict=text("verdict"),
    )
    return _told(ended)


def _take_only(
    arguments: Arguments,
    act: str,
    taken: tuple[str, ...],
    *,
    needed: str = "",
    also: str = "",
) -> None:
    """Refuses what an act does not take: a field that is silently dropped is a lost word."""
    other = next((name for name in arguments.values if name not in taken), "")
    if other:
        raise ArgumentError(
            f"{other}: {act} does not take it", hint=f"it takes: {', '.join(taken[1:])}"
        )
    missing = next((it for it in (needed, also) if it and not arguments.text(it).strip()), "")
    if missing:
        raise ArgumentError(f"{missing}: {act} expected a text, got none")


def _told(result: Result) -> Answer:
    """Returns what became of it, with the ids and states that the next call needs."""
    data = result.data
    issues = data.get("issues")
    facts: dict[str, JsonValue] = {
        name: data.get(name)
        for name in ("run", "state", "parent", "previous", "root", "session", "event_id", "notes")
    }
    if isinstance(issues, list):
        facts["issues"] = [
            {name: item.get(name) for name in ("id", "event", "state")}
            for item in issues
            if isinstance(item, Mapping)
        ]
    return with_facts(told(result), **facts)


WORKING: Final = (
    Tool(
        name="memory_track",
        title="Keep an issue",
        help=(
            "Keep what stays open after this session: open an issue, or say that one is resolved, "
            "open again or not to be done, or add a note. The same title opens it once. List them "
            "with memory_search where=issues."
        ),
        fields=(
            Field(
                name="act",
                choices=("open", "resolve", "reopen", "wontfix", "note"),
                is_required=True,
            ),
            Field(name="title", help="for open: one line", most=_LINE),
            Field(name="issue", help="iss_… id or its end, for the others", most=_ID),
            Field(name="detail"),
            Field(name="key", help="makes a repetition harmless", most=_ID),
        ),
        carry=track,
    ),
    Tool(
        name="memory_run",
        title="Record a run",
        help=(
            "Record a piece of work: start gives its id and what came before it, finish keeps how "
            "it ended for whoever works here next. Issues named here are opened or resolved."
        ),
        fields=(
            Field(name="act", choices=("start", "finish"), is_required=True),
            Field(name="run", help="run_… id that start gave", most=_ID),
            Field(name="task", help="what was to be done"),
            Field(name="state", choices=_STATES),
            Field(name="summary", help="2 to 4 sentences"),
            Field(name="accomplished", type=FieldType.TEXTS),
            Field(name="issues", type=FieldType.TEXTS, help="titles of what is open now"),
            Field(name="resolved", type=FieldType.TEXTS, help="ids or titles"),
            Field(name="next", type=FieldType.TEXTS, help="next steps"),
            Field(name="verdict", help="what a reviewer said", most=_LINE),
            Field(name="workflow", most=_ID),
            Field(name="parent", help="run_… id", most=_ID),
            Field(name="session", most=_ID),
        ),
        carry=run,
    ),
)
