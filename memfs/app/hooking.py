"""Answers a coding agent's hook: what memory has to say, and what is put off for later.

The program behind a hook reads and puts off, and does nothing else: it changes no record,
calls no model, takes no lock and brings nothing up to date. What it is asked about is the
host's text and is treated as a question. Where the store cannot answer, the agent is told so in
one line, and where memory is off there is nothing at all (C28).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.agents.contract import (
    MOST_CHARACTERS,
    AgentEvent,
    Client,
    EventKind,
    is_path,
    output_of,
)
from memfs.app.actors import kept_name
from memfs.app.container import open_memory_for
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.packet import MemoryState, Packet
from memfs.services.modes import is_taking
from memfs.services.session_caps import give_back
from memfs.store.discovery import NoStoreError

if TYPE_CHECKING:
    from memfs.app.memory import Memory
    from memfs.services.queue import Queued

FIRST_BUDGET: Final = 2000
"""Tokens of four bytes; with what JSON adds it stays below the limit of hosts."""
BUDGETS: Final = (FIRST_BUDGET, 1200, 600, 250)
_MOST_QUESTION: Final = 4000
_HEAD: Final = 3000
_TAIL_BYTES: Final = 512 * 1024
_LEAST_QUESTION: Final = 8
_SILENT: Final = (MemoryState.OFF, MemoryState.SHADOW)
_AGAIN: Final = frozenset({"compact", "clear"})
"""Why a session starts whose host threw away what it was given before."""


class HookCall:
    """One call of a hook on an opened store."""

    def __init__(self, memory: Memory, client: Client, event: AgentEvent) -> None:
        self._memory = memory
        self._client = client
        self.event = event

    def output(self) -> bytes:
        """Returns what is written to standard output; nothing where there is nothing to say."""
        match self.event.kind:
            case EventKind.SESSION_START:
                return self._brief()
            case EventKind.PROMPT if self.event.is_every_call:
                return self._once_a_turn()
            case EventKind.PROMPT:
                return self._recalled()
            case _:
                return b""

    def put_off(self) -> Queued | None:
        """Puts off what the event asks for, where the store takes anything in.

        Raises:
            QueueFolderError: There is nowhere to put it.
        """
        if not is_taking(self._memory.workspace):
            return None
        from memfs.app.hook_jobs import put_off

        if self.event.kind is EventKind.SESSION_START:
            from memfs.app.nightly_look import put_off_nightly

            put_off_nightly(self._memory.workspace)
        return put_off(self._memory.workspace, self.event)

    def keep_turn(self) -> str:
        """Notes the project's tree before a turn, commits what changed behind it (O35).

        Only where a person set it so. Nothing is committed in a run that somebody dispatched: its
        end is for whoever dispatched it.

        Returns:
            The code of why nothing was committed although something changed; empty for nothing.
        """
        workspace, event = self._memory.workspace, self.event
        is_wanted = workspace.settings.runs.commit_turns and bool(event.session)
        is_dispatched = bool(workspace.lineage.run or workspace.lineage.parent)
        is_same_turn = event.is_every_call and not event.prompt
        if not is_wanted or is_dispatched or event.is_nested:
            return ""
        from memfs.services.turn_commits import begin_turn, end_turn

        match event.kind:
            case EventKind.PROMPT if not is_same_turn:
                begin_turn(workspace, event.session)
            case EventKind.STOP:
                return end_turn(workspace, event.session, event.client).warning
            case _:
                pass
        return ""

    def put_off_index(self) -> None:
        """Puts off bringing the index up to the ledger: it took longer than a host may wait."""
        from memfs.app.hook_jobs import JobKind
        from memfs.services.queue import enqueue

        workspace = self._memory.workspace
        enqueue(workspace, JobKind.BUILD_INDEX, "", {"client": self.event.client})

    def _brief(self) -> bytes:
        is_new_window = self.event.source in _AGAIN
        return self._fitting(
            lambda budget: self._memory.context(
                is_session_start=True,
                budget=min(budget, self._memory.settings.runs.preamble_tokens),
                is_new_window=is_new_window,
            )
        )

    def _recalled(self) -> bytes:
        question = _question(self.event.prompt)
        if not question:
            return b""
        most = self._memory.settings.recall.budget_tokens
        # What a host shows for one call alone is gone at the next: there it is told again.
        is_new_only = not self.event.is_every_call
        return self._fitting(
            lambda budget: self._memory.recall(
                question, budget=min(budget, most), is_new_only=is_new_only
            )
        )

    def _once_a_turn(self) -> bytes:
        """Answers the first call of a model after a prompt, and a session's first call more."""
        from memfs.app.prompt_words import read_tail
        from memfs.services.turn_marks import TurnMark, mark_turn

        tail = read_tail(self.event.transcript, _TAIL_BYTES) if self.event.transcript else b""
        prompt = self._client.prompt_in(tail) if self._client.prompt_in and tail else ""
        session = self.event.session or self.event.transcript
        match mark_turn(self._memory.workspace, session, prompt):
            case TurnMark.SAME_TURN:
                self.event = replace(self.event, prompt="")
                return b""
            case TurnMark.NEW_SESSION:
                self.event = replace(self.event, prompt=prompt)
                return self._brief() or self._recalled()
            case TurnMark.NEW_TURN:
                self.event = replace(self.event, prompt=prompt)
                return self._recalled()

    def _fitting(self, ask: Callable[[int], Packet]) -> bytes:
        """Returns the largest answer that a host takes whole; records are never cut."""
        for budget in BUDGETS:
            packet = ask(budget)
            if packet.state in _SILENT or not packet.text:
                return b""
            written = output_of(self._client, self.event, packet.text)
            if len(written.decode("utf-8")) < MOST_CHARACTERS:
                return written
            give_back(self._memory.workspace, packet)
        return b""


@contextmanager
def opened(
    client: Client, event: AgentEvent, env: Mapping[str, str], store: str = ""
) -> Iterator[HookCall | None]:
    """Opens the store that the host works in; ``None`` where there is none.

    Nothing is brought up to date when it closes: the next command of a person does that.

    Args:
        client: Who tells.
        event: What happened.
        env: The environment of the hook.
        store: The store as the configured command names it; empty to look for it.

    Raises:
        MemfsError: There is a store and it cannot be opened.
    """
    known = {"MEMFS_AGENT": client.name, **env}
    if event.session:
        known["MEMFS_SESSION_ID"] = event.session
    agent = Principal(PrincipalKind.AGENT, _agent_name(known["MEMFS_AGENT"], client))
    try:
        memory = open_memory_for(
            Actor(agent, Channel.AGENT),
            start=folder_of(client, event, env),
            env=known,
            store=Path(store) if store else None,
        )
    except NoStoreError:
        yield None
        return
    try:
        yield HookCall(memory, client, event)
    finally:
        memory.beside.close()
        memory.workspace.store.close()


def degraded_output(client: Client, event: AgentEvent, code: str) -> bytes:
    """Returns the one line that says that memory cannot answer, and why, by its code."""
    from memfs.services.packet_text import CLOSING, opening

    head = opening(version="1", store="", ledger="", state=str(MemoryState.DEGRADED))
    line = f"memory state: {MemoryState.DEGRADED} ({code})"
    return output_of(client, event, f"{head}\n{line}\n{CLOSING}\n")


def folder_of(client: Client, event: AgentEvent, env: Mapping[str, str]) -> Path:
    """Returns the folder from which the store is looked for.

    The project that a host names wins over the folder that an agent has changed to.
    """
    named = (env.get(name, "") for name in client.project_variables)
    for folder in (*filter(is_path, named), event.folder):
        if folder and Path(folder).is_dir():
            return Path(folder)
    return Path.cwd()


def note_lineage(client: Client, event: AgentEvent, env: Mapping[str, str]) -> None:
    """Lets the commands of a session know which one it is, where the host offers a file for it."""
    place = env.get(client.environment_file, "") if client.environment_file else ""
    if event.kind is not EventKind.SESSION_START or not (event.session and is_path(place)):
        return
    lines = (f"export MEMFS_SESSION_ID='{event.session}'", f"export MEMFS_AGENT='{client.name}'")
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError):
        descriptor = os.open(place, flags, 0o600)
        try:
            known = os.read(descriptor, 1 << 16).decode("utf-8", "replace").splitlines()
            missing = [line for line in lines if line not in known]
            if missing:
                os.write(descriptor, "".join(f"{line}\n" for line in missing).encode("ascii"))
        finally:
            os.close(descriptor)


def _question(prompt: str) -> str:
    """Returns what memory is asked about a prompt; empty for one that asks nothing."""
    from memfs.app.hook_jobs import typed_words

    words = typed_words(prompt)
    if len(words) < _LEAST_QUESTION:
        return ""
    if len(words) <= _MOST_QUESTION:
        return words
    # What is asked stands at an end of a long prompt; what was pasted stands between.
    return f"{words[:_HEAD]}\n{words[_HEAD - _MOST_QUESTION :]}"


def _agent_name(named: str, client: Client) -> str:
    try:
        return kept_name(Principal.parse(f"{PrincipalKind.AGENT}:{named}").name) or client.name
    except ValueError:
        return client.name
