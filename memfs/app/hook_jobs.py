"""What a hook puts off: which events become which jobs, and what of them may lie in a file.

A prompt is kept as evidence of what a person typed only where a person types: not in a
subagent, and not in a run that a program dispatched. Words are put off after they passed
screening; where that would take long and the host keeps a transcript, a pointer and a salted
digest are put off instead, and the words are found there again. Nothing here runs a handler.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final, assert_never

from memfs.agents.contract import AgentEvent, EventKind, ToolUse
from memfs.model.evidence import Outcome
from memfs.services.packet_text import strip_packets
from memfs.services.ports import Workspace
from memfs.services.queue import Arguments, Queued, enqueue

MOST_WORDS: Final = 16_384
"""A longer prompt is a document that was pasted; what a person says in one is shorter."""
MOST_SUMMARY: Final = 8_192
_MOST_COMMAND: Final = 2_000
_LEAST_CHARACTERS: Final = 8
_SALT_BYTES: Final = 8
_SCAFFOLDING: Final = re.compile(
    r"/[\w:.-]+(?:\s|\Z)|!|<(?:command-|local-command|bash-|system-reminder|task-notification|"
    r"environment_context|user_instructions|user-prompt-submit-hook)|\[Request interrupted"
)
"""What a host puts where a prompt stands: commands, their output, and notes of its own."""


READABLE: Final = frozenset({"claude", "codex"})
"""Clients whose transcripts memfs reads; of others nothing is put off but words."""


class JobKind(StrEnum):
    """What is put off."""

    CAPTURE_PROMPT = "capture-prompt"
    PROPOSE_SUMMARY = "propose-summary"
    IMPORT_TRANSCRIPT = "import-transcript"
    FLUSH = "flush-before-compaction"
    END_SESSION = "end-session"
    DISTIL = "distil-session"
    OBSERVE_TOOL = "observe-tool"
    BUILD_INDEX = "build-index"
    SLEEP = "sleep"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutOff:
    """One job to be: its kind, what makes it the same as another, and what its handler needs."""

    kind: JobKind
    about: str
    arguments: Arguments


def put_off(workspace: Workspace, event: AgentEvent) -> Queued | None:
    """Puts off what an event asks for; ``None`` where it asks for nothing.

    Raises:
        QueueFolderError: There is nowhere to put it.
    """
    job = job_for(workspace, event)
    return enqueue(workspace, job.kind, job.about, job.arguments) if job else None


def job_for(workspace: Workspace, event: AgentEvent) -> PutOff | None:
    """Returns the job that an event asks for."""
    match event.kind:
        case EventKind.SESSION_START:
            return None
        case EventKind.PROMPT:
            return _prompt(workspace, event)
        case EventKind.STOP:
            return _transcript(event, JobKind.IMPORT_TRANSCRIPT, "")
        case EventKind.PRE_COMPACT:
            return _transcript(event, JobKind.FLUSH, str(_size(event.transcript)))
        case EventKind.POST_COMPACT:
            return _summary(event)
        case EventKind.SESSION_END:
            return _end(event)
        case EventKind.TOOL:
            return _tool(workspace, event)
        case _:
            assert_never(event.kind)


def typed_words(prompt: str) -> str:
    """Returns what a person typed of a prompt, without packets; empty for a host's own lines."""
    words = strip_packets(prompt).strip()
    return "" if _SCAFFOLDING.match(words) else words


def is_worth_keeping(words: str) -> bool:
    """Tells whether words can be evidence of anything: more than a nod, less than a document."""
    if not _LEAST_CHARACTERS <= len(words) <= MOST_WORDS:
        return False
    # A script without blanks says much in one word.
    return not words.isascii() or len(words.split(maxsplit=1)) > 1


def salted_digest(salt: str, words: str) -> str:
    """Returns the digest by which words are found again that are not put off themselves."""
    data = words.encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=16, salt=bytes.fromhex(salt)).hexdigest()


def _prompt(workspace: Workspace, event: AgentEvent) -> PutOff | None:
    is_dispatched = bool(workspace.lineage.run or workspace.lineage.parent)
    words = typed_words(event.prompt)
    if event.is_nested or is_dispatched or not is_worth_keeping(words):
        return None
    from memfs.policy.secrets import needs_library

    # A turn can have a second prompt: one that steers it while it runs.
    about = f"{event.session}\0{event.turn}\0{_digest(words)}"
    place: dict[str, str | int] = {**_named(event), "turn": event.turn}
    if event.transcript and needs_library(words):
        salt = os.urandom(_SALT_BYTES).hex()
        place |= {
            "transcript": event.transcript,
            "from": _size(event.transcript),
            "salt": salt,
            "digest": salted_digest(salt, words),
        }
        return PutOff(kind=JobKind.CAPTURE_PROMPT, about=about, arguments=place)
    if not _is_clean(words, is_person=True):
        return None
    return PutOff(kind=JobKind.CAPTURE_PROMPT, about=about, arguments={**place, "words": words})


def _is_clean(words: str, *, is_person: bool) -> bool:
    """Tells whether nothing in the words would be refused or held: then they may lie in a file."""
    from memfs.policy.screening import screen

    screened = screen(words, is_person=is_person, body=words)
    return not (screened.rejects or screened.holds)


def _transcript(event: AgentEvent, kind: JobKind, detail: str) -> PutOff | None:
    if not event.transcript or event.is_nested or event.client not in READABLE:
        return None
    arguments: dict[str, str | int] = {**_named(event), "transcript": event.transcript}
    if detail:
        arguments["until"] = int(detail)
    about = f"{event.session or event.transcript}\0{detail}"
    return PutOff(kind=kind, about=about, arguments=arguments)


def _summary(event: AgentEvent) -> PutOff | None:
    """Puts a host's summary off without the lines that must not be kept: it is an agent's text."""
    if not event.summary or event.is_nested:
        return None
    from memfs.services.work_words import kept_words

    words = kept_words(event.summary[: 4 * MOST_SUMMARY], is_person=False).text
    words = words[:MOST_SUMMARY].strip()
    if not words or not _is_clean(words, is_person=False):
        return None
    return PutOff(
        kind=JobKind.PROPOSE_SUMMARY,
        about=f"{event.session}\0{_digest(words)}",
        arguments={**_named(event), "words": words},
    )


def _end(event: AgentEvent) -> PutOff | None:
    job = _transcript(event, JobKind.END_SESSION, "")
    if job is None:
        return None
    return replace(job, arguments={**job.arguments, "reason": event.source})


def _tool(workspace: Workspace, event: AgentEvent) -> PutOff | None:
    """Puts off how a command ended, where the host says it; never what the command printed."""
    used = event.tool
    if used is None or not used.command or (used.exit_code is None and not used.is_failed):
        return None
    command = " ".join(used.command.split())
    if len(command) > _MOST_COMMAND or not _is_clean(command, is_person=False):
        return None
    outcome = _outcome(used)
    now = workspace.clock.now()
    arguments: dict[str, str | int] = {**_named(event), "turn": event.turn, "command": command}
    arguments["outcome"] = str(outcome)
    if used.exit_code is not None:
        arguments["exit_code"] = used.exit_code
    about = f"{event.session}\0{event.turn}\0{_digest(command)}\0{outcome}\0{now.isoformat()}"
    return PutOff(kind=JobKind.OBSERVE_TOOL, about=about, arguments=arguments)


def _outcome(used: ToolUse) -> Outcome:
    return Outcome.FAILED if used.is_failed or used.exit_code else Outcome.PASSED


def _named(event: AgentEvent) -> dict[str, str | int]:
    return {"client": event.client, "session": event.session}


def _digest(words: str) -> str:
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size if path else 0
    except OSError:
        return 0
