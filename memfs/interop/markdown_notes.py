"""Any folder of Markdown notes: one note a file, frontmatter welcome, the folder unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from memfs.domains.claims.kinds import CLAIM_KINDS
from memfs.interop.markdown_file import MarkdownFile, read_markdown
from memfs.interop.port import ImportItem
from memfs.interop.sources import (
    MARKDOWN,
    SourceFile,
    item_of_problem,
    modified_time,
    walk_source,
)
from memfs.interop.wording import (
    foreign_fields,
    foreign_importance,
    foreign_instant,
    foreign_tags,
    one_line,
    title_from,
)
from memfs.model.instants import format_instant
from memfs.model.limits import TITLE_CHARS
from memfs.model.problem import Problem
from memfs.model.record import DEFAULT_IMPORTANCE, Record

CLAIM_NAMES: Final = frozenset(kind.name for kind in CLAIM_KINDS)
_TIMES: Final = ("event_time", "date", "created", "created_at", "modified", "updated")
_USED: Final = ("title", "kind", "tags", "importance", "subject", "summary", "abstract")
_HEADING: Final = re.compile(r"#{1,6}\s")
_LOST_NAMES: Final = frozenset({"untitled", "readme", "index"})


class MarkdownNotes:
    """Reads every Markdown file below a folder as one note."""

    name = "markdown-notes"

    def detect(self, path: Path) -> float:
        """Half sure of anything with Markdown in it; the special formats are surer."""
        if path.is_dir():
            found = walk_source(path, MARKDOWN)
            return 0.5 if any(isinstance(entry, SourceFile) for entry in found) else 0.0
        return 0.6 if path.suffix.lower() in MARKDOWN else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields one item a file, sorted by path."""
        for entry in walk_source(path, MARKDOWN, below):
            if isinstance(entry, Problem):
                yield item_of_problem(entry, source=f"import:{self.name}")
                continue
            read = read_markdown(entry, self.name)
            yield read if isinstance(read, ImportItem) else _item_from_note(read)


def _item_from_note(note: MarkdownFile) -> ImportItem:
    title = one_line(note.text("title", "name"), TITLE_CHARS) or _title_of(note)
    body = note.body or (f"{note.text('summary', 'description')}\n" if note.values else "")
    if not body.strip():
        return note.item("expected text, got an empty file")
    time_field, happened = _time_of(note)
    kind = next((name for name in map(note.text, ("kind", "type")) if name in CLAIM_NAMES), "")
    said = note.rest(*_USED, time_field)
    if note.text("kind") != kind:
        said |= {"kind": note.text("kind")}
    if happened is None and (modified := modified_time(note.file)) is not None:
        said |= {"modified": said.get("modified", format_instant(modified))}
    importance = note.values.get("importance")
    draft = Record(
        kind=kind or "note",
        title=title,
        body=body,
        subject=one_line(note.text("subject")),
        event_time=happened,
        sensitivity=note.sensitivity,
        importance=DEFAULT_IMPORTANCE if importance is None else foreign_importance(importance),
        tags=foreign_tags(note.values.get("tags")),
        summary=note.text("summary"),
        abstract=note.text("abstract"),
        unknown=foreign_fields(MarkdownNotes.name, said),
    )
    return ImportItem(draft=draft, source=note.source, digest=note.digest, problems=note.problems)


def _title_of(note: MarkdownFile) -> str:
    """Returns the first heading or line, or the file's name when that says more."""
    stem = PurePosixPath(note.file.relative).stem.replace("_", " ").replace("-", " ").strip()
    for line in note.body.splitlines():
        if line.startswith(("```", "~~~")):
            break
        if _HEADING.match(line) and (title := title_from(line)):
            return title
    if stem.lower() in _LOST_NAMES or stem.replace(" ", "").isdigit():
        return title_from(note.body) or stem
    return one_line(stem)


def _time_of(note: MarkdownFile) -> tuple[str, datetime | None]:
    for name in _TIMES:
        if (moment := foreign_instant(note.values.get(name))) is not None:
            return name, moment
    return "", None
