"""Key facts on their way into the inbox: evidence first, then a candidate that quotes it.

A transcript is a file that any program could have written. What it says somebody said is
therefore evidence of what stands there, with the speaker that the host names, and never a
person's own statement; every claim made of it is decided by policy like any other proposal.
A fact is proposed once a session, however often its turns are looked at (O22, O24, O25).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from memfs.domains.sessions.commit_text import TurnFacts
from memfs.domains.sessions.kept_log import KeptLog
from memfs.domains.sessions.key_facts import KeyFact, key_facts
from memfs.domains.sessions.library import all_sessions, folders_of, read_session
from memfs.domains.sessions.metadata import Metadata, encode_metadata
from memfs.domains.sessions.nodes import Node
from memfs.domains.sessions.raw_words import raw_words
from memfs.domains.sessions.reading import read_session_log, turn_nodes
from memfs.domains.sessions.turns import Role
from memfs.model.candidate import Submission
from memfs.model.evidence import Quote
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
"""Facts that one summary gives at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenTurns:
    """What of a session was not looked at.

    Attributes:
        metadata: Of the session.
        commits: Commits of the turns, each behind what it follows.
    """

    metadata: Metadata
    commits: tuple[str, ...]


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


def unseen_turns(
    workspace: Workspace, session: str, *, is_anew: bool = False
) -> UnseenTurns | None:
    """Returns the turns of a session that were not looked at; ``None`` where there is none.

    Args:
        workspace: The store.
        session: Id of the session.
        is_anew: Look at every turn, whatever was looked at.
    """
    metadata = read_session(workspace, session)
    if metadata is None:
        return None
    seen = replace(metadata, distilled=()) if is_anew else metadata
    log, new = _new_turns(workspace, seen)
    commits = tuple(log.turns[index].commit.id for index in new) if log is not None else ()
    return UnseenTurns(metadata=metadata, commits=commits)


def read_turns(
    workspace: Workspace, session: str, commits: Sequence[str]
) -> Iterator[tuple[Metadata, TurnFacts, list[Node]]]:
    """Yields turns with the messages that they brought; what is gone meanwhile is left out."""
    metadata = read_session(workspace, session)
    log = read_session_log(workspace, metadata) if metadata is not None else None
    if metadata is None or log is None:
        return
    for commit in commits:
        index = log.index_of(commit)
        if index >= 0:
            facts = log.turns[index].facts
            nodes = turn_nodes(workspace, metadata, log, index)
            yield metadata, facts, [node for node in nodes if node.file_name in facts.nodes]


def note_distilled(
    workspace: Workspace, session: str, commits: Sequence[str], proposed: Sequence[str]
) -> None:
    """Notes which turns were looked at, and what of them was proposed.

    Raises:
        LockTimeoutError: Somebody else kept the session's lock.
    """
    folders = folders_of(workspace)
    with folders.locked(session):
        metadata = read_session(workspace, session)
        log = read_session_log(workspace, metadata) if metadata is not None else None
        if metadata is None or log is None:
            return
        looked_at = {*metadata.distilled, *commits}
        changed = replace(
            metadata,
            proposed=tuple(dict.fromkeys((*metadata.proposed, *proposed))),
            distilled=_foremost(log, looked_at),
        )
        if changed != metadata:
            with SessionRepository(folders.path(session)) as repository:
                repository.writer().write_metadata(encode_metadata(changed))


def _foremost(log: KeptLog, commits: set[str]) -> tuple[str, ...]:
    """Returns the commits among ``commits`` that no other of them follows."""
    here = [turn.commit for turn in log.turns if turn.commit.id in commits]
    before = {parent for commit in here for parent in commit.parents[:1]}
    return tuple(commit.id for commit in here if commit.id not in before)


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


def propose_fact(
    workspace: Workspace, client: str, source: str, fact: KeyFact, speaker: str
) -> Result:
    """Keeps a sentence as evidence and proposes it; a secret in it is refused by both.

    Args:
        workspace: The store.
        client: The coding agent whose host kept the conversation.
        source: Pointer to the turn.
        fact: The sentence.
        speaker: Who said it, as the host tells.
    """
    return _proposal(workspace, client, source, fact, Role(speaker))


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
