"""Who wants to be told that a resource has changed, in both eras."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

MOST_WATCHED: Final = 200
"""Most subscriptions of the older era that are kept; the oldest goes first."""


@dataclass(frozen=True, slots=True)
class Updates:
    """Tells clients what has changed; one that has gone is told nothing and costs nothing."""

    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    _watched: dict[tuple[str, str], ServerSession] = field(default_factory=dict)

    def watch(self, session: ServerSession, connection: str, uri: str) -> None:
        """Notes that a client of the older era wants to be told of ``uri``."""
        while len(self._watched) >= MOST_WATCHED:
            del self._watched[next(iter(self._watched))]
        self._watched[(connection, uri)] = session

    def unwatch(self, connection: str, uri: str) -> None:
        """Forgets that a client wanted to be told."""
        self._watched.pop((connection, uri), None)

    async def tell(self, uris: Iterable[str]) -> None:
        """Tells whoever wants to know that resources have changed."""
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri=uri))
            for (_, watched), session in list(self._watched.items()):
                if watched == uri:
                    # Never raises: what cannot be delivered is dropped.
                    await session.send_resource_updated(uri)
