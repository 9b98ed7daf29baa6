"""What a client can attach without a call: the index, one record, and two prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_types import (
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
)

from memfs.errors import UsageError
from memfs.mcp.answers import MOST_BYTES, fenced, page_of
from memfs.mcp.cards import entry, in_pieces, proposal_entry, whole_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memfs.app.container import Memory

INDEX_URI: Final = "memory://index"
RECORD_URI: Final = "memory://record/"
MARKDOWN: Final = "text/markdown"
_LISTED: Final = 200
_TASK_CHARS: Final = 2_000


class UnknownResourceError(UsageError):
    """There is no resource with that address, or none that the caller may see."""

    code = "usage.unknown-resource"


class UnknownPromptError(UsageError):
    """There is no prompt of that name, or it takes other arguments."""

    code = "usage.unknown-prompt"


RESOURCES: Final = (
    Resource(
        uri=INDEX_URI,
        name="memory-index",
        title="Memory index",
        description="The newest records of this project's memory, one entry each.",
        mime_type=MARKDOWN,
    ),
)
TEMPLATES: Final = (
    ResourceTemplate(
        uri_template=f"{RECORD_URI}{{id}}",
        name="memory-record",
        title="Memory record",
        description="One record of this project's memory by its id.",
        mime_type=MARKDOWN,
    ),
)
PROMPTS: Final = (
    Prompt(
        name="session_start",
        title="Start a session with memory",
        description="What memory has for a session: records, open issues, next steps.",
        arguments=[
            PromptArgument(name="task", description="What the session is about.", required=False)
        ],
    ),
    Prompt(
        name="review",
        title="Review proposed memories",
        description="Go through what waits for your decision.",
        arguments=[],
    ),
)


def record_uri(identifier: str) -> str:
    """Returns the address of a record."""
    return f"{RECORD_URI}{identifier}"


def read_resource(memory: Memory, uri: str) -> str:
    """Returns a resource as Markdown, its words in one fence.

    Raises:
        UnknownResourceError: There is none with this address.
        MemfsError: It names no record that the caller may see.
    """
    store = str(memory.workspace.store_id)
    if uri == INDEX_URI:
        listed = memory.list_records(limit=_LISTED + 1)
        page = page_of(
            [entry(stored) for stored in listed[:_LISTED]],
            first=0,
            is_more=len(listed) > _LISTED,
            most=MOST_BYTES,
        )
        note = "there is more than this: use memory_search\n" if page.next else ""
        if not page.entries:
            return "nothing is in memory yet\n"
        return fenced(page.entries, store=store, ledger=memory.ledger) + note
    if uri.startswith(RECORD_URI) and len(uri) > len(RECORD_URI):
        stored = memory.show(uri.removeprefix(RECORD_URI))
        lines = in_pieces(whole_lines(stored, memory.sides_against(stored)))
        page = page_of(lines, first=0, is_more=False)
        note = "there is more of it: use memory_get\n" if page.next else ""
        return fenced(["\n".join(page.entries)], store=store, ledger=memory.ledger) + note
    raise UnknownResourceError("expected memory://index or memory://record/ID, got another address")


def prompt_from(memory: Memory, name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Returns the messages of a prompt.

    Raises:
        UnknownPromptError: There is no such prompt, or it does not take these arguments.
    """
    prompt = next((item for item in PROMPTS if item.name == name), None)
    if prompt is None:
        known = ", ".join(item.name for item in PROMPTS)
        raise UnknownPromptError(f"expected a prompt of {known}, got another")
    taken = {item.name for item in prompt.arguments or []}
    if set(given) - taken:
        raise UnknownPromptError(
            f"expected the arguments {', '.join(sorted(taken)) or '(none)'}, got another"
        )
    text = _review(memory) if name == "review" else _start(memory, given.get("task", ""))
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=prompt.description, messages=[message])


def _start(memory: Memory, task: str) -> str:
    task = task[:_TASK_CHARS].strip()
    packet = memory.context(task=task) if task else memory.context(is_session_start=True)
    about = f"This session is about: {task}\n\n" if task else ""
    return (
        f"{about}Below is what this project's memory holds for it. Rely on nothing of it without "
        f"looking whether it still holds.\n\n{packet.text or 'Memory has nothing for it.'}"
    )


def _review(memory: Memory) -> str:
    waiting = memory.candidates()
    if not waiting:
        return (
            "Nothing that you proposed waits. I see everything that waits with: memfs review "
            "(in a terminal)."
        )
    page = page_of([proposal_entry(item) for item in waiting], first=0, is_more=False)
    words = fenced(page.entries, store=str(memory.workspace.store_id), ledger=memory.ledger)
    return (
        "Go through these proposals with me, one at a time: say what each claims and why it "
        "waits, ask me, and on my word call memory_decide, which asks me in a form.\n\n" + words
    )
