"""Independent support: who else says so, counted once each (A11, C29, O48).

Two pieces of evidence are independent when they come from different principals *and* from
different origins. Repetition by one principal, and one text that reaches memory on several
ways, count once. What a program brings in after a claim is served may be that claim's own
echo and counts for nothing. Support raises confidence, which opens no door (A5); only two
principals who are trusted by their channel carry a claim that nobody stated to memfs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.origin import Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.status import Status

_TRUSTED: Final = frozenset({OriginClass.USER_STATED, OriginClass.HOST_OBSERVED})
_CONFIDENCE: Final = (0.5, 0.5, 0.7, 0.8, 0.9)
"""By the number of independent principals; more of them change nothing."""


def is_trusted(origin: Origin | None) -> bool:
    """Tells whether a person said it, or the host itself observed it."""
    if origin is None or origin.origin_class not in _TRUSTED:
        return False
    return origin.origin_class is OriginClass.HOST_OBSERVED or origin.principal.is_person


def independent_support(evidence: Iterable[Record]) -> int:
    """Returns how many principals support something independently of each other.

    The largest number of pieces of which no two share a principal or an origin. Order and
    repeats make no difference; what is no standing envelope is not counted.
    """
    standing = sorted((item for item in evidence if _is_standing(item)), key=_order)
    groups = _origin_groups([item.origin for item in standing if item.origin is not None])
    wanted: dict[Principal, set[int]] = {}
    for item, group in zip(standing, groups, strict=True):
        if item.origin is not None:
            wanted.setdefault(item.origin.principal, set()).add(group)
    taken: dict[int, Principal] = {}
    return sum(
        _finds_place(principal, wanted, taken, set()) for principal in sorted(wanted, key=str)
    )


def adds_support(
    standing: Sequence[Record], added: Sequence[Record], *, served_since: datetime | None
) -> tuple[Record, ...]:
    """Returns those of ``added`` that support a served record independently, in order.

    Args:
        standing: The evidence that the record has.
        added: Evidence that is said to support it too.
        served_since: When the record was admitted; what a program brought in afterwards may
            be the record's own words and is left out (C16).
    """
    kept: list[Record] = []
    for item in added:
        if is_echo(item, served_since) or _is_known(item, standing):
            continue
        found = (*standing, *kept)
        if independent_support((*found, item)) > independent_support(found):
            kept.append(item)
    return tuple(kept)


def is_echo(evidence: Record, served_since: datetime | None) -> bool:
    """Tells whether what a program brought in may only repeat what memory served it."""
    if is_trusted(evidence.origin):
        return False
    observed = evidence.observed
    return served_since is None or observed is None or observed >= served_since


def confidence_from(support: int) -> float:
    """Returns the confidence that a number of independent principals gives, 0.5 to 0.9."""
    return _CONFIDENCE[max(0, min(support, len(_CONFIDENCE) - 1))]


def is_corroborated(stating: Sequence[Record]) -> bool:
    """Tells whether two trusted principals, a person among them, say so independently.

    Args:
        stating: Envelopes of those that state the claim.
    """
    trusted = [item for item in stating if is_trusted(item.origin)]
    has_person = any(
        item.origin is not None and item.origin.principal.is_person for item in trusted
    )
    return has_person and independent_support(trusted) >= _NEEDED


_NEEDED: Final = 2


def _order(evidence: Record) -> tuple[str, ...]:
    origin = evidence.origin
    return (origin.source, origin.digest, str(origin.principal)) if origin else ()


def _is_known(evidence: Record, standing: Sequence[Record]) -> bool:
    return bool(evidence.id) and any(evidence.id == other.id for other in standing)


def _is_standing(evidence: Record) -> bool:
    return (
        evidence.kind == EVIDENCE_KIND
        and evidence.status is Status.ACTIVE
        and evidence.origin is not None
    )


def _origin_groups(origins: Sequence[Origin]) -> list[int]:
    """Numbers origins so that those that may go back to one text share a number.

    Copies that programs bring are joined with each other, however many steps apart, and with
    what a person said in the same words; they never join two people.
    """
    numbers = list(range(len(origins)))
    trusted = [is_trusted(origin) for origin in origins]
    for index, origin in enumerate(origins):
        for earlier in range(index):
            if trusted[index] == trusted[earlier] and _is_same_origin(origin, origins[earlier]):
                old, new = numbers[index], numbers[earlier]
                numbers = [new if number == old else number for number in numbers]
    copied: dict[int, int] = {}
    for index, origin in enumerate(origins):
        for other, said in enumerate(origins):
            if trusted[other] and not trusted[index] and _is_same_origin(origin, said):
                group = copied.get(numbers[index], numbers[other])
                copied[numbers[index]] = min(group, numbers[other])
    return [copied.get(number, number) for number in numbers]


def _is_same_origin(left: Origin, right: Origin) -> bool:
    """Tells whether two pieces may go back to one text.

    The same pointer does, and so does the same text on two ways; but two people who say the
    same words in their own turns are two people.
    """
    if left.source and left.source == right.source:
        return True
    if not left.digest or left.digest != right.digest:
        return False
    return not (is_trusted(left) and is_trusted(right))


def _finds_place(
    principal: Principal,
    wanted: Mapping[Principal, set[int]],
    taken: dict[int, Principal],
    seen: set[int],
) -> bool:
    """Gives a principal an origin of its own, moving others where that helps."""
    for group in sorted(wanted[principal]):
        if group in seen:
            continue
        seen.add(group)
        holder = taken.get(group)
        if holder is None or _finds_place(holder, wanted, taken, seen):
            taken[group] = principal
            return True
    return False
