"""What happened when: the timeline of a project.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.model.record import DEFAULT_IMPORTANCE
from memfs.model.result import Result
from memfs.services.modes import require_serving, require_taking

if TYPE_CHECKING:
    from memfs.domains.timeline.events import EventView
    from memfs.domains.timeline.happening import Happening
    from memfs.domains.timeline.reading import Wanted


class EventOptions(TypedDict, total=False):
    """What may be said of an event besides its words; empty strings stand for nothing said.

    ``at`` is typed as ``memfs.formats.when`` reads it, by default the time of the commit or now;
    ``entities`` is what it is about, ``session``, ``turns``, ``commit``, ``run`` and ``project``
    where it is known from. ``subject`` is the key of the fact: what the same source tells under
    it later takes its place; ``replaces`` names events that it takes the place of. ``quote`` are
    words that stand in the evidence ``evidence``; ``cites`` names more evidence. ``key`` makes a
    repetition harmless.
    """

    kind: str
    at: str
    entities: Sequence[str]
    project: str
    session: str
    turns: Sequence[str]
    commit: str
    run: str
    subject: str
    replaces: Sequence[str]
    tags: Sequence[str]
    importance: int | None
    confidence: float | None
    sensitivity: str
    quote: str
    evidence: str
    cites: Sequence[str]
    key: str


class TimelineOptions(TypedDict, total=False):
    """What narrows a look at the timeline; instants are typed as ``memfs.formats.when`` reads them.

    ``since`` is inside and ``until`` is not, of when it happened; ``learned_since`` and
    ``learned_until`` of when memory learned it. ``entity`` is a name or an id, ``kinds`` are
    sorts of events. ``as_of`` asks what memory knew then, ``valid_at`` what had happened by then.
    ``is_all`` lets a person see what was told of a fact before it was told anew. ``limit`` keeps
    the newest; 0 for all.
    """

    since: str
    until: str
    learned_since: str
    learned_until: str
    entity: str
    kinds: Sequence[str]
    session: str
    commit: str
    as_of: str
    valid_at: str
    is_all: bool
    limit: int


class Recounting(Opened):
    """What happened when: the timeline of a project."""

    def record_event(self, text: str, **options: Unpack[EventOptions]) -> Result:
        """Records that something happened, once; what an agent tells waits like any proposal.

        Raises:
            UsageError: Nothing is said, a sort or time does not exist or has not come, or there
                is no such commit.
            UnknownRecordError: What it is to take the place of is not there, or not seen.
        """
        from memfs.domains.timeline.happening import draft_of
        from memfs.domains.timeline.telling import answered, linked, submission_of
        from memfs.services.owners import submit

        require_taking(self.workspace)
        self._take_in()
        draft = draft_of(self.workspace, self._told(text, options))
        draft = linked(self.workspace, draft, self.actor)
        submission = submission_of(
            draft,
            self.actor,
            quote=options.get("quote", ""),
            evidence=options.get("evidence", ""),
            key=options.get("key", ""),
        )
        result = submit(self.workspace, self.beside, submission, self.actor, action="record event")
        return answered(result, draft)

    def timeline(self, **options: Unpack[TimelineOptions]) -> tuple[EventView, ...]:
        """Returns exactly the events that are asked for, newest first, ties by id.

        Raises:
            UsageError: A sort or an instant does not exist.
        """
        from memfs.domains.timeline.reading import timeline

        require_serving(self.workspace, self.actor)
        self._take_in_before_reading()
        return timeline(self.workspace, self.actor, self._wanted(options))

    def _refresh_timeline_views(self, *, is_anew: bool = False) -> None:
        """Brings the months beside the ledger up to it, where they are not."""
        from memfs.domains.timeline.view_stamp import is_current

        if not is_anew and is_current(self.workspace, self.workspace.store.snapshot()):
            return
        from memfs.domains.timeline.month_views import refresh_timeline_views

        refresh_timeline_views(self.workspace, is_anew=is_anew)

    def _told(self, text: str, options: EventOptions) -> Happening:
        from memfs.app.drafts import sensitivity_from, when_from
        from memfs.domains.timeline.happening import Happening, sort_from
        from memfs.services.correct import target_of

        importance = options.get("importance")
        replaced = (
            target_of(self.workspace, name, self.actor).record.id
            for name in options.get("replaces", ())
        )
        return Happening(
            text=text,
            sort=sort_from(options.get("kind") or "event"),
            at=when_from(options.get("at", ""), self.workspace.clock.now()),
            entities=options.get("entities", ()),
            project=options.get("project", ""),
            session=options.get("session", ""),
            turns=options.get("turns", ()),
            commit=options.get("commit", ""),
            run=options.get("run", ""),
            subject=options.get("subject", ""),
            replaces=tuple(replaced),
            tags=options.get("tags", ()),
            importance=DEFAULT_IMPORTANCE if importance is None else importance,
            confidence=options.get("confidence"),
            sensitivity=sensitivity_from(options.get("sensitivity", "")),
            evidence=options.get("cites", ()),
        )

    def _wanted(self, options: TimelineOptions) -> Wanted:
        from memfs.app.drafts import when_from
        from memfs.domains.timeline.happening import sort_from
        from memfs.domains.timeline.reading import Wanted
        from memfs.model.moment import Moment

        now = self.workspace.clock.now()
        return Wanted(
            since=when_from(options.get("since", ""), now),
            until=when_from(options.get("until", ""), now),
            learned_since=when_from(options.get("learned_since", ""), now),
            learned_until=when_from(options.get("learned_until", ""), now),
            entity=options.get("entity", ""),
            sorts=frozenset(map(sort_from, options.get("kinds", ()))),
            session=options.get("session", ""),
            commit=options.get("commit", ""),
            moment=Moment(
                valid_at=when_from(options.get("valid_at", ""), now),
                as_of=when_from(options.get("as_of", ""), now),
            ),
            sees_replaced=options.get("is_all", False),
            limit=options.get("limit", 0),
        )
