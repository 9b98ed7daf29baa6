"""Core memory: the smallest snapshot that every session starts with, as ``core.md`` (O17-O20).

Facts stand in the order of frequency × confidence, events in that of recency × importance. The
file never takes more than its bytes, ends a line where it ends, and says what was left out.
Choosing and writing are functions of what they are given: the same records with the same counts
give the same bytes. The caller hands in what programs are served and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from memfs.model.event import EVENT_KIND
from memfs.model.frozen import frozen
from memfs.model.record import Record, StoredRecord
from memfs.policy.lasting import UNUSED, Use, event_weight, fact_weight
from memfs.services.core_view import core_words
from memfs.services.marked_lines import is_as_made, marked_line, view_digest

CORE_KINDS: Final = (
    "preference",
    "profile",
    "fact",
    "decision",
    "warning",
    "reference",
    "note",
    EVENT_KIND,
)
"""What can stand in the core; procedures and episodes are looked up when they are needed."""
MOST_BYTES: Final = 2_048
_FACTS_SHARE: Final = 0.65
"""Of the room, so much is kept for facts where there are events as well."""
_HEADER: Final = "<!-- memfs core: a change of a line becomes a proposal. {digest} -->"
_HEADER_LINE: Final = re.compile(r"<!-- memfs core: .*(?P<digest>[0-9a-f]{16}) -->\Z")
_HOLDS: Final = "## What holds"
_HAPPENED: Final = "## What happened"
_ALL_IN: Final = "Nothing was left out."
_MOST_DIGITS: Final = 9
NO_GROUPS: Final[Mapping[str, str]] = MappingProxyType({})


@frozen
class Ranked:
    """What there is to choose from, best first; ``repeats`` say what others in it say."""

    facts: tuple[StoredRecord, ...] = ()
    events: tuple[StoredRecord, ...] = ()
    repeats: int = 0


@frozen
class Core:
    """A core as it is written.

    Attributes:
        text: The file.
        facts: What holds, as far as it fits.
        events: What happened, as far as it fits.
        left: How many records are not in it.
    """

    text: str
    facts: tuple[StoredRecord, ...] = ()
    events: tuple[StoredRecord, ...] = ()
    left: int = 0


def ranked(
    records: Iterable[StoredRecord],
    uses: Mapping[str, Use],
    *,
    half_life_days: float,
    groups: Mapping[str, str] = NO_GROUPS,
) -> Ranked:
    """Orders records for the core; ties by importance, then the newer, then by id.

    Args:
        records: What there is to choose from.
        uses: How records were used, by id.
        half_life_days: After so many days an event counts half.
        groups: The group of each record that says the same as others; of each group the first
            in the order stands for all.
    """
    facts: list[tuple[float, StoredRecord]] = []
    events: list[tuple[float, StoredRecord]] = []
    for stored in records:
        record = stored.record
        if record.kind == EVENT_KIND:
            events.append((event_weight(record, half_life_days), stored))
        else:
            facts.append((fact_weight(record, uses.get(record.id, UNUSED)), stored))
    found = Ranked(
        facts=_once_a_group(_in_order(facts), groups),
        events=_once_a_group(_in_order(events), groups),
    )
    distinct = len(found.facts) + len(found.events)
    return replace(found, repeats=len(facts) + len(events) - distinct)


def composed(choice: Ranked, *, left: int = 0, most_bytes: int = MOST_BYTES) -> Core:
    """Writes as much of a choice as fits into so many bytes, whole lines only.

    Facts get their share of the room first, events the rest; what one of them leaves goes to
    the other.

    Args:
        choice: Best first.
        left: How many were left out before.
        most_bytes: Of UTF-8, everything included.
    """
    room = most_bytes - _frame_bytes(choice)
    shared = int(room * _FACTS_SHARE) if choice.events else room
    facts = _fitting(choice.facts, shared)
    events = _fitting(choice.events, room - _size(facts))
    facts = _fitting(choice.facts, room - _size(events))
    left += choice.repeats + len(choice.facts) + len(choice.events) - len(facts) - len(events)
    body = _body(facts, events, left)
    return Core(
        text=f"{_HEADER.format(digest=view_digest(body))}\n{body}",
        facts=tuple(facts),
        events=tuple(events),
        left=left,
    )


def is_pristine(text: str) -> bool:
    """Tells whether a core is exactly as it was written, though perhaps long ago."""
    return is_as_made(text, _HEADER_LINE)


def _in_order(weighed: list[tuple[float, StoredRecord]]) -> tuple[StoredRecord, ...]:
    weighed.sort(key=lambda item: _order(item[0], item[1].record))
    return tuple(stored for _, stored in weighed)


def _once_a_group(
    records: Iterable[StoredRecord], groups: Mapping[str, str]
) -> tuple[StoredRecord, ...]:
    firsts: dict[str, StoredRecord] = {}
    for stored in records:
        firsts.setdefault(groups.get(stored.record.id, stored.record.id), stored)
    return tuple(firsts.values())


def _order(weight: float, record: Record) -> tuple[float, int, float, str]:
    said = record.observed.timestamp() if record.observed is not None else 0.0
    return (-round(weight, 6), -record.importance, -said, record.id)


def _fitting(records: Sequence[StoredRecord], room: int) -> list[StoredRecord]:
    """Returns the first records whose lines fit; nothing behind one that does not is taken."""
    taken: list[StoredRecord] = []
    for stored in records:
        room -= len(_line(stored).encode("utf-8", "surrogatepass"))
        if room < 0:
            break
        taken.append(stored)
    return taken


def _size(records: Sequence[StoredRecord]) -> int:
    return sum(len(_line(stored).encode("utf-8", "surrogatepass")) for stored in records)


def _line(stored: StoredRecord) -> str:
    return f"{marked_line(stored.record, stored.path, core_words(stored.record))}\n"


def _frame_bytes(choice: Ranked) -> int:
    """Returns what everything but the lines takes at most."""
    header = _HEADER.format(digest="0" * 16)
    headings = [
        heading for heading, items in ((_HOLDS, choice.facts), (_HAPPENED, choice.events)) if items
    ]
    last = max(len(_last_line(10**_MOST_DIGITS)), len(_ALL_IN))
    return len(header) + 1 + sum(len(heading) + 1 for heading in headings) + last + 1


def _body(facts: Sequence[StoredRecord], events: Sequence[StoredRecord], left: int) -> str:
    parts = []
    for heading, records in ((_HOLDS, facts), (_HAPPENED, events)):
        if records:
            parts.append(f"{heading}\n{''.join(_line(stored) for stored in records)}")
    parts.append(f"{_last_line(left)}\n")
    return "".join(parts)


def _last_line(left: int) -> str:
    return f"Left out: {left} more; ask with memfs recall or list." if left else _ALL_IN
