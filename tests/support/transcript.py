"""Shell transcripts in Markdown: the blocks marked ``console``, run and compared.

A line that starts with ``$ `` is a command; ``> `` continues one that ends with a backslash;
what follows is what the terminal shows. ``…`` stands for any text within a line, a line of
``…`` alone for any lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command and what it is said to print."""

    command: str
    expected: str
    line: int


def steps_in(page: Path) -> list[Step]:
    """Returns the steps of a page in order."""
    text = page.read_text(encoding="utf-8")
    steps: list[Step] = []
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        for number, line in enumerate(block[1].splitlines(), first):
            if line.startswith("$ "):
                steps.append(Step(command=line[2:], expected="", line=number))
            elif line.startswith("> ") and _is_open(steps[-1]):
                last = steps.pop()
                joined = f"{last.command}\n{line[2:]}"
                steps.append(Step(command=joined, expected="", line=last.line))
            else:
                last = steps.pop()
                steps.append(
                    Step(command=last.command, expected=f"{last.expected}{line}\n", line=last.line)
                )
    return steps


def _is_open(step: Step) -> bool:
    """Tells whether a command goes on in the next line: it ends with a backslash."""
    return step.command.endswith("\\") and not step.expected


def is_match(expected: str, printed: str) -> bool:
    """Tells whether ``printed`` is what a transcript shows; blanks at line ends do not count."""
    pattern = ""
    for line in _trimmed(expected):
        if line == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("…")) + "\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _trimmed(printed))) is not None


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]
