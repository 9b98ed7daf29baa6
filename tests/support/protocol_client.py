"""The SDK's own client against a server in this process, in either protocol era."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.server import Server
from mcp_types import CallToolResult, ElicitResult, Implementation, TextContent

from memfs.mcp.desk import Desk
from memfs.mcp.server import build_server

ERAS: Final = ("legacy", "2026-07-28")
"""Modes of the SDK's client: the handshake, and the newer revision without one."""
YES: Final = {"decision": "yes"}
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool answered."""

    result: CallToolResult

    @property
    def text(self) -> str:
        """The first text of the answer."""
        first = self.result.content[0]
        assert isinstance(first, TextContent)
        return first.text

    @property
    def notes(self) -> list[str]:
        """The texts behind the first."""
        return [it.text for it in self.result.content[1:] if isinstance(it, TextContent)]

    @property
    def facts(self) -> Mapping[str, Any]:
        """The structured answer."""
        content: Mapping[str, Any] = self.result.structured_content or {}
        return content

    @property
    def is_no(self) -> bool:
        """Whether the answer is an error."""
        return self.result.is_error


@dataclass(slots=True)
class Person:
    """Who answers forms: in order, the last answer again and again.

    ``before`` runs while the form is open, as if the world went on meanwhile.
    """

    answers: Sequence[ElicitResult | Exception]
    before: Callable[[], None] = lambda: None
    asked: list[Any] = field(default_factory=list)

    async def answer(self, context: Any, params: Any) -> Any:
        """Answers one form."""
        self.asked.append(params)
        self.before()
        said = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(said, Exception):
            raise said
        return said


def agreeing(**content: str) -> Person:
    """Returns a person who agrees."""
    return Person([ElicitResult(action="accept", content={**(content or YES)})])


@dataclass(frozen=True, slots=True)
class Talk:
    """One connected client, and what it was told unasked."""

    client: Client
    heard: list[str] = field(default_factory=list)

    async def call(self, name: str, **given: object) -> Said:
        """Calls a tool."""
        result = await self.client.call_tool(name, {**given})
        assert isinstance(result, CallToolResult)
        return Said(result)


def server_for(project: Path, **changes: str) -> Server[Any]:
    """Returns a server for a project; ``changes`` are made to its environment."""
    return build_server(Desk(start=project, env={**os.environ, **changes}))


def talk(
    server: Server[Any],
    conversation: Callable[[Talk], Awaitable[Kept]],
    *,
    era: str = ERAS[1],
    person: Person | None = None,
    name: str = "tester",
) -> Kept:
    """Connects a client, has a conversation and returns what it came to."""

    async def connected() -> Kept:
        heard: list[str] = []
        shows: ElicitationFnT | None = person.answer if person is not None else None

        async def hear(message: Any) -> None:
            heard.append(str(message))

        client = Client(
            server,
            message_handler=hear,
            mode=era,
            client_info=Implementation(name=name, version="1.0"),
            elicitation_callback=shows,
            raise_exceptions=True,
        )
        async with client:
            return await conversation(Talk(client, heard))

    return anyio.run(connected)


def call(
    server: Server[Any],
    tool: str,
    *,
    era: str = ERAS[1],
    person: Person | None = None,
    name: str = "tester",
    **given: object,
) -> Said:
    """Calls one tool as a client of its own."""
    return talk(server, lambda it: it.call(tool, **given), era=era, person=person, name=name)
