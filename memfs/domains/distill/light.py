"""The light pass: what says the same, or nearly, is grouped, scored and staged (O36).

Nothing is changed and nothing is proposed: the groups are noted beside the caches, for a person
to look at, for the deep pass to count a group's uses together, and for the core to say a thing
once. No model is asked. Texts are compared by their words, within one scope: the same words for
another project are another claim.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from memfs.index.likeness import Frequencies, frequencies_of, likeness
from memfs.model.frozen import frozen

MOST_GROUPS: Final = 500
_ROUNDING: Final = 1e-9
_FEW_TERMS: Final = 3
"""Texts of fewer terms are alike by chance; they are grouped where they are the same alone."""


class Alike(StrEnum):
    """How members of a group are alike."""

    EXACT = "exact"
    NEAR = "near"


@frozen
class Statement:
    """Something that is compared.

    Attributes:
        id: Of a record, or of a candidate that waits.
        scope: Where it holds; only what holds in one place is compared.
        words: Its words, folded, as two spellings of the same claim share them.
        terms: How often each of its terms stands in it.
        score: How much speaks for it (see ``memfs.policy.lasting``).
        is_waiting: It is a candidate, and served to nobody.
    """

    id: str
    scope: str
    words: str
    terms: Mapping[str, float]
    score: float = 0.0
    is_waiting: bool = False


@frozen
class Member:
    """One member of a group; ``likeness`` is that to the first one, 0 to 1."""

    id: str
    score: float
    likeness: float = 1.0
    is_waiting: bool = False


@frozen
class Group:
    """What says the same, or nearly; the member for which most speaks comes first."""

    alike: Alike
    members: tuple[Member, ...]

    @property
    def lead(self) -> str:
        """Id of the member that stands for the others."""
        return self.members[0].id


def grouped(statements: Iterable[Statement], *, least: float) -> tuple[Group, ...]:
    """Groups statements that are the same, or at least so much alike.

    Two are in one group where a chain of such pairs leads from one to the other. The order in
    which statements are given does not matter. What is served leads before what waits.

    Args:
        statements: What is compared.
        least: From here on two are nearly the same, 0 to 1.

    Returns:
        Groups of two or more, the best lead first, ties by id; at most 500.
    """
    by_scope: dict[str, list[Statement]] = defaultdict(list)
    for item in sorted(statements, key=lambda item: item.id):
        if item.words:
            by_scope[item.scope].append(item)
    groups: list[Group] = []
    for items in by_scope.values():
        groups.extend(_groups_of(items, least))
    groups.sort(key=lambda group: (-group.members[0].score, group.lead))
    return tuple(groups[:MOST_GROUPS])


def leads_of(groups: Iterable[Group]) -> dict[str, str]:
    """Returns for each member that does not lead the id of the one that stands for it."""
    return {member.id: group.lead for group in groups for member in group.members[1:]}


def _groups_of(items: Sequence[Statement], least: float) -> Iterable[Group]:
    roots = list(range(len(items)))

    def root_of(number: int) -> int:
        while roots[number] != number:
            roots[number] = roots[roots[number]]
            number = roots[number]
        return number

    def join(one: int, other: int) -> None:
        first, second = sorted((root_of(one), root_of(other)))
        roots[second] = first

    first_with: dict[str, int] = {}
    distinct: list[int] = []
    for number, item in enumerate(items):
        twin = first_with.setdefault(item.words, number)
        if twin == number:
            distinct.append(number)
        else:
            join(twin, number)
    rarity = frequencies_of(item.terms for item in items)
    for one, other in _near_pairs(items, distinct, rarity, least):
        join(one, other)
    found: dict[int, list[Statement]] = defaultdict(list)
    for number, item in enumerate(items):
        found[root_of(number)].append(item)
    return [_group(members, rarity) for members in found.values() if len(members) > 1]


def _group(items: Sequence[Statement], rarity: Frequencies) -> Group:
    lead, *rest = sorted(items, key=lambda item: (item.is_waiting, -item.score, item.id))
    members = [Member(id=lead.id, score=lead.score, is_waiting=lead.is_waiting)]
    members += [
        Member(
            id=item.id,
            score=item.score,
            likeness=1.0
            if item.words == lead.words
            else round(likeness(lead.terms, item.terms, rarity), 4),
            is_waiting=item.is_waiting,
        )
        for item in rest
    ]
    is_exact = all(item.words == lead.words for item in rest)
    return Group(alike=Alike.EXACT if is_exact else Alike.NEAR, members=tuple(members))


def _near_pairs(
    items: Sequence[Statement], numbers: Sequence[int], rarity: Frequencies, least: float
) -> Iterable[tuple[int, int]]:
    """Yields the pairs that are alike enough, and compares few others.

    Of each text only its rarest terms are looked up: what the common ones could add up to alone
    stays below ``least``, so that no pair is missed.
    """
    looked_up: dict[str, list[int]] = defaultdict(list)
    units: dict[int, dict[str, float]] = {}
    for number in numbers:
        unit = _unit(items[number].terms, rarity)
        if len(unit) < _FEW_TERMS:
            continue
        near: set[int] = set()
        for term in unit:
            near.update(looked_up.get(term, ()))
        for other in near:
            its = units[other]
            about = sum(weight * its[term] for term, weight in unit.items() if term in its)
            # Near the line the exact figure decides, which is the same in any order.
            if about + _ROUNDING >= least and (
                likeness(items[other].terms, items[number].terms, rarity) >= least
            ):
                yield other, number
        units[number] = unit
        for term in _rarest(unit, least):
            looked_up[term].append(number)


def _rarest(unit: Mapping[str, float], least: float) -> list[str]:
    common_first = sorted(unit, key=lambda term: (unit[term], term))
    passed, total = 0, 0.0
    for term in common_first:
        total += unit[term] ** 2
        if total + _ROUNDING >= least**2:
            break
        passed += 1
    return common_first[passed:]


def _unit(terms: Mapping[str, float], rarity: Frequencies) -> dict[str, float]:
    """Returns the weights of a text's terms, as a vector of length one."""
    weights = {term: (1.0 + math.log(count)) * rarity.weight(term) for term, count in terms.items()}
    length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()} if length else {}
