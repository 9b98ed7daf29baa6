"""What a person changed on a wiki page: each changed block is a proposal for the record behind it.

Pure. A page is compared with what it would say now; a line that names an older version of its
record is compared with the words of that version, so that what memfs changed since is not taken
for the person's. What is no block of a record is a new note, so that nothing that was typed is
lost; a removed block takes nothing away but an edge or a mention, and that is only proposed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from memfs.domains.graph.pages import LINE_CHARS, Page, digest_in, render_page, told_fields
from memfs.model.frozen import frozen
from memfs.model.ids import EDGE_PREFIX, is_id, split_version
from memfs.model.record import Record
from memfs.services.marked_lines import SHORTENED, flat, unescaped, visible_words

_REFERENCE: Final = r"(?P<reference>[a-z]{2,8}_[0-9a-z]{26}@[0-9]+)"
_MARKER: Final = re.compile(rf"\s*<!--\s*{_REFERENCE}\s*-->\s*\Z")
_BEGIN: Final = re.compile(rf"<!-- text of {_REFERENCE} (?P<mark>[0-9a-f]{{12}}) -->\Z")
_END: Final = "<!-- end of text {mark} -->"
_TITLE: Final = re.compile(r"#\s+(?P<text>.*\S)\s*\Z")
_HEADING: Final = re.compile(r"##\s+(?P<text>.*?)\s*\Z")
_BULLET: Final = re.compile(r"[-*+]\s+(?P<text>.*\S)\s*\Z")
_LINK: Final = re.compile(
    r"(?P<before>.*?)\[(?P<text>(?:\\.|[^\\\]])*)\]\((?P<target>[^)]*)\)(?P<after>.*)\Z"
)
_FIELD: Final = re.compile(r"(?P<key>[^:]{1,100}):\s*(?P<value>.*)\Z")
_MENTIONING: Final = frozenset({"Known", "Linked from"})


class PageEditKind(StrEnum):
    """What a person did to one block."""

    TITLE = "title"
    """The heading of a record's page: what it is called."""
    TEXT = "text"
    """Its prose."""
    FIELD = "field"
    """What is told of it by name; no words where the line is gone."""
    LINE = "line"
    """The words of a record in a list."""
    ADD = "add"
    """Words that no record stands behind."""
    UNRELATE = "unrelate"
    """An edge is not listed any more."""
    UNMENTION = "unmention"
    """A record that names the one of the page is not listed any more."""


@frozen
class PageEdit:
    """One changed block.

    Attributes:
        kind: What was done.
        line: 1-based line in the page; 1 for what is gone.
        record_id: Record behind the block; empty for new words.
        version: Version that the block was made from; 0 for none.
        name: Of a field: its name as the page tells it.
        text: The words that stand there now.
    """

    kind: PageEditKind
    line: int
    record_id: str = ""
    version: int = 0
    name: str = ""
    text: str = ""


@frozen
class _Block:
    kind: PageEditKind
    line: int
    record_id: str = ""
    version: int = 0
    name: str = ""
    text: str = ""
    section: str = ""
    raw: str = ""
    is_link: bool = False


RecordAt = Callable[[str, int], Record | None]
"""Gives a record as a version of it said; ``None`` where nobody knows, or may."""


def page_edits(text: str, page: Page, record_at: RecordAt) -> tuple[PageEdit, ...]:
    """Returns what a person changed on a page, in the order of the lines.

    Args:
        text: The page as it lies there.
        page: The page as it would be made now.
        record_at: Gives the records that it names.
    """
    made = render_page(page)
    titles = frozenset(section.title for section in page.sections)
    reading = _Reading(
        now=tuple(_blocks(made, titles)),
        there=tuple(_blocks(text, titles)),
        owner=page.stored.record if page.stored is not None else None,
        is_fresh=digest_in(text) == digest_in(made),
        record_at=record_at,
    )
    return tuple(reading.edits())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A page as it would be made now, as it lies there, and the record that it is of.

    ``is_fresh`` tells that it was made from the ledger as it is: then every difference is the
    person's, and what is missing was taken away.
    """

    now: tuple[_Block, ...]
    there: tuple[_Block, ...]
    owner: Record | None
    is_fresh: bool
    record_at: RecordAt

    def edits(self) -> Iterator[PageEdit]:
        """Yields what was changed."""
        said = {(_mark(block), block.text) for block in self.now}
        for block in self.there:
            if block.kind is PageEditKind.ADD:
                if self._is_typed(block):
                    yield _edit(block)
            elif (_mark(block), block.text) not in said:
                yield from self._changed(block)
            elif _is_relation(block) and self._is_redrawn(block):
                yield _edit(block, PageEditKind.ADD)
        # Emptied rather than edited: nothing is taken away by that.
        if self.is_fresh and any(block.record_id for block in self.there):
            left = {_mark(block) for block in self.there}
            for block in self.now:
                if _mark(block) not in left:
                    yield from self._gone(block)

    def _is_typed(self, block: _Block) -> bool:
        """Tells whether a line without a record is a person's, and not a generated one."""
        if any(block.raw == other.raw for other in self.now):
            return False
        is_prose_open = bool(self.owner and self.owner.body.strip()) and not any(
            other.kind is PageEditKind.TEXT for other in self.there
        )
        if not block.section and is_prose_open:
            # The marks around the prose are gone: nobody knows where it ends.
            return False
        return self.is_fresh or not (block.is_link or block.raw.startswith(SHORTENED))

    def _is_redrawn(self, block: _Block) -> bool:
        """Tells whether a person changed how a relation reads."""
        return self.is_fresh and all(block.raw != other.raw for other in self.now)

    def _changed(self, block: _Block) -> Iterator[PageEdit]:
        """Yields the edit of a block that does not say what it would say now."""
        if _is_relation(block):
            if self.is_fresh:
                yield _edit(block, PageEditKind.ADD)
            return
        if block.kind is PageEditKind.TITLE and not block.record_id and self.owner is not None:
            # A heading that lost its marker is still that of the record that the page is of.
            block = replace(block, record_id=self.owner.id, version=self.owner.version)
        record = self.record_at(block.record_id, block.version)
        if record is None:
            # What is no longer told of says nothing about anything else.
            return
        match block.kind:
            case PageEditKind.TITLE:
                is_same = block.text == flat(record.title)
            case PageEditKind.TEXT:
                is_same = block.text.strip("\n") == record.body.strip("\n")
            case PageEditKind.FIELD:
                is_same = (block.name, block.text) in told_fields(record)
            case _:
                is_same = block.text == visible_words(record, LINE_CHARS)
        if not is_same:
            yield _edit(block)

    def _gone(self, block: _Block) -> Iterator[PageEdit]:
        """Yields what a missing block takes away: a field, an edge or a mention."""
        if block.kind is PageEditKind.FIELD:
            yield replace(_edit(block), line=1, text="")
        elif _is_relation(block):
            yield replace(_edit(block, PageEditKind.UNRELATE), line=1)
        elif block.kind is PageEditKind.LINE and self.owner and block.section in _MENTIONING:
            yield replace(_edit(block, PageEditKind.UNMENTION), line=1)


def _mark(block: _Block) -> tuple[str, str, str]:
    """Returns which block it is, below whatever heading it stands."""
    return (str(block.kind), block.record_id, block.name)


def _is_relation(block: _Block) -> bool:
    return is_id(block.record_id, EDGE_PREFIX)


def _edit(block: _Block, kind: PageEditKind | None = None) -> PageEdit:
    kind = kind or block.kind
    is_new = kind is PageEditKind.ADD
    return PageEdit(
        kind=kind,
        line=block.line,
        record_id="" if is_new else block.record_id,
        version=0 if is_new else block.version,
        name=block.name,
        text=flat(unescaped(_plain(block.raw))) if is_new else block.text,
    )


# Reading -----------------------------------------------------------------------------------


def _blocks(text: str, titles: Collection[str]) -> Iterator[_Block]:
    """Yields the blocks of a page after its header; prose between its marks is one of them.

    Prose whose end is not marked any more goes to the next section that is known by its title.
    """
    section = ""
    lines = text.split("\n")
    number = 1
    while number < len(lines):
        line = lines[number]
        number += 1
        begin = _BEGIN.match(line)
        if begin is not None:
            last = _end_of(lines, number, _END.format(mark=begin["mark"]), titles)
            record_id, version = split_version(begin["reference"])
            yield _Block(
                kind=PageEditKind.TEXT,
                line=number + 1,
                record_id=record_id,
                version=version or 0,
                text="\n".join(lines[number:last]),
            )
            is_marked = last < len(lines) and lines[last].startswith("<!-- end of text ")
            number = last + is_marked
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            section = unescaped(heading["text"])
            continue
        block = _block_of(line, number, section)
        if block is not None:
            yield block


def _end_of(lines: Sequence[str], start: int, end: str, titles: Collection[str]) -> int:
    """Returns the number of the line behind prose that starts at ``start``."""
    if end in lines[start:]:
        return lines.index(end, start)
    for number in range(start, len(lines)):
        heading = _HEADING.match(lines[number])
        if heading is not None and unescaped(heading["text"]) in titles:
            return number
    return len(lines)


def _block_of(line: str, number: int, section: str) -> _Block | None:
    marker = _MARKER.search(line)
    shown = line[: marker.start()] if marker else line
    record_id, version = split_version(marker["reference"]) if marker else ("", None)
    title = _TITLE.match(shown)
    if title is not None:
        return _Block(
            kind=PageEditKind.TITLE,
            line=number,
            record_id=record_id,
            version=version or 0,
            text=flat(unescaped(title["text"])),
        )
    if not shown.strip():
        return None
    bullet = _BULLET.match(shown)
    words = bullet["text"] if bullet else shown.strip()
    link = _LINK.match(words)
    if not record_id:
        return _Block(
            kind=PageEditKind.ADD,
            line=number,
            section=section,
            raw=words,
            is_link=link is not None,
        )
    field = _FIELD.match(unescaped(words)) if not section and link is None else None
    if field is not None:
        return _Block(
            kind=PageEditKind.FIELD,
            line=number,
            record_id=record_id,
            version=version or 0,
            name=flat(field["key"]),
            text=flat(field["value"]),
        )
    return _Block(
        kind=PageEditKind.LINE,
        line=number,
        record_id=record_id,
        version=version or 0,
        text=flat(unescaped(link["text"] if link else words)),
        section=section,
        raw=words,
    )


def _plain(words: str) -> str:
    """Returns words with their links as text."""
    link = _LINK.match(words)
    return words if link is None else f"{link['before']}{link['text']}{link['after']}"
