"""Edits of wiki pages: each changed block becomes a candidate for the record behind it.

What a person changed in the heading, the prose and the facts of one record is one proposal. A
heading that was changed renames the record, and the old name stays one of an entity's names. New
words are a note about the thing that the page is of.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.domains.graph.page_edits import PageEdit, PageEditKind, page_edits
from memfs.domains.graph.page_source import PageSource
from memfs.domains.graph.page_views import edited_pages, refresh_pages
from memfs.domains.graph.pages import LINE_CHARS, Page, key_in
from memfs.formats.record_codec import read_record
from memfs.model.candidate import Candidate
from memfs.model.event import EVENT_KIND
from memfs.model.frozen import frozen
from memfs.model.graph import ENTITY_KIND
from memfs.model.naming import entity_key
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record, StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.graph_links import names_of_entity
from memfs.policy.reasons import reason
from memfs.reconcile.projections import EditKind, ProjectionEdit, revised_record
from memfs.services.catalogue import open_catalogue
from memfs.services.intake import ProposedText, file_texts
from memfs.services.pages_view import may_be_edited, note_looked, page_files
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection
from memfs.services.reading import versions
from memfs.services.served_records import read_path

NEW_LINE_KIND: Final = "note"
PAGE_GONE: Final = "page.gone"
_TELLING: Final = frozenset({PageEditKind.TITLE, PageEditKind.TEXT, PageEditKind.FIELD})


@frozen
class WikiEdits:
    """What a person changed on wiki pages.

    Attributes:
        proposals: What is to be filed, page by page.
        paths: Pages that were read, to be written anew.
        problems: Pages that were edited and are of nothing any longer.
    """

    proposals: tuple[ProposedText, ...] = ()
    paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def edits_of_pages(workspace: Workspace) -> WikiEdits:
    """Returns what a person changed on pages; costs one look at the folders when nothing was."""
    if not may_be_edited(workspace):
        return WikiEdits()
    changed = page_files(workspace)[1]
    paths = edited_pages(workspace)
    if not paths:
        note_looked(workspace, changed)
        return WikiEdits()
    snapshot = workspace.store.snapshot()
    proposals: list[ProposedText] = []
    problems: list[Problem] = []
    read: list[str] = []
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        source = PageSource(workspace, snapshot, catalogue)
        for path in paths:
            text = read_projection(workspace, path) or ""
            key = key_in(text)
            page = dict(source.pages((key,)))[key] if key is not None else None
            if page is None:
                problems.append(_gone(path))
                continue
            read.append(path)
            found = _Found(workspace, source, page)
            proposals += found.proposals(page_edits(text, page, found.record_at))
    return WikiEdits(proposals=tuple(proposals), paths=tuple(read), problems=tuple(problems))


def file_page_edits(workspace: Workspace, found: WikiEdits) -> tuple[Candidate, ...]:
    """Files changed blocks as candidates and writes the pages anew."""
    filed = file_texts(workspace, found.proposals) if found.proposals else ()
    refresh_pages(workspace, filed=found.paths)
    return filed


class _Found:
    """The records that one edited page names."""

    def __init__(self, workspace: Workspace, source: PageSource, page: Page) -> None:
        self._workspace = workspace
        self._source = source
        self._owner = page.stored
        self._why = reason("edit.page-block")

    def record_at(self, identifier: str, version: int) -> Record | None:
        """Returns a record as a version of it said; ``None`` where it may not be told of."""
        stored = self._source.record(identifier)
        if stored is None or not 0 < version <= stored.record.version:
            return None
        if version == stored.record.version:
            return stored.record
        for item in versions(self._workspace, stored):
            if item.version == version:
                registry = self._workspace.registry
                return read_record(item.content, path=stored.path, registry=registry)
        return None

    def proposals(self, edits: Iterable[PageEdit]) -> Iterator[ProposedText]:
        """Yields one proposal for each record, and one for each new line."""
        told: dict[str, list[PageEdit]] = {}
        for edit in edits:
            if edit.kind in _TELLING:
                told.setdefault(edit.record_id, []).append(edit)
            elif (proposal := self._of_line(edit)) is not None:
                yield proposal
        for identifier, some in told.items():
            stored = self._whole(identifier)
            if stored is None:
                continue
            record = stored.record
            # The heading last: a thing that is renamed keeps its old name beside those it has.
            for edit in sorted(some, key=lambda item: item.kind is PageEditKind.TITLE):
                record = _told(record, edit)
            if record != stored.record:
                yield self._revised(stored, record)

    def _of_line(self, edit: PageEdit) -> ProposedText | None:
        if edit.kind is PageEditKind.ADD:
            return self._new(edit.text)
        stored = self._whole(edit.record_id)
        if stored is None:
            return None
        if edit.kind is PageEditKind.UNRELATE:
            return ProposedText(stored=stored, reason=self._why)
        if edit.kind is PageEditKind.UNMENTION:
            record = self._without_mention(stored.record)
            return self._revised(stored, record) if record != stored.record else None
        if stored.record.kind == EVENT_KIND:
            # What happened is never rewritten.
            return self._new(edit.text)
        line = ProjectionEdit(
            kind=EditKind.REVISE,
            line=edit.line,
            record_id=edit.record_id,
            version=edit.version,
            text=edit.text,
        )
        return self._revised(stored, revised_record(stored.record, line, limit=LINE_CHARS))

    def _new(self, text: str) -> ProposedText | None:
        if not text.strip():
            return None
        owner = self._owner.record if self._owner is not None else None
        about = (owner.id,) if owner is not None and owner.kind == ENTITY_KIND else ()
        return ProposedText(text=text, kind=NEW_LINE_KIND, entities=about, reason=self._why)

    def _revised(self, stored: StoredRecord, record: Record) -> ProposedText:
        raised = replace(record, version=stored.record.version + 1)
        return ProposedText(stored=stored, record=raised, reason=self._why)

    def _without_mention(self, record: Record) -> Record:
        owner = self._owner.record if self._owner is not None else None
        if owner is None:
            return record
        keys = {entity_key(name) for name in names_of_entity(owner)}
        kept = (
            name for name in record.entities if name != owner.id and entity_key(name) not in keys
        )
        return replace(record, entities=tuple(kept))

    def _whole(self, identifier: str) -> StoredRecord | None:
        """Returns a record as the ledger has it: a proposal keeps what a page does not show."""
        seen = self._source.record(identifier)
        if seen is None:
            return None
        return read_path(self._workspace, self._workspace.store.snapshot(), seen.path)


def _told(record: Record, edit: PageEdit) -> Record:
    """Returns a record as a heading, a fact or prose of a page words it."""
    match edit.kind:
        case PageEditKind.TITLE:
            return _renamed(record, edit)
        case PageEditKind.TEXT:
            words = edit.text.strip("\n")
            return replace(record, body=f"{words}\n" if words else "")
        case _:
            return _with_fact(record, edit.name, edit.text)


def _renamed(record: Record, edit: PageEdit) -> Record:
    if record.kind != ENTITY_KIND:
        line = ProjectionEdit(
            kind=EditKind.REVISE,
            line=edit.line,
            record_id=record.id,
            version=edit.version,
            text=edit.text,
        )
        # A heading shows the whole title: nothing of it is cut off.
        revised = revised_record(record, line, limit=len(record.title) * 2 + LINE_CHARS)
        return replace(revised, version=record.version)
    renamed = replace(record, title=edit.text)
    key = entity_key(edit.text)
    others = [name for name in names_of_entity(record)[1:] if entity_key(name) != key]
    names = [record.title, *others] if entity_key(record.title) != key else others
    return replace(renamed, fields={**record.fields, "aliases": names})


def _with_fact(record: Record, name: str, text: str) -> Record:
    if name in ("summary", "abstract"):
        is_summary = name == "summary"
        return replace(record, **{"summary" if is_summary else "abstract": text})  # type: ignore[arg-type]
    if record.kind != ENTITY_KIND:
        return record
    fields = dict(record.fields)
    if name == "type":
        fields["entity_type"] = text
    elif name == "also":
        fields["aliases"] = [part.strip() for part in text.split(";") if part.strip()]
    else:
        attributes = fields.get("attributes")
        known: dict[str, JsonValue] = dict(attributes) if isinstance(attributes, Mapping) else {}
        if text:
            known[name] = _value(text, known.get(name))
        else:
            known.pop(name, None)
        fields["attributes"] = known
    return replace(record, fields={k: v for k, v in fields.items() if v not in ("", [], {})})


def _value(text: str, before: JsonValue) -> JsonValue:
    """Reads a value as what it was before: a number stays a number where it still is one."""
    if isinstance(before, bool | int | float):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value if isinstance(value, bool | int | float) else text
    return text


def _gone(path: str) -> Problem:
    return Problem(
        path,
        1,
        1,
        PAGE_GONE,
        "expected a page of something that is served, got an edited page of what is not",
        "keep elsewhere what you wrote, and remove the file",
        Severity.WARNING,
    )
