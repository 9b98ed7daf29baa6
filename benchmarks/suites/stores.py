"""Fresh stores for a suite, and the many who write to one: a person, tools, agents, the host."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.corpus import environment
from memfs.app.container import Memory, init_store
from memfs.app.opening import open_workspace
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.values import JsonValue

OWNER: Final = Actor(Principal.parse("user:owner"), Channel.TERMINAL)
TOOL: Final = Actor(Principal.parse("tool:web"), Channel.TOOL)
AGENT: Final = Actor(Principal.parse("agent:builder"), Channel.AGENT)
WORKSPACE: Final = Actor(Principal.parse("tool:workspace"), Channel.WORKSPACE)

_CHANNELS: Final[Mapping[str, Actor]] = {
    "skill_file": WORKSPACE,
    "agent_write": AGENT,
    "agent_authored": AGENT,
}
_USERS: Final = frozenset({"user_message", "user_input", "user", "user_stated"})


def actor_of(origin: str | None) -> Actor:
    """Returns who speaks, and through which channel, for an origin as the suites name it.

    An origin that nothing is known of is remote: the least that memfs believes.
    """
    name = origin or ""
    if name in _USERS:
        return OWNER
    if name.startswith("principal:"):
        who = re.sub(r"[^\w.-]", "-", name.removeprefix("principal:"))
        return Actor(Principal.parse(f"user:{who}"), Channel.TERMINAL)
    return _CHANNELS.get(name, TOOL)


def is_user(origin: str | None) -> bool:
    """Tells whether a person said it themselves."""
    return actor_of(origin).is_person


def rows_of(path: Path) -> Iterator[Mapping[str, JsonValue]]:
    """Yields the rows of a JSONL file; none when it is not there."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


@contextmanager
def fresh_memory(scratch: Path, name: str) -> Iterator[Memory]:
    """Makes a project with a store of its own and opens it for its owner."""
    project = scratch / name
    project.mkdir(parents=True)
    env = environment(scratch) | {"MEMFS_HOME": str(scratch / "home")}
    subprocess.run(["git", "init", "-q", os.fspath(project)], check=True, env=env)
    init_store(
        folder=project, env=env, project=name, is_scripted=True, as_principal="user:owner", yes=True
    )
    memory = Memory(open_workspace(start=project, env=env), OWNER)
    try:
        yield memory
    finally:
        memory.workspace.store.close()


def empty_inbox(memory: Memory) -> None:
    """Throws away what waits, so that no quota stands in for a decision."""
    for path in (memory.workspace.store.root / "inbox").glob("*.md"):
        path.unlink()


def text_in(row: Mapping[str, JsonValue], name: str) -> str:
    """Returns a string of a row; empty when it has none."""
    value = row.get(name)
    return value if isinstance(value, str) else ""
