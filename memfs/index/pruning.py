"""Adds up a question's terms for the documents that can still be among the best.

Terms come rarest first. As soon as the best documents so far, with all of their terms counted,
lie above all that the remaining terms can bring to a document that has each of them once, these
terms are no longer gone through: only documents that have one of them more than once, or that
have been met before, can still win. Bounds choose who is looked at and nothing else: whoever
is, gets the same sum in the same order of addition, to the last digit.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, compress
from typing import Final, NamedTuple

_SLACK: Final = 1e-9
"""Share of a score that rounding can never reach."""
_ABOVE_ONE: Final = bytes(count > 1 for count in range(256))
_WORTHWHILE: Final = 1500
"""Fewer postings are cheaper to add up than to think about."""
_LOOKUP: Final = 4
"""What looking one document up costs, in postings added up."""
_FEW: Final = 4
"""With this many times the documents that are wanted it is not worth thinking further."""


class TermList(NamedTuple):
    """Where one term stands, how often, and the most that it can add to a score."""

    documents: Sequence[int]
    counts: Sequence[float]
    gain: float


def sum_all(lists: Iterable[TermList], norms: Sequence[float]) -> dict[int, float]:
    """Returns the sum of every document that has any of the terms."""
    sums: dict[int, float] = {}
    for item in lists:
        _add(sums, item, norms)
    return sums


class Pruning:
    """One sum over many terms that looks at as few documents as it can.

    Args:
        lists: The terms, rarest first.
        norms: Length term of each document.
        least_norm: The smallest of them.
        limit: How many of the best are wanted.
        spread: By how much more one document's sum may be multiplied later than another's.
    """

    def __init__(
        self,
        lists: Sequence[TermList],
        norms: Sequence[float],
        least_norm: float,
        *,
        limit: int,
        spread: float,
    ) -> None:
        self._lists = lists
        self._norms = norms
        self._limit = limit
        self._spread = spread
        self._once = [item.gain / (1.0 + least_norm) for item in lists]
        self._rest = list(accumulate(reversed(self._once), initial=0.0))[::-1]
        self._ahead = list(accumulate(len(item.documents) for item in reversed(lists)))[::-1]

    def sums(self, kept: Collection[int]) -> dict[int, float]:
        """Returns the sums of at least the best documents and of those in ``kept``."""
        sums: dict[int, float] = {}
        added = 0
        for number, item in enumerate(self._lists):
            if self._is_worth_a_look(sums, number, added):
                added = 0
                lowest = self._lowest(sums, sums, number)
                if self._rest[number] * self._spread < lowest:
                    return self._closed(sums, number, lowest, kept)
            _add(sums, item, self._norms)
            added += len(item.documents)
        return sums

    def _is_worth_a_look(self, sums: dict[int, float], number: int, added: int) -> bool:
        if len(sums) <= self._limit or self._ahead[number] < _WORTHWHILE:
            return False
        cost = len(sums) // 2 + _LOOKUP * self._limit * (len(self._lists) - number)
        return self._ahead[number] > cost and 2 * added > cost

    def _lowest(self, bounds: dict[int, float], sums: dict[int, float], number: int) -> float:
        """Returns a score that as many documents reach as are wanted."""
        least = heapq.nlargest(self._limit, bounds.values())[-1]
        best = [document for document, bound in bounds.items() if bound >= least][: self._limit]
        return min(self._completed(document, sums, number) for document in best)

    def _completed(self, document: int, sums: dict[int, float], number: int) -> float:
        """Adds to the sum of a document what the terms from ``number`` on bring to it."""
        total = sums.get(document, 0.0)
        norm = self._norms[document]
        for documents, counts, gain in self._lists[number:]:
            place = bisect_left(documents, document)
            if place < len(documents) and documents[place] == document:
                count = counts[place]
                total += gain * count / (count + norm)
        return total

    def _closed(
        self, sums: dict[int, float], number: int, lowest: float, kept: Collection[int]
    ) -> dict[int, float]:
        """Finishes with the documents that can still win and those to keep."""
        floor, rest = self._floor(lowest), self._rest[number]
        bounds = self._repeated(number)
        for document in bounds.keys() & sums.keys():
            bounds[document] += sums[document]
        bounds = _reaching(sums | bounds, floor - rest)
        for item, once in zip(self._lists[number:], self._once[number:], strict=True):
            if len(bounds) <= _FEW * self._limit:
                break
            having = _having(item.documents, bounds)
            rest -= once
            least, most = floor - rest, floor - rest - once
            bounds = {
                document: bound + once if document in having else bound
                for document, bound in bounds.items()
                if bound >= (most if document in having else least)
            }
        if len(bounds) > 2 * self._limit:
            floor = max(floor, self._floor(self._lowest(bounds, sums, number)))
            bounds = _reaching(bounds, floor - rest)
        return {
            document: self._completed(document, sums, number)
            for document in dict.fromkeys((*bounds, *kept))
        }

    def _floor(self, lowest: float) -> float:
        return lowest / self._spread * (1.0 - _SLACK)

    def _repeated(self, number: int) -> dict[int, float]:
        """Returns what having terms more than once brings beyond having each of them once."""
        more: dict[int, float] = {}
        norms = self._norms
        for (documents, counts, gain), once in zip(
            self._lists[number:], self._once[number:], strict=True
        ):
            marks = _repeats(counts)
            for document, count in zip(
                compress(documents, marks), compress(counts, marks), strict=True
            ):
                extra = gain * count / (count + norms[document]) - once
                if document in more:
                    more[document] += extra
                else:
                    more[document] = extra
        return more


def _add(sums: dict[int, float], item: TermList, norms: Sequence[float]) -> None:
    documents, counts, gain = item
    if not sums:
        sums.update(
            {
                document: gain * count / (count + norms[document])
                for document, count in zip(documents, counts, strict=True)
            }
        )
        return
    for document, count in zip(documents, counts, strict=True):
        score = gain * count / (count + norms[document])
        if document in sums:
            sums[document] += score
        else:
            sums[document] = score


def _having(documents: Sequence[int], some: Collection[int]) -> set[int]:
    """Returns those of ``some`` documents that are among ``documents``."""
    if _LOOKUP * len(some) > len(documents):
        return set(documents).intersection(some)
    return {document for document in some if _has(documents, document)}


def _has(documents: Sequence[int], document: int) -> bool:
    place = bisect_left(documents, document)
    return place < len(documents) and documents[place] == document


def _reaching(bounds: dict[int, float], floor: float) -> dict[int, float]:
    return {document: bound for document, bound in bounds.items() if bound >= floor}


def _repeats(counts: Sequence[float]) -> Sequence[int]:
    if isinstance(counts, bytes | bytearray):
        return counts.translate(_ABOVE_ONE)
    return [count > 1.0 for count in counts]
