"""Reads the members of one object strictly: a value, or the reason why it is none.

Nothing is guessed, cut or filled in. What stands in a member never stands in a reason: a reason
names the member and what is expected of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from memfs.model.decision import Reason
from memfs.model.ids import is_id
from memfs.model.role import ANCHOR_MISSING, RELATIONS, is_anchor
from memfs.model.role_operation import Link, ManifestEntry
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason
from memfs.policy.role_operations import MOST_ANCHORS, MOST_WORDS, PATCH_MEMBERS, Member, Shape

_LINE: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]*\Z")
_TEXT: Final = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]*\Z")
_HASH: Final = re.compile(r"(?P<anchor>[^=]{1,300})=(?P<digest>[0-9a-f]{8,64})\Z")
_DIGEST: Final = re.compile(r"[0-9a-f]{8,64}\Z")
LINK_MEMBERS: Final = (
    Member(name="relation", shape=Shape.LINE, is_required=True, most=60),
    Member(name="to", shape=Shape.ID, is_required=True),
    Member(name="claim", shape=Shape.LINE, is_required=True, most=MOST_WORDS),
    Member(name="anchors", shape=Shape.ANCHORS, most=MOST_ANCHORS),
    Member(name="source_hashes", shape=Shape.HASHES, most=MOST_ANCHORS),
    Member(name="confidence", shape=Shape.UNIT),
)
ENTRY_MEMBERS: Final = (
    Member(name="id", shape=Shape.ID, is_required=True),
    Member(name="hash", shape=Shape.LINE, is_required=True, most=64),
)


_MOST_NESTED: Final = 8
"""Objects and lists in each other; no operation needs as many."""


class OddError(ValueError):
    """A value is not what its member has to be; carries the reason."""

    def __init__(self, why: Reason) -> None:
        super().__init__(why.message)
        self.why = why


def is_shallow(value: JsonValue) -> bool:
    """Tells whether a value is nested no deeper than an operation is: it can be gone through."""
    level = [value]
    for _ in range(_MOST_NESTED):
        level = [inner for item in level for inner in _inner(item)]
        if not level:
            return True
    return False


def _inner(value: JsonValue) -> Iterable[JsonValue]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def read_members(
    members: Iterable[Member], given: Mapping[str, JsonValue], what: str
) -> tuple[dict[str, object], tuple[Reason, ...]]:
    """Reads every member of one object; returns the values, or every reason at once."""
    known = {member.name: member for member in members}
    reasons: list[Reason] = []
    values: dict[str, object] = {}
    if set(given) - set(known):
        reasons.append(reason("role.unknown-field", f"{what} takes {', '.join(known)}"))
    for name, member in known.items():
        if name not in given:
            if member.is_required:
                reasons.append(reason("role.missing-field", name))
            continue
        try:
            values[name] = _READERS[member.shape](member, given[name])
        except OddError as error:
            reasons.append(error.why)
    return values, tuple(dict.fromkeys(reasons))


def _odd(member: Member) -> OddError:
    return OddError(reason("role.bad-field", member.words))


def _line(member: Member, value: JsonValue, pattern: re.Pattern[str] = _LINE) -> str:
    if not isinstance(value, str):
        raise _odd(member)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise _odd(member) from None
    text = unicodedata.normalize("NFC", value).strip()
    if len(text) > member.most or not pattern.match(text):
        raise _odd(member)
    if member.is_required and not text:
        raise OddError(reason("role.missing-field", member.name))
    return text


def _text(member: Member, value: JsonValue) -> str:
    return _line(member, value, _TEXT)


def _unit(member: Member, value: JsonValue) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:  # type: ignore[operator]
        raise _odd(member)
    return round(float(value), 4)  # type: ignore[arg-type]


def _whole(member: Member, value: JsonValue) -> int:
    if type(value) is not int or not member.least <= value <= member.most:
        raise _odd(member)
    return value


def _flag(member: Member, value: JsonValue) -> bool:
    if type(value) is not bool:
        raise _odd(member)
    return value


def _choice(member: Member, value: JsonValue) -> str:
    if not isinstance(value, str) or value not in member.choices:
        raise _odd(member)
    return value


def _id(member: Member, value: JsonValue) -> str:
    if not isinstance(value, str) or not is_id(value):
        raise _odd(member)
    if member.prefixes and not any(is_id(value, prefix) for prefix in member.prefixes):
        raise _odd(member)
    return value


def _items(member: Member, value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list | tuple) or not member.least <= len(value) <= member.most:
        raise _odd(member)
    return list(value)


def _ids(member: Member, value: JsonValue) -> tuple[str, ...]:
    found = tuple(_id(member, item) for item in _items(member, value))
    if len(set(found)) != len(found):
        raise _odd(member)
    return found


def _lines(member: Member, value: JsonValue) -> tuple[str, ...]:
    one = Member(name=member.name, shape=Shape.LINE, most=200 if member.name == "add" else 60)
    found = tuple(_line(one, item) for item in _items(member, value))
    if not all(found) or len(set(found)) != len(found):
        raise _odd(member)
    return found


def _anchors(member: Member, value: JsonValue) -> tuple[str, ...]:
    found = tuple(str(item) for item in _items(member, value) if isinstance(item, str))
    is_alone = ANCHOR_MISSING not in found or len(found) == 1
    is_whole = isinstance(value, list | tuple) and len(found) == len(value)
    if not (is_whole and is_alone and all(_is_anchor_line(item) for item in found)):
        raise OddError(reason("role.anchor"))
    return tuple(dict.fromkeys(found))


def _is_anchor_line(text: str) -> bool:
    return len(text) <= 300 and _LINE.match(text) is not None and is_anchor(text)


def _hashes(member: Member, value: JsonValue) -> tuple[str, ...]:
    found = []
    for item in _items(member, value):
        match = _HASH.match(item) if isinstance(item, str) else None
        if match is None or not _is_anchor_line(match["anchor"]):
            raise _odd(member)
        found.append(match[0])
    return tuple(dict.fromkeys(found))


def _object(members: Iterable[Member], value: JsonValue, what: str) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise OddError(reason("role.bad-field", what))
    values, reasons = read_members(members, value, what)
    if reasons:
        raise OddError(reasons[0])
    return values


def _links(member: Member, value: JsonValue) -> tuple[Link, ...]:
    found = []
    for item in _items(member, value):
        if isinstance(item, Mapping) and not str(item.get("claim") or "").strip():
            raise OddError(reason("role.edge-claim"))
        link = Link(**_object(LINK_MEMBERS, item, "a link"))  # type: ignore[arg-type]
        if link.relation not in RELATIONS:
            raise OddError(reason("role.relation", ", ".join(sorted(RELATIONS))))
        found.append(link)
    return tuple(found)


def _patch(member: Member, value: JsonValue) -> Mapping[str, JsonValue]:
    found = _object(PATCH_MEMBERS, value, member.name)
    if not found:
        raise OddError(reason("role.missing-field", member.name))
    return {name: list(item) if isinstance(item, tuple) else item for name, item in found.items()}  # type: ignore[misc]


def _entries(member: Member, value: JsonValue) -> tuple[ManifestEntry, ...]:
    found = []
    for item in _items(member, value):
        entry = ManifestEntry(**_object(ENTRY_MEMBERS, item, "an entry"))  # type: ignore[arg-type]
        if not _DIGEST.match(entry.hash):
            raise _odd(member)
        found.append(entry)
    if len({entry.id for entry in found}) != len(found):
        raise _odd(member)
    return tuple(found)


_READERS: Final[Mapping[Shape, Callable[[Member, JsonValue], object]]] = {
    Shape.LINE: _line,
    Shape.TEXT: _text,
    Shape.UNIT: _unit,
    Shape.WHOLE: _whole,
    Shape.FLAG: _flag,
    Shape.CHOICE: _choice,
    Shape.ID: _id,
    Shape.IDS: _ids,
    Shape.LINES: _lines,
    Shape.ANCHORS: _anchors,
    Shape.HASHES: _hashes,
    Shape.LINKS: _links,
    Shape.PATCH: _patch,
    Shape.ENTRIES: _entries,
}
