"""The full reader of frontmatter: YAML events of ruamel.yaml to plain values with places.

Only events are taken from ruamel; nothing is constructed by it. So duplicate keys, keys that are
no text, tags, directives, deep nesting and alias bombs are refused before they cost anything,
and no value is ever executed, guessed or silently replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from memfs.formats.scalars import is_typed, resolve_plain
from memfs.formats.text import is_encodable
from memfs.formats.yaml_spans import ParsedYaml, Place, Position, Span, YamlError
from memfs.model.limits import ALIASES, DEPTH, NODES
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError


def parse_yaml(text: str, *, path: str, first_line: int = 1) -> ParsedYaml:
    """Reads one mapping.

    Args:
        text: YAML, line feeds or CRLF.
        path: Named in errors.
        first_line: Line of the file on which ``text`` starts.

    Raises:
        YamlError: With a code (``yaml.duplicate-key``, ``yaml.tab`` …), line and column.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    _check_characters(text, path, first_line)
    builder = _Builder(text, path, first_line)
    try:
        return builder.document(iter(YAML(typ="safe", pure=True).parse(text)))
    except MarkedYAMLError as error:
        raise _syntax_error(error, text, path, first_line) from None
    except YAMLError as error:
        raise YamlError(_one_line(str(error)), code="yaml.control", path=path) from None
    except (ValueError, RecursionError) as error:
        raise YamlError(_one_line(str(error)), path=path) from None


_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_DIRECTIVE: Final = re.compile(r"^%", re.MULTILINE)


def _check_characters(text: str, path: str, first_line: int) -> None:
    for pattern, code, message in (
        (_UNPRINTABLE, "yaml.control", "expected printable characters"),
        (_DIRECTIVE, "yaml.directive", "expected no directive such as %YAML"),
    ):
        if match := pattern.search(text):
            line_start = text.rfind("\n", 0, match.start()) + 1
            raise YamlError(
                message,
                code=code,
                path=path,
                line=text.count("\n", 0, match.start()) + first_line,
                column=match.start() - line_start + 1,
            )


_SCALAR: Final = "ScalarEvent"
_ALIAS: Final = "AliasEvent"
_SEQUENCE: Final = "SequenceStartEvent"
_MAPPING: Final = "MappingStartEvent"
_ENDS: Final = ("SequenceEndEvent", "MappingEndEvent")
_EXACT: Final = "exact"
_CLIP: Final = "clip"
_KEEP: Final = "keep"


class _Builder:
    """Builds values from events within the limits."""

    def __init__(self, text: str, path: str, first_line: int) -> None:
        self.text = text
        self.path = path
        self.first_line = first_line
        self.places: dict[Place, Position] = {}
        self.anchors: dict[str, tuple[JsonValue, int]] = {}
        self.aliases = 0
        self.nodes = 0
        self.end = 0
        self.trail = _EXACT

    def document(self, events: Iterator[Any]) -> ParsedYaml:
        next(events)
        if type(next(events)).__name__ == "StreamEndEvent":
            return ParsedYaml(values={}, places={}, spans={})
        first = next(events)
        if type(first).__name__ == _SCALAR and first.value == "" and first.style is None:
            return ParsedYaml(values={}, places={}, spans={})
        if type(first).__name__ != _MAPPING:
            self.refuse("yaml.mapping", "expected 'key: value' lines", first)
        self.check_plain_node(first)
        spans: dict[str, Span] = {}
        values = self.mapping(events, (), 1, None if first.flow_style else spans)
        self.expect_end(events)
        return ParsedYaml(values=values, places=self.places, spans=spans)

    def expect_end(self, events: Iterator[Any]) -> None:
        end = next(events)
        if end.explicit:
            self.refuse("yaml.document-end", "expected no '...' line", end)
        following = next(events)
        if type(following).__name__ != "StreamEndEvent":
            self.refuse("yaml.documents", "expected one document, got another", following)

    def node(self, event: Any, events: Iterator[Any], place: Place, depth: int) -> JsonValue:
        name = type(event).__name__
        if name == _ALIAS:
            return self.alias(event)
        self.check_plain_node(event)
        if depth > DEPTH:
            self.refuse("yaml.depth", f"expected at most {DEPTH} levels of nesting", event)
        before = self.nodes
        self.count(1, event)
        value: JsonValue
        if name == _SCALAR:
            value = self.scalar(event)
            self.end, self.trail = event.end_mark.index, self.trail_of(event)
        elif name == _SEQUENCE:
            value = self.sequence(events, place, depth)
        else:
            value = self.mapping(events, place, depth, None)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.nodes - before)
        return value

    def sequence(self, events: Iterator[Any], place: Place, depth: int) -> list[JsonValue]:
        items: list[JsonValue] = []
        while type(event := next(events)).__name__ not in _ENDS:
            here = (*place, len(items))
            self.places[here] = self.position(event)
            items.append(self.node(event, events, here, depth + 1))
        self.close(event)
        return items

    def mapping(
        self, events: Iterator[Any], place: Place, depth: int, spans: dict[str, Span] | None
    ) -> dict[str, JsonValue]:
        items: dict[str, JsonValue] = {}
        while type(event := next(events)).__name__ not in _ENDS:
            key = self.key(event)
            if key in items:
                self.refuse("yaml.duplicate-key", f"the key {key!r} stands here twice", event)
            here = (*place, key)
            self.places[here] = self.position(event)
            self.end, self.trail = event.end_mark.index, _EXACT
            following = next(events)
            items[key] = self.node(following, events, here, depth + 1)
            if spans is not None:
                spans[key] = self.span(event, following)
        self.close(event)
        return items

    def close(self, event: Any) -> None:
        if event.end_mark.index > event.start_mark.index:  # a bracket; block ends have no width
            self.end, self.trail = event.end_mark.index, _EXACT

    def key(self, event: Any) -> str:
        if type(event).__name__ != _SCALAR:
            self.refuse("yaml.key", "expected a plain key", event)
        self.check_plain_node(event)
        if event.anchor is not None:
            self.refuse("yaml.alias", "expected no anchor on a key", event)
        self.count(1, event)
        self.scalar(event)
        text: str = event.value
        if event.style is None and is_typed(text):
            self.refuse("yaml.key", f"expected a key that is text, got {text!r}", event)
        if event.style is None and text == "<<":
            self.refuse("yaml.key", "expected no merge key", event)
        return text

    def scalar(self, event: Any) -> JsonValue:
        text: str = event.value
        if not is_encodable(text):
            self.refuse("yaml.surrogate", "expected characters, got half of a pair", event)
        return resolve_plain(text) if event.style is None else text

    def trail_of(self, event: Any) -> str:
        if event.style not in ("|", ">"):
            return _EXACT
        start = event.start_mark.index
        header = self.text[start : self.text.find("\n", start)]
        return _KEEP if "+" in header.partition("#")[0] else _CLIP

    def alias(self, event: Any) -> JsonValue:
        self.aliases += 1
        if self.aliases > ALIASES or event.anchor not in self.anchors:
            self.refuse("yaml.alias", f"expected at most {ALIASES} known aliases", event)
        value, size = self.anchors[event.anchor]
        self.count(size, event)
        self.end, self.trail = event.end_mark.index, _EXACT
        return value

    def span(self, key: Any, value: Any) -> Span:
        start, style = value.start_mark.index, "inline"
        name = type(value).__name__
        if name == _SCALAR and value.style is None and value.value == "":
            start = self.text.index(":", key.end_mark.index) + 1
            return Span(
                key=key.start_mark.index,
                value=start,
                end=start,
                style="empty",
                column=key.start_mark.column,
            )
        is_block_text = name == _SCALAR and value.style in ("|", ">")
        if is_block_text or (name in (_SEQUENCE, _MAPPING) and not value.flow_style):
            style = "block"
        return Span(
            key=key.start_mark.index,
            value=start,
            end=_content_end(self.text, start, self.end, self.trail, key.start_mark.column),
            style=style,
            column=key.start_mark.column,
        )

    def count(self, nodes: int, event: Any) -> None:
        self.nodes += nodes
        if self.nodes > NODES:
            self.refuse("yaml.size", f"expected at most {NODES} values", event)

    def check_plain_node(self, event: Any) -> None:
        if event.tag is not None:
            self.refuse("yaml.tag", f"expected no tag, got {event.tag!r}", event)

    def position(self, event: Any) -> Position:
        return event.start_mark.line + self.first_line, event.start_mark.column + 1

    def refuse(self, code: str, message: str, event: Any) -> Any:
        line, column = self.position(event)
        raise YamlError(message, code=code, path=self.path, line=line, column=column)


def _content_end(text: str, start: int, end: int, trail: str, column: int) -> int:
    """Moves ``end`` back over what the scanner counts to a block text and a reader does not.

    The scanner ends a block text where the next key starts. Comments no deeper than the key
    belong to what follows; blank lines stay only with a block text that keeps them (``|+``).
    """
    if trail == _EXACT:
        return end
    while True:
        line_start = text.rfind("\n", 0, end - 1) + 1
        line = text[line_start:end]
        is_comment = line[: column + 1].lstrip(" ").startswith("#")
        is_dropped = is_comment or (not line.strip() and trail == _CLIP)
        if line_start <= start or not is_dropped:
            return end
        end = line_start


def _syntax_error(error: MarkedYAMLError, text: str, path: str, first_line: int) -> YamlError:
    mark = error.problem_mark or error.context_mark
    line = mark.line if mark else 0
    column = mark.column if mark else 0
    problem = _one_line(str(error.problem or error.context or "no YAML"))
    code, hint = "yaml.syntax", ""
    lines = text.split("\n")
    here = lines[line] if line < len(lines) else ""
    if "\t" in problem or "'\\t'" in problem or here[: column + 1].strip(" ").startswith("\t"):
        code, hint = "yaml.tab", "indent with spaces"
    elif "mapping values are not allowed" in problem:
        hint = "put the text in double quotes"
    elif "found undefined alias" in problem:
        code = "yaml.alias"
    return YamlError(
        problem, code=code, path=path, line=line + first_line, column=column + 1, hint=hint
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
