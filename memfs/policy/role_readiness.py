"""Whether a candidate intervention is to be drafted, held, or left unsaid (E52).

One table, looked through from above: the first row that applies decides, and the answer names it.
A row of silence goes before one of holding. What a candidate says of its own readiness, that it
is queued or deferred, is not looked at (E12). A verdict permits nothing: a draft is shown to
somebody who may decide, and that is all. The figures are this project's own choice; 0.70 is the
confidence from which on a summary may stand for its children, too. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    ROLE_PREFIX,
    Because,
    Intent,
    Lifecycle,
    Profile,
    anchors_of,
    lifecycle_of,
    number_of,
    profile_of,
    role_of,
)
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_ripening import (
    Theme,
    cooling_until,
    pressure_rests_until,
    theme_from,
    theme_key,
    themes_of,
    unit,
)
from memfs.policy.thresholds import Threshold


class ReadinessVerdict(StrEnum):
    """What becomes of a candidate for now."""

    DRAFT = "draft"
    """It may be drafted, and shown to whoever decides."""
    HOLD = "hold"
    """It waits; what holds it may pass."""
    SILENCE = "silence"
    """Nothing is to be said."""


DOUBTFUL: Final = 0.3
SURE: Final = 0.7
TRIFLING: Final = 0.2
URGENT: Final = 0.4
THRESHOLDS: Final[tuple[Threshold, ...]] = (
    Threshold(name="doubtful", value=DOUBTFUL, says="confidence below which nothing is said"),
    Threshold(name="unsure", value=SURE, says="confidence below which it is held"),
    Threshold(name="trifling", value=TRIFLING, says="urgency below which nothing is said"),
    Threshold(name="faint", value=URGENT, says="urgency below which it is held"),
)


@frozen
class Readiness:
    """What becomes of a candidate, and by which row.

    Attributes:
        verdict: Draft, hold or silence.
        row: The row that decided.
        reasons: Every row of this verdict that applies, in words of this build.
    """

    verdict: ReadinessVerdict
    row: str
    reasons: tuple[str, ...] = ()


@frozen
class _Case:
    """A candidate with what it would answer and what it rests on."""

    candidate: Record
    answered: tuple[Record, ...]
    memories: Mapping[str, Record]
    theme: Theme
    now: datetime

    @property
    def confidence(self) -> float:
        return unit(self.candidate.confidence or 0.0)

    @property
    def pressing(self) -> tuple[Record, ...]:
        return tuple(item for item in self.answered if pressure_rests_until(item, self.now) is None)

    @property
    def is_obliged(self) -> bool:
        return any(lifecycle_of(item) is Lifecycle.OBLIGATED for item in self.answered)

    @property
    def urgency(self) -> float:
        felt = (unit(number_of(item, "intensity")) for item in self.pressing)
        return max(unit(number_of(self.candidate, "salience", 0.5)), *felt, 0.0)


@frozen(kw_only=False)
class ReadinessRow:
    """One row of the table.

    Attributes:
        name: What answers call it.
        verdict: What it decides.
        says: When it applies.
        applies: Returns what is so, in words of this build; empty where it does not apply.
    """

    name: str
    verdict: ReadinessVerdict
    says: str
    applies: Callable[[_Case], str]


def decide_readiness(
    candidate: Record,
    pressures: Iterable[Record],
    memories: Mapping[str, Record],
    now: datetime,
    *,
    theme: Theme | None = None,
) -> Readiness:
    """Decides whether a candidate is drafted, held or left unsaid.

    Args:
        candidate: A candidate intervention; anything else is left unsaid.
        pressures: The pressures of its role; others than those that it names do not count.
        memories: What its role remembers by id: what it rests on, and what was said of its theme.
        now: The present, aware.
        theme: What its theme comes to, where that was counted already.
    """
    named = frozenset(texts_field(candidate, "answers"))
    answered = tuple(
        item
        for item in pressures
        if item.id in named and profile_of(item) is Profile.AGENCY_PRESSURE and is_open(item)
    )
    if theme is None:
        key = theme_key(candidate)
        alike = (item for item in memories.values() if theme_key(item) == key)
        theme = theme_from((*alike, candidate), now)
    case = _Case(candidate=candidate, answered=answered, memories=memories, theme=theme, now=now)
    found = [(row, words) for row in TABLE if (words := row.applies(case))]
    if not found:
        return Readiness(verdict=ReadinessVerdict.DRAFT, row=READY)
    deciding = found[0][0]
    told = (f"{row.name}: {words}" for row, words in found if row.verdict is deciding.verdict)
    return Readiness(verdict=deciding.verdict, row=deciding.name, reasons=tuple(told))


def decide_every(memories: Mapping[str, Record], now: datetime) -> Mapping[str, Readiness]:
    """Decides on every open candidate among memories, by id; themes are counted once.

    Args:
        memories: Everything that a role, or several, remember, by id; what one role remembers
            decides nothing about another.
        now: The present, aware.
    """
    roles: dict[str, dict[str, Record]] = {}
    for name, record in memories.items():
        roles.setdefault(role_of(record), {})[name] = record
    decided: dict[str, Readiness] = {}
    for own in roles.values():
        decided |= _decided_of(own, now)
    return MappingProxyType(decided)


def _decided_of(own: Mapping[str, Record], now: datetime) -> dict[str, Readiness]:
    candidates = {
        name: item
        for name, item in own.items()
        if profile_of(item) is Profile.CANDIDATE_INTERVENTION and is_open(item)
    }
    if not candidates:
        return {}
    pressures = [item for item in own.values() if profile_of(item) is Profile.AGENCY_PRESSURE]
    themes = themes_of(own.values(), now)
    return {
        name: decide_readiness(item, pressures, own, now, theme=themes[theme_key(item)])
        for name, item in candidates.items()
    }


# Rows ----------------------------------------------------------------------------------------


def _over(case: _Case) -> str:
    is_candidate = profile_of(case.candidate) is Profile.CANDIDATE_INTERVENTION
    return "" if is_candidate and is_open(case.candidate) else "it is over, or no candidate"


def _empty(case: _Case) -> str:
    match text_field(case.candidate, "intent"):
        case Intent.SPEECH | Intent.NOTE:
            return "" if text_field(case.candidate, "words").strip() else "it has no words"
        case Intent.SELF_PATCH:
            return "" if case.candidate.fields.get("patch") else "it has no patch"
        case Intent.REVIEW:
            return ""
        case _:
            return "it has no intent"


def _without_cause(case: _Case) -> str:
    is_answering = bool(texts_field(case.candidate, "answers"))
    return (
        "nothing of what it would answer presses any more"
        if is_answering and not case.answered
        else ""
    )


def _doubtful(case: _Case) -> str:
    return _below("confidence", case.confidence, DOUBTFUL)


def _trifling(case: _Case) -> str:
    return "" if case.is_obliged else _below("urgency", case.urgency, TRIFLING)


def _cooling(case: _Case) -> str:
    if cooling_until(case.candidate, case.now) is not None:
        return "it cools"
    is_all = bool(case.answered) and not case.pressing
    return "all that it would answer cools" if is_all else ""


def _resting(case: _Case) -> str:
    return "its theme rests" if case.theme.is_resting and not case.is_obliged else ""


def _groundless(case: _Case) -> str:
    anchors = anchors_of(case.candidate).remembered
    named = (item.partition(":")[2] for item in anchors if item.startswith("memory:"))
    names = dict.fromkeys((*named, *case.candidate.derived_from))
    gone = [
        name for name in names if name.startswith(f"{ROLE_PREFIX}_") and not _stands(case, name)
    ]
    return f"{len(gone)} of what it rests on does not stand" if gone else ""


def _unanchored(case: _Case) -> str:
    is_note = text_field(case.candidate, "intent") == Intent.NOTE
    is_missing = anchors_of(case.candidate).is_missing
    return "it rests on nothing" if is_missing and not is_note else ""


def _unsure(case: _Case) -> str:
    return _below("confidence", case.confidence, SURE)


def _faint(case: _Case) -> str:
    return "" if case.is_obliged else _below("urgency", case.urgency, URGENT)


def _below(what: str, value: float, least: float) -> str:
    return f"{what} {value:.2f} of {least:.2f}" if value < least else ""


_FALLEN: Final = frozenset(
    {
        Lifecycle.RETIRED,
        Lifecycle.PRUNED,
        Lifecycle.STALE,
        Lifecycle.CONTRADICTED,
        Lifecycle.SUPERSEDED,
    }
)


def _stands(case: _Case, name: str) -> bool:
    """Tells whether a memory still bears something; what was taken into another does."""
    record = case.memories.get(name)
    if record is None:
        return False
    is_taken_in = text_field(record, "because") == Because.CLUSTERED
    return lifecycle_of(record) not in _FALLEN or (
        lifecycle_of(record) is Lifecycle.PRUNED and is_taken_in
    )


READY: Final = "ready"
_V = ReadinessVerdict
TABLE: Final[tuple[ReadinessRow, ...]] = (
    ReadinessRow("over", _V.SILENCE, "it was said, applied or retired, or is no candidate", _over),
    ReadinessRow("empty", _V.SILENCE, "it has no words, or no patch", _empty),
    ReadinessRow("no cause", _V.SILENCE, "all that it would answer is over", _without_cause),
    ReadinessRow("doubtful", _V.SILENCE, "its confidence is too low to say anything", _doubtful),
    ReadinessRow("trifling", _V.SILENCE, "nothing presses, and it matters to nobody", _trifling),
    ReadinessRow("cooling", _V.HOLD, "it cools, or all that it would answer does", _cooling),
    ReadinessRow("resting", _V.HOLD, "its theme was said enough for a while", _resting),
    ReadinessRow("groundless", _V.HOLD, "a memory that it rests on is gone or fell", _groundless),
    ReadinessRow("unanchored", _V.HOLD, "it has no anchor, and is no note", _unanchored),
    ReadinessRow("unsure", _V.HOLD, "its confidence does not carry it yet", _unsure),
    ReadinessRow("faint", _V.HOLD, "nothing presses hard enough yet", _faint),
)
"""The rows in their order. An obligation goes past trifling, resting and faint, and no other."""
