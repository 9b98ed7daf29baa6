"""The fast reader of frontmatter and settings: the plain one-line forms, without a YAML library.

It reads a subset on which every YAML 1.2 reader agrees (one ``key: value`` a line, plain and
JSON-quoted scalars, flow lists and mappings of those, nested mappings by indentation, lists of one
scalar a line, comments).
Whatever else it meets it answers with ``None``, and the full reader decides; it never guesses and
never reports an error. A property test holds both readers to the same values.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Final

from memfs.formats.scalars import TYPED_WORDS, resolve_plain
from memfs.formats.yaml_spans import Span
from memfs.model.limits import DEPTH
from memfs.model.values import JsonValue

_UNUSUAL: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]"
)
_ESCAPE: Final = r'\\(?:["\\/bfnrt]|u(?:[0-9abcefABCEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{2})'
_QUOTED: Final = rf'"[^"\\\n]*(?:{_ESCAPE}[^"\\\n]*)*"'
_FIRST: Final = r"""[^\s\-?:,\[\]{}#&*!|>'"%@`]"""
_BLOCK_PLAIN: Final = rf"(?:{_FIRST}|-(?=\w))[^\n:#]*(?:(?::(?=\S)|(?<=\S)\#)[^\n:#]*)*(?<!\s)"
_FLOW_PLAIN: Final = (
    rf"(?:{_FIRST}|-(?=\w))[^\n:#,\[\]{{}}?]*"
    r"(?:(?::(?=[^\s,\[\]{}?])|(?<=\S)\#)[^\n:#,\[\]{}?]*)*(?<!\s)"
)
_LINE: Final = re.compile(
    rf"^(?P<indent>\ *)(?:(?P<key>[A-Za-z_][\w.-]*):"
    rf"(?:\ +(?:(?P<plain>{_BLOCK_PLAIN})|(?P<quoted>{_QUOTED})|(?P<flow>[\[{{][^\n]*)))?"
    rf"(?:\ +\#[^\n]*|\ *)|\#[^\n]*|(?P<dash>-)\ +(?:(?P<item>{_BLOCK_PLAIN})|(?P<text>{_QUOTED}))"
    rf"(?:\ +\#[^\n]*|\ *))?(?:\n|\Z)",
    re.ASCII | re.MULTILINE,
)
_ITEM: Final = re.compile(
    rf"(?P<plain>{_FLOW_PLAIN})|(?P<quoted>{_QUOTED})|(?P<open>[\[{{])", re.ASCII
)
_MEMBER: Final = re.compile(r"(?P<key>[A-Za-z_][\w.-]*): +", re.ASCII)
_AFTER: Final = re.compile(r" *(?:,(?P<more> +)|(?P<close>[\]}]))")
_SIMPLE_LIST: Final = re.compile(rf"\[{_FLOW_PLAIN}(?:, {_FLOW_PLAIN})*\]\Z", re.ASCII)
_SIMPLE_MAP: Final = re.compile(
    rf"\{{[A-Za-z_][\w.-]*: {_FLOW_PLAIN}(?:, [A-Za-z_][\w.-]*: {_FLOW_PLAIN})*\}}\Z", re.ASCII
)
_TRAILING: Final = re.compile(r"(?: +#.*| *)\Z")


def read_fast(text: str) -> dict[str, JsonValue] | None:
    """Returns the mapping that ``text`` says, or ``None`` when the full reader must decide."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if _UNUSUAL.search(text):
        return None
    try:
        return _read_lines(text)
    except _NotSimple:
        return None


def find_spans(text: str) -> dict[str, Span] | None:
    """Returns where each entry of a text that ``read_fast`` reads stands, or ``None``.

    Only for texts without nested mappings and with line feeds; the full reader finds the others.
    """
    spans: dict[str, Span] = {}
    if "\r" in text:
        return None
    last = ""
    for match in _LINE.finditer(text):
        if match["dash"] is not None:
            end = match.end("item") if match["text"] is None else match.end("text")
            start = spans[last].value if spans[last].style == "block" else match.start("dash")
            spans[last] = replace(spans[last], value=start, end=end, style="block")
        elif match["key"] is not None:
            if match["indent"]:
                return None
            last = match["key"]
            spans[last] = _span(match)
    return spans


def _span(match: re.Match[str]) -> Span:
    start, end = match.span(match.lastgroup or "key")
    style = "inline"
    if match["flow"] is not None:
        _, length = _flow_value(match["flow"], 0, 1)
        end = start + length
    elif match.lastgroup == "key":
        start = end = match.end("key") + 1
        style = "empty"
    return Span(key=match.start("key"), value=start, end=end, style=style, column=0)


class _NotSimple(Exception):  # noqa: N818 - a signal inside this module, not an error
    """The text leaves the subset."""


def _read_lines(text: str) -> dict[str, JsonValue]:
    top: dict[str, JsonValue] = {}
    open_maps: list[tuple[int, dict[str, JsonValue]]] = [(0, top)]
    pending: tuple[dict[str, JsonValue], str] | None = None
    position = 0
    current, level = top, 0
    items: list[JsonValue] | None = None
    for match in _LINE.finditer(text):
        if match.start() != position:
            raise _NotSimple
        position = match.end()
        indent_text, key, plain, quoted, flow, dash, item, item_text = match.groups()
        indent = len(indent_text)
        if key is None:
            if dash is not None:
                if pending is not None and indent >= level:
                    items, items_indent = [], indent
                    pending[0][pending[1]], pending = items, None
                elif items is None or indent != items_indent:
                    raise _NotSimple
                items.append(resolve_plain(item) if item_text is None else _unquote(item_text))
            continue
        if indent != level:
            _change_level(open_maps, indent, pending)
            level, current = open_maps[-1]
        if key in current or key in TYPED_WORDS:
            raise _NotSimple
        pending = items = None
        if plain is not None:
            current[key] = resolve_plain(plain)
        elif quoted is not None:
            current[key] = _unquote(quoted)
        elif flow is not None:
            current[key] = _read_flow(flow)
        else:
            current[key] = None
            pending = (current, key)
    if position != len(text):
        raise _NotSimple
    return top


def _change_level(
    open_maps: list[tuple[int, dict[str, JsonValue]]],
    indent: int,
    pending: tuple[dict[str, JsonValue], str] | None,
) -> None:
    if indent > open_maps[-1][0]:
        if pending is None or len(open_maps) >= DEPTH:
            raise _NotSimple
        child: dict[str, JsonValue] = {}
        pending[0][pending[1]] = child
        open_maps.append((indent, child))
        return
    while open_maps[-1][0] > indent:
        open_maps.pop()
    if open_maps[-1][0] != indent:
        raise _NotSimple


def _unquote(quoted: str) -> str:
    if "\\" not in quoted:
        return quoted[1:-1]
    text: str = json.loads(quoted)
    return text


def _read_flow(text: str) -> JsonValue:
    if _SIMPLE_LIST.match(text):
        return [resolve_plain(item) for item in text[1:-1].split(", ")]
    if _SIMPLE_MAP.match(text):
        return _simple_map(text[1:-1].split(", "))
    value, position = _flow_value(text, 0, 1)
    if not _TRAILING.match(text, position):
        raise _NotSimple
    return value


def _simple_map(members: list[str]) -> JsonValue:
    items: dict[str, JsonValue] = {}
    for member in members:
        key, _, value = member.partition(": ")
        if key in items or key in TYPED_WORDS:
            raise _NotSimple
        items[key] = resolve_plain(value)
    return items


def _flow_value(text: str, position: int, depth: int) -> tuple[JsonValue, int]:
    match = _ITEM.match(text, position)
    if match is None or depth >= DEPTH:
        raise _NotSimple
    plain, quoted, _ = match.groups()
    if plain is not None:
        return resolve_plain(plain), match.end()
    if quoted is not None:
        return _unquote(quoted), match.end()
    if text[position] == "[":
        return _flow_list(text, position + 1, depth + 1)
    return _flow_map(text, position + 1, depth + 1)


def _flow_list(text: str, position: int, depth: int) -> tuple[JsonValue, int]:
    items: list[JsonValue] = []
    if text.startswith("]", position):
        return items, position + 1
    while True:
        value, position = _flow_value(text, position, depth)
        items.append(value)
        position, is_last = _flow_next(text, position, "]")
        if is_last:
            return items, position


def _flow_map(text: str, position: int, depth: int) -> tuple[JsonValue, int]:
    items: dict[str, JsonValue] = {}
    if text.startswith("}", position):
        return items, position + 1
    while True:
        member = _MEMBER.match(text, position)
        if member is None:
            raise _NotSimple
        key = member["key"]
        if key in items or key in TYPED_WORDS:
            raise _NotSimple
        items[key], position = _flow_value(text, member.end(), depth)
        position, is_last = _flow_next(text, position, "}")
        if is_last:
            return items, position


def _flow_next(text: str, position: int, closing: str) -> tuple[int, bool]:
    match = _AFTER.match(text, position)
    if match is None:
        raise _NotSimple
    close = match["close"]
    if close is None:
        return match.end(), False
    if close != closing:
        raise _NotSimple
    return match.end(), True
