"""What somebody says that happened, made into the draft of an event.

An event has a time of its own and says where it is known from: the project, the session and its
turns, the commit, the run (O3). What is not said is taken from where the process works. A time
that has not come is refused: what is planned did not happen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memfs.errors import MemfsError, UsageError
from memfs.model.authority import Sensitivity
from memfs.model.event import EVENT_KIND, EventSort
from memfs.model.limits import TEXT_CHARS
from memfs.model.record import DEFAULT_IMPORTANCE, Record
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.project_log import project_commit
from memfs.services.proposals import title_from

SKEW: Final = timedelta(minutes=5)
"""How far a clock elsewhere may be ahead."""
_HEX_CHARS: Final = frozenset("0123456789abcdef")
_COMMIT_CHARS: Final = range(7, 65)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """What is said of an event; empty strings stand for nothing said.

    Attributes:
        text: What happened, in words.
        sort: What sort of event it is.
        at: When it happened; ``None`` for the time of the commit, or for now.
        entities: What it is about: ids where they are known, else names.
        project: Where it happened; by default the project of the store.
        session: In which session; by default that of the process.
        turns: Which turns of it tell of it, by number or node.
        commit: The commit that it is known from, in any form that Git takes.
        run: In which run; by default that of the process.
        subject: Key of the fact: what the same source tells under the same key later takes its
            place (O7).
        replaces: Ids of events that it takes the place of.
    """

    text: str
    sort: EventSort = EventSort.EVENT
    at: datetime | None = None
    entities: Sequence[str] = ()
    project: str = ""
    session: str = ""
    turns: Sequence[str] = ()
    commit: str = ""
    run: str = ""
    subject: str = ""
    replaces: Sequence[str] = ()
    tags: Sequence[str] = ()
    importance: int = DEFAULT_IMPORTANCE
    confidence: float | None = None
    sensitivity: Sensitivity = Sensitivity.NORMAL
    evidence: Sequence[str] = ()


def draft_of(workspace: Workspace, told: Happening) -> Record:
    """Makes the draft of an event.

    Raises:
        UsageError: Nothing is said, it is too long, it has not happened yet, or there is no such
            commit.
    """
    now = workspace.clock.now()
    text = told.text.strip()
    if not text:
        raise UsageError("expected what happened in words, got nothing")
    if len(text) > TEXT_CHARS:
        raise UsageError(
            f"expected at most {TEXT_CHARS} characters, got {len(text)}",
            hint="say it shorter; keep the long text with memfs capture and name it with --cites",
        )
    commit, committed = _commit_of(workspace, told.commit.strip())
    moment = told.at or committed or now
    if moment > now + SKEW:
        raise UsageError(
            "expected a time that has come, got one later than now",
            hint="an event has happened; keep a plan as a decision: memfs remember --kind decision",
        )
    title = title_from(text)
    said: dict[str, JsonValue] = {
        "event_kind": str(told.sort),
        "project": told.project or workspace.settings.project,
        "session": told.session or workspace.lineage.session,
        "turns": list(dict.fromkeys(told.turns)),
        "commit": commit,
        "run": told.run or workspace.lineage.run,
    }
    return Record(
        kind=EVENT_KIND,
        title=title,
        summary="" if text == title else text,
        subject=told.subject.strip(),
        event_time=moment,
        entities=tuple(dict.fromkeys(name for name in told.entities if name.strip())),
        importance=told.importance,
        confidence=told.confidence,
        sensitivity=told.sensitivity,
        tags=tuple(dict.fromkeys(told.tags)),
        evidence=tuple(dict.fromkeys(told.evidence)),
        supersedes=tuple(dict.fromkeys(told.replaces)),
        fields={name: value for name, value in said.items() if value not in ("", [])},
    )


def sort_from(text: str) -> EventSort:
    """Reads what sort of event it is (O2).

    Raises:
        UsageError: There is no such sort.
    """
    try:
        return EventSort(text)
    except ValueError:
        raise UsageError(f"expected one of {', '.join(EventSort)}, got {text!r}") from None


def _commit_of(workspace: Workspace, name: str) -> tuple[str, datetime | None]:
    """Returns a commit by its whole id, and when it was made.

    Where the project has no repository here, what looks like an id is kept as it was said.
    """
    if not name:
        return "", None
    try:
        found = project_commit(workspace, name)
    except MemfsError as error:
        is_id = len(name) in _COMMIT_CHARS and _HEX_CHARS.issuperset(name.lower())
        if error.code == "project.no-history" and is_id:
            return name.lower(), None
        raise UsageError(
            f"expected a commit of the project, got {name!r}", hint="see: memfs git-log"
        ) from error
    return found
