"""What does which kind of put-off work: one function a kind, each through the usual services.

Every handler commits under the key of its job, so that a job that is done again changes
nothing, and works as whom the words are from: a prompt is the host's record of what a person
typed, a summary is an agent's text, the end of a command is what the host saw.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from memfs.app.actors import login_name
from memfs.app.background import Handler
from memfs.app.hook_jobs import JobKind
from memfs.app.nightly_look import is_large
from memfs.app.prompt_words import PromptNotFoundError, find_prompt
from memfs.app.session_jobs import distil, end_session, flush, import_transcript
from memfs.errors import IndexUnavailableError
from memfs.model.evidence import Observation, Outcome
from memfs.model.origin import SYSTEM_ACTOR, Actor, Channel, Principal, PrincipalKind
from memfs.model.result import Result, ResultStatus
from memfs.services.leases import MOST_ATTEMPTS, Lease
from memfs.services.queue import REFRESH_VECTORS, Job, enqueue

if TYPE_CHECKING:
    from memfs.app.memory import Memory

_HOST: Final = "host"
_LONG_S: Final = 20.0
"""So long one job embeds records, well within its lease."""
_SHORT_S: Final = 0.25
"""So long where somebody waits."""


def _capture_prompt(memory: Memory, lease: Lease) -> Result:
    """Keeps what a person typed as evidence; a secret in it is refused with the whole text."""
    from memfs.services.capture import capture

    job = lease.job
    try:
        words = _text(job, "words") or _found(job)
    except PromptNotFoundError as error:
        if job.attempt < MOST_ATTEMPTS:
            raise
        # The host never wrote it, or wrote it otherwise: there is nothing that a retry would mend.
        return _nothing(memory, job, error.message)
    lease.keep()
    person = Principal(PrincipalKind.USER, login_name(os.environ))
    return capture(
        memory.workspace,
        words,
        Actor(person, Channel.PROMPT_HOOK),
        source=_source(job),
        key=job.id,
    )


def _found(job: Job) -> str:
    return find_prompt(
        _text(job, "transcript"),
        begin=_number(job, "from"),
        salt=_text(job, "salt"),
        digest=_text(job, "digest"),
    )


def _propose_summary(memory: Memory, lease: Lease) -> Result:
    """Proposes the key facts of a host's summary of a conversation: an agent's text."""
    job = lease.job
    results = _as_agent(memory, job).keep_summary(
        _text(job, "words"), client=_text(job, "client"), session=_text(job, "session")
    )
    if not results:
        return _nothing(memory, job, "no key facts in the summary")
    waiting = [item.target for item in results if item.status is ResultStatus.WAITING]
    return Result(
        action=job.kind,
        target=job.id,
        status=ResultStatus.DONE,
        message=f"{len(results)} key facts, {len(waiting)} wait for review",
        store=str(memory.workspace.store.root),
        data={"candidates": [*waiting]},
    )


def _observe_tool(memory: Memory, lease: Lease) -> Result:
    """Keeps how a command ended, as the host saw it."""
    from memfs.services.capture import observe

    job = lease.job
    code = job.arguments.get("exit_code")
    observation = Observation(
        command=_text(job, "command"),
        exit_code=code if isinstance(code, int) else None,
        outcome=Outcome(_text(job, "outcome")),
    )
    host = Actor(Principal(PrincipalKind.TOOL, _text(job, "client") or _HOST), Channel.HOST)
    return observe(memory.workspace, observation, host, source=_source(job), key=job.id)


def _as_agent(memory: Memory, job: Job) -> Memory:
    """Returns the memory of an agent of that client, on the same store."""
    from memfs.app.memory import Memory

    return Memory(memory.workspace, _agent(job), memory.beside, memory.open_other)


def _nothing(memory: Memory, job: Job, message: str) -> Result:
    return Result(
        action=job.kind,
        target=job.id,
        status=ResultStatus.NOTHING,
        message=message,
        store=str(memory.workspace.store.root),
    )


def _build_index(memory: Memory, lease: Lease) -> Result:
    """Brings the index up to the ledger's head."""
    from memfs.services.reindex import ensure_fresh

    ensure_fresh(memory.workspace)
    return Result(
        action=lease.job.kind,
        target=lease.job.id,
        status=ResultStatus.DONE,
        message="the index is up to the ledger",
        store=str(memory.workspace.store.root),
    )


def _refresh_vectors(memory: Memory, lease: Lease) -> Result:
    """Embeds what is new and takes away what stands for nothing; a large store in parts."""
    from memfs.services.vectors import refresh_vectors

    workspace, job = memory.workspace, lease.job
    if workspace.embedder is None:
        return _nothing(memory, job, "no embedder is configured here")
    done = refresh_vectors(workspace, within_s=_SHORT_S if lease.is_brief else _LONG_S)
    if done.trouble:
        raise IndexUnavailableError("the vectors are not up to the ledger", code=done.trouble)
    if done.left:
        enqueue(workspace, job.kind, f"{workspace.embedder.name}\0{done.left}", {})
    return Result(
        action=job.kind,
        target=job.id,
        status=ResultStatus.DONE,
        message=f"{done.embedded} embedded, {done.dropped} dropped, {done.left} left",
        store=str(workspace.store.root),
    )


def _sleep(memory: Memory, lease: Lease) -> Result:
    """Does the nightly pass where it is still due; while somebody waits, only what is short."""
    if lease.is_brief:
        if is_large(memory.workspace):
            return _nothing(memory, lease.job, "left to the watcher, or to: memfs jobs run")
        found = memory.distil_before_sleep(most_rounds=1)
        if found is not None and found.data.get("more"):
            return _nothing(memory, lease.job, "there is more to distil first")
    lease.keep()
    slept = memory.sleep(is_due=True)
    if not lease.is_brief:
        from memfs.app.due_rests import rest_roles_now_and_then

        rest_roles_now_and_then(memory.workspace, SYSTEM_ACTOR)
    return slept


def _agent(job: Job) -> Actor:
    name = _text(job, "client") or "unnamed"
    return Actor(Principal(PrincipalKind.AGENT, name), Channel.AGENT)


def _source(job: Job) -> str:
    """Returns the pointer to where the words stand: the conversation and the turn."""
    session, turn = _text(job, "session"), _text(job, "turn")
    if not session:
        return ""
    return f"session:{session}#{turn}" if turn else f"session:{session}"


def _text(job: Job, name: str) -> str:
    value = job.arguments.get(name, "")
    return value if isinstance(value, str) else ""


def _number(job: Job, name: str) -> int:
    value = job.arguments.get(name, 0)
    return value if isinstance(value, int) else 0


HANDLERS: Final[Mapping[str, Handler]] = MappingProxyType(
    {
        JobKind.CAPTURE_PROMPT: _capture_prompt,
        JobKind.PROPOSE_SUMMARY: _propose_summary,
        JobKind.OBSERVE_TOOL: _observe_tool,
        JobKind.BUILD_INDEX: _build_index,
        JobKind.SLEEP: _sleep,
        JobKind.IMPORT_TRANSCRIPT: import_transcript,
        JobKind.FLUSH: flush,
        JobKind.END_SESSION: end_session,
        JobKind.DISTIL: distil,
        REFRESH_VECTORS: _refresh_vectors,
    }
)
"""Kind to what does it; a kind that is not here waits for a build that has it."""
