"""The clients by name; one is imported when it is asked for, and no other with it."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from memfs.agents.contract import Client

NAMES: Final = ("claude", "codex", "cursor", "gemini", "antigravity", "opencode")


def client_named(name: str) -> Client | None:
    """Returns a client; ``None`` where memfs knows none of that name."""
    if name not in NAMES:
        return None
    client = import_module(f"memfs.agents.{name}").CLIENT
    assert isinstance(client, Client)
    return client
