"""What of a conversation may be written down at all: everything but secrets and packets.

A conversation is kept apart from memory and is never believed, so what it says is not judged
here. But it lies on the disk in plain text: every line that holds a secret or a personal
number, or may hold one, is left out before anything is written, and so is what memory itself
had said (C16). Characters that do not show are written out. What is left out is counted by
code and stored nowhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memfs.model.markers import has_packet_trace
from memfs.policy.hidden import visible_text
from memfs.policy.screening import scan_personal, scan_secrets
from memfs.services.packet_text import escaped
from memfs.services.work_words import kept_line, without_keys, without_packets

TEXT_CHARS: Final = 64 * 1024
RESULT_CHARS: Final = 12 * 1024
"""What tools print is long and says little; its beginning and its end are kept."""
_SLACK: Final = 4 * 1024
"""How much more than is kept is looked at, so that a cut does not part a label from its value."""
_TAIL: Final = 4
"""One part in so many of what is kept is the end."""
_ROUNDS: Final = 8
_SECRET: Final = "screening.secret"
_PERSONAL: Final = "screening.personal"
_ECHO: Final = "eligibility.packet-echo"
_BULK: Final = "eligibility.bulk"
_GAP: Final = "\x00"
"""Stands for lines that are left out, until all is looked at; no text has it by then."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]{0,63}\Z")


@dataclass(frozen=True, slots=True)
class RawWords:
    """What of a text may be written.

    Attributes:
        text: The text with ``[left out: N lines]`` where lines are missing; line ends are line
            feeds, and nothing in it is unseen.
        left_out: Number of lines by reason code.
    """

    text: str
    left_out: Mapping[str, int] = field(default_factory=dict)


def raw_words(text: str, *, limit: int = TEXT_CHARS) -> RawWords:
    """Returns what of ``text`` may be written; what comes out holds no finding of any rule.

    Args:
        text: As the host has it.
        limit: Characters that are kept at most; of a longer text its beginning and its end.
    """
    found: Counter[str] = Counter()
    pieces = [_cleaned(piece, found) for piece in _pieces(text, limit)]
    if len(pieces) == 1:
        whole = _cut(pieces[0], limit, found)
    else:
        found[_BULK] += 1
        head = _cut(pieces[0], limit - limit // _TAIL, found)
        tail = _cut(pieces[1], limit // _TAIL, found, is_end=True)
        whole = f"{head}\n{_GAP}\n{tail}"
    shown = _told(whole)
    is_looked_at = len(pieces) == 1 and shown == text
    if not is_looked_at and _spans(shown):
        # Pieces that say nothing apart can say something together.
        found[_SECRET] += 1
        return RawWords("[left out: the whole text]", {_SECRET: 1})
    return RawWords(shown, {code: number for code, number in found.items() if number})


def raw_line(kept: str, limit: int) -> str:
    """Returns the beginning of a text that was screened, on one line.

    Empty where lines that are joined say what they did not say apart.
    """
    line = " ".join(kept[: 8 * limit].split())
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return "" if _spans(line) or has_packet_trace(line) else line


def kept_title(text: str, limit: int) -> str:
    """Returns a name for lists: what a record of work could hold, at most ``limit`` characters."""
    line = kept_line(text[: 4 * limit], is_person=False).text
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return "" if _spans(line) else line


def raw_name(name: str) -> str:
    """Returns the name of a tool; ``tool`` where it is no plain name."""
    return name if _NAME.match(name) and not _spans(name) else "tool"


def _pieces(text: str, limit: int) -> tuple[str, ...]:
    if len(text) <= limit + 2 * _SLACK:
        return (text,)
    tail = limit // _TAIL + _SLACK
    return text[: limit - limit // _TAIL + _SLACK], text[-tail:]


def _cleaned(text: str, found: Counter[str]) -> list[str]:
    """Returns the lines of a text, with a gap for each that is left out."""
    text, is_echo = without_packets(text.replace(_GAP, ""))
    if is_echo and has_packet_trace(text):
        found[_ECHO] += 1
    lines = text.split("\n")
    if has_packet_trace(text):
        lines = _without_echo(lines, found)
    keys: Counter[str] = Counter()
    lines = list(without_keys(lines, keys))
    found[_SECRET] += sum(keys.values())
    for _ in range(_ROUNDS):
        bad = _bad_lines(lines)
        if not bad:
            return [line if line == _GAP else escaped(line) for line in lines]
        found.update(bad.values())
        lines = [_GAP if at in bad else line for at, line in enumerate(lines)]
    found[_SECRET] += len(lines)
    return [_GAP]


def _without_echo(lines: Sequence[str], found: Counter[str]) -> list[str]:
    kept = [_GAP if has_packet_trace(line) else line for line in lines]
    found[_ECHO] += sum(line == _GAP for line in kept)
    if has_packet_trace("\n".join(kept)):
        return [_GAP]
    return kept


def _bad_lines(lines: Sequence[str]) -> dict[int, str]:
    """Returns the code for each line that may not be written, by its number.

    Looked at as it is, and as it is seen: a hidden character must not part a token.
    """
    bad = dict(_lines_of(_spans("\n".join(lines)), lines))
    for at, line in enumerate(lines):
        if at in bad or line.isascii():
            continue
        for seen in {visible_text(line), escaped(line)} - {line}:
            for _, _, code in _spans(seen):
                bad[at] = code
    if not bad and not all(line.isascii() for line in lines):
        seen_lines = [visible_text(line).replace("\n", " ") for line in lines]
        if seen_lines != list(lines):
            bad = dict(_lines_of(_spans("\n".join(seen_lines)), seen_lines))
    return bad


def _spans(text: str) -> list[tuple[int, int, str]]:
    found = [(item.start, item.end, _SECRET) for item in scan_secrets(text)]
    found += [(item.start, item.end, _PERSONAL) for item in scan_personal(text)]
    return sorted(found)


def _lines_of(
    spans: Sequence[tuple[int, int, str]], lines: Sequence[str]
) -> Iterator[tuple[int, str]]:
    if not spans:
        return
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for at in range(len(lines)):
        for start, end, code in spans:
            if start < starts[at + 1] - 1 and end > starts[at]:
                yield at, code
                break


def _cut(lines: Sequence[str], limit: int, found: Counter[str], *, is_end: bool = False) -> str:
    """Returns as many whole lines as fit; of one that does not fit its whole words."""
    kept: list[str] = []
    room = limit
    for line in reversed(lines) if is_end else lines:
        if len(line) + 1 <= room:
            kept.append(line)
            room -= len(line) + 1
            continue
        found[_BULK] += 1
        kept += [_words_of(line, room, is_end=is_end), _GAP]
        break
    return "\n".join(reversed(kept) if is_end else kept)


def _words_of(line: str, room: int, *, is_end: bool) -> str:
    if room <= 0:
        return ""
    piece = line[-room:] if is_end else line[:room]
    # The word at the cut may be the half of one that is known only whole.
    return piece.partition(" ")[2] if is_end else piece.rpartition(" ")[0]


def _told(text: str) -> str:
    """Writes out where something is missing, neighbours as one."""
    if _GAP not in text:
        return text
    lines: list[str] = []
    gap = 0
    for line in (*text.split("\n"), ""):
        if line == _GAP:
            gap += 1
            continue
        if gap:
            lines.append("[left out: one line]" if gap == 1 else f"[left out: {gap} lines]")
            gap = 0
        lines.append(line)
    return "\n".join(lines[:-1])
