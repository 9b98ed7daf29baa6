"""Answers: facts for the program, words of memory in one fence, and a bound on both.

Every word that a record, proposal or session says leaves in ``text``, inside the fence of a
packet: it is data, nothing in it can end the fence, and it is taken out again when it comes
back in a transcript. The facts beside it are ids, states, numbers and codes. An answer that
would be too long is cut between two entries, says so, and gives a cursor for the rest (O58).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from memfs.errors import AccessError, IndexUnavailableError, MemfsError, UsageError
from memfs.model.result import Result
from memfs.model.values import JsonValue
from memfs.services.packet_text import CLOSING, PREAMBLE, escaped_line, opening

if TYPE_CHECKING:
    from mcp_types import CallToolResult

MOST_BYTES: Final = 24_000
"""Most bytes of text in one answer: some 6,000 tokens, where clients warn at 10,000."""
_VERSION: Final = "1"
_TOLD: Final = (UsageError, AccessError, IndexUnavailableError)
"""Errors whose words are meant for whoever asked."""
_TOLD_CODES: Final = (
    "conflict.unknown-",
    "conflict.ambiguous-",
    "conflict.contended",
    "conflict.forgotten",
    "conflict.nothing-recalled",
    "conflict.proposal-changed",
    "project.",
    "session.ambiguous",
    "session.no-home",
    "store.ambiguous",
    "store.locked",
    "store.newer-format",
    "store.no-global",
    "store.not-found",
    "store.not-writable",
    "store.other-owner",
    "store.unfinished",
)
"""Beginnings of the codes of other errors whose words name nothing but what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool answers.

    Attributes:
        facts: Ids, states, numbers and codes; no word of memory.
        text: Words, of memory in a fence, or of memfs itself.
        is_no: The answer is no: refused, unknown, not possible.
        has_changed: Something was written.
    """

    facts: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))
    text: str = ""
    is_no: bool = False
    has_changed: bool = False


def tool_result(answer: Answer) -> CallToolResult:
    """Returns an answer as the protocol carries it: structured, and the same as text."""
    from mcp_types import CallToolResult, TextContent

    facts = json.dumps(dict(answer.facts), separators=(",", ":"), default=_plain)
    text = f"{answer.text.rstrip()}\n{facts}" if answer.text else facts
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content={**json.loads(facts), "text": answer.text},
        is_error=answer.is_no,
    )


def _plain(value: object) -> JsonValue:
    """Turns the read-only mappings and tuples of the model into what JSON knows."""
    match value:
        case frozenset() | set():
            return sorted(str(item) for item in value)
        case Mapping():
            return {str(key): item for key, item in value.items()}
        case _:
            return str(value)


def refusal(error: MemfsError) -> Answer:
    """Returns what the caller is told of an error: what it can act on, and no hidden name.

    What the state of files makes fail is told by its code alone. Its words name files, and a
    file's name is made of a title that the caller may have no right to.
    """
    is_told = isinstance(error, _TOLD) or error.code.startswith(_TOLD_CODES)
    message = error.message if is_told else "the store could not do that as it stands"
    hint = error.hint if is_told else "a person sees what is in the way with: memfs status"
    return no(error.code, message, hint)


def no(code: str, message: str, hint: str = "") -> Answer:
    """Returns a refusal with its code and what to do about it."""
    facts: dict[str, JsonValue] = {"code": code, "message": escaped_line(message)}
    text = f"{code}: {escaped_line(message)}"
    if hint:
        facts["hint"] = escaped_line(hint)
        text += f"\nhint: {escaped_line(hint)}"
    return Answer(facts=facts, text=text, is_no=True)


def bug(error: Exception, where: str) -> Answer:
    """Reports what should not happen: its type to both sides, its text to nobody."""
    kind = type(error).__name__
    sys.stderr.write(f"memfs.bug: {kind} in {where if where.isidentifier() else 'a call'}\n")
    if os.environ.get("MEMFS_DEBUG"):
        import traceback

        traceback.print_exception(error)
    return no("memfs.bug", f"{kind} where none was expected", hint="MEMFS_DEBUG=1 shows where")


def told(result: Result) -> Answer:
    """Returns what became of an action: status, ids, and each reason with its code."""
    facts: dict[str, JsonValue] = {
        "action": result.action,
        "status": str(result.status),
        "target": result.target,
        "store": result.store,
    }
    if result.operation:
        facts["operation"] = result.operation
    if result.reasons:
        facts["reasons"] = [reason.code for reason in result.reasons]
    lines = [f"{result.status}: {escaped_line(result.message)}"]
    lines.extend(f"{reason.code}: {escaped_line(reason.message)}" for reason in result.reasons)
    return Answer(
        facts=facts,
        text="\n".join(lines),
        is_no=result.exit_status != 0,
        has_changed=bool(result.operation),
    )


# Words of memory --------------------------------------------------------------------------------


def fenced(parts: Iterable[str], *, store: str, ledger: str, note: str = "") -> str:
    """Returns entries as one packet; they are quoted or escaped already."""
    head = opening(version=_VERSION, store=store, ledger=ledger[:12], state="ok")
    lines = [head, PREAMBLE, *([note] if note else ()), *(f"\n{part}" for part in parts), CLOSING]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some entries of a longer list.

    Attributes:
        entries: Those that fit, in order.
        next: Where the next page begins; 0 where this is the last.
    """

    entries: tuple[str, ...]
    next: int = 0


def page_of(entries: Sequence[str], *, first: int, is_more: bool, most: int = MOST_BYTES) -> Page:
    """Takes as many whole entries as fit; at least one, cut where it alone is too long.

    Args:
        entries: Entries from position ``first`` on.
        first: Position of the first of them in the whole list.
        is_more: There are more behind the last of them.
        most: Bytes that all of them may have together.
    """
    taken: list[str] = []
    size = 0
    for entry in entries:
        cost = len(entry.encode("utf-8")) + 2
        if taken and size + cost > most:
            return Page(entries=tuple(taken), next=first + len(taken))
        taken.append(entry if cost <= most else f"{shortened(entry, most)}\n(cut)")
        size += cost
    return Page(entries=tuple(taken), next=first + len(taken) if is_more else 0)


def shortened(text: str, most_bytes: int) -> str:
    """Returns the start of a text in so many bytes, cut between two characters."""
    return text.encode("utf-8")[:most_bytes].decode("utf-8", "ignore")


def excerpt(text: str, most_chars: int) -> str:
    """Returns the beginning of a text on one line, escaped, with a mark where it is cut."""
    line = escaped_line(text)
    return line if len(line) <= most_chars else f"{line[: most_chars - 1].rstrip()}…"


def with_facts(answer: Answer, **facts: JsonValue) -> Answer:
    """Adds facts to an answer; those that are empty are left out."""
    kept = {name: value for name, value in facts.items() if value not in ("", None, [], ())}
    return replace(answer, facts={**answer.facts, **kept})
