"""``MEMORY.md``: an index for people, made from records and readable back.

A projection is derived and never canonical: the same records give the same bytes, and
deleting the file loses nothing. A person may edit it all the same; each line carries
``<!-- id@version -->``, so that what was changed can be handed to review as a proposal for
the record behind the line (DESIGN §3). Nothing here reads or writes a file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.limits import TITLE_CHARS
from memfs.model.record import Record, StoredRecord
from memfs.services.marked_lines import (
    SHORTENED,
    flat,
    is_as_made,
    marked_line,
    read_line,
    view_digest,
    visible_words,
)
from memfs.services.proposals import title_from

LINE_CHARS: Final = 150
"""Most characters of a line that a person sees; marker and link target come on top."""
_HEADER: Final = (
    "<!-- memfs: generated from {count} records up to {newest}; "
    "a change here becomes a proposal. {digest} -->"
)
_HEADER_LINE: Final = re.compile(
    r"<!-- memfs: generated from (?P<count>\d{1,9}) records up to (?P<newest>\w*); "
    r".*?(?P<digest>[0-9a-f]{16}) -->\Z"
)
_HEADING: Final = re.compile(r"##\s+(?P<text>.*?)\s*\Z")


class EditKind(StrEnum):
    """What a person did to one line."""

    REVISE = "revise"
    ADD = "add"
    REMOVE = "remove"


@frozen
class ProjectionEdit:
    """One changed line.

    Attributes:
        kind: What was done.
        line: 1-based line in the edited file; 1 for a removal.
        record_id: Record behind the line; empty for a new line.
        version: Version that the line was made from; 0 for a new line.
        text: The words that stand there now; empty for a removal.
        record_kind: For a new line: the kind of the heading above it.
        is_stale: The record has moved on since, so that both sides have changed.
    """

    kind: EditKind
    line: int
    record_id: str = ""
    version: int = 0
    text: str = ""
    record_kind: str = ""
    is_stale: bool = False


@frozen(kw_only=False)
class _Line:
    number: int
    text: str
    record_id: str
    version: int
    record_kind: str


def render_index(records: Iterable[StoredRecord], *, registry: KindRegistry, title: str) -> str:
    """Returns ``MEMORY.md`` of these records, grouped by kind in the registry's order.

    The caller hands in what may be served and nothing else. Inside a group more important
    records come first, then by title, then by id. Records whose kind is no claim are left
    out; titles of confidential records are not told.
    """
    by_kind: defaultdict[str, list[StoredRecord]] = defaultdict(list)
    for stored in records:
        by_kind[stored.record.kind].append(stored)
    kinds = [kind for kind in _claims(registry) if by_kind[kind.name]]
    groups = [_group(kind, by_kind[kind.name]) for kind in kinds]
    body = f"# {flat(title)}\n\n" + ("\n".join(groups) or "Nothing is remembered yet.\n")
    ids = [stored.record.id for kind in kinds for stored in by_kind[kind.name]]
    newest = max(ids, key=_age_key, default="")
    return f"{_HEADER.format(count=len(ids), newest=newest, digest=view_digest(body))}\n{body}"


def is_pristine(text: str) -> bool:
    """Tells whether an index is exactly as it was generated, though perhaps long ago."""
    return is_as_made(text, _HEADER_LINE)


def read_edits(
    text: str, records: Iterable[StoredRecord], *, registry: KindRegistry
) -> tuple[ProjectionEdit, ...]:
    """Returns what a person changed in an index, in the order of the lines.

    ``records`` are the ones that the index would be made of now. A file that is empty or
    has no generated line left was deleted rather than edited: nothing is proposed.
    Text outside list lines (headings, remarks between them) belongs to no record and is
    not looked at.
    """
    if is_pristine(text):
        return ()
    known = {stored.record.id: stored.record for stored in records}
    lines = tuple(_read_lines(text, registry))
    found = {line.record_id for line in lines if line.record_id}
    if not found:
        return ()
    edits = [edit for line in lines if (edit := _edit_of(line, known)) is not None]
    removed = [
        ProjectionEdit(kind=EditKind.REMOVE, line=1, record_id=record.id, version=record.version)
        for record in _listed(text, known.values(), registry)
        if record.id not in found
    ]
    return (*edits, *removed)


def revised_record(record: Record, edit: ProjectionEdit, *, limit: int = LINE_CHARS) -> Record:
    """Returns the next version of ``record`` as an edited line words it.

    A line shows the title, shortened to ``limit`` where it is long; what was cut off stays.
    Where the body begins with the title, its first line follows. Words that are too long for a
    title stand whole in the body.
    """
    shown = visible_words(record, limit)
    title = edit.text
    if shown.endswith(SHORTENED) and title.endswith(SHORTENED):
        rest = flat(record.title)[len(shown) - 1 :]
        title = title.removesuffix(SHORTENED) + rest
    first, separator, rest_of_body = record.body.partition("\n")
    body = record.body
    said = _said_by(title, record.title, flat(first).lstrip("# "))
    if said is not None:
        lead = first[: len(first) - len(first.lstrip("# "))]
        body = f"{lead}{said}{separator}{rest_of_body}"
    if len(title) > TITLE_CHARS:
        body = body if said is not None else f"{title}\n\n{body}"
        title = title_from(title)
    return replace(record, title=title, body=body, version=record.version + 1)


def _said_by(title: str, before: str, line: str) -> str | None:
    """Returns what the first line of a body says once the title it began with is another.

    ``None`` where the body does not begin with its title. A title may be the beginning of a
    longer line; a new one that is still cut off has the same end.
    """
    before = flat(before)
    if line == before:
        return title
    beginning = before.removesuffix(SHORTENED)
    if beginning == before or not line.startswith(beginning):
        return None
    if not title.endswith(SHORTENED):
        return title
    return title.removesuffix(SHORTENED) + line[len(beginning) :]


def _listed(text: str, records: Iterable[Record], registry: KindRegistry) -> tuple[Record, ...]:
    """Returns the records that stood in the index when it was made, or none when unsure.

    A missing line means a removal only if the record was there: one that was added since
    must not look removed. The header tells how many there were and which was the newest.
    """
    match = _HEADER_LINE.match(text.partition("\n")[0])
    if match is None:
        return ()
    names = {kind.name for kind in _claims(registry)}
    newest = _age_key(match["newest"])
    listed = [r for r in records if r.kind in names and _age_key(r.id) <= newest]
    return tuple(sorted(listed, key=lambda r: r.id)) if len(listed) == int(match["count"]) else ()


def _age_key(record_id: str) -> str:
    """Returns the part of an id that sorts by age."""
    return record_id.rpartition("_")[2]


def _claims(registry: KindRegistry) -> tuple[KindSpec, ...]:
    return tuple(kind for kind in registry if kind.is_claim)


def _group(kind: KindSpec, records: list[StoredRecord]) -> str:
    ordered = sorted(
        records,
        key=lambda stored: (-stored.record.importance, stored.record.title, stored.record.id),
    )
    lines = "".join(f"{_render_line(stored)}\n" for stored in ordered)
    return f"## {kind.name}\n\n{lines}"


def _render_line(stored: StoredRecord) -> str:
    return marked_line(stored.record, stored.path, _visible(stored.record))


def _visible(record: Record) -> str:
    """Returns the words of a record's line, at most :data:`LINE_CHARS`."""
    return visible_words(record, LINE_CHARS)


def _read_lines(text: str, registry: KindRegistry) -> Iterator[_Line]:
    kind = ""
    for number, line in enumerate(text.split("\n"), 1):
        if heading := _HEADING.match(line):
            spec = registry.get(heading["text"].casefold())
            kind = spec.name if spec is not None and spec.is_claim else ""
            continue
        found = read_line(line)
        if found is not None and (found.record_id or kind):
            yield _Line(number, found.text, found.record_id, found.version, kind)


def _edit_of(line: _Line, known: Mapping[str, Record]) -> ProjectionEdit | None:
    if not line.record_id:
        return ProjectionEdit(
            kind=EditKind.ADD, line=line.number, text=line.text, record_kind=line.record_kind
        )
    record = known.get(line.record_id)
    # A line of a record that is no longer served says nothing about any other.
    if record is None or line.text == _visible(record):
        return None
    return ProjectionEdit(
        kind=EditKind.REVISE,
        line=line.number,
        record_id=record.id,
        version=line.version,
        text=line.text,
        is_stale=line.version != record.version,
    )
