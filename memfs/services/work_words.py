"""Words of agents and tools, as runs, issues and sessions keep them.

A run or an issue is always recorded, with fewer words where need be (C1): packets of memory
are taken out (C29), characters that do not show are written out, and every line that policy
would refuse or hold by its words is left out and counted by code. What is left out is stored
nowhere. Nothing here decides what is admitted: whoever records asks policy afterwards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.limits import BODY_BYTES
from memfs.model.record import Record
from memfs.policy.eligibility import check_eligibility
from memfs.policy.hidden import scan_hidden, visible_text
from memfs.policy.reasons import reason
from memfs.policy.screening import LATER, screen
from memfs.services.packet_text import escaped, strip_packets

_KIND: Final = "run"
"""Words of work are asked what a record of work is asked."""
_SPARED: Final = LATER | {"screening.hidden-characters"}
"""What is next is said of work, and what does not show is written out."""
_BULK: Final = "eligibility.bulk"
_HINT: Final = "screening.secret-hint"
_ECHO: Final = "eligibility.packet-echo"
_LOOKED_AT: Final = 4 * BODY_BYTES
"""How much of a text is looked at, in characters: packets in it need not be kept."""
_REACH: Final = 16
"""How many lines on both sides of a seam one sign can reach over."""
_UNBROKEN: Final = re.compile(r"[A-Za-z0-9+/=_-]{40,}")
_PIECE: Final = re.compile(r"(?=.{16}|.*[0-9+/=])[A-Za-z0-9+/=]{1,80}")
_KEY_EDGE: Final = re.compile(r"-----(?:BEGIN|END) [A-Z0-9 ]*(?:KEY|MESSAGE)[A-Z ]*-----")
"""What a block of a key is made of: its edges, its lines and what a cut left of one."""
_ANSI: Final = re.compile(
    "\x1b(?:\\[[0-?]{0,64}[ -/]{0,16}[@-~]|\\][^\x07\x1b]{0,4000}(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])"
)
"""What a terminal takes for colours, moves and titles; it is no word of anybody."""
_LESS: Final = r"(?:&(?:amp;)*(?:lt|\#0*60|\#x0*3c);|\\+u003c|\\+x3c|%(?:25)*3c|\uff1c)"
_MORE: Final = r"(?:&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\+u003e|\\+x3e|%(?:25)*3e|\uff1e)"
_SPELT_FENCE: Final = re.compile(
    rf"{_LESS}\s{{0,8}}(?P<slash>(?:/|\\+/|%(?:25)*2f|&\#47;)?)\s{{0,8}}memfs-packet\b"
    rf"[^<>\n]{{0,1000}}?{_MORE}",
    re.IGNORECASE,
)
"""A fence as it comes back through HTML, JSON or an address."""
_JOINERS: Final = re.compile("[\u115f\u1160\u200c\u200d\u2800\u3164\uffa0]")
"""Letters' business in some scripts, and written out where policy takes them for hiding."""


@frozen(kw_only=False)
class KeptWords:
    """What of a text may be kept.

    Attributes:
        text: The lines that are kept, in order; line ends are line feeds.
        left_out: One reason for each code that lines were left out for, with their number,
            sorted by code; never a word of them.
    """

    text: str
    left_out: tuple[Reason, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out as a record notes it: codes and numbers alone."""
        return tuple(f"{item.code}: {_counted(item)}" for item in self.left_out)


NO_WORDS: Final = KeptWords("")


def kept_words(text: str, *, is_person: bool) -> KeptWords:
    """Returns the lines of ``text`` that a record of work may hold.

    The result passes eligibility and screening on its own, is no longer than the limit of a
    body, and gives itself when it is asked again.

    Args:
        text: As it arrived, with control characters, packets and anything else.
        is_person: A person says it on a channel where people decide.
    """
    stripped, is_echo = without_packets(text[:_LOOKED_AT])
    found: Counter[str] = Counter()
    if len(text) > _LOOKED_AT:
        found[_BULK] += 1
    if is_echo:
        found[_ECHO] += 1
    lines = without_keys(_bounded(stripped, found).split("\n"), found)
    kept = _kept(lines, found, is_person=is_person)
    shown = _bounded("\n".join(_shown(line, found) for line in kept), found)
    # What was written out is longer and spelt otherwise: asked once more, as it will stand.
    again = _kept(shown.split("\n"), found, is_person=is_person)
    return KeptWords("\n".join(again).strip("\n"), _reasons(found))


def kept_line(text: str, *, is_person: bool) -> KeptWords:
    """Returns what may be kept of ``text`` on one line, white space folded.

    A line that joins into something that policy refuses is left out whole.
    """
    kept = kept_words(text, is_person=is_person)
    line = " ".join(kept.text.split())
    again = kept_words(line, is_person=is_person) if "\n" in kept.text else KeptWords(line)
    return KeptWords(again.text, merged((kept.left_out, again.left_out)))


def merged(several: Iterable[Sequence[Reason]]) -> tuple[Reason, ...]:
    """Returns what was left out of several texts as one, counts added, sorted by code."""
    found: Counter[str] = Counter()
    for reasons in several:
        for item in reasons:
            found[item.code] += _number(item)
    return _reasons(found)


def without_packets(text: str) -> tuple[str, bool]:
    """Returns a text without packets, whatever spelling their fences came back in.

    What a terminal takes for colours goes too, and line ends become line feeds. The second value
    tells whether anything changed.
    """
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    plain = _SPELT_FENCE.sub(lambda match: f"<{'/' if match['slash'] else ''}memfs-packet>", text)
    without = strip_packets(plain)
    seen = visible_text(without)
    if seen != without and strip_packets(seen) != seen:
        # A fence that hides behind unseen characters: what is seen is what is kept.
        without = strip_packets(seen)
    return without, without != text


def _bounded(text: str, found: Counter[str]) -> str:
    """Returns as much of a text as a body may hold."""
    bounded = text.encode("utf-8", "replace")[:BODY_BYTES].decode("utf-8", "ignore")
    if len(bounded) < len(text):
        found[_BULK] += 1
    return bounded


def without_keys(lines: Sequence[str], found: Counter[str]) -> list[str]:
    """Leaves out the lines of a key, also of one that is torn: no pattern knows its middle."""
    is_run = [_is_run(line.strip()) for line in lines]
    for order in (range(1, len(lines)), range(len(lines) - 2, -1, -1)):
        for at in order:
            before = at - order.step
            is_piece = _PIECE.fullmatch(lines[at].strip()) is not None
            is_run[at] = is_run[at] or (is_run[before] and is_piece)
    if any(is_run):
        found[_HINT] += sum(is_run)
    return [line for line, is_left in zip(lines, is_run, strict=True) if not is_left]


def _is_run(line: str) -> bool:
    run = _UNBROKEN.fullmatch(line)
    is_mixed = run is not None and {"A", "a", "0"} <= {_sort(character) for character in line}
    return is_mixed or _KEY_EDGE.search(line) is not None


def _sort(character: str) -> str:
    if character.isdigit():
        return "0"
    return "A" if character.isupper() else "a"


def _kept(lines: Sequence[str], found: Counter[str], *, is_person: bool) -> list[str]:
    """Returns the lines that pass together; halves first, so that few faults cost little."""
    codes = _codes("\n".join(lines), is_person=is_person)
    if not codes:
        return list(lines)
    if len(lines) == 1:
        found[codes[0]] += 1
        return []
    middle = len(lines) // 2
    first = _kept(lines[:middle], found, is_person=is_person)
    second = _kept(lines[middle:], found, is_person=is_person)
    return _joined(first, second, found, is_person=is_person)


def _joined(
    first: list[str], second: list[str], found: Counter[str], *, is_person: bool
) -> list[str]:
    """Joins two parts that pass alone; a sign that reaches over the seam takes its lines along."""
    for _ in range(_REACH):
        codes = _codes("\n".join((*first, *second)), is_person=is_person)
        if not codes or not (first and second):
            return [*first, *second]
        found[codes[0]] += 2
        first.pop()
        second.pop(0)
    longer, other = (first, second) if len(first) >= len(second) else (second, first)
    if _codes("\n".join((*first, *second)), is_person=is_person):
        found[_BULK] += len(other)
        return longer
    return [*first, *second]


def _codes(text: str, *, is_person: bool) -> tuple[str, ...]:
    """Returns the codes for which policy would refuse or hold these words, gravest first."""
    if not text.strip():
        return ()
    draft = Record(kind=_KIND, body=text)
    reasons = check_eligibility(draft, visible_text(text), is_person=is_person)
    screened = screen(text, is_person=is_person, body=text)
    ordered = (*screened.rejects, *reasons, *screened.holds)
    return tuple(item.code for item in ordered if item.code not in _SPARED)


def _shown(line: str, found: Counter[str]) -> str:
    """Returns a line with everything written out that does not show; of binary data nothing."""
    shown = escaped(line)
    if len(shown) > 2 * len(line) + _REACH:
        found[_BULK] += 1
        return ""
    if scan_hidden(shown):
        shown = _JOINERS.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", shown)
    return visible_text(shown) if scan_hidden(shown) else shown


def _reasons(found: Mapping[str, int]) -> tuple[Reason, ...]:
    return tuple(reason(code, f"{found[code]} left out") for code in sorted(found))


def _number(item: Reason) -> int:
    counted = re.search(r"\((\d+) left out\)\Z", item.message)
    return int(counted[1]) if counted else 1


def _counted(item: Reason) -> str:
    return f"{_number(item)} left out"
