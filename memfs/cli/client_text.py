"""How installations for coding agents stand, as rows of a page and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.app.client_health import ClientHealth


def client_rows(clients: Sequence[ClientHealth]) -> Iterator[tuple[str, str]]:
    """Yields one row an installation: what is there, and how many of its commands work."""
    for client in clients:
        failed = len(client.problems)
        state = f"{client.tried} of its commands work" if client.tried else "nothing was run"
        trouble = f"; {failed} to look at" if failed else ""
        yield client.client, f"{client.scope}: {', '.join(client.parts)}; {state}{trouble}"


def client_values(clients: Sequence[ClientHealth]) -> list[JsonValue]:
    """Returns installations as plain data; their problems stand with all others."""
    return [
        {
            "client": client.client,
            "scope": client.scope,
            "parts": list(client.parts),
            "tried": client.tried,
            "notes": list(client.notes),
        }
        for client in clients
    ]
