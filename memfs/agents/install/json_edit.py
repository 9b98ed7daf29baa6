"""Changes one part of a JSON text and leaves every other byte as it was.

Each change is checked before it is handed out: the result is read again and must hold exactly
what it held before plus, or less, the one part that was meant. A result that does not is
refused, so that no oddity of a file (a comment in a strange place) can damage it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from memfs.agents.install.json_spans import (
    Document,
    Element,
    Node,
    Shape,
    Step,
    parse,
    plain,
    refusal,
)

Json: TypeAlias = "str | int | bool | Sequence[Json] | Mapping[str, Json] | None"
"""What an installer writes."""

_STEP: Final = "  "


@dataclass(frozen=True, slots=True)
class _Edit:
    """Replaces ``text[start:end]``."""

    start: int
    end: int
    new: str


def with_member(text: str, path: Sequence[Step], key: str, value: Json) -> str:
    """Returns ``text`` with a last member in the object at ``path``, which has no such key.

    Raises:
        NotReadableAsError: It does not parse, or there is no object.
    """
    return _appended(text, path, value, key=key)


def with_item(text: str, path: Sequence[Step], value: Json) -> str:
    """Returns ``text`` with a last item in the list at ``path``.

    Raises:
        NotReadableAsError: It does not parse, or there is no list.
    """
    return _appended(text, path, value, key=None)


def with_value(text: str, path: Sequence[Step], value: Json) -> str:
    """Returns ``text`` with another value at ``path``, where there is one.

    Raises:
        NotReadableAsError: It does not parse, or there is nothing at ``path``.
    """
    document = parse(text)
    node = _there(document, path)
    style = _Style.of(document)
    rendered = style.rendered(value, _indent_at(text, node.start))
    if "\n" not in text[node.start : node.end]:
        rendered = style.compact(value)
    result = _applied(text, (_Edit(node.start, node.end, rendered),))
    return _checked(document, result, path, lambda _: _plain_json(value))


def without(text: str, path: Sequence[Step]) -> str:
    """Returns ``text`` without the member or item at ``path``; comments beside it stay.

    Raises:
        NotReadableAsError: It does not parse, or there is nothing at ``path``.
    """
    document = parse(text)
    parent = _there(document, path[:-1])
    element = document.element(path)
    if element is None:
        raise refusal(text, parent.start, f"expected something at {_named(path)}, got nothing")
    place = parent.elements.index(element)
    result = _applied(text, _removal(document, parent, place))
    return _checked(document, result, path[:-1], lambda old: _less(old, place))


def _appended(text: str, path: Sequence[Step], value: Json, *, key: str | None) -> str:
    document = parse(text)
    node = _there(document, path)
    expected = Shape.LIST if key is None else Shape.OBJECT
    if node.shape is not expected:
        raise refusal(text, node.start, f"expected {expected} at {_named(path)}, got {node.shape}")
    result = _applied(text, _insertion(document, node, key, value))
    new = _plain_json(value)
    return _checked(document, result, path, lambda old: _more(old, key, new))


def _insertion(document: Document, node: Node, key: str | None, value: Json) -> tuple[_Edit, ...]:
    """Returns the edits that put a last element into a container."""
    text, style = document.text, _Style.of(document)
    close = node.end - 1
    # Right after the last thing inside, be it a value, a comma or a comment.
    inside = node.start + 1 + len(text[node.start + 1 : close].rstrip())
    is_spread = "\n" in text[node.start : node.end] or (not node.elements and style.is_spread)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    last = node.elements[-1] if node.elements else None
    # Where the last part has a comma of its own, ours has one too: that is how they write.
    comma = "," if last is not None and last.comma is not None else ""
    if not is_spread:
        gap = " " if last is not None else ""
        edit = _Edit(inside, inside, gap + name + style.compact(value) + comma)
    else:
        outer = _indent_at(text, node.start)
        indent = outer + style.unit if last is None else _indent_of(text, last, outer + style.unit)
        added = style.newline + indent + name + style.rendered(value, indent) + comma
        if last is None or "\n" not in text[inside:close]:
            added += style.newline + outer
        # In an empty one nothing but blanks is replaced.
        edit = _Edit(inside, inside if last is not None else close, added)
    if last is not None and last.comma is None:
        return (_Edit(last.node.end, last.node.end, ","), edit)
    return (edit,)


def _removal(document: Document, parent: Node, place: int) -> tuple[_Edit, ...]:
    """Returns the edits that take one element out of its container, with its comma."""
    text, element = document.text, parent.elements[place]
    edits: tuple[_Edit, ...]
    start, end = element.start, element.node.end
    blanks = len(text[:start]) - len(text[:start].rstrip())
    before = start - blanks
    # A line comment before it needs the end of its line.
    if any(stop == before and text.startswith("//", begin) for begin, stop in document.comments):
        before = text.index("\n", before) + 1
    if element.comma is not None:
        # What stands between the value and its comma can only be a comment or blanks.
        kept = text[end : element.comma]
        edits = (_Edit(before, element.comma + 1, kept if kept.strip() else ""),)
    else:
        edits = (_Edit(before, end, ""),)
        if place:
            comma = parent.elements[place - 1].comma
            assert comma is not None
            edits = (_Edit(comma, comma + 1, ""), *edits)
    if len(parent.elements) == 1 and not text[parent.start + 1 : before].strip():
        close = parent.end - 1
        if not text[edits[-1].end : close].strip():
            edits = (_Edit(parent.start + 1, close, ""),)
    return edits


def _applied(text: str, edits: Sequence[_Edit]) -> str:
    """Returns ``text`` with edits that do not overlap, in the order of their places."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join(parts) + text[at:]


# How the file is written ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How a file is laid out.

    Attributes:
        newline: What ends its lines.
        unit: One step of indentation.
        is_spread: Whether it has more than one line, so that new parts get lines of their own.
    """

    newline: str
    unit: str
    is_spread: bool

    @classmethod
    def of(cls, document: Document) -> _Style:
        text = document.text
        first = text.find("\n")
        newline = "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
        unit = _STEP
        for element in document.root.elements[:1]:
            unit = _indent_of(text, element, "") or _STEP
        # An empty file has no layout yet, and gets the usual one.
        is_spread = "\n" in text.strip() or not document.root.elements
        return cls(newline=newline, unit=unit, is_spread=is_spread)

    def rendered(self, value: Json, indent: str) -> str:
        """Returns a value over several lines, the later ones below ``indent``."""
        match value:
            case Mapping() if value:
                parts = [
                    (json.dumps(key, ensure_ascii=False) + ": ", part)
                    for key, part in value.items()
                ]
                brackets = "{}"
            case list() | tuple() if any(isinstance(part, Mapping) for part in value):
                parts = [("", part) for part in value]
                brackets = "[]"
            case _:
                return self.compact(value)
        inner = self.newline + indent + self.unit
        lines = [name + self.rendered(part, indent + self.unit) for name, part in parts]
        rest = self.newline + indent + brackets[1]
        return brackets[0] + inner + f",{inner}".join(lines) + rest

    def compact(self, value: Json) -> str:
        """Returns a value in one line."""
        return json.dumps(value, ensure_ascii=False)


def _indent_at(text: str, offset: int) -> str:
    """Returns the blanks at the beginning of the line of an offset."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_of(text: str, element: Element, otherwise: str) -> str:
    """Returns the indentation of an element that begins its line."""
    start = text.rfind("\n", 0, element.start) + 1
    before = text[start : element.start]
    return before if start and not before.strip(" \t") else otherwise


# What must have come out ------------------------------------------------------------


def _checked(
    document: Document, result: str, path: Sequence[Step], change: Callable[[object], object]
) -> str:
    expected = _changed(plain(document.root), tuple(path), change)
    if plain(parse(result).root) != expected:
        raise refusal(document.text, 0, "expected a file that can be edited, got one that cannot")
    return result


def _changed(old: object, path: tuple[Step, ...], change: Callable[[object], object]) -> object:
    if not path:
        return change(old)
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        assert isinstance(old, list)
        return [_changed(v, rest, change) if at == step else v for at, v in enumerate(old)]
    assert isinstance(old, tuple)
    return tuple((k, _changed(v, rest, change) if k == step else v) for k, v in old)


def _more(old: object, key: str | None, new: object) -> object:
    if key is None:
        assert isinstance(old, list)
        return [*old, new]
    assert isinstance(old, tuple)
    return (*old, (key, new))


def _less(old: object, place: int) -> object:
    match old:
        case tuple():
            return (*old[:place], *old[place + 1 :])
        case list():
            return [*old[:place], *old[place + 1 :]]
        case _:
            return old


def _plain_json(value: Json) -> object:
    return plain(parse(json.dumps(value, ensure_ascii=False)).root)


def _there(document: Document, path: Sequence[Step]) -> Node:
    node = document.at(path)
    if node is None:
        raise refusal(document.text, 0, f"expected something at {_named(path)}, got nothing")
    return node


def _named(path: Sequence[Step]) -> str:
    return "/".join(map(str, path)) or "the top"
