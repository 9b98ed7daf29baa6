"""Rollouts of Codex: JSON lines of ``{timestamp, type, payload}``, one file a session.

What was said stands in ``response_item``; ``event_msg`` repeats it for display and is read for
the end of a turn, for turns that were taken back and for a name alone. Messages carry no ids:
one is made of all that was said before, so that a rollout that was copied for a fork gives the
same ids as the one that it was copied from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from memfs.domains.sessions.turns import (
    NO_LINKS,
    START,
    Entry,
    Head,
    Mark,
    Message,
    Part,
    PartKind,
    ReadReport,
    Role,
    Rollback,
    Title,
    TurnEnd,
)
from memfs.interop.transcripts.lines import Line, TranscriptLines
from memfs.interop.transcripts.values import (
    count,
    decoded,
    inner,
    instant,
    laid_out,
    objects,
    word,
    words_of,
)
from memfs.model.values import JsonValue

CLIENT: Final = "codex"
_SAMPLE: Final = 50
_KINDS: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context"})
_ITEMS: Final = frozenset({"message", "function_call", "function_call_output", "reasoning"})
_SCAFFOLDING: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<collaboration_mode>",
    "<model_switch>",
)
_CALLS: Final = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
)
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_ENDS: Final = frozenset({"task_complete", "turn_complete", "turn_aborted"})


def is_codex(values: list[Mapping[str, JsonValue]]) -> bool:
    """Tells whether these lines are such a rollout's, of today or of an earlier version."""
    return any(
        (word(value, "type") in _KINDS and isinstance(value.get("payload"), Mapping))
        or (word(value, "type") in _ITEMS and "payload" not in value and "uuid" not in value)
        for value in values
    )


class CodexTranscript:
    """One such file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = TranscriptLines(path)
        self._skipped = 0
        self._before = b""

    def head(self) -> Head:
        """Returns what the first lines say of the session."""
        values = [line.value for line in islice(TranscriptLines(self._path).read(), _SAMPLE)]
        metas = [
            inner(value, "payload") for value in values if word(value, "type") == "session_meta"
        ]
        # In the first versions the first line was the description itself.
        meta = metas[0] if metas else next(iter(values), {})
        source = meta.get("source")
        return Head(
            client=CLIENT,
            host_id=word(meta, "id"),
            started=instant(meta) or next(filter(None, map(instant, values)), None),
            folder=word(meta, "cwd"),
            resumed_from=word(meta, "forked_from_id"),
            is_side=isinstance(source, Mapping) and "subagent" in source,
            has_unique_ids=False,
        )

    def entries(
        self, mark: Mark = START, links: Mapping[str, str | None] = NO_LINKS
    ) -> Iterator[Entry]:
        """Yields what stands behind ``mark``; see :class:`Transcript`.

        Ids are made of all that came before: the lines before the mark are read too, and
        nothing of them is yielded.
        """
        self._lines = TranscriptLines(self._path)
        self._skipped, self._before = 0, b""
        if mark.offset:
            # Only whether they are the same; the pass below yields what is behind them.
            for _ in TranscriptLines(self._path).read(mark):
                break
        for line in self._lines.read():
            found = list(self._entries_of(line))
            if not found:
                self._skipped += 1
            if line.mark.offset >= mark.offset:
                yield from found

    def report(self) -> ReadReport:
        """Returns what the last pass came upon."""
        return self._lines.report(self._skipped)

    def _entries_of(self, line: Line) -> Iterator[Entry]:
        value = line.value
        payload = inner(value, "payload") if "payload" in value else value
        kind = word(value, "type") if "payload" in value else "response_item"
        if kind == "event_msg":
            yield from _event(payload, line.mark)
        elif kind == "response_item":
            message = self._message(payload, line)
            if message is not None:
                yield message

    def _message(self, item: Mapping[str, JsonValue], line: Line) -> Message | None:
        kind = word(item, "type")
        role, parts = Role.ASSISTANT, tuple[Part, ...]()
        if kind == "message":
            role, parts = _spoken(item)
        elif kind in _CALLS:
            parts = (_call(item, kind),)
        elif kind in _OUTPUTS:
            role, parts = Role.TOOL, (_output(item),)
        if not parts:
            return None
        digest = hashlib.sha256(self._before)
        for part in parts:
            for text in (role, part.kind, part.name, part.text):
                digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        self._before = digest.digest()
        return Message(
            id=digest.hexdigest()[:32],
            parent=None,
            role=role,
            parts=parts,
            at=instant(line.value),
            is_prompt=role is Role.USER,
            group=digest.hexdigest()[:32],
            mark=line.mark,
        )


def _event(payload: Mapping[str, JsonValue], mark: Mark) -> Iterator[Entry]:
    match word(payload, "type"):
        case kind if kind in _ENDS:
            yield TurnEnd()
        case "thread_rolled_back":
            yield Rollback(count(payload, "num_turns"), mark)
        case "thread_name_updated":
            yield Title(word(payload, "thread_name"), 2)


def _spoken(item: Mapping[str, JsonValue]) -> tuple[Role, tuple[Part, ...]]:
    role = word(item, "role")
    if role not in ("user", "assistant"):
        return Role.ASSISTANT, ()
    content = item.get("content")
    if role == "user" and not isinstance(content, str):
        content = [block for block in objects(content) if not _is_scaffolding(words_of([block]))]
    text = words_of(content).strip()
    if not text or (role == "user" and _is_scaffolding(text)):
        return Role(role), ()
    return Role(role), (Part(kind=PartKind.TEXT, text=text),)


def _is_scaffolding(text: str) -> bool:
    return text.lstrip().startswith(_SCAFFOLDING)


def _call(item: Mapping[str, JsonValue], kind: str) -> Part:
    match kind:
        case "function_call":
            value = decoded(word(item, "arguments"))
        case "custom_tool_call":
            value = item.get("input")
        case _:
            value = item.get("action") or item.get("arguments")
    return Part(
        kind=PartKind.CALL,
        text=laid_out(value),
        name=word(item, "name") or kind.removesuffix("_call"),
        call=word(item, "call_id"),
    )


def _output(item: Mapping[str, JsonValue]) -> Part:
    output = item.get("output")
    text = output if isinstance(output, str) else words_of(output)
    if isinstance(output, Mapping):
        text = words_of(output.get("content"))
    # What a shell printed stands in a string of JSON, together with its exit code.
    value = decoded(text) if text.startswith("{") else text
    failed = False
    if isinstance(value, Mapping) and isinstance(value.get("output"), str):
        text = word(value, "output")
        failed = count(inner(value, "metadata"), "exit_code") != 0
    return Part(kind=PartKind.RESULT, text=text, call=word(item, "call_id"), is_error=failed)
