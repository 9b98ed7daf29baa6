"""Links that people write into prose: ``[[Name]]``, ``[[Name|shown]]``, ``[[Name#part]]`` (O39).

Such a link names an entity by any of its names, or any record by its id; what names nobody is a
broken link, reported by ``memfs check`` and left as it was written. What stands in code is code,
and so is ``[[ -f file ]]``: a name begins at its bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memfs.model.frozen import frozen

_LINK: Final = re.compile(
    r"(?<!\\)\[\[(?!\s)(?P<name>[^\[\]\n|#]{1,200})(?:#[^\[\]\n|]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]"
)
_FENCE: Final = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_TICKS: Final = re.compile(r"`+")


@frozen(kw_only=False)
class Wikilink:
    """One link: the name in it, and where it stands in its text, from 1."""

    name: str
    line: int
    column: int


def wikilinks(text: str) -> Iterator[Wikilink]:
    """Yields the links of a text in order; an opening without an end is none."""
    if "[[" not in text:
        return
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark is not None and (not fence or _closes(mark["mark"], fence)):
            fence = "" if fence else mark["mark"]
            continue
        if fence or "[[" not in line:
            continue
        for found in _LINK.finditer(_without_code(line)):
            name = " ".join(found["name"].split())
            if name:
                yield Wikilink(name, number, found.start() + 1)


def linked_names(*texts: str) -> tuple[str, ...]:
    """Returns the names that texts link to, each once, in order."""
    return tuple(dict.fromkeys(link.name for text in texts for link in wikilinks(text)))


def _without_code(line: str) -> str:
    """Returns a line with blanks for what stands between equally long runs of backticks."""
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(line)]
    by_size: dict[int, list[int]] = {}
    for start, end in reversed(runs):
        by_size.setdefault(end - start, []).append(end)
    parts: list[str] = []
    done = 0
    for start, end in runs:
        closing = by_size[end - start]
        while closing and closing[-1] <= end:
            closing.pop()
        if start < done or not closing:
            continue
        parts += [line[done:start], " " * (closing[-1] - start)]
        done = closing[-1]
    return "".join((*parts, line[done:]))


def _closes(mark: str, fence: str) -> bool:
    return mark[0] == fence[0] and len(mark) >= len(fence)
