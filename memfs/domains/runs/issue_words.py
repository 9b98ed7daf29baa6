"""The words of an event: what of a title and a detail an issue keeps, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from memfs.formats.issue_log import plain_lines, plain_title
from memfs.model.limits import TITLE_CHARS
from memfs.services.work_words import kept_line, kept_words

DETAIL_BYTES: Final = 16_384
"""Longest detail of one event; the rest is left out and noted."""
UNTITLED: Final = "Untitled issue"
_CUT: Final = "bounds.text: cut"
_MORE: Final = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWords:
    """What of the words of an event is kept.

    Attributes:
        title: One line; empty where nothing of it may be kept.
        detail: Lines; empty for none.
        full_title: The title before it was shortened: what the key is made of.
        notes: What was left out or cut, as codes with numbers, never words.
    """

    title: str = ""
    detail: str = ""
    full_title: str = ""
    notes: tuple[str, ...] = ()

    @property
    def without_detail(self) -> EventWords:
        """The same without its detail."""
        return replace(self, detail="", notes=(*self.notes, "detail left out"))


def event_words(title: str, detail: str, *, is_person: bool) -> EventWords:
    """Returns what may be kept of the words of an event.

    Args:
        title: As it arrived; of several lines the blanks between them are folded.
        detail: As it arrived.
        is_person: A person says it on a channel where people decide.
    """
    line = kept_line(title, is_person=is_person)
    lines = kept_words(detail, is_person=is_person)
    full_title = plain_title(line.text)
    told = plain_lines(lines.text)
    notes = [*line.notes, *lines.notes]
    if len(full_title) > TITLE_CHARS:
        told = f"{full_title}\n\n{told}".strip("\n")
    bounded = _bounded(told)
    if bounded != told:
        notes.append(_CUT)
    return EventWords(
        title=shortened(full_title),
        detail=bounded,
        full_title=full_title,
        notes=tuple(dict.fromkeys(notes)),
    )


def shortened(title: str) -> str:
    """Returns a title of at most 200 characters, cut at a word where one ends near."""
    if len(title) <= TITLE_CHARS:
        return title
    cut = title[: TITLE_CHARS - 1]
    head = cut.rpartition(" ")[0]
    return (head if len(head) * 2 > len(cut) else cut).rstrip() + _MORE


def _bounded(detail: str) -> str:
    data = detail.encode("utf-8")
    if len(data) <= DETAIL_BYTES:
        return detail
    cut = data[: DETAIL_BYTES - len(_MORE.encode())].decode("utf-8", "ignore")
    return plain_lines(cut.rstrip() + _MORE)
