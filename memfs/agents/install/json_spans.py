"""Reads JSON with comments and keeps where everything stands, so that a part can be edited.

Comments (``//`` and ``/* */``) and one trailing comma are let through, since several clients
allow them in their settings; a caller who needs strict JSON asks :attr:`Document.is_strict`.
Everything else that JSON does not allow is refused, with its line and column. Nothing here
writes a file or changes a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

from memfs.agents.install.refusals import NotReadableAsError, position

Step: TypeAlias = str | int
"""One step of a path into a document: a key of an object, or a place in a list."""

MAX_DEPTH: Final = 200
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_LINE_COMMENT: Final = re.compile(r"//[^\n]*")
_BLOCK_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS: Final = (("true", True), ("false", False), ("null", None))


class Shape(StrEnum):
    """What a value is."""

    OBJECT = "an object"
    LIST = "a list"
    TEXT = "a string"
    OTHER = "a number, true, false or null"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One value with its place.

    Attributes:
        shape: What it is.
        start: Offset of its first character.
        end: Offset after its last character.
        scalar: The value of a string, number, true, false or null.
        elements: Members of an object or items of a list, in their order.
    """

    shape: Shape
    start: int
    end: int
    scalar: str | int | float | bool | None = None
    elements: tuple[Element, ...] = ()

    def members(self, key: str) -> tuple[Element, ...]:
        """Returns the members with a key; more than one where it is repeated."""
        return tuple(element for element in self.elements if element.key == key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A member of an object or an item of a list.

    Attributes:
        key: Name of the member; empty for an item.
        start: Offset of the key, or of the value of an item.
        node: The value.
        comma: Offset of the comma after it; ``None`` where there is none.
    """

    key: str
    start: int
    node: Node
    comma: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole text with the value that it holds.

    Attributes:
        text: As given.
        root: Its value.
        comments: Where comments stand, as start and end.
        has_trailing_comma: Whether a list or an object ends with a comma.
    """

    text: str
    root: Node
    comments: tuple[tuple[int, int], ...]
    has_trailing_comma: bool

    @property
    def is_strict(self) -> bool:
        """Whether a reader that knows no comments and no trailing commas can read it."""
        return not self.comments and not self.has_trailing_comma

    def at(self, path: Sequence[Step]) -> Node | None:
        """Returns the value at a path; ``None`` where there is nothing.

        Raises:
            NotReadableAsError: A key on the way stands there twice, so that readers differ.
        """
        node = self.root
        for step in path:
            found = self._step(node, step)
            if found is None:
                return None
            node = found.node
        return node

    def element(self, path: Sequence[Step]) -> Element | None:
        """Returns the member or item at a path, which is not empty."""
        parent = self.at(path[:-1])
        return None if parent is None else self._step(parent, path[-1])

    def _step(self, node: Node, step: Step) -> Element | None:
        if isinstance(step, int):
            is_there = node.shape is Shape.LIST and 0 <= step < len(node.elements)
            return node.elements[step] if is_there else None
        found = node.members(step) if node.shape is Shape.OBJECT else ()
        if len(found) > 1:
            raise refusal(
                self.text, found[1].start, f"expected the key {step!r} once, got it twice"
            )
        return found[0] if found else None


def refusal(text: str, offset: int, message: str) -> NotReadableAsError:
    """Returns the error that names the line and column of an offset."""
    line, column = position(text, offset)
    return NotReadableAsError(message, line=line, column=column)


def plain(node: Node) -> object:
    """Returns a value without its places; objects keep the order and repetition of keys."""
    match node.shape:
        case Shape.OBJECT:
            return tuple((element.key, plain(element.node)) for element in node.elements)
        case Shape.LIST:
            return [plain(element.node) for element in node.elements]
        case Shape.TEXT | Shape.OTHER:
            # True and 1.0 are equal in Python and are not the same in a file.
            return (str(node.shape), type(node.scalar).__name__, node.scalar)


def texts(node: Node | None) -> tuple[str, ...] | None:
    """Returns the items of a list of strings; ``None`` for anything else."""
    if node is None or node.shape is not Shape.LIST:
        return None
    found = tuple(words(element.node) for element in node.elements)
    return found if all(element.node.shape is Shape.TEXT for element in node.elements) else None


def words(node: Node | None) -> str:
    """Returns a string; empty for anything that is none."""
    is_text = node is not None and node.shape is Shape.TEXT
    return str(node.scalar) if node is not None and is_text else ""


@lru_cache(maxsize=8)
def parse(text: str) -> Document:
    """Returns the document that a text holds.

    Args:
        text: Without a byte order mark.

    Raises:
        NotReadableAsError: It is no JSON with comments.
    """
    return _Reader(text).document()


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.comments: list[tuple[int, int]] = []
        self.has_trailing_comma = False

    def document(self) -> Document:
        start = self._skip(0)
        if start == len(self.text):
            raise refusal(self.text, start, "expected JSON, got nothing")
        root = self._value(start, 0)
        rest = self._skip(root.end)
        if rest != len(self.text):
            raise refusal(self.text, rest, "expected the end, got more after the value")
        return Document(
            text=self.text,
            root=root,
            comments=tuple(self.comments),
            has_trailing_comma=self.has_trailing_comma,
        )

    def _skip(self, at: int) -> int:
        """Returns the offset of what comes after blanks and comments."""
        while True:
            at = _end(_SPACE.match(self.text, at), at)
            if self.text.startswith("//", at):
                after = _end(_LINE_COMMENT.match(self.text, at), at)
            elif self.text.startswith("/*", at):
                match = _BLOCK_COMMENT.match(self.text, at)
                if match is None:
                    raise refusal(self.text, at, "expected the end of a comment, got none")
                after = match.end()
            else:
                return at
            self.comments.append((at, after))
            at = after

    def _value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise refusal(self.text, at, f"expected at most {MAX_DEPTH} levels, got more")
        char = self.text[at : at + 1]
        if char == "{":
            return self._container(at, depth, Shape.OBJECT, "}")
        if char == "[":
            return self._container(at, depth, Shape.LIST, "]")
        if char == '"':
            text, end = self._string(at)
            return Node(shape=Shape.TEXT, start=at, end=end, scalar=text)
        for word, value in _WORDS:
            if self.text.startswith(word, at):
                return Node(shape=Shape.OTHER, start=at, end=at + len(word), scalar=value)
        match = _NUMBER.match(self.text, at)
        if match is None:
            raise refusal(self.text, at, f"expected a JSON value, got {char or 'the end'!r}")
        is_whole = match[0].lstrip("-").isdigit()
        # A whole number of any length is kept as text, which is all that a comparison needs.
        number = match[0] if is_whole else float(match[0])
        return Node(shape=Shape.OTHER, start=at, end=match.end(), scalar=number)

    def _string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if match is None:
            raise refusal(self.text, at, "expected a string that ends on its line")
        try:
            return str(json.loads(match[0])), match.end()
        except json.JSONDecodeError as error:
            raise refusal(self.text, at + error.pos, error.msg) from error

    def _container(self, start: int, depth: int, shape: Shape, closing: str) -> Node:
        elements: list[Element] = []
        at = self._skip(start + 1)
        while not self.text.startswith(closing, at):
            if elements and elements[-1].comma is None:
                got = self.text[at : at + 1] or "the end"
                raise refusal(self.text, at, f"expected a comma or {closing!r}, got {got!r}")
            element, at = self._element(at, depth, shape)
            elements.append(element)
        if elements and elements[-1].comma is not None:
            self.has_trailing_comma = True
        return Node(shape=shape, start=start, end=at + 1, elements=tuple(elements))

    def _element(self, start: int, depth: int, shape: Shape) -> tuple[Element, int]:
        key, at = "", start
        if shape is Shape.OBJECT:
            if not self.text.startswith('"', at):
                got = self.text[at : at + 1] or "the end"
                raise refusal(self.text, at, f"expected a key in double quotes, got {got!r}")
            key, at = self._string(at)
            at = self._skip(at)
            if not self.text.startswith(":", at):
                raise refusal(self.text, at, f"expected ':' after the key {key!r}")
            at = self._skip(at + 1)
        node = self._value(at, depth + 1)
        at = self._skip(node.end)
        comma = at if self.text.startswith(",", at) else None
        if comma is not None:
            at = self._skip(comma + 1)
        return Element(key=key, start=start, node=node, comma=comma), at


def _end(match: re.Match[str] | None, otherwise: int) -> int:
    return otherwise if match is None else match.end()


def walk(node: Node, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Node]]:
    """Yields every value below and with its path, the value itself first."""
    yield path, node
    for place, element in enumerate(node.elements):
        step: Step = element.key if node.shape is Shape.OBJECT else place
        yield from walk(element.node, (*path, step))
