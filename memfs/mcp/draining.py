"""Between standard input and the server: what was asked is answered before the end.

A client that writes its requests and closes its end, as a script does, still gets the answers.
What would never end is not waited for: a stream of events, and a form that nobody can answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server import Server
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage
    from mcp_types import RequestId

DRAIN_S: Final = 20.0
"""How long answers are waited for once the client has closed its end."""
_ENDLESS: Final = frozenset({"subscriptions/listen"})


@dataclass(slots=True)
class Draining:
    """Counts what was asked and not answered yet, on both sides."""

    _asked: set[RequestId] = field(default_factory=set)
    _asking: set[RequestId] = field(default_factory=set)
    _moved: anyio.Event = field(default_factory=anyio.Event)

    async def serve(
        self,
        server: Server[Any],
        incoming: ReadStream[SessionMessage | Exception],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        """Serves one client until it has closed its end and has its answers."""
        to_server, from_client = anyio.create_memory_object_stream[Any](0)
        to_client, from_server = anyio.create_memory_object_stream[Any](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._hand_in, incoming, to_server)
            group.start_soon(self._hand_out, from_server, outgoing)
            await server.run(from_client, to_client, server.create_initialization_options())

    async def _hand_in(
        self,
        incoming: ReadStream[SessionMessage | Exception],
        to_server: MemoryObjectSendStream[Any],
    ) -> None:
        async with to_server, incoming:
            async for item in incoming:
                message = getattr(item, "message", None)
                match message:
                    case JSONRPCRequest() if message.method not in _ENDLESS:
                        self._asked.add(message.id)
                    case JSONRPCResponse() | JSONRPCError() if message.id is not None:
                        self._asking.discard(message.id)
                await to_server.send(item)
            with anyio.move_on_after(DRAIN_S):
                while self._asked and not self._asking:
                    await self._moved.wait()

    async def _hand_out(
        self,
        from_server: MemoryObjectReceiveStream[Any],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        async with outgoing, from_server:
            async for item in from_server:
                message = item.message
                match message:
                    case JSONRPCRequest():
                        self._asking.add(message.id)
                    case JSONRPCResponse() | JSONRPCError() if message.id is not None:
                        self._asked.discard(message.id)
                await outgoing.send(item)
                moved, self._moved = self._moved, anyio.Event()
                moved.set()
