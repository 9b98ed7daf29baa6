"""A coding agent's own memory folder: ``MEMORY.md`` and one topic file a memory.

The four types of that format and our kinds map both ways without loss (A97): the type,
the name and the description that the file had are kept, and an exported topic names our
kind where the type alone does not tell it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from memfs.interop.agent_index import INDEX_NAME, IndexEntry, IndexSection, read_index
from memfs.interop.markdown_file import MarkdownFile, read_markdown
from memfs.interop.markdown_notes import CLAIM_NAMES
from memfs.interop.port import DIGEST_DOMAIN, FOREIGN_FIELD, ImportItem
from memfs.interop.sources import (
    MARKDOWN,
    SourceFile,
    item_of_problem,
    modified_time,
    peek_source,
    walk_source,
)
from memfs.interop.wording import (
    foreign_fields,
    foreign_instant,
    foreign_tags,
    key_from,
    one_line,
    tidy_body,
    title_from,
)
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant
from memfs.model.limits import TITLE_CHARS
from memfs.model.problem import Problem
from memfs.model.record import Record
from memfs.model.values import JsonValue

KIND_BY_TYPE: Final[Mapping[str, str]] = {
    "user": "profile",
    "feedback": "preference",
    "project": "fact",
    "reference": "reference",
}
"""What each of the four types becomes."""
TYPE_BY_KIND: Final[Mapping[str, str]] = {
    "profile": "user",
    "preference": "feedback",
    "fact": "project",
    "decision": "project",
    "reference": "reference",
    "warning": "feedback",
    "note": "project",
    "procedure": "feedback",
    "episode": "project",
}
"""What each kind is written as; where the way back gives another kind, it is named too."""
_USED: Final = (
    "name",
    "subject",
    "description",
    "type",
    "kind",
    "modified",
    "tags",
    "summary",
    "metadata",
)
_SAMPLE: Final = 20
_TYPE_LINE: Final = re.compile(
    rb"^\s{0,4}type:\s*[\"']?(?:user|feedback|project|reference)\b", re.M
)


@frozen
class TopicFile:
    """A topic as that client would keep it.

    Attributes:
        name: File name.
        content: Its bytes.
        index_line: Its line in ``MEMORY.md``.
    """

    name: str
    content: bytes
    index_line: str


class AgentMemory:
    """Reads a memory folder, or one topic file of it."""

    name = "agent-memory"

    def detect(self, path: Path) -> float:
        """Nearly sure of a folder with an index; rather sure of files with one of its types."""
        if path.is_dir():
            if _has_index(path):
                return 0.95
            here = _markdown_in(path)[:_SAMPLE]
            typed = sum(_is_topic(file) for file in here)
            return 0.8 if typed * 2 > len(here) else 0.0
        if path.suffix.lower() not in MARKDOWN:
            return 0.0
        return 0.8 if path.name == INDEX_NAME or _is_topic(path) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields the topics sorted by path, then the sections of the index."""
        files: list[SourceFile] = []
        for entry in walk_source(path, MARKDOWN, below):
            if isinstance(entry, Problem):
                yield item_of_problem(entry, source=f"import:{self.name}")
            else:
                files.append(entry)
        at_index = below + INDEX_NAME
        topics = frozenset(file.relative.removeprefix(below) for file in files)
        notes = [read_markdown(file, self.name) for file in files if file.relative == at_index]
        entries: dict[str, IndexEntry] = {}
        sections: list[ImportItem] = []
        for note in notes:
            if isinstance(note, ImportItem):
                sections.append(note)
                continue
            named, texts = read_index(
                note.body, first_line=_body_line(note), topics=topics - {INDEX_NAME}
            )
            entries |= {entry.target: entry for entry in named}
            sections += [_item_from_section(note, section) for section in texts]
        for file in files:
            if file.relative != at_index:
                read = read_markdown(file, self.name)
                topic = entries.get(file.relative.removeprefix(below))
                yield read if isinstance(read, ImportItem) else _item_from_topic(read, topic)
        yield from sections


def _has_index(folder: Path) -> bool:
    """Whether a folder has an index; one that may not be looked into has none that is known."""
    with suppress(OSError):
        return (folder / INDEX_NAME).is_file()
    return False


def topic_from_record(record: Record) -> TopicFile:
    """Returns a record as a topic file; reading it back gives the same kind and text."""
    said = record.unknown.get(FOREIGN_FIELD)
    kept: Mapping[str, JsonValue] = said if isinstance(said, Mapping) else {}
    foreign_type = str(kept.get("type", "")) or TYPE_BY_KIND.get(record.kind, "project")
    name = str(kept.get("name", "")) or record.title
    description = str(kept.get("description", "")) or record.summary or record.title
    fields: dict[str, JsonValue] = {"name": name, "description": description, "type": foreign_type}
    if KIND_BY_TYPE.get(foreign_type) != record.kind:
        fields["kind"] = record.kind
    if record.event_time is not None:
        fields["modified"] = format_instant(record.event_time)
    if record.subject and record.subject != key_from(name):
        fields["subject"] = record.subject
    if record.tags:
        fields["tags"] = list(record.tags)
    head = "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items()
    )
    file_name = f"{foreign_type}_{key_from(record.subject or name).replace('-', '_')}.md"
    return TopicFile(
        name=file_name,
        content=f"---\n{head}---\n\n{record.body}".encode(),
        index_line=f"- [{one_line(record.title)}]({file_name}) — {one_line(description)}",
    )


def _markdown_in(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.suffix.lower() in MARKDOWN)
    except OSError:
        return []


def _is_topic(path: Path) -> bool:
    head = peek_source(path)
    return head.lstrip(b"\xef\xbb\xbf").startswith(b"---") and bool(_TYPE_LINE.search(head))


def _body_line(note: MarkdownFile) -> int:
    """Returns the line of the file on which its body begins, blank lines left out."""
    text = note.data.decode("utf-8").replace("\r\n", "\n")
    return text[: max(text.rfind(note.body.rstrip("\n")), 0)].count("\n") + 1


def _item_from_topic(note: MarkdownFile, entry: IndexEntry | None) -> ImportItem:
    metadata = note.values.get("metadata")
    nested: Mapping[str, JsonValue] = metadata if isinstance(metadata, Mapping) else {}
    foreign_type = note.text("type") or str(nested.get("type", ""))
    kind = note.text("kind")
    name, description = note.text("name"), note.text("description")
    body = note.body or tidy_body(description)
    if not body:
        return note.item("expected a memory, got an empty file")
    title = one_line(name if " " in name else description or name, TITLE_CHARS) or title_from(body)
    summary = description if one_line(description, TITLE_CHARS) != title else ""
    modified = note.values.get("modified")
    said = note.rest(*_USED) | {
        "type": foreign_type,
        "name": name if name != title else "",
        "description": description if description not in (title, summary) else "",
        "metadata": {key: value for key, value in nested.items() if key != "type"},
        "section": entry.section if entry else "",
        "index": entry.hook if entry and entry.hook != description else "",
    }
    happened = foreign_instant(modified)
    if happened is None:
        written = modified_time(note.file)
        said["modified"] = modified or (format_instant(written) if written else "")
    draft = Record(
        kind=kind if kind in CLAIM_NAMES else KIND_BY_TYPE.get(foreign_type, "note"),
        title=title,
        body=body,
        subject=note.text("subject") or key_from(name) or key_from(note.file.path.stem),
        event_time=happened,
        tags=foreign_tags(note.values.get("tags")),
        summary=note.text("summary") or summary,
        unknown=foreign_fields(AgentMemory.name, said),
    )
    return ImportItem(draft=draft, source=note.source, digest=note.digest, problems=note.problems)


def _item_from_section(note: MarkdownFile, section: IndexSection) -> ImportItem:
    heading = section.heading.rpartition(" › ")[2]
    draft = Record(
        kind="note",
        title=one_line(section.heading.replace("`", "")) or title_from(section.text),
        body=tidy_body(section.text),
        unknown=foreign_fields(AgentMemory.name, {"section": section.heading}),
        tags=foreign_tags([key_from(heading)]),
    )
    text = f"{section.heading}\n{section.text}".encode()
    return ImportItem(
        draft=draft,
        source=f"{note.source}#{section.line}",
        digest=content_digest(DIGEST_DOMAIN, text),
        problems=(*note.problems, *section.problems(note.file.shown)),
    )
