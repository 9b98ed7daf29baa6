"""A note read as a node: a summary, an abstract and a content, each for another occasion.

The summary is what is searched and shown in lists, the abstract is what is given when one node
is opened, the content is given page by page. A plain note is a node as well: what it lacks is
read off its words, and nothing is ever written for that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memfs.model.authority import Sensitivity
from memfs.model.frozen import frozen
from memfs.model.record import Record

NODE_KIND: Final = "note"
SCORING_RULE: Final = "scoring-rule"
"""The tag of a node that says what is worth keeping."""
PAGE_CHARS: Final = 2_000
"""Size of a page of content; a page ends with a line where one ends in its second half."""
SUMMARY_CHARS: Final = (80, 150)
ABSTRACT_CHARS: Final = (300, 500)
"""How long a summary and an abstract are best; what is outside is told and not refused."""
_SHORT: Final = 200
_NAME_WORDS: Final = 4
_SENTENCE: Final = r"(?<=[.!?。！？])\s+|\n{2,}"
_WORD: Final = r"[^\W_]+(?:['’.+#/-][^\W_]+)*"
_SAYS: Final = r"[.!?:;=→。！？]\s*\Z|[:=→]|->"


@frozen
class Page:
    """One page of a content.

    Attributes:
        number: 1 for the first.
        total: How many there are; at least 1.
        text: Its characters; all pages in order are the content, byte for byte.
    """

    number: int
    total: int
    text: str

    @property
    def is_last(self) -> bool:
        """Whether no page comes after it."""
        return self.number >= self.total


def summary_of(record: Record) -> str:
    """Returns what a node is searched and listed by, on one line; of a sealed one its title."""
    if is_sealed(record):
        return one_line(record.title)
    if record.summary.strip():
        return one_line(record.summary)
    body = one_line(record.body)
    return body if body and len(body) <= _SHORT else one_line(record.title) or body[:_SHORT]


def content_of(record: Record) -> str:
    """Returns the content of a node, exactly as it stands; empty where the summary is all."""
    if is_sealed(record):
        return ""
    if record.summary.strip():
        return record.body
    return "" if one_line(record.body) == summary_of(record) else record.body


def abstract_of(record: Record) -> str:
    """Returns the abstract of a node; where it has none, the first sentences of its content.

    It is never empty for a node that says anything, and never cut within a sentence unless one
    sentence alone is longer than an abstract should be.
    """
    if record.abstract.strip():
        return record.abstract.strip()
    kept = ""
    for sentence in re.split(_SENTENCE, content_of(record).strip()):
        longer = f"{kept} {one_line(sentence)}".strip()
        if len(longer) > ABSTRACT_CHARS[1]:
            break
        kept = longer
    return kept or shortened(one_line(content_of(record)), ABSTRACT_CHARS[1]) or summary_of(record)


def is_sealed(record: Record) -> bool:
    """Whether a record's words are encrypted, as in its file; as ``services.sealing`` has it."""
    if record.sensitivity is not Sensitivity.SEALED:
        return False
    from memfs.services import sealing  # hardly any record is

    return sealing.is_sealed(record)


def shortened(text: str, most: int) -> str:
    """Returns at most ``most`` characters, cut at a word where there is one."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    head = cut.rpartition(" ")[0]
    return f"{(head if len(head) > most // 2 else cut).rstrip(' ,;:')}…"


def one_line(text: str) -> str:
    """Returns a text on one line."""
    return " ".join(text.split())


def pages_of(content: str, size: int = PAGE_CHARS) -> Sequence[str]:
    """Splits a content into pages that give it again, byte for byte, put one after the other."""
    pages: list[str] = []
    start = 0
    while len(content) - start > size:
        end = content.rfind("\n", start + size // 2, start + size) + 1 or start + size
        pages.append(content[start:end])
        start = end
    pages.append(content[start:])
    return pages


def page_of(content: str, number: int, size: int = PAGE_CHARS) -> Page | None:
    """Returns one page of a content; ``None`` where there is no such page."""
    pages = pages_of(content, size)
    if not 1 <= number <= len(pages):
        return None
    return Page(number=number, total=len(pages), text=pages[number - 1])


def is_bare_name(record: Record) -> bool:
    """Tells whether a node only names something and says nothing of it (M37).

    A few words without a verb cannot be told from a name by rule, so that what counts is that
    there is nothing else: no sentence, no value, no abstract and no content.
    """
    if record.abstract.strip() or content_of(record).strip():
        return False
    summary = summary_of(record)
    words = re.findall(_WORD, summary)
    if not words:
        return True
    if len(words) > _NAME_WORDS or re.search(_SAYS, summary):
        return False
    return len(words) == 1 or all(_is_name_part(word) for word in words)


def _is_name_part(word: str) -> bool:
    return not word[0].islower() or any(character.isdigit() for character in word)


def flags_of(record: Record) -> tuple[str, ...]:
    """Returns what a person may want to mend in a node, as stable words."""
    found = []
    if is_bare_name(record):
        found.append("bare-name")
    if len(summary_of(record)) > SUMMARY_CHARS[1]:
        found.append("long-summary")
    if len(record.abstract) > ABSTRACT_CHARS[1]:
        found.append("long-abstract")
    return tuple(found)
