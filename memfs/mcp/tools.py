"""What a tool is: its name and arguments, what it does, and what a client may assume of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memfs.mcp.arguments import Arguments, Field, input_schema
from memfs.mcp.cursors import FIELD, cursor_at, position_of
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from mcp_types import Tool as ProtocolTool

    from memfs.app.container import Memory
    from memfs.mcp.answers import Answer

ASKS_PERSON: Final[Mapping[str, bool]] = {"anthropic/requiresUserInteraction": True}
"""Makes a client that knows it ask its user before every call, in every mode of permissions."""
_OUTPUT: Final[Mapping[str, JsonValue]] = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "next_cursor": {"type": "string"}},
    "required": ["text"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool, with its arguments read."""

    tool: str
    arguments: Arguments

    def position(self, memory: Memory, state: str | None = None) -> int:
        """Returns where the answer is to begin, as its cursor says.

        Args:
            memory: The store that answers.
            state: The state that the pages are of; by default the ledger's.

        Raises:
            CursorError: The cursor is of another call, store or state of the ledger.
        """
        return position_of(
            self.arguments.text(FIELD),
            tool=self.tool,
            given=self.arguments.values,
            store=memory.root,
            ledger=memory.ledger if state is None else state,
        )

    def cursor(self, memory: Memory, position: int, state: str | None = None) -> str:
        """Returns the cursor for what begins at ``position``; empty where nothing does."""
        return cursor_at(
            position,
            tool=self.tool,
            given=self.arguments.values,
            store=memory.root,
            ledger=memory.ledger if state is None else state,
        )


Carry = Callable[["Memory", Call], "Answer"]
"""Carries a call out on an opened store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        name: 1 to 32 of lower-case letters and ``_``, which every client takes.
        title: For people.
        help: For models: what it is for and when.
        fields: Its arguments.
        carry: What it does; ``None`` where the person is asked first (see ``deciding``).
        is_reading: It changes nothing.
        is_destructive: It may take something away.
        is_idempotent: Doing it twice is doing it once.
        asks_person: A person is asked on every call.
    """

    name: str
    title: str
    help: str
    fields: Sequence[Field]
    carry: Carry | None = None
    is_reading: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    asks_person: bool = False

    def described(self) -> ProtocolTool:
        """Returns what a client is told of the tool."""
        from mcp_types import Tool as ProtocolTool
        from mcp_types import ToolAnnotations

        return ProtocolTool(
            name=self.name,
            title=self.title,
            description=self.help,
            input_schema=input_schema(self.fields),
            output_schema=dict(_OUTPUT),
            annotations=ToolAnnotations(
                read_only_hint=self.is_reading,
                destructive_hint=self.is_destructive,
                idempotent_hint=self.is_idempotent or self.is_reading,
                open_world_hint=False,
            ),
            _meta=dict(ASKS_PERSON) if self.asks_person else None,
        )
