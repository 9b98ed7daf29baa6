"""What a coding agent's hook says and is answered: one event, one piece of context, bytes.

Each client is one module beside this one with a :class:`Client`. Nothing here opens a store,
reads a file or knows a policy: a payload that cannot be used is no event, an answer without
context is no output at all. A payload comes from the host; its words are data, and no field is
required that some client leaves out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memfs.model.values import JsonValue

MOST_CHARACTERS: Final = 10_000
"""What an answer stays below, in characters of the whole output: longer ones are cut by hosts."""
_MOST_PATH: Final = 4096
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:+/-]{0,199}\Z")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f]")


class EventKind(StrEnum):
    """What happened in the host, by the name that every client is configured with."""

    SESSION_START = "session-start"
    PROMPT = "prompt"
    STOP = "stop"
    PRE_COMPACT = "pre-compact"
    POST_COMPACT = "post-compact"
    SESSION_END = "session-end"
    TOOL = "tool"

    @property
    def is_answered(self) -> bool:
        """Whether a host takes context for it; everything else is only taken note of."""
        return self in (EventKind.SESSION_START, EventKind.PROMPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One use of a tool that ended, as the host saw it.

    Attributes:
        name: The host's name of the tool.
        command: The command line that it ran; empty for a tool that runs none.
        exit_code: Exit code that the host reports; ``None`` where it reports none.
        is_failed: Whether the host says that it failed.
    """

    name: str
    command: str = ""
    exit_code: int | None = None
    is_failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvent:
    """One event of a client, as far as its payload says.

    Attributes:
        client: Name of the client.
        kind: What happened.
        name: The client's own name of the event; stands in the answer where one is expected.
        session: The host's id of the conversation, a plain name; empty where it gives none.
        turn: The host's id of the prompt or turn; empty where it gives none.
        folder: Folder that the host works in, absolute; empty where it says none.
        transcript: The host's own record of the conversation, absolute; empty where it has none.
        prompt: What was submitted; only for a prompt.
        source: Why a session starts or ends, or what asked for a compaction.
        summary: The host's own summary after a compaction.
        is_nested: It happened inside a subagent, where no person types.
        is_every_call: The client tells before each call of a model, not once a prompt; the
            prompt is the last one of the transcript.
        tool: What was used; only for a tool.
    """

    client: str
    kind: EventKind
    name: str
    session: str = ""
    turn: str = ""
    folder: str = ""
    transcript: str = ""
    prompt: str = ""
    source: str = ""
    summary: str = ""
    is_nested: bool = False
    is_every_call: bool = False
    tool: ToolUse | None = None


Payload = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """What memfs knows of one coding agent.

    Attributes:
        name: As in ``--client``.
        events: The client's own event names with what they mean.
        name_field: Field of a payload that holds the event's own name.
        read: Reads a payload of one kind whose own name is given.
        write: Writes context as the client takes it for that event.
        project_variables: Variables that name the project's folder, first come first.
        environment_file: Variable that names a file whose lines a session's commands are run
            with; only where a session starts.
        prompt_in: Returns the newest prompt in the end of a transcript; for clients whose
            events do not carry it.
    """

    name: str
    events: Mapping[str, EventKind]
    read: Callable[[EventKind, str, Payload], AgentEvent]
    write: Callable[[AgentEvent, str], Mapping[str, JsonValue]]
    name_field: str = "hook_event_name"
    project_variables: tuple[str, ...] = ()
    environment_file: str = ""
    prompt_in: Callable[[bytes], str] | None = None

    def own_name(self, kind: EventKind) -> str:
        """Returns the client's name of a kind of event, empty where it has none."""
        return next((name for name, meant in self.events.items() if meant is kind), "")


def event_from(client: Client, said: str, payload: Payload) -> AgentEvent | None:
    """Returns the event that a payload tells.

    The host's own name of it wins over the name in the configured command; an event that the
    client has under neither name is none.

    Args:
        client: Who tells.
        said: The event as the configured command names it, by memfs's name or the client's.
        payload: What stood on standard input.
    """
    named = text_of(payload, client.name_field)
    kind = client.events.get(named) if named else _kind_said(client, said)
    if kind is None:
        return None
    return client.read(kind, named or client.own_name(kind), payload)


def _kind_said(client: Client, said: str) -> EventKind | None:
    if said in client.events:
        return client.events[said]
    try:
        return EventKind(said)
    except ValueError:
        return None


def output_of(client: Client, event: AgentEvent, context: str) -> bytes:
    """Returns what is written to standard output: one JSON object, or nothing at all.

    Text outside of ASCII stays as it is, so that the limit of a host in characters holds for
    every script; half a surrogate pair is written as an escape.
    """
    if not context or not event.kind.is_answered:
        return b""
    written = json.dumps(client.write(event, context), ensure_ascii=False, separators=(",", ":"))
    return written.encode("utf-8", "backslashreplace") + b"\n"


def text_of(payload: Payload, *names: str) -> str:
    """Returns the first text among the named fields; half surrogate pairs are replaced."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value.encode("utf-8", "replace").decode("utf-8")
    return ""


def name_of(payload: Payload, *names: str) -> str:
    """Returns the first field that is a plain name, such as an id; empty for none."""
    found = (text_of(payload, name).strip() for name in names)
    return next((name for name in found if _NAME.match(name)), "")


def path_of(payload: Payload, *names: str) -> str:
    """Returns the first field that is an absolute path; empty for none."""
    found = (text_of(payload, name) for name in names)
    return next((path for path in found if is_path(path)), "")


def is_path(path: str) -> bool:
    """Tells whether a text can be an absolute path on this machine."""
    return path.startswith("/") and len(path) <= _MOST_PATH and not _UNPRINTABLE.search(path)


def object_of(payload: Payload, *names: str) -> Payload:
    """Returns the first field that is an object; an empty one for none."""
    found = (payload.get(name) for name in names)
    return next((value for value in found if isinstance(value, Mapping)), {})


def number_of(payload: Payload, *names: str) -> int | None:
    """Returns the first field that is a whole number; ``None`` for none."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
