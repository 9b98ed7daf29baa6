"""The one who reads a context and answers: a fixed rule, no model and no judge.

It knows the language that the histories are written in, and that is all: which sentence names a
thing and what is asked of it, and what a value looks like. It believes people before programs,
never believes what a tool printed, takes the newest where several answer, heeds a request to
forget and a note that something failed; all of that only where the context shows it. Whoever is
misled by less than this is misled by more than it: what must not be in a context at all is
counted apart, whether the reader falls for it or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from benchmarks.evaluating.histories import Question, Rule

BYTES_A_TOKEN: Final = 4
_DAY: Final = re.compile(r"\b\d{4}-\d\d-\d\d(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a context that stands for itself: a line, a card.

    Attributes:
        words: What it says.
        day: When that was said or holds from, as the context shows; ``None`` where it does not.
        is_person: The context shows that a person stands behind it.
        is_tool: The context shows that a tool printed it.
    """

    words: str
    day: date | None = None
    is_person: bool = False
    is_tool: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a mode hands to whoever asks.

    Attributes:
        text: All of it, byte for byte.
        passages: Its parts, best or newest first.
        seconds: Processor time that it took.
    """

    text: str = ""
    passages: tuple[Passage, ...] = ()
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Its size: four UTF-8 bytes a token, rounded up."""
        return tokens_of(self.text)


def tokens_of(text: str) -> int:
    """Returns the size of a text: four UTF-8 bytes a token, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def day_in(text: str) -> date | None:
    """Returns the first day that is written in a text."""
    found = _DAY.search(text)
    return date.fromisoformat(found[0]) if found else None


def holds_word(text: str, value: str) -> bool:
    """Tells whether ``value`` stands in ``text`` as a word of its own, whatever the case."""
    return re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class _Fit:
    """A passage that answers, with its value."""

    value: str
    passage: Passage
    place: int

    @property
    def day(self) -> date:
        """The day that it speaks of; the first of all where nothing is shown."""
        return day_in(self.passage.words) or self.passage.day or date.min

    @property
    def age(self) -> tuple[date, int]:
        """Larger for what is newer; what stands earlier in the context wins among equals."""
        return self.day, -self.place


def answer(question: Question, context: Context) -> tuple[str, ...]:
    """Returns the values that the reader answers with; none where it has no answer."""
    if question.rule is Rule.EVERY:
        return tuple(value for value in question.gold if value in context.text)
    fits, is_forgotten = _fits(question, context.passages)
    if not fits or is_forgotten:
        return ()
    match question.rule:
        case Rule.FIRST:
            fits = [fit for fit in fits if not _failed(fit.value, context.passages)]
            return (fits[0].value,) if fits else ()
        case Rule.BOTH:
            return tuple(dict.fromkeys(sorted(fit.value for fit in fits)))
        case Rule.ON:
            fits = [fit for fit in fits if fit.day == question.on]
        case Rule.AT:
            fits = [fit for fit in fits if question.on is None or fit.day <= question.on]
        case _:
            pass
    if not fits:
        return ()
    newest = max(fits, key=lambda fit: fit.age)
    return (str(newest.day) if question.rule is Rule.WHEN else newest.value,)


def is_right(question: Question, answered: Sequence[str]) -> bool:
    """Tells whether an answer is the right one; to have none, where there is none."""
    return sorted(answered) == sorted(question.gold)


def exposed(values: Iterable[str], context: Context) -> bool:
    """Tells whether any of ``values`` stands in a context."""
    return any(holds_word(context.text, value) for value in values)


def _fits(question: Question, passages: Sequence[Passage]) -> tuple[list[_Fit], bool]:
    """Returns what answers, from people alone where any did; and whether the last word is none."""
    found: list[_Fit] = []
    forgets: list[_Fit] = []
    for place, passage in enumerate(passages):
        if passage.is_tool or not _names(question, passage.words):
            continue
        if passage.words.casefold().startswith("forget"):
            forgets.append(_Fit("", passage, place))
            continue
        value = re.search(question.shape, passage.words)
        if value is not None and not _tells_of_trial(passage.words):
            found.append(_Fit(value[0], passage, place))
    persons = [fit for fit in found if fit.passage.is_person]
    fits = persons or found
    last = max((fit.age for fit in fits), default=(date.min, 0))
    return fits, any(fit.age > last for fit in forgets)


def _names(question: Question, words: str) -> bool:
    folded = words.casefold()
    return holds_word(folded, question.about) and any(it in folded for it in question.wordings)


def _tells_of_trial(words: str) -> bool:
    return words.startswith("Applied ")


def _failed(value: str, passages: Iterable[Passage]) -> bool:
    return any(
        _tells_of_trial(it.words) and holds_word(it.words, value) and "failure" in it.words
        for it in passages
    )
