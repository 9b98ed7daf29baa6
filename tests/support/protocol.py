"""The tools and resources of the protocol server, asked past any protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from memfs.errors import MemfsError
from memfs.mcp.answers import Answer, refusal
from memfs.mcp.arguments import read_arguments
from memfs.mcp.resources import prompt_from, read_resource
from memfs.mcp.server import TOOLS
from memfs.mcp.tools import Call
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.app.container import Memory

TOOL: Final = {tool.name: tool for tool in TOOLS}


def answered(memory: Memory, name: str, given: Mapping[str, JsonValue]) -> Answer:
    """Returns what a tool answers, its refusal included."""
    tool = TOOL[name]
    assert tool.carry is not None
    try:
        call = Call(tool=name, arguments=read_arguments(tool.fields, given))
        return tool.carry(memory, call)
    except MemfsError as error:
        return refusal(error)


def asked_openly(memory: Memory, question: str) -> list[object]:
    """Returns all that is answered to who names nothing."""
    return [
        answered(memory, "memory_recall", {"question": question, "budget_tokens": 6000}),
        answered(memory, "memory_search", {"query": question, "limit": 50}),
        answered(memory, "memory_search", {"limit": 50}),
        answered(memory, "memory_search", {"where": "proposals"}),
        answered(memory, "memory_search", {"where": "role", "limit": 50}),
        _said(lambda: read_resource(memory, "memory://index")),
        _said(lambda: prompt_from(memory, "session_start", {"task": question})),
        _said(lambda: prompt_from(memory, "review", {})),
    ]


def asked_by_name(memory: Memory, reference: str) -> list[object]:
    """Returns all that is answered to who names a record."""
    return [
        answered(memory, "memory_get", {"reference": reference}),
        answered(memory, "memory_search", {"where": "neighbors", "query": reference}),
        answered(memory, "memory_propose", {"text": "Something else", "corrects": reference}),
        _said(lambda: read_resource(memory, f"memory://record/{reference}")),
        *_wishes(memory, reference),
    ]


def _wishes(memory: Memory, reference: str) -> list[object]:
    from memfs.mcp.deciding import ACTS, Wish

    found: list[object] = []
    for act in ACTS.values():
        try:
            wish = act.lay(memory, reference)
            found.append(wish.form.message if isinstance(wish, Wish) else wish)
        except MemfsError as error:
            found.append(refusal(error))
    return found


def _said(ask: object) -> object:
    try:
        return str(ask())  # type: ignore[operator]  # any question
    except MemfsError as error:
        return refusal(error)
