"""Text to index terms, the same for records and for questions, in any script.

* Everything is compared in NFKC with case folded, so that composed and decomposed
  spellings are one word (LESSONS 32).
* Accents of Latin, Greek, Cyrillic, Hebrew and Arabic are optional marks and are dropped;
  the vowel signs of Indic scripts are letters and stay.
* Scripts that do not put spaces between words become overlapping pairs of characters.
* Function words carry no topic and are dropped on both sides; irregular English forms are
  brought to their base before stemming.

No free text is ever parsed as a query language: a question is words, and nothing in it
can change a filter (A53).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, cast

from memfs.index.dates import is_time_word
from memfs.index.forms import FIRST_PERSON, FUNCTION_WORDS, IRREGULAR
from memfs.model.frozen import frozen

MAX_TERM_BYTES: Final = 120

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_INDIC: Final = "\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff"
_ASCII_WORD: Final = r"[A-Za-z0-9]+(?:'[A-Za-z]+)?"
_ANY_WORD: Final = rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}]|[{_INDIC}])+(?:'[^\W\d_]+)?"
_UNSPACED_RUN: Final = rf"[{_UNSPACED}]+\Z"
_CASE_PARTS: Final = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
_OPTIONAL_MARKS: Final = "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]+"
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'"})


@frozen
class AnalysisSettings:
    """Which steps are on; every one can be switched off to measure what it brings."""

    stem: bool = True
    irregular: bool = True
    stop_words: bool = True
    split_identifiers: bool = True


DEFAULT_ANALYSIS: Final = AnalysisSettings()


def fold(text: str) -> str:
    """Returns ``text`` without the differences that no search should see.

    Case stays, since identifiers are split by it; optional combining marks go.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES))
    return unicodedata.normalize("NFKC", re.sub(_OPTIONAL_MARKS, "", text))


class _Stemmer(dict[str, str]):
    """Word to stem, computed once a word; each language's rules are loaded when first needed."""

    def __missing__(self, word: str) -> str:
        stem = word
        if len(word) > 2 and word.isascii():
            stem = _english()(word)
        elif len(word) > 3 and "\u0400" <= word[0] <= "\u04ff":
            stem = _russian()(word)
        elif len(word) > 4 and word.startswith("\u0627\u0644"):
            # The Arabic article is written as part of the word.
            stem = word[2:]
        self[word] = stem
        return stem


@cache
def _english() -> Callable[[str], str]:
    from whoosh.lang.porter import stem

    return cast("Callable[[str], str]", stem)


@cache
def _russian() -> Callable[[str], str]:
    from whoosh.lang.snowball.russian import RussianStemmer

    return cast("Callable[[str], str]", RussianStemmer().stem)


class Analyzer:
    """Turns text into terms; keeps the terms of words it has seen."""

    def __init__(self, settings: AnalysisSettings = DEFAULT_ANALYSIS) -> None:
        self.settings = settings
        self._stems = _Stemmer()
        self._terms: dict[str, tuple[str, ...]] = {}
        self._dated: set[str] = set()

    def words(self, text: str) -> list[str]:
        """Returns the words of ``text`` in order, folded but not lowered, repetitions kept."""
        text = fold(text)
        return re.findall(_ASCII_WORD if text.isascii() else _ANY_WORD, text)

    def add_counts(self, counts: dict[str, float], words: Iterable[str], weight: float) -> int:
        """Adds to ``counts``, for each term of ``words``, its weighted number of occurrences.

        Returns:
            How many terms there were.
        """
        known = self._terms
        total = 0
        for word, times in Counter(words).items():
            terms = known.get(word)
            if terms is None:
                terms = self._terms_of(word)
            for term in terms:
                total += times
                if term in counts:
                    counts[term] += times * weight
                else:
                    counts[term] = times * weight
        return total

    def may_be_dated(self, words: Iterable[str]) -> bool:
        """Tells whether any of ``words``, already counted, could be part of a date."""
        return not self._dated.isdisjoint(words)

    def terms(self, text: str) -> tuple[str, ...]:
        """Returns the distinct terms of a question, in order of first appearance."""
        seen: dict[str, None] = {}
        for word in self.words(text):
            if not word.isascii() and re.match(_UNSPACED_RUN, word) and len(word) > 1:
                seen.update(dict.fromkeys(_pairs(word)))
            else:
                seen.update(dict.fromkeys(self.terms_of_word(word)))
        return tuple(seen)

    def terms_of_word(self, word: str) -> tuple[str, ...]:
        """Returns the terms under which one word is indexed; none for a function word."""
        terms = self._terms.get(word)
        return self._terms_of(word) if terms is None else terms

    def is_first_person(self, word: str) -> bool:
        """Tells whether a question means its asker by this word."""
        return word.lower() in FIRST_PERSON

    def _terms_of(self, word: str) -> tuple[str, ...]:
        if not word.isascii() and re.match(_UNSPACED_RUN, word):
            found = (*word, *_pairs(word)) if len(word) > 1 else (word,)
        else:
            found = self._spaced_terms(word)
        self._terms[word] = found
        if is_time_word(word):
            self._dated.add(word)
        return found

    def _spaced_terms(self, word: str) -> tuple[str, ...]:
        stem = self._term(word)
        if not self.settings.split_identifiers or word.islower() or word.istitle():
            return (stem,) if stem else ()
        parts = [part for part in re.findall(_CASE_PARTS, word) if len(part) > 1]
        terms = dict.fromkeys(
            [stem, *(self._term(part) for part in parts)] if len(parts) > 1 else [stem]
        )
        return tuple(term for term in terms if term)

    def _term(self, word: str) -> str:
        word = word.casefold()
        word, _, _ = word.partition("'")
        if self.settings.stop_words and word in FUNCTION_WORDS:
            return ""
        if self.settings.irregular:
            word = IRREGULAR.get(word, word)
            if self.settings.stop_words and word in FUNCTION_WORDS:
                return ""
        if self.settings.stem:
            word = self._stems[word]
        while len(word.encode()) > MAX_TERM_BYTES:
            word = word[: MAX_TERM_BYTES // 4]
        return word


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]
