"""Sections of a packet: how work stands, entry by entry, as far as a budget goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from memfs.model.ids import split_version
from memfs.model.packet import Entry, Section
from memfs.model.values import JsonValue


class Chosen:
    """The entries of some sections that are in a packet; whole entries only, in their order."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._offered = tuple(sections)
        self._taken: list[set[int]] = [set() for _ in self._offered]

    def fill(self, fits: Callable[[], bool]) -> None:
        """Takes, of what is not in yet, each entry with which the packet still ``fits``."""
        for section, taken in zip(self._offered, self._taken, strict=True):
            for number in range(len(section.entries)):
                if number not in taken:
                    taken.add(number)
                    if not fits():
                        taken.remove(number)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections with what was taken of them; those with nothing are not there."""
        return tuple(
            replace(
                section,
                entries=tuple(section.entries[number] for number in sorted(taken)),
                beyond=section.beyond + len(section.entries) - len(taken),
            )
            for section, taken in zip(self._offered, self._taken, strict=True)
            if taken
        )

    @property
    def left(self) -> tuple[str, ...]:
        """Ids of the records of which nothing was taken, in order."""
        taken = {_name(entry) for section in self.sections for entry in section.entries}
        offered = (_name(entry) for section in self._offered for entry in section.entries)
        return tuple(name for name in dict.fromkeys(offered) if name not in taken)


def section_lines(sections: Sequence[Section]) -> Iterator[str]:
    """Yields the lines of sections, each section behind an empty line."""
    for section in sections:
        yield f"\n{section.heading}"
        yield from (entry.text for entry in section.entries)
        if section.beyond:
            yield f"- {section.beyond} more{f': {section.more}' if section.more else ''}"


def section_values(sections: Sequence[Section]) -> list[JsonValue]:
    """Returns sections as plain data."""
    return [
        {
            "name": section.name,
            "heading": section.heading,
            "entries": [
                {"id": _name(entry), "reference": entry.reference, "text": entry.text}
                for entry in section.entries
            ],
            "beyond": section.beyond,
        }
        for section in sections
    ]


def _name(entry: Entry) -> str:
    return split_version(entry.reference)[0]
