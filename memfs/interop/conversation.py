"""A conversation in JSON Lines: one turn a record, pointing at its session and place.

A line is ``{session, turn, speaker, time, text}``; only the text is needed. Who spoke
comes from the speaker field, never from the text (O51).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from memfs.interop.json_items import RawItem, iter_lines, parse_item
from memfs.interop.json_source import (
    FileItems,
    first_objects,
    missing,
    read_json_files,
    refused,
)
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.interop.sources import SourceFile
from memfs.interop.wording import foreign_fields, foreign_instant, one_line, tidy_body, title_from
from memfs.model.digests import content_digest
from memfs.model.problem import Problem
from memfs.model.record import Record
from memfs.model.values import JsonValue

_TEXTS: Final = ("text", "content", "message")
_SPEAKERS: Final = ("speaker", "role", "author", "from")
_SESSIONS: Final = ("session", "session_id", "conversation", "thread")
_TIMES: Final = ("time", "timestamp", "created_at", "date")
_USED: Final = frozenset((*_TEXTS, *_SPEAKERS, *_SESSIONS, *_TIMES, "turn"))
_SPEAKER_LENGTH: Final = 80
_PLACE_LENGTH: Final = 40


class Conversation:
    """Reads turns of conversations; a turn is one note."""

    name = "conversation"

    def detect(self, path: Path) -> float:
        """Sure when the first lines have a text and a speaker."""
        found = first_objects(path, iter_lines)
        known = sum(bool(_text(line, _TEXTS)) and bool(_text(line, _SPEAKERS)) for line in found)
        return 0.8 if known and known * 2 >= len(found) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields one note a turn, in file order."""
        return read_json_files(path, below, self.name, iter_lines, _items_from_line)


def _items_from_line(file: SourceFile, item: RawItem, source: str) -> FileItems:
    line = parse_item(item, file.shown)
    if isinstance(line, Problem):
        yield refused(item, source, line)
        return
    body = tidy_body(_text(line, _TEXTS))
    if not body:
        yield missing(file, item, source, "expected a turn with 'text', got none")
        return
    session = one_line(_text(line, _SESSIONS)) or file.relative.rpartition(".")[0]
    turn = line.get("turn")
    is_named = isinstance(turn, (int, str)) and not isinstance(turn, bool)
    place = (one_line(str(turn), _PLACE_LENGTH) if is_named else "") or str(item.line)
    time = next((found for name in _TIMES if (found := line.get(name)) is not None), None)
    happened = foreign_instant(time)
    said: dict[str, JsonValue] = {"source": source, "time": time if happened is None else None}
    said |= {key: value for key, value in line.items() if key not in _USED}
    draft = Record(
        kind="note",
        title=title_from(body),
        body=body,
        event_time=happened,
        unknown=foreign_fields(Conversation.name, said),
    )
    yield ImportItem(
        draft=draft,
        source=source,
        # Two turns may say the same words: their places are part of what they are.
        digest=content_digest(DIGEST_DOMAIN, f"{session}#{place}\0".encode() + item.data),
        cites=f"session:{session}#{place}",
        speaker=one_line(_text(line, _SPEAKERS), _SPEAKER_LENGTH),
    )


def _text(line: Mapping[str, JsonValue], names: tuple[str, ...]) -> str:
    for name in names:
        value = line.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if name in _SESSIONS and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""
