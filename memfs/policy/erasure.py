"""What to look for after an erasure: the words that tell an erased record, in every form.

Pure. A phrase is *distinctive* when it is long enough to tell something and stands in no record
that stays. Words that others say as well are not hunted down: they are reported, and a person
who wants them gone names them. Matching is by bytes, case-sensitive.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import is_id
from memfs.model.record import Record
from memfs.policy.content import fields_of

LINE_CHARS: Final = 10
SENTENCE_CHARS: Final = 20
TOKEN_CHARS: Final = 8
JOINED_LETTERS: Final = 12
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+")
_TOKEN: Final = re.compile(r"[^\W_](?:[\w.@+:/-]*\w)?")
_JOINT: Final = re.compile(r"[-_]")
_COMMON: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}|[0-9a-f]{40}\Z|sha256:|tx_|[a-z]+_[0-9a-z]{26}(?:@|\Z)"
)
_LIST_MARK: Final = re.compile(r"^(?:[-*+>#]+|\d{1,3}[.)])\s+")
_MARKDOWN: Final = re.compile(r"[\\`*_\[\]<>&|~]")


class Level(StrEnum):
    """How far a deletion went, weakest first; each is stated in the receipt (A21, A61)."""

    WITHDRAWN = "withdrawn"
    """Nothing serves it any more, nor what was derived from it."""
    MANAGED = "managed"
    """Its bytes are gone from every place that memfs manages, but the Git history."""
    HISTORY = "history"
    """Its bytes are gone from the Git history of this store as well."""
    KEY = "key"
    """The key of a sealed record is destroyed: no copy of the store can be read any more."""
    EXTERNAL = "external"
    """Copies outside of this store: never reached from here, always named."""


@frozen(kw_only=False)
class Phrases:
    """Words to hunt down, and how many more stand in records that stay."""

    distinctive: tuple[str, ...]
    shared: int


def phrases_of(record: Record) -> Iterator[str]:
    """Yields what a record says, in pieces that others may have copied: lines, sentences,
    and words that are hardly a coincidence.
    """
    yield from phrases_in("\n".join((record.title, record.body)))
    for text in fields_of(record):
        if " " in text:
            yield from phrases_in(text)


def phrases_in(text: str) -> Iterator[str]:
    """Yields the phrases of a text, longest pieces first within each line."""
    for line in text.splitlines():
        whole = _LIST_MARK.sub("", line.strip()).strip()
        if len(whole) >= LINE_CHARS and " " in whole:
            yield whole
        for sentence in _SENTENCE.split(whole):
            plain = sentence.rstrip(".!?; ")
            if len(plain) >= SENTENCE_CHARS and plain.count(" ") >= 2:
                yield plain
        yield from (item for item in _TOKEN.findall(whole) if is_rare_looking(item))


def is_rare_looking(word: str) -> bool:
    """Whether a word is hardly a coincidence: a code, a number, an address, a name of a machine.

    Ids of records and commits, and dates, stand in many places for good reasons.
    """
    if len(word) < TOKEN_CHARS or _COMMON.match(word) or is_id(word):
        return False
    letters = sum(letter.isalpha() for letter in word)
    digits = sum(letter.isdigit() for letter in word)
    if digits >= 2 and (letters or digits >= TOKEN_CHARS):
        return True
    is_joined = len(_JOINT.findall(word)) >= 2 and "/" not in word and letters >= JOINED_LETTERS
    return "@" in word or is_joined or (word.isupper() and letters >= LINE_CHARS)


def distinctive(phrases: Iterable[str], others: Iterable[str]) -> Phrases:
    """Separates phrases that stand in no text of ``others`` from those that do."""
    left = dict.fromkeys(unicodedata.normalize("NFC", item) for item in phrases)
    count = len(left)
    for text in others:
        plain = unicodedata.normalize("NFC", text)
        for phrase in [phrase for phrase in left if phrase in plain]:
            del left[phrase]
    return Phrases(tuple(left), count - len(left))


def forms_of(phrase: str) -> tuple[bytes, ...]:
    """Returns a phrase in every form that memfs or Git write: composed and decomposed, escaped
    as in JSON, in Markdown of the inbox, and in quoted paths.
    """
    found: dict[bytes, None] = {}
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, phrase)
        plain = text.encode("utf-8", "surrogatepass")
        found[plain] = None
        for is_ascii in (True, False):
            escaped = json.dumps(text, ensure_ascii=is_ascii)[1:-1]
            found[escaped.encode("utf-8", "surrogatepass")] = None
        found[_MARKDOWN.sub(r"\\\g<0>", text).encode("utf-8", "surrogatepass")] = None
        found[_quoted(plain)] = None
        found[text.replace("'", "''").encode("utf-8", "surrogatepass")] = None
    return tuple(found)


def _quoted(plain: bytes) -> bytes:
    """Writes bytes beyond ASCII as Git does in a quoted path."""
    return b"".join(b"\\%03o" % byte if byte >= 0x80 else bytes((byte,)) for byte in plain)
