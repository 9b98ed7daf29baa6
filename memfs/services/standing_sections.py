"""What stands before anything is asked, as sections of a packet: the profile, the rules of saving.

They are read by their place and found by no question, so that they cost none (M21). Each entry is
one record, whole, escaped and quoted like every other word of a packet: a line of the profile is
data, whatever it says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from memfs.model.frozen import frozen
from memfs.model.packet import Entry, Section
from memfs.model.record import Record, StoredRecord
from memfs.services.packet_text import escaped_line

PROFILE: Final = "profile"
SCORING_RULES: Final = "scoring_rules"
LINE_BYTES: Final = 400
"""A longer line is named and not shown: nothing is cut in the middle."""
_LINE: Final = re.compile(r"(?P<key>[^\s:][^:\n]{0,59}?)\s*:\s+(?P<value>\S.*)\Z", re.DOTALL)


class Renderer(Protocol):
    """Makes a section of records."""

    def __call__(self, found: Sequence[StoredRecord], *, beyond: int = 0) -> Section | None:
        """Returns the section, or ``None`` for no record."""
        ...


@frozen
class ProfileLine:
    """One line of the profile.

    Attributes:
        key: What it is about, as it was written.
        value: On one line.
    """

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key}: {self.value}" if self.key else self.value


def profile_line(record: Record) -> ProfileLine:
    """Reads a record as a line of the profile: ``key: value``, or its subject and its words."""
    words = " ".join((record.body or record.title).split())
    match = _LINE.match(words)
    if match is not None:
        return ProfileLine(key=match["key"], value=match["value"])
    return ProfileLine(key=record.subject, value=words)


def profile_section(found: Sequence[StoredRecord], *, beyond: int = 0) -> Section | None:
    """Returns lines of the profile as a section, in their order; ``None`` for none."""
    return _section(
        PROFILE,
        "The user's profile:",
        [(stored, str(profile_line(stored.record))) for stored in found],
        beyond,
        "memfs profile get",
    )


def rules_section(found: Sequence[StoredRecord], *, beyond: int = 0) -> Section | None:
    """Returns scoring rules as a section, in their order; ``None`` for none."""
    return _section(
        SCORING_RULES,
        "Worth saving to memory, as the user asked:",
        [(stored, stored.record.summary or stored.record.title) for stored in found],
        beyond,
        "memfs node list --tag scoring-rule",
    )


STANDING: Final[Mapping[str, Renderer]] = MappingProxyType(
    {PROFILE: profile_section, SCORING_RULES: rules_section}
)
"""How each such section is made of its records, so that a packet can be made again."""


def _section(
    name: str,
    heading: str,
    lines: Sequence[tuple[StoredRecord, str]],
    beyond: int,
    more: str,
) -> Section | None:
    if not lines:
        return None
    entries = tuple(
        Entry(
            reference=stored.record.reference, text=_text(stored.record, line), store=stored.store
        )
        for stored, line in lines
    )
    return Section(name=name, heading=heading, entries=entries, beyond=beyond, more=more)


def _text(record: Record, line: str) -> str:
    said = escaped_line(line)
    if len(said.encode("utf-8", "surrogatepass")) > LINE_BYTES:
        said = f"(a long line; read it with: memfs show {record.id})"
    mark = " (CONFLICT: other records say otherwise)" if record.conflicts else ""
    return f"> {said}{mark}"
