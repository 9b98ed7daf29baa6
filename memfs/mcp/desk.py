"""Where calls meet the store: each is answered from a store that was opened for it.

Nothing is kept between two calls, so nothing can be stale: what another process wrote, forgot
or switched off a moment ago holds for the next answer, a store that is made while the server
runs is found, and no handle is shared by threads. Opening costs under two milliseconds. Calls
are carried out one after the other, whatever number of clients asks.

Whoever calls through the protocol is a program: what it says of itself names it and gives it
no right. Only an answer of the person in a form, asked for once for each act, is carried out
as that person's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
import anyio.to_thread

from memfs.app.actors import calling_agent, kept_name, login_name
from memfs.app.opening import home_of
from memfs.app.switches import is_switched_off
from memfs.errors import MemfsError, UsageError
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind

if TYPE_CHECKING:
    from memfs.app.container import Memory

PROJECT_VARIABLES: Final = ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR")
"""Variables in which a client names the project to the servers that it starts."""

PAUSE_S: Final = 15.0
"""How long a server leaves put-off work alone."""

Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One place to call: which store is meant and with what environment.

    Attributes:
        start: Folder to look for the store from.
        store: The store as named by whoever started the server; ``None`` to look for it.
        env: The environment of the server, which cannot change while it runs.
        agent: Name of the program as given with ``--as``; empty for what the client says.
    """

    start: Path
    store: Path | None = None
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    agent: str = ""
    _turn: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))

    @property
    def home(self) -> Path:
        """The folder of this account in which memfs keeps what belongs to no store."""
        return home_of(self.env)

    @property
    def is_off(self) -> bool:
        """Whether the environment turns memory off for this server."""
        return is_switched_off(self.env)

    def caller(self, client_name: str) -> Actor:
        """Returns who calls: the name that was given here, or else the one the client has."""
        if self.agent:
            return Actor(Principal(PrincipalKind.AGENT, self.agent), Channel.AGENT)
        return calling_agent(self.env, client_name)

    def person(self) -> Actor:
        """Returns the person of this account, as they answer in a form."""
        return Actor(Principal(PrincipalKind.USER, login_name(self.env)), Channel.FORM)

    async def ask(self, actor: Actor, question: Callable[[Memory], Answered]) -> Answered:
        """Puts a question to the store in its turn, off the event loop.

        A call that is cancelled is finished first: what was begun is done or not done, and
        whoever cancelled it is told nothing either way.

        Raises:
            MemfsError: There is no store, or the question could not be answered.
        """
        return await anyio.to_thread.run_sync(self._answered, actor, question, limiter=self._turn)

    async def work_beside(self) -> None:
        """Does some of the work that hooks put off, between calls, until it is cancelled.

        A server that a client keeps running may be the only process that lasts here.
        """
        while True:
            await anyio.sleep(PAUSE_S)
            with suppress(MemfsError, OSError):
                await self.ask(self.caller(""), lambda memory: memory.work_off_some())

    def _answered(self, actor: Actor, question: Callable[[Memory], Answered]) -> Answered:
        from memfs.app.container import open_memory_for

        with open_memory_for(actor, start=self.start, env=self.env, store=self.store) as memory:
            return question(memory)


def project_folder(env: Mapping[str, str], working: Path) -> Path:
    """Returns the folder of the project that a client works on."""
    named = (Path(env[name]) for name in PROJECT_VARIABLES if env.get(name))
    return next((folder for folder in named if folder.is_absolute() and folder.is_dir()), working)


def agent_named(text: str) -> str:
    """Returns the name that ``--as`` gives to whoever calls; empty for the client's own.

    Raises:
        UsageError: It names a person: a program that calls through a protocol is never one.
    """
    if not text:
        return ""
    try:
        principal = Principal.parse(text)
    except ValueError as error:
        raise UsageError(str(error), hint="for instance --as agent:claude") from error
    if principal.kind is not PrincipalKind.AGENT:
        raise UsageError(f"expected an agent to serve, got {text}", hint="leave --as out")
    if not kept_name(principal.name):
        raise UsageError("expected a name, got what looks like a secret", hint="change it")
    return principal.name
