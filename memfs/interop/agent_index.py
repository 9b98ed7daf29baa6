"""``MEMORY.md`` of a coding agent: an index of topics, and whatever else stands in it.

A line that names a topic file which is there belongs to that topic. Everything else is
text of the section that it stands in, and each section with text is one claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.problem import Problem, Severity

INDEX_NAME: Final = "MEMORY.md"
_ENTRY: Final = re.compile(r"\s*[-*+]\s+\[[^\]]*\]\((?P<target>[^)\s]+)\)(?P<hook>.*)")
_HEADING: Final = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)[\s#]*$")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_HOOK_MARKS: Final = " \t—–-:"


@frozen
class IndexEntry:
    """A line of the index that names a topic file of the folder."""

    target: str
    section: str
    hook: str


@frozen
class IndexSection:
    """The text under one heading.

    Attributes:
        heading: The headings above it, outermost first, joined by ``›``.
        line: 1-based line on which the text begins.
        text: The text itself, without blank lines around it.
        dangling: Line and target of each link to a file that is not there.
    """

    heading: str
    line: int
    text: str
    dangling: tuple[tuple[int, str], ...] = ()

    def problems(self, shown: str) -> tuple[Problem, ...]:
        """Returns a warning for each link that leads nowhere."""
        return tuple(
            Problem(
                shown,
                line,
                0,
                "import.dangling-link",
                f"expected a topic file {target!r}, got none",
                severity=Severity.WARNING,
            )
            for line, target in self.dangling
        )


@dataclass(slots=True)
class _Draft:
    heading: str
    lines: list[tuple[int, str]] = field(default_factory=list)
    dangling: list[tuple[int, str]] = field(default_factory=list)


def read_index(
    body: str, *, first_line: int, topics: Set[str]
) -> tuple[tuple[IndexEntry, ...], tuple[IndexSection, ...]]:
    """Splits an index into the lines that name ``topics`` and the sections with text."""
    entries: list[IndexEntry] = []
    drafts = [_Draft("")]
    for number, line, trail in _with_headings(body, first_line):
        if trail is not None:
            drafts.append(_Draft(trail))
            continue
        match = _ENTRY.match(line)
        target = match["target"].removeprefix("./") if match else ""
        if match and target in topics:
            hook = match["hook"].strip(_HOOK_MARKS)
            entries.append(IndexEntry(target=target, section=drafts[-1].heading, hook=hook))
            continue
        if match and target.endswith(".md") and "://" not in target:
            drafts[-1].dangling.append((number, target))
        drafts[-1].lines.append((number, line))
    return tuple(entries), tuple(_sections(drafts))


def _with_headings(body: str, first_line: int) -> Iterator[tuple[int, str, str | None]]:
    """Yields number and text of each line, and the trail of headings where one begins."""
    trail: list[tuple[int, str]] = []
    in_fence = False
    for number, line in enumerate(body.split("\n"), first_line):
        if _FENCE.match(line):
            in_fence = not in_fence
        heading = None if in_fence else _HEADING.match(line)
        if heading is None:
            yield number, line, None
            continue
        level = len(heading["marks"])
        trail = [(depth, text) for depth, text in trail if depth < level]
        trail.append((level, heading["text"]))
        yield number, line, " › ".join(text for _, text in trail)


def _sections(drafts: list[_Draft]) -> Iterator[IndexSection]:
    for draft in drafts:
        written = [number for number, line in draft.lines if line.strip()]
        if not written:
            continue
        text = "\n".join(line for _, line in draft.lines).strip("\n")
        yield IndexSection(
            heading=draft.heading, line=written[0], text=text, dangling=tuple(draft.dangling)
        )
