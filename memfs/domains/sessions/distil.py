"""Key facts on their way into the inbox: evidence first, then a candidate that quotes it.

A transcript is a file that any program could have written. What it says somebody said is
therefore evidence of what stands there, with the speaker that the host names, and never a
person's own statement; every claim made of it is decided by policy like any other proposal.
A fact is proposed once a session, however often its turns are looked at (O22, O24, O25).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from memfs.domains.sessions.commit_text import TurnFacts
from memfs.domains.sessions.kept_log import KeptLog
from memfs.domains.sessions.key_facts import KeyFact, key_facts
from memfs.domains.sessions.library import all_sessions, folders_of, read_session
from memfs.domains.sessions.metadata import Metadata, encode_metadata
from memfs.domains.sessions.raw_words import raw_words
from memfs.domains.sessions.reading import read_session_log, turn_nodes
from memfs.domains.sessions.turns import Role
from memfs.model.candidate import Submission
from memfs.model.evidence import Quote
from memfs.model.ids import SESSION_PREFIX, is_id
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.capture import capture
from memfs.services.modes import require_taking
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.store.session_repository import SessionRepository

_MOST_FACTS: Final = 50
"""Facts that one look proposes; what is more waits for the next."""
_WAITING: Final = (ResultStatus.WAITING, ResultStatus.NEEDS_ANSWER, ResultStatus.DONE)


@dataclass(frozen=True, slots=True)
class Said:
    """A fact, who said it, and in which turn."""

    fact: KeyFact
    role: Role
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Distilled:
    """What a look for key facts did.

    Attributes:
        session: The session.
        looked_at: Turns that were new.
        results: What became of each fact that was proposed.
        is_cut: There are more facts; look again.
    """

    session: str
    looked_at: int = 0
    results: tuple[Result, ...] = ()
    is_cut: bool = False

    @property
    def waiting(self) -> tuple[str, ...]:
        """Ids of the candidates that wait, or of the records that were admitted."""
        return tuple(item.target for item in self.results if item.status in _WAITING)


def idle_sessions(workspace: Workspace, now: datetime) -> tuple[Metadata, ...]:
    """Returns the sessions in which nobody said anything for the time in the settings.

    One whose turns were all looked at is not among them, however long it is idle.
    """
    latest = now - timedelta(minutes=workspace.settings.runs.idle_minutes)
    return tuple(
        item
        for item in all_sessions(workspace)
        if item.updated is not None and item.updated <= latest and _new_turns(workspace, item)[1]
    )


def distil_session(workspace: Workspace, session: str) -> Distilled:
    """Proposes the key facts of the turns that were not looked at before.

    Args:
        workspace: The store.
        session: Id of the session.

    Raises:
        MemoryModeError: The store takes nothing in.
        LockTimeoutError: Somebody else kept the session's lock.
    """
    require_taking(workspace)
    if not is_id(session, SESSION_PREFIX):
        return Distilled(session="")
    folders = folders_of(workspace)
    with folders.locked(session):
        metadata = read_session(workspace, session)
        if metadata is None:
            return Distilled(session=session)
        log, new = _new_turns(workspace, metadata)
        known = set(metadata.proposed)
        said = list(_said_in(workspace, metadata, log, new))
        fresh = list({item.fact.digest: item for item in said}.values())
        fresh = [item for item in fresh if item.fact.digest not in known]
        chosen = fresh[:_MOST_FACTS]
        results = tuple(_proposed(workspace, metadata, item) for item in chosen)
        is_cut = len(chosen) < len(fresh)
        heads = tuple(log.turns[index].commit.id for index in log.heads.values()) if log else ()
        changed = replace(
            metadata,
            proposed=(*metadata.proposed, *(item.fact.digest for item in chosen)),
            distilled=metadata.distilled if is_cut else heads,
        )
        if changed != metadata:
            with SessionRepository(folders.path(session)) as repository:
                repository.writer().write_metadata(encode_metadata(changed))
    return Distilled(session=session, looked_at=len(new), results=results, is_cut=is_cut)


def propose_summary(
    workspace: Workspace, client: str, host_id: str, summary: str
) -> tuple[Result, ...]:
    """Proposes the key facts of a host's own summary of a conversation: an agent's words."""
    require_taking(workspace)
    words = raw_words(summary).text
    facts = list(key_facts(words, Role.ASSISTANT))[:_MOST_FACTS]
    return tuple(
        _proposal(workspace, client, f"session:{host_id}", fact, Role.ASSISTANT) for fact in facts
    )


def distilled_result(workspace: Workspace, found: Distilled, *, action: str) -> Result:
    """Words what a look for key facts did."""
    waiting = list(found.waiting)
    count = len(waiting)
    message = f"{count} key {'fact waits' if count == 1 else 'facts wait'} for review"
    return Result(
        action=action,
        target=found.session,
        status=ResultStatus.DONE if count else ResultStatus.NOTHING,
        message=message if count else "no new key facts",
        store=str(workspace.store.root),
        data={
            "session": found.session,
            "looked_at": found.looked_at,
            "proposed": len(found.results),
            "candidates": list(waiting),
            "more": found.is_cut,
        },
    )


def _has_new_turns(workspace: Workspace, metadata: Metadata) -> bool:
    """Whether a branch has grown since the last look; reads no commit."""
    with SessionRepository(folders_of(workspace).path(metadata.id)) as repository:
        return not set(repository.heads().values()) <= set(metadata.distilled)


def _new_turns(workspace: Workspace, metadata: Metadata) -> tuple[KeptLog | None, list[int]]:
    log = read_session_log(workspace, metadata)
    if log is None:
        return None, []
    seen: set[int] = set()
    for commit in metadata.distilled:
        index = log.index_of(commit)
        if index >= 0:
            seen.update(log.line(index))
    return log, [index for index in range(len(log.turns)) if index not in seen]


def _said_in(
    workspace: Workspace, metadata: Metadata, log: KeptLog | None, indexes: Iterable[int]
) -> Iterator[Said]:
    for index in indexes if log is not None else ():
        assert log is not None
        facts: TurnFacts = log.turns[index].facts
        for node in turn_nodes(workspace, metadata, log, index):
            if node.file_name in facts.nodes:
                for fact in key_facts(node.words, node.role):
                    yield Said(fact, node.role, node.turn)


def _proposed(workspace: Workspace, metadata: Metadata, said: Said) -> Result:
    source = f"session:{metadata.host_id}#{said.turn}"
    return _proposal(workspace, metadata.client, source, said.fact, said.role)


def _proposal(workspace: Workspace, client: str, source: str, fact: KeyFact, role: Role) -> Result:
    """Keeps a sentence as evidence and proposes it; a secret in it is refused by both."""
    principal = Principal(PrincipalKind.AGENT, client)
    # A file says that a person said so; of an agent's own words it is the agent that says it.
    channel = Channel.TOOL if role is Role.USER else Channel.AGENT
    evidence = capture(
        workspace, fact.text, Actor(principal, channel), source=source, speaker=str(role)
    )
    if not evidence.target or evidence.status is ResultStatus.REFUSED:
        return evidence
    agent = Actor(principal, Channel.AGENT)
    submission = Submission(
        draft=Record(kind=fact.kind, body=f"{fact.text}\n", evidence=(evidence.target,)),
        origin=capture_origin(agent, fact.text, source=source, speaker=str(role)),
        quotes=(Quote(evidence_id=evidence.target, text=fact.text),),
    )
    return submit(workspace, submission, agent, action="propose")
