"""What reaches the terminal: data on stdout, talk on stderr, nothing that can command it.

Text from records is data. Control characters, escape sequences and characters that
reorder or hide text are shown as visible codes, so that a stored title can neither move
the cursor nor pretend to be something else (A28).
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress

import click

from memfs.errors import MemfsError
from memfs.model.problem import Problem
from memfs.model.values import JsonValue

_HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
# Format characters that scripts and emoji need to be written at all.
_ALLOWED = frozenset("\u200c\u200d")
# Letters that show nothing at all.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def printable(text: str, *, keep_lines: bool = False) -> str:
    """Returns ``text`` with every character that could act on a terminal made visible.

    Args:
        text: Anything from a record, a path or an error.
        keep_lines: Leave line feeds and tabs as they are, for bodies.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if not _is_hiding(char) or (keep_lines and char in "\n\t") else f"\\u{{{ord(char):x}}}"
        for char in text
    )


def _is_hiding(char: str) -> bool:
    is_blank = (
        char in _BLANK or "\ufe00" <= char <= "\ufe0e" or "\U000e0100" <= char <= "\U000e01ef"
    )
    return is_blank or (unicodedata.category(char) in _HIDING and char not in _ALLOWED)


def write(text: str) -> None:
    """Writes data to stdout, with one final line feed."""
    click.echo(text, nl=not text.endswith("\n"))


def say(text: str) -> None:
    """Writes talk to stderr; talk that nobody can hear is dropped."""
    with suppress(OSError):
        click.echo(text, err=True)


def write_json(value: JsonValue) -> None:
    """Writes one JSON document to stdout; keys keep the order in which they were put."""
    click.echo(json_text(value, indent=2))


def json_text(value: object, *, indent: int | None = None) -> str:
    """Returns a value as JSON in which nothing can act on a terminal either.

    Letters of all scripts stand as they are; what hides or reorders text is escaped, which
    means the same to every reader of JSON.
    """
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    if text.isascii() and "\x7f" not in text:
        return text
    # Encoded as UTF-16, since that is how JSON names what lies beyond the first plane.
    return "".join(
        "".join(f"\\u{unit:04x}" for unit in _utf16(char))
        if char != "\n" and _is_hiding(char)
        else char
        for char in text
    )


def _utf16(char: str) -> tuple[int, ...]:
    units = char.encode("utf-16-be", "surrogatepass")
    return tuple(int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2))


def _plain(value: object) -> JsonValue:
    """Turns the read-only mappings and tuples of the model into what JSON knows."""
    match value:
        case frozenset() | set():
            return sorted(str(item) for item in value)
        case _ if hasattr(value, "keys") and hasattr(value, "__getitem__"):
            return {str(key): value[key] for key in value.keys()}  # noqa: SIM118
        case _:
            return str(value)


def faint(text: str) -> str:
    """Returns text in a quieter colour; plain when colour is off (``NO_COLOR``)."""
    return text if os.environ.get("NO_COLOR") else click.style(text, dim=True)


def strong(text: str) -> str:
    """Returns text in bold; plain when colour is off (``NO_COLOR``)."""
    return text if os.environ.get("NO_COLOR") else click.style(text, bold=True)


def columns(rows: Iterable[Sequence[str]], *, indent: str = "") -> str:
    """Aligns all columns but the last, two spaces apart; trailing blanks are cut."""
    table = [tuple(row) for row in rows]
    if not table:
        return ""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]) - 1)]
    lines = []
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append((indent + "  ".join((*cells, row[-1]))).rstrip())
    return "\n".join(lines)


def counted(number: int, what: str) -> str:
    """Returns ``1 problem`` or ``2 problems``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def say_error(error: MemfsError, *, is_json: bool) -> None:
    """Reports an error as ``path:line: code: message`` and its hint, or as JSON on stdout."""
    if is_json:
        write_json({"error": _error_value(error)})
        return
    say(printable(str(error)))
    if error.hint:
        say(f"hint: {printable(error.hint)}")


def _error_value(error: MemfsError) -> JsonValue:
    value: dict[str, JsonValue] = {
        "code": error.code,
        "message": error.message,
        "exit_status": error.exit_status,
    }
    for key, part in (
        ("hint", error.hint),
        ("path", error.path),
        ("line", error.line),
        ("column", error.column),
    ):
        if part not in ("", None):
            value[key] = part
    return value


def problem_lines(problem: Problem) -> str:
    """Renders a problem as ``path:line:column: code: message`` and its hint."""
    text = printable(str(problem))
    if problem.hint:
        text += f"\n  hint: {printable(problem.hint)}"
    return text


def is_terminal() -> bool:
    """Tells whether a person looks at stdout."""
    return sys.stdout.isatty()


def say_spent(reason: str) -> None:
    """Says that a session was given all that one session is given, where that is so (A94)."""
    if reason == "packet.session-cap":
        say("this session was given its share of memory (recall.session_bytes): nothing more fits")
