"""Frontmatter: the strict door for our own files and the lenient one for what others wrote.

Our own files go through ``split``, ``parse_matter`` and ``edit_matter`` (see ``matter`` and
``matter_edit``). Foreign text is taken apart with python-frontmatter and a handler of our own:
its stock handler reads ``no`` as false, keeps the last of two equal keys and strips the body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from memfs.errors import DataError
from memfs.formats.matter import (
    Document,
    FrontmatterError,
    Matter,
    parse_matter,
    split,
)
from memfs.formats.matter_edit import RoundTripError, edit_matter
from memfs.formats.record_problems import problem_from
from memfs.formats.text import place_of
from memfs.formats.yaml_core import parse_yaml
from memfs.model.problem import Problem, Severity
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from frontmatter.default_handlers import BaseHandler

__all__ = (
    "Document",
    "FrontmatterError",
    "Matter",
    "RoundTripError",
    "edit_matter",
    "parse_matter",
    "read_foreign",
    "split",
)

_BOM: Final = "\ufeff"
_PLAIN_LINE: Final = re.compile(
    r"""(?P<key>[A-Za-z_][\w.-]*: +)(?P<value>[^\s\-?:,\[\]{}#&*!|>'"%@`][^\r\n]*)(?P<end>\r?)\Z"""
)


def read_foreign(
    data: bytes, *, path: str = ""
) -> tuple[Mapping[str, JsonValue], str, tuple[Problem, ...]]:
    """Reads text that another program or a person wrote, as well as it can be read.

    Never raises on content. Frontmatter that cannot be read gives an error and the whole text as
    body, so that an importer keeps every byte.

    Args:
        data: The file.
        path: Named in problems.

    Returns:
        What the frontmatter says (empty without one), the text after it with its line ends as
        they are, and problems: an error where something was lost, a warning where it was not.
    """
    text, problems = _foreign_text(data, path)
    handler = _core_handler()
    if not handler.detect(text):
        return {}, text, tuple(problems)
    try:
        matter, body = handler.split(text)
    except ValueError:
        message, hint = "expected a second '---' line", "the text is kept as it is"
        problems.append(
            Problem(path, 1, 0, "frontmatter.unclosed", message, hint, Severity.WARNING)
        )
        return {}, text, tuple(problems)
    try:
        values = handler.load(_with_prose_quoted(matter))
    except DataError as error:
        problems.append(problem_from(error, path))
        return {}, text, tuple(problems)
    return values, body, tuple(problems)


def _with_prose_quoted(matter: str) -> str:
    """Quotes one-line values of several words that YAML would refuse or cut off.

    Programs write ``description: Why: because (see #12)`` without quotes; the colon makes it no
    YAML and the hash a comment, but what was meant is the whole line.
    """
    lines = matter.split("\n")
    for number, line in enumerate(lines):
        match = _PLAIN_LINE.match(line)
        if match and _is_prose(value := match["value"].rstrip()):
            quoted = json.dumps(value, ensure_ascii=False)
            lines[number] = match["key"] + quoted + match["end"]
    return "\n".join(lines)


def _is_prose(value: str) -> bool:
    words, comment, _ = value.partition(" #")
    return ": " in value or value.endswith(":") or (comment != "" and " " in words.strip())


def _foreign_text(data: bytes, path: str) -> tuple[str, list[Problem]]:
    problems: list[Problem] = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        message = f"expected UTF-8, got the byte 0x{data[error.start]:02x}"
        problems.append(Problem(path, *place_of(data, error.start), "text.encoding", message))
    if "\0" in text:
        place = place_of(data, data.index(b"\0"))
        problems.append(Problem(path, *place, "text.nul", "a NUL byte"))
        text = text.replace("\0", "\ufffd")
    return text.removeprefix(_BOM), problems


def _core_handler() -> BaseHandler:
    """Returns python-frontmatter's handler with our YAML rules; imported only where needed."""
    from frontmatter.default_handlers import BaseHandler

    opening = re.compile(r"\A---[ \t]*\r?\n")
    closing = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)

    class CoreYamlHandler(BaseHandler):
        FM_BOUNDARY = closing
        START_DELIMITER = END_DELIMITER = "---"

        def detect(self, text: str) -> bool:
            return opening.match(text) is not None

        def split(self, text: str) -> tuple[str, str]:
            start = opening.match(text)
            end = closing.search(text, start.end()) if start else None
            if start is None or end is None:
                raise ValueError("no closing fence")
            return text[start.end() : end.start()], text[end.end() :]

        def load(self, fm: str) -> dict[str, JsonValue]:
            return dict(parse_yaml(fm, path="", first_line=2).values)

    return CoreYamlHandler()
