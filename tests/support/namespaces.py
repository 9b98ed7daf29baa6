"""A project beside a global store, both real, and the people and programs who work with them."""

from __future__ import annotations

import os
from pathlib import Path

from memfs.app.container import Memory, init_store, open_memory
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result, ResultStatus
from tests.support.memory import AGENT, ANA

SCRIPT = Actor(ANA.principal, Channel.SCRIPTED)
TOOL = Actor(Principal.parse("tool:web"), Channel.TOOL)
HOOK = Actor(ANA.principal, Channel.PROMPT_HOOK)
PROGRAMS = (AGENT, TOOL, HOOK)
"""Everybody who does not decide: an agent, a tool, and a host's record of what a person typed."""


def new_global(*, is_scripted: bool = True) -> Path:
    """Makes the global store of this test's home; returns its root."""
    result = init_store(
        folder=Path.cwd(),
        env=dict(os.environ),
        is_home=True,
        is_scripted=is_scripted,
        as_principal="user:ana" if is_scripted else "agent:founder",
        yes=True,
    )
    return Path(result.store)


def at_store(root: Path, actor: Actor = ANA) -> Memory:
    """Opens a store by its place, as ``actor``."""
    memory = open_memory(start=root, env=dict(os.environ), store=root)
    memory.actor = actor
    return memory


def stated(root: Path, text: str, *, kind: str = "fact", subject: str = "") -> str:
    """Lets Ana state something in a store itself; returns the id of the record."""
    with at_store(root) as memory:
        result = memory.remember(text, kind=kind, subject=subject)
    assert result.status is ResultStatus.DONE, result
    return result.target


def accepted(root: Path) -> tuple[Result, ...]:
    """Lets Ana accept everything that waits in a store."""
    with at_store(root) as memory:
        return memory.accept(None)


def tree_of(root: Path) -> str:
    """Returns the tree that the ledger of a store has, and the names in its inbox."""
    from tests.support.memory import git

    tree = git(root, "rev-parse", "refs/memfs/ledger^{tree}").strip()
    inbox = root / "inbox"
    names = sorted(path.name for path in inbox.iterdir()) if inbox.is_dir() else []
    return f"{tree} {names}"
