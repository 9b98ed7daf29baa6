"""The keyword score: BM25 over a record's own words, its neighbours' and its session's.

Neighbour and session texts are fields that are never written anywhere: a posting of a
record is also a posting of the records around it, so the fields are spread from the
postings at query time. Indexing stays as small as the records, and one new turn changes no
other record's entry. Postings of records that may not be seen are dropped before any
frequency is counted, so that they influence nothing.

Terms are taken rarest first, so that common words cost next to nothing (see ``pruning``).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from memfs.index.dates import RECORDED, narrowest
from memfs.index.port import ScoringSettings
from memfs.index.pruning import Pruning, TermList, sum_all
from memfs.index.view import Postings, View
from memfs.model.frozen import frozen

_NAMED_BY_ID = 10.0
"""A record that a question names by its id comes before all that only match its words."""
_BACKGROUND = 100.0
"""Records that a store is imagined to hold besides its own when words are weighed."""


@frozen
class Question:
    """A question taken apart.

    Attributes:
        terms: Distinct terms to look for.
        ids: Ids of records that it names.
        dates: Calendar keys that it names.
        dated_terms: Those of the terms that are part of such a date, and no topic besides.
        speakers: Folded names of the speakers that it is about.
        asks_time: Whether a time is wanted for an answer.
    """

    terms: tuple[str, ...]
    ids: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    dated_terms: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()
    asks_time: bool = False


@frozen
class Term:
    """One term of a question.

    Attributes:
        postings: Where it stands, or where words stand that begin like it.
        weight: What it adds to scores.
        telling: What it adds to coverage.
        closeness: 1 for the term itself, less for words that only begin like it.
    """

    postings: Postings
    weight: float
    telling: float
    closeness: float = 1.0


@dataclass(slots=True, kw_only=True)
class Tally:
    """What scoring has gathered: sums by document number."""

    terms: list[Term] = field(default_factory=list)
    own: dict[int, float] = field(default_factory=dict)
    near: dict[int, float] = field(default_factory=dict)
    session: dict[int, float] = field(default_factory=dict)
    dates: dict[int, float] = field(default_factory=dict)
    dated: dict[int, float] = field(default_factory=dict)
    dates_telling: float = 0.0

    def coverage(self, document: int, around: Sequence[int], neighbour: float) -> float:
        """Returns the share of the question's weight that a document covers, 0 to 1.

        Args:
            document: Its number.
            around: Its neighbours in the session.
            neighbour: What a word counts that only a neighbour has, 0 to 1.
        """
        total = self.dates_telling
        covered = total * self.dated.get(document, 0.0)
        for term in self.terms:
            total += term.telling
            documents, _ = term.postings
            if _has(documents, document):
                covered += term.closeness * term.telling
            elif neighbour and any(_has(documents, other) for other in around):
                covered += min(1.0, neighbour) * term.closeness * term.telling
        return covered / total if total else 0.0


def _has(documents: Sequence[int], document: int) -> bool:
    place = bisect_left(documents, document)
    return place < len(documents) and documents[place] == document


def idf(count: int, frequency: int) -> float:
    """Returns the weight of a term that ``frequency`` of ``count`` documents have."""
    return math.log(1.0 + (count - frequency + 0.5) / (frequency + 0.5))


def telling(count: int, frequency: int) -> float:
    """Returns how much a term says of what a question is about.

    Like :func:`idf`, but steady in a small store, where a word that every record has is still
    what the question is about.
    """
    return math.log((count + _BACKGROUND) / (frequency + 1.0))


def tally(view: View, question: Question, scoring: ScoringSettings, *, limit: int) -> Tally:
    """Gathers the sums of every signal for every document that can be among the best.

    Args:
        view: The visible documents.
        question: What is asked.
        scoring: Weights.
        limit: How many of the best are wanted; others may be missing from the sums.
    """
    result = Tally()
    result.terms = [
        *(
            _term(view, "text", term, question.dated_terms, kindred=scoring.kindred)
            for term in question.terms
        ),
        *(_term(view, "key", f"id:{name}", factor=_NAMED_BY_ID) for name in question.ids),
    ]
    result.terms.sort(key=lambda term: len(term.postings[0]))
    if scoring.dates:
        _add_dates(result, view, question.dates, scoring.recorded)
    spreads = view.has_groups and bool(scoring.neighbour or scoring.session)
    result.own = _own(result, view, question, scoring, limit=0 if spreads else limit)
    if spreads:
        _add_surroundings(result, view, scoring)
    return result


def _term(
    view: View,
    field_name: str,
    term: str,
    untelling: frozenset[str] = frozenset(),
    *,
    factor: float = 1.0,
    kindred: float = 0.0,
) -> Term:
    postings = view.postings(field_name, term)
    closeness = 1.0
    if kindred and not postings[0]:
        postings = view.kindred(term)
        closeness = kindred
    frequency = len(postings[0])
    return Term(
        postings=postings,
        weight=factor * closeness * idf(view.count, frequency),
        telling=0.0 if term in untelling else telling(view.count, frequency),
        closeness=closeness,
    )


def _add_dates(result: Tally, view: View, dates: Sequence[str], recorded: float) -> None:
    sums = result.dates
    for key in dates:
        documents, _ = view.postings("key", key)
        weight = idf(view.count, len(documents))
        for document in documents:
            sums[document] = sums.get(document, 0.0) + weight
    if dates:
        result.dates_telling = telling(view.count, len(sums))
    result.dated = dict.fromkeys(sums, 1.0)
    for key in narrowest(dates) if recorded else ():
        told, _ = view.postings("key", key)
        made, _ = view.postings("key", f"{RECORDED}{key}")
        # Counted together: what was made on a day is never worth more than what tells of it.
        weight = recorded * idf(view.count, len(told) + len(made))
        for document in made:
            sums[document] = sums.get(document, 0.0) + weight
            result.dated.setdefault(document, recorded)


def _own(
    result: Tally, view: View, question: Question, scoring: ScoringSettings, *, limit: int
) -> dict[int, float]:
    lists = [TermList(*term.postings, term.weight * (scoring.k1 + 1.0)) for term in result.terms]
    if not limit:
        return sum_all(lists, view.norms)
    spread = 1.0
    for factor, applies in (
        (scoring.speaker, bool(question.speakers)),
        (scoring.states_time, question.asks_time),
    ):
        if applies:
            spread *= max(1.0, factor) / min(1.0, factor) if factor > 0 else math.inf
    pruning = Pruning(lists, view.norms, view.least_norm, limit=limit, spread=spread)
    return pruning.sums(result.dates)


def _add_surroundings(result: Tally, view: View, scoring: ScoringSettings) -> None:
    sessions: dict[int, float] = {}
    for term in result.terms:
        if not term.postings[0]:
            continue
        if scoring.neighbour:
            _add_near(result.near, view, term.postings, scoring.k1)
        if scoring.session:
            _add_sessions(sessions, view, term.postings, scoring.k1)
    if sessions:
        group_of = view.groups
        for document in result.own.keys() | result.near.keys():
            score = sessions.get(group_of[document])
            if score is not None:
                result.session[document] = score


def _add_near(near: dict[int, float], view: View, postings: Postings, k1: float) -> None:
    counts: dict[int, float] = {}
    around = view.around
    for document, count in zip(*postings, strict=True):
        for neighbour in around.get(document) or view.place(document):
            if neighbour in counts:
                counts[neighbour] += count
            else:
                counts[neighbour] = count
    gain = idf(view.count, len(counts)) * (k1 + 1.0)
    norms = view.near_norms
    for document, count in counts.items():
        near[document] = near.get(document, 0.0) + gain * count / (count + norms[document])


def _add_sessions(sessions: dict[int, float], view: View, postings: Postings, k1: float) -> None:
    counts: dict[int, float] = {}
    group_of = view.groups
    for document, count in zip(*postings, strict=True):
        group = group_of[document]
        if group:
            counts[group] = counts.get(group, 0.0) + count
    gain = idf(len(view.members), len(counts)) * (k1 + 1.0)
    norms = view.group_norms
    for group, count in counts.items():
        sessions[group] = sessions.get(group, 0.0) + gain * count / (count + norms[group])
