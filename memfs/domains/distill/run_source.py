"""Ended runs as material, as the ledger has them and a person is served them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from memfs.domains.distill.material import Material, RunSeen
from memfs.domains.distill.products import Product
from memfs.domains.distill.state import Part
from memfs.index.catalogue_rows import CatalogueEntry, CatalogueFilter
from memfs.model.ids import ISSUE_PREFIX, is_id
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.run import RUN_KIND
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import served_from

_FAILED: Final = "error"
_STILL: Final = 200
"""Runs of one instant that a mark remembers by name."""


@dataclass(slots=True)
class RunSource:
    """The runs of one store.

    Attributes:
        workspace: The store.
        summary_of: Finds what a run says came of it.
        is_backfill: Take every run, whatever was looked at.
    """

    workspace: Workspace
    summary_of: Callable[[Record], str]
    is_backfill: bool = False

    @property
    def is_seen(self) -> bool:
        """Memfs looks itself."""
        return True

    def collect(self, mark: JsonValue, limit: int) -> Part:
        """Returns the runs that were recorded since the mark, oldest first."""
        value = mark if isinstance(mark, dict) else {}
        name = "filled" if self.is_backfill and not value.get("whole") else "newest"
        since, known = _since(value.get(name))
        with closing(open_catalogue(self.workspace, self.workspace.store.snapshot())) as opened:
            rows = opened.listing(CatalogueFilter(kinds=(RUN_KIND,)))
            new = [
                row
                for row in takewhile(lambda row: row.observed >= since, rows)
                if (row.observed, row.id) not in known
            ]
        new.reverse()
        taken = new[:limit]
        reached: dict[str, JsonValue] = {**value, name: _mark(since, known, taken)}
        if name == "filled" and len(taken) == len(new):
            reached = {"newest": reached["filled"], "whole": True}
        return Part(tuple(row.id for row in taken), reached)

    def read(self, items: Sequence[str]) -> Iterator[Material]:
        """Yields the runs that a person is served whole, in the order given."""
        snapshot = self.workspace.store.snapshot()
        request = access_request(self.workspace, SYSTEM_ACTOR)
        with closing(open_catalogue(self.workspace, snapshot)) as opened:
            for name in items:
                rows = opened.by_id(name)
                for stored in served_from(self.workspace, snapshot, rows, request):
                    if not stored.record.sensitivity.is_opaque:
                        before = self._before(opened.by_id(text_field(stored.record, "previous")))
                        yield _seen(stored.record, before, self.summary_of(stored.record))
                    break

    def gone(self, part: Part) -> frozenset[str]:
        """Returns nothing: it has no sessions."""
        return frozenset()

    def settle(self, part: Part, products: Sequence[Product], full: AbstractSet[str]) -> None:
        """Has nothing to note but the mark."""

    def _before(self, rows: Sequence[CatalogueEntry]) -> Record | None:
        snapshot = self.workspace.store.snapshot()
        request = access_request(self.workspace, SYSTEM_ACTOR)
        found = served_from(self.workspace, snapshot, rows, request)
        return next((stored.record for stored in found), None)


def _seen(record: Record, before: Record | None, summary: str) -> RunSeen:
    moment = record.event_time or record.observed
    assert moment is not None
    named = record.fields.get("issues", ())
    issues = [str(item) for item in named] if isinstance(named, list | tuple) else []
    return RunSeen(
        reference=record.reference,
        state=text_field(record, "state"),
        task=text_field(record, "task") or record.title,
        summary=summary,
        at=moment,
        session=text_field(record, "session"),
        commit=text_field(record, "commit"),
        issues=tuple(name for name in issues if is_id(name, ISSUE_PREFIX)),
        replaces=record.supersedes,
        remedies=before.id if before is not None and _is_remedy(record, before) else "",
    )


def _is_remedy(record: Record, before: Record) -> bool:
    """Whether a run did what the one before it had failed to do."""
    task, earlier = text_field(record, "task"), text_field(before, "task")
    is_same = normalise_text(earlier) == normalise_text(task)
    return is_same and text_field(before, "state") == _FAILED


def _since(value: JsonValue) -> tuple[str, frozenset[tuple[str, str]]]:
    if not isinstance(value, dict):
        return "", frozenset()
    at, names = value.get("at"), value.get("ids")
    since = at if isinstance(at, str) else ""
    known = names if isinstance(names, list) else []
    return since, frozenset((since, str(name)) for name in known)


def _mark(
    since: str, known: frozenset[tuple[str, str]], taken: Sequence[CatalogueEntry]
) -> dict[str, JsonValue]:
    at = taken[-1].observed if taken else since
    names = [name for moment, name in sorted(known) if moment == at]
    names += [row.id for row in taken if row.observed == at]
    return {"at": at, "ids": list(names[-_STILL:])}
