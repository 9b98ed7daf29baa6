"""What is asked of issues, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memfs.model.decision import Reason
from memfs.model.issue import EventKind, IssueEvent, IssueState
from memfs.model.result import ResultStatus
from memfs.services.judgement import Judgement
from memfs.services.proposals import Draft

SPOKEN_BY_ALL: Final = ("agent",)
"""The taint of every issue: runs write in it, so that it carries their mark from the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRequest:
    """What somebody says of an issue.

    Attributes:
        kind: What is to happen.
        title: What an issue that is opened is called.
        reference: For every other kind: an id, the end of one, a file, or the title.
        detail: Further words.
        run: The run that says so; by default the one that this process belongs to.
        is_suggested: A model says so: it opens what is new, and changes nothing that is there.
    """

    kind: EventKind
    title: str = ""
    reference: str = ""
    detail: str = ""
    run: str = ""
    is_suggested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueChange:
    """What became of one request.

    Attributes:
        id: ``iss_…``; empty where nothing came of it.
        title: What the issue is called.
        event: What was appended; ``None`` for nothing.
        state: How the issue stands afterwards.
        is_new: Whether the issue is new.
        status: Done, nothing to do, waiting for review, or refused.
        reasons: Why not.
        notes: What was left out of the words, as codes with numbers.
        path: Where its file stands.
        candidate: What waits in the inbox instead; empty for nothing.
    """

    id: str = ""
    title: str = ""
    event: IssueEvent | None = None
    state: IssueState = IssueState.UNKNOWN
    is_new: bool = False
    status: ResultStatus = ResultStatus.DONE
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    path: str = ""
    candidate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuePlan:
    """What requests come to: files for one commit, and an answer each in their order.

    Attributes:
        drafts: One file an issue.
        changes: One a request.
        waiting: Judgements of what waits for review instead, in the order of its changes.
    """

    drafts: tuple[Draft, ...] = ()
    changes: tuple[IssueChange, ...] = ()
    waiting: tuple[Judgement, ...] = ()
