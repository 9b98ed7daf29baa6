"""Wiki pages: what is known of a thing, a decision, a month, a topic, a source or a project.

Pure. A page is Markdown made from records and readable back: the same records give the same bytes,
deleting it loses nothing, and every block that a record stands behind carries ``<!-- id@version
-->``, so that what a person changes in it is handed to review as a proposal for that record. Pages
link each other and the files of records by relative paths; what is not shown is not linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from posixpath import relpath
from typing import Final, assert_never
from urllib.parse import quote, unquote

from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.graph import ENTITY_KIND
from memfs.model.ids import short_id
from memfs.model.preview import one_line, preview_of
from memfs.model.record import Record, StoredRecord
from memfs.model.values import JsonValue
from memfs.services.marked_lines import (
    escaped,
    flat,
    is_as_made,
    link_target,
    marked_line,
    view_digest,
    visible_words,
)
from memfs.store.layout import VIEWS_FOLDER, slugify

LINE_CHARS: Final = 150
"""Most characters of a line's words; marker and link target come on top."""
MOST_LINES: Final = 200
"""So many lines a section shows."""
INDEX_PAGE: Final = f"{VIEWS_FOLDER}/index.md"
_HEADER: Final = "<!-- memfs: page of {type} {name}; a change here becomes a proposal. {digest} -->"
_HEADER_LINE: Final = re.compile(
    r"<!-- memfs: page of (?P<type>[a-z]+) (?P<name>\S*); .*?(?P<digest>[0-9a-f]{16}) -->\Z"
)
_FIELDS: Final = {"entity_type": "type", "aliases": "also"}
_KEY: Final = re.compile(r"[^:\n]{1,100}\Z")


class PageType(StrEnum):
    """The seven types of pages, each with a folder of its own below ``views/``."""

    INDEX = "index"
    ENTITY = "entity"
    PROJECT = "project"
    DECISION = "decision"
    MONTH = "month"
    TOPIC = "topic"
    SOURCE = "source"

    @property
    def folder(self) -> str:
        """Where the pages of the type stand."""
        match self:
            case PageType.INDEX:
                return VIEWS_FOLDER
            case PageType.ENTITY:
                return f"{VIEWS_FOLDER}/entities"
            case PageType.PROJECT | PageType.DECISION | PageType.MONTH:
                return f"{VIEWS_FOLDER}/{self}s"
            case PageType.TOPIC | PageType.SOURCE:
                return f"{VIEWS_FOLDER}/{self}s"
            case _:
                assert_never(self)


PAGE_FOLDERS: Final = tuple(item.folder for item in PageType if item is not PageType.INDEX)
PAGED_KINDS: Final = {
    ENTITY_KIND: PageType.ENTITY,
    "decision": PageType.DECISION,
    "reference": PageType.SOURCE,
}
"""Kinds of which every record has a page of its own."""


@frozen(kw_only=False)
class PageKey:
    """Which page: its type, and the id, scope, month or tag that it is of; empty for the index."""

    type: PageType
    name: str = ""


@frozen
class Item:
    """One line of a section: a record, or only a way to another page.

    Attributes:
        stored: The record behind the line; ``None`` for a plain link.
        target: Store-relative path that the line leads to.
        words: What is shown; empty for the words of the record.
        before: What stands before the link, such as a relation.
        after: What stands behind it, such as a preview.
    """

    target: str
    stored: StoredRecord | None = None
    words: str = ""
    before: str = ""
    after: str = ""


@frozen
class Section:
    """Lines below a heading."""

    title: str
    items: tuple[Item, ...]


@frozen
class Page:
    """A page before it is text.

    Attributes:
        key: Which page.
        path: Store-relative.
        title: Its heading.
        stored: The record that it is of; ``None`` for a list of records.
        sections: What is listed, in order; empty ones are left out.
    """

    key: PageKey
    path: str
    title: str
    stored: StoredRecord | None = None
    sections: tuple[Section, ...] = ()


def page_path(key: PageKey, record: Record | None = None) -> str:
    """Returns where a page stands; the name of a record's page follows its title."""
    if key.type is PageType.INDEX:
        return INDEX_PAGE
    if record is not None:
        return f"{key.type.folder}/{slugify(record.title)}-{short_id(record.id)}.md"
    slug = slugify(key.name)
    if slug != key.name:
        mark = content_digest("page", key.name.encode("utf-8", "surrogatepass"))[-6:]
        slug = f"{slug}-{mark}"
    return f"{key.type.folder}/{slug}.md"


def key_of(record: Record) -> PageKey | None:
    """Returns the page that a record has of its own; ``None`` where it has none."""
    page_type = PAGED_KINDS.get(record.kind)
    return PageKey(page_type, record.id) if page_type is not None else None


def target_of(stored: StoredRecord) -> str:
    """Returns where a link to a record leads: to its page, else to its file."""
    key = key_of(stored.record)
    return page_path(key, stored.record) if key is not None else stored.path


def render_page(page: Page) -> str:
    """Returns the text of a page."""
    body = "\n".join(_blocks(page))
    name = quote(page.key.name, safe="")
    return f"{_HEADER.format(type=page.key.type, name=name, digest=view_digest(body))}\n{body}"


def key_in(text: str) -> PageKey | None:
    """Returns which page a text is of; ``None`` for what is no page of ours."""
    match = _HEADER_LINE.match(text.partition("\n")[0])
    if match is None or match["type"] not in set(PageType):
        return None
    return PageKey(PageType(match["type"]), unquote(match["name"]))


def digest_in(text: str) -> str:
    """Returns the digest of a page as it was made; empty for what is no page of ours."""
    match = _HEADER_LINE.match(text.partition("\n")[0])
    return match["digest"] if match is not None else ""


def is_pristine(text: str) -> bool:
    """Tells whether a page is exactly as it was made, though perhaps long ago."""
    return is_as_made(text, _HEADER_LINE)


def text_marks(stored: StoredRecord) -> tuple[str, str]:
    """Returns the lines around the prose of a record: nobody can write the end of it into it."""
    mark = content_digest("page", stored.record.body.encode("utf-8", "surrogatepass"))[-12:]
    return f"<!-- text of {stored.record.reference} {mark} -->", f"<!-- end of text {mark} -->"


def told_fields(record: Record) -> tuple[tuple[str, str], ...]:
    """Returns what a page tells of a record by name, each on one line, in a fixed order."""
    told: list[tuple[str, JsonValue]] = [("summary", record.summary), ("abstract", record.abstract)]
    if record.kind == ENTITY_KIND:
        told += [(shown, record.fields.get(name)) for name, shown in _FIELDS.items()]
        attributes = record.fields.get("attributes")
        if isinstance(attributes, Mapping):
            told += [(key, value) for key, value in attributes.items() if _KEY.match(key)]
    return tuple((name, line) for name, value in told if (line := _worded(value)))


def _worded(value: JsonValue) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(map(_worded, value))
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_worded(item)}" for key, item in value.items())
    return "" if value is None else flat(str(value))


def _blocks(page: Page) -> Iterator[str]:
    stored = page.stored
    if stored is None:
        yield f"# {escaped(flat(page.title))}\n"
    else:
        yield f"# {escaped(flat(page.title))} <!-- {stored.record.reference} -->\n"
        yield from _own_words(page, stored)
    shown = [section for section in page.sections if section.items]
    for section in shown:
        yield f"## {escaped(flat(section.title))}\n"
        lines = [_line(page.path, item) for item in section.items[:MOST_LINES]]
        left = len(section.items) - len(lines)
        if left:
            lines.append(f"… and {left} more")
        yield "\n".join(lines) + "\n"
    if stored is None and not shown:
        yield "Nothing is here yet.\n"


def _own_words(page: Page, stored: StoredRecord) -> Iterator[str]:
    record = stored.record
    file = link_target(relpath(stored.path, page.path.rpartition("/")[0]))
    yield f"{record.kind} · [its file]({file})\n"
    told = told_fields(record)
    if told:
        reference = record.reference
        yield "".join(f"- {escaped(f'{k}: {v}')} <!-- {reference} -->\n" for k, v in told)
    if record.body.strip():
        begin, end = text_marks(stored)
        words = record.body if record.body.endswith("\n") else f"{record.body}\n"
        yield f"{begin}\n{words}{end}\n"


def _line(path: str, item: Item) -> str:
    target = relpath(item.target, path.rpartition("/")[0])
    before = f"{escaped(item.before)} " if item.before else ""
    after = f": {escaped(item.after)}" if item.after else ""
    if item.stored is None:
        return f"- {before}[{escaped(item.words)}]({link_target(target)}){after}"
    words = item.words or visible_words(item.stored.record, LINE_CHARS)
    return marked_line(item.stored.record, target, words, before=before, after=after)


def preview_behind(record: Record) -> str:
    """Returns the preview that stands behind a link; empty where it only says the title again."""
    preview = preview_of(record)
    return "" if preview == one_line(record.title, len(preview) or 1) else preview


def in_order(stored: Iterable[StoredRecord]) -> tuple[StoredRecord, ...]:
    """Orders records for a list: more important first, then by title, then by id."""
    return tuple(sorted(stored, key=_order))


def _order(stored: StoredRecord) -> tuple[int, str, str]:
    record = stored.record
    return (-record.importance, record.title, record.id)


def listed(title: str, stored: Sequence[StoredRecord]) -> Section:
    """Returns a section that lists records by their words."""
    return Section(
        title=title, items=tuple(Item(target=target_of(item), stored=item) for item in stored)
    )
