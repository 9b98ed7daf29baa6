"""Commits of the project as material: what is new since the marks, screened and without names.

The mark holds the commits that were looked at with all that comes before them. A history that
was rewritten is gone through again where it differs; what is told is recognised by when it was
written and by its words, so that a commit that only moved tells nothing new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from memfs.domains.distill.material import CommitSeen, FileTouched, Material
from memfs.domains.distill.products import Product
from memfs.domains.distill.state import Part
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.work_words import kept_line, kept_words
from memfs.store.project_history import NoProjectHistoryError
from memfs.store.project_walk import ProjectWalk, ToldCommit, WalkedCommit

FIRST_COMMITS: Final = 1_000
"""The first look takes so many of the newest; older ones are for a backfill."""
_BUSY: Final = 3
"""A file is a thing of its own once so many commits touch it."""
_MOST_MARKS: Final = 64
_SKEW: Final = timedelta(days=1)
_TRAILER: Final = re.compile(
    r"^(?:[A-Z][A-Za-z]+(?:-[A-Za-z]+)*-(?:by|to|id|on|of|from)|Cc|Change-Id|Fixes-commit|"
    r"Memfs-[A-Za-z]+|git-svn-id): .*$|^\(cherry picked from commit [0-9a-f]+\)$|^-{3,}$|"
    r"^Committed via https?://\S+$",
    re.MULTILINE | re.IGNORECASE,
)
_REVERTED: Final = re.compile(r"\bThis reverts (?:commit|changes from) (?P<id>[0-9a-f]{7,40})\b")


@dataclass(slots=True)
class CommitSource:
    """The commits of one project.

    Attributes:
        workspace: The store of the project.
        since_s: Only commits made then or later, in seconds since the epoch; 0 for no bound.
        is_backfill: Take the oldest ones too, whatever was looked at.
    """

    workspace: Workspace
    since_s: int = 0
    is_backfill: bool = False
    _busy: frozenset[str] | None = field(default=None, init=False)
    _ahead: tuple[tuple[str, ...], tuple[WalkedCommit, ...]] | None = field(
        default=None, init=False
    )
    """The marks behind which a list of commits stands that is still to be taken."""

    @property
    def is_seen(self) -> bool:
        """Memfs looks itself."""
        return True

    def collect(self, mark: JsonValue, limit: int) -> Part:
        """Returns the commits that are new, oldest first."""
        value = mark if isinstance(mark, dict) else {}
        marks = _names(value.get("heads"))
        is_whole = bool(value.get("whole"))
        if self.is_backfill and not is_whole:
            marks = _names(value.get("filled"))
        walk = self._walk()
        try:
            found = self._new(walk, marks, is_first=not value) if walk is not None else ()
        except NoProjectHistoryError:
            # A repository that cannot be read now keeps nothing else from being distilled.
            return Part((), mark)
        taken = found[:limit]
        is_last = len(taken) == len(found)
        ahead = _frontier(marks, taken)
        self._ahead = (ahead, found[limit:])
        if not (self.is_backfill and not is_whole):
            return Part(tuple(item.id for item in taken), {**value, "heads": list(ahead)})
        filled: dict[str, JsonValue] = {**value, "filled": list(ahead)}
        if is_last:
            filled = {"heads": list(ahead), "whole": True}
        return Part(tuple(item.id for item in taken), filled)

    def read(self, items: Sequence[str]) -> Iterator[Material]:
        """Yields what the commits say and changed."""
        walk = self._walk()
        if walk is None:
            return
        if self._busy is None:
            self._busy = _busy_paths(walk)
        for told in _told(walk, items):
            yield self._seen(walk, told, self._busy)

    def gone(self, part: Part) -> frozenset[str]:
        """Returns nothing: it has no sessions."""
        return frozenset()

    def settle(self, part: Part, products: Sequence[Product], full: AbstractSet[str]) -> None:
        """Has nothing to note but the mark."""

    def _new(
        self, walk: ProjectWalk, marks: Sequence[str], *, is_first: bool
    ) -> tuple[WalkedCommit, ...]:
        if self._ahead is not None and self._ahead[0] == tuple(marks) and self._ahead[1]:
            # The same pass goes on: what is new in the meantime is for the next one.
            return self._ahead[1]
        newest = FIRST_COMMITS if is_first and not (self.since_s or self.is_backfill) else 0
        return walk.since(marks, least_s=self.since_s, newest=newest)

    def _walk(self) -> ProjectWalk | None:
        workspace = self.workspace
        try:
            found = ProjectWalk.of(workspace.project_dir, hidden=(workspace.store.root,))
        except NoProjectHistoryError:
            return None
        return found if isinstance(found, ProjectWalk) else None

    def _seen(self, walk: ProjectWalk, told: ToldCommit, busy: frozenset[str]) -> CommitSeen:
        reverted = _REVERTED.search(told.body)
        body = _TRAILER.sub("", told.body)
        files = tuple(FileTouched(*item) for item in told.files)
        return CommitSeen(
            id=told.id,
            written=told.written,
            at=_believed(told, self.workspace.clock.now()),
            is_merge=len(told.parents) > 1,
            subject=kept_line(told.subject, is_person=False).text,
            body=kept_words(body, is_person=False).text,
            files=files,
            busy=busy.intersection(item.path for item in files),
            reverted=walk.written_at(reverted["id"]) if reverted else None,
        )


def _told(walk: ProjectWalk, items: Sequence[str]) -> Sequence[ToldCommit]:
    """Returns what commits say, without one that is damaged.

    Raises:
        NoProjectHistoryError: None of them can be read.
    """
    try:
        return walk.told(items)
    except NoProjectHistoryError:
        found: list[ToldCommit] = []
        for name in items if len(items) > 1 else ():
            with suppress(NoProjectHistoryError):
                found.extend(walk.told([name]))
        if not found:
            raise
        return found


def _busy_paths(walk: ProjectWalk) -> frozenset[str]:
    """Returns the paths that many commits touch; none where that takes longer than it may."""
    try:
        return walk.busy_paths(_BUSY)
    except NoProjectHistoryError:
        return frozenset()


def _believed(told: ToldCommit, now: datetime) -> datetime:
    """Returns when a commit was written; where that cannot be, when it was made, or now."""
    for seconds in (told.written, told.committed):
        if 0 < seconds <= (now + _SKEW).timestamp():
            return min(datetime.fromtimestamp(seconds, UTC), now)
    return now


def _frontier(marks: Sequence[str], taken: Sequence[WalkedCommit]) -> tuple[str, ...]:
    """Returns the commits that nothing else that was looked at follows."""
    before = {parent for item in taken for parent in item.parents}
    ahead = [name for name in (*marks, *(item.id for item in taken)) if name not in before]
    return tuple(dict.fromkeys(ahead))[-_MOST_MARKS:]


def _names(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
