"""The trailer: what an agent says at the end of its output of what it did and left open (C11).

``ACCOMPLISHED:``, ``ISSUES:``, ``RESOLVED:``, ``NEXT:`` and ``SUMMARY:``, in any sane spelling:
any case, as a heading, bold, in a list, in a quotation or in a code fence, with its items on
the same line or below it. What is missing, empty, repeated or malformed is no error: everything
that can be read is taken, and the rest is left. Pure; nothing is believed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from memfs.model.run import ITEM_CHARS, ITEMS, RunOutcome

_LABELS: Final = {
    "accomplished": "accomplished",
    "accomplishments": "accomplished",
    "done": "accomplished",
    "completed": "accomplished",
    "issue": "issues",
    "issues": "issues",
    "open issues": "issues",
    "open issue": "issues",
    "known issues": "issues",
    "issues found": "issues",
    "issues opened": "issues",
    "new issues": "issues",
    "remaining issues": "issues",
    "resolved": "resolved",
    "resolved issues": "resolved",
    "issues resolved": "resolved",
    "closed issues": "resolved",
    "issues closed": "resolved",
    "next": "next",
    "next step": "next",
    "next steps": "next",
    "summary": "summary",
}
_NAMES: Final = "|".join(sorted((re.escape(name) for name in _LABELS), key=len, reverse=True))
_LEAD: Final = r"[ \t>*+#-]{0,40}(?:\d{1,3}[.)][ \t]+)?"
_DRESS: Final = r"[ \t*_`\[\"]{0,20}"
_LABEL: Final = re.compile(
    rf"(?P<lead>{_LEAD})(?P<before>{_DRESS})(?P<name>{_NAMES})(?:[ \t]*\([^()\n]{{0,40}}\))?"
    rf"(?P<after>[ \t*_`\]\"]{{0,20}})(?:(?P<colon>[:：])[ \t]*(?P<rest>.*)|(?P<bare>))\Z",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"[ \t>]*(?:```|~~~)")
_ITEM: Final = re.compile(
    r"(?P<indent>[ \t>]*)(?:[-*+•‣◦–—]|\d{1,3}[.)]|\([a-z0-9]{1,3}\))[ \t]+(?P<text>.*)\Z"
)
_BOX: Final = re.compile(r"\[(?P<mark>[ xX✓✔-])\][ \t]+")
_RESOLVED: Final = re.compile(
    r"(?:\[(?:resolved|fixed|closed)\]|(?:resolved|fixed|closed)\s*[:：])\s*(?P<text>.+)",
    re.IGNORECASE,
)
_STRUCK: Final = re.compile(r"~~(?P<text>.+?)~~\W*\Z")
_QUOTE: Final = re.compile(r"[ \t]*>[ \t]?")
_EMPTY: Final = re.compile(
    r"[\W_]*(?:none|nothing|no|n/?a|nil|null|empty|tbd|todo|no (?:open |new |known )?issues?|"
    r"nothing (?:open|left|further|more|to do|to report)|none (?:at this time|known|found|so far)|"
    r"<[^<>]*>|\{[^{}]*\}|\.{2,}|…)?[\W_]*\Z",
    re.IGNORECASE,
)
"""What people write where there is nothing, and what a template has where words would stand."""
_SPLIT: Final = re.compile(r"[;；][ \t]*|[ \t]+\|[ \t]+")
_MARKS: Final = "*_` \t"


@dataclass(slots=True)
class _Reading:
    """Where a pass over the lines stands."""

    found: dict[str, list[str]] = field(default_factory=dict)
    section: str = ""
    is_open: bool = False
    """A line that is no item still belongs to the section."""
    has_item: bool = False

    def begin(self, section: str, rest: str) -> None:
        """Begins a section, with what stands on the line of its label."""
        self.section, self.is_open, self.has_item = section, True, False
        if section == "summary":
            self.add(rest)
            return
        for piece in _listed(rest):
            self.add(piece)

    def add(self, text: str) -> None:
        """Adds an item, unless it says that there is none."""
        section, words = self.section, _plain_item(text)
        if section == "issues":
            section, words = _sorted_issue(text, words)
        if _EMPTY.match(words):
            return
        self.found.setdefault(section, []).append(words)
        self.has_item = True

    def extend(self, text: str) -> None:
        """Continues the last item."""
        items = self.found.get(self.section)
        if self.has_item and items:
            items[-1] = f"{items[-1]} {_plain_item(text)}".strip()
        else:
            self.add(text)


def parse_trailer(text: str) -> RunOutcome:
    """Returns what the trailers in ``text`` say; empty where there are none.

    Of several trailers everything is taken, each item once, the last twenty of a sort; of
    summaries the last.
    """
    reading = _Reading()
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        _read_line(reading, line)
    found = reading.found
    summaries = found.get("summary", [])
    return RunOutcome(
        summary=summaries[-1] if summaries else "",
        accomplished=unique(found.get("accomplished", ())),
        issues=unique(found.get("issues", ())),
        resolved=unique(found.get("resolved", ())),
        next=unique(found.get("next", ())),
    )


def is_label(line: str) -> bool:
    """Tells whether a line begins a section of a trailer."""
    return _label_of(line) is not None


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """Returns items once each, whatever their case, bounded in length and number."""
    kept: dict[str, str] = {}
    for item in items:
        words = " ".join(item.split())
        short = words if len(words) <= ITEM_CHARS else words[: ITEM_CHARS - 1].rstrip() + "…"
        if short:
            kept.setdefault(short.casefold().rstrip(" ."), short)
    return tuple(kept.values())[-ITEMS:]


def _read_line(reading: _Reading, line: str) -> None:
    if _FENCE.match(line):
        reading.is_open = reading.is_open and not reading.has_item
        return
    label = _label_of(line)
    if label is not None:
        reading.begin(*label)
        return
    if not reading.section:
        return
    words = _QUOTE.sub("", line, count=1)
    if not words.strip():
        reading.is_open = reading.is_open and not reading.has_item
        return
    item = _ITEM.match(words)
    if item is not None and reading.section != "summary":
        reading.is_open = True
        reading.add(item["text"])
    elif words[:1] in " \t" and reading.has_item and reading.is_open:
        reading.extend(words)
    elif not reading.is_open or words.lstrip().startswith("#"):
        reading.section = ""
    elif reading.section == "summary":
        reading.extend(words)
    else:
        reading.add(words)


def _label_of(line: str) -> tuple[str, str] | None:
    """Returns the section that a line begins, and what else stands on it."""
    match = _LABEL.match(line.rstrip())
    if match is None:
        return None
    name = match["name"]
    if match["colon"] is None:
        is_heading = "#" in match["lead"]
        is_dressed = any(mark in match["before"] for mark in "*_[") and bool(match["after"].strip())
        if not (is_heading or is_dressed or (name.isupper() and not match["after"].strip())):
            return None
    elif name.islower() and name in ("done", "completed", "resolved"):
        # In the middle of prose these are words; a trailer writes them larger.
        return None
    rest = match["rest"] or ""
    if line[: match.start("name")].endswith(("*", "_", "`")) and not match["after"].strip():
        # The emphasis of the label closes behind its colon.
        rest = rest.lstrip(_MARKS)
    return _LABELS[name.casefold()], rest


def _listed(rest: str) -> tuple[str, ...]:
    """Returns the items on the line of a label: parted by semicolons, or a list as JSON has it."""
    if rest.startswith("[") and rest.rstrip(" ,").endswith("]"):
        with suppress(ValueError):
            found = json.loads(rest.rstrip(" ,"))
            if isinstance(found, list):
                return tuple(item for item in found if isinstance(item, str))
    return tuple(_SPLIT.split(rest))


def _sorted_issue(raw: str, words: str) -> tuple[str, str]:
    """Tells an issue that is over from one that is open."""
    box = _BOX.match(raw.strip())
    if box is not None and box["mark"].strip(" -"):
        return "resolved", words
    for pattern, text in ((_RESOLVED, words), (_STRUCK, raw.strip())):
        match = pattern.match(text)
        if match is not None:
            return "resolved", _plain_item(match["text"])
    return "issues", words


def _plain_item(text: str) -> str:
    """Returns the words of an item without bullets, boxes and emphasis around them."""
    steps: tuple[Callable[[str], str], ...] = (
        lambda words: _ITEM.sub(lambda match: match["text"], words),
        lambda words: _BOX.sub("", words.strip(), count=1),
    )
    words = text.strip()
    for step in steps:
        words = step(words)
    pair = re.fullmatch(r"(\*\*|__|\*|_|`)(?P<text>[^*_`]+)\1[.:]?", words)
    return (pair["text"] if pair else words).strip()
