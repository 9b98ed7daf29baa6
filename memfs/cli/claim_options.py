"""The options that describe a claim, shared by ``remember`` and ``propose``."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Final

import click

from memfs.errors import UsageError

CLAIM_KINDS: Final = (
    "preference",
    "profile",
    "fact",
    "decision",
    "reference",
    "warning",
    "note",
    "procedure",
    "episode",
)
"""What a person can choose from; written out, since a help page loads no registry."""

TIME_OPTIONS = (
    click.option(
        "--valid-from",
        default="",
        metavar="WHEN",
        help="It holds from then on.",
    ),
    click.option("--valid-until", default="", metavar="WHEN", help="It holds until just before."),
    click.option("--event-time", default="", metavar="WHEN", help="When it happened."),
)
"""When a claim holds and when what it tells of happened."""

_OPTIONS = (
    click.argument("text", required=False),
    click.option(
        "--kind",
        default="note",
        show_default=True,
        metavar="KIND",
        help=f"One of {', '.join(CLAIM_KINDS)}.",
    ),
    click.option(
        "--title", default="", metavar="LINE", help="One line; the first line of TEXT by default."
    ),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be repeated."),
    click.option(
        "--subject",
        default="",
        metavar="KEY",
        help="What it is about, such as web-framework; claims about one subject meet.",
    ),
    click.option("--scope", default="", metavar="SCOPE", help="Such as project:NAME, or global."),
    click.option("--importance", type=click.IntRange(1, 10), help="1 to 10; 5 by default."),
    click.option(
        "--sensitivity",
        default="",
        metavar="LEVEL",
        help="public, normal, confidential, secret; normal by default.",
    ),
    click.option(
        "--class",
        "record_class",
        default="",
        metavar="CLASS",
        help="What sort of information, such as clinical; programs need a grant for it.",
    ),
    click.option(
        "--field",
        "fields",
        multiple=True,
        metavar="NAME=VALUE",
        help="What it says by name; a grant can show one field alone.",
    ),
    *TIME_OPTIONS,
    click.option(
        "--key",
        default="",
        metavar="KEY",
        help="Idempotency key: the same key is carried out once.",
    ),
)


def time_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options that say when a claim holds; hands them over as they were typed."""
    for option in reversed(TIME_OPTIONS):
        function = option(function)
    return function


def claim_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds TEXT and the options of a claim; hands over the text and ``ClaimOptions``."""

    @functools.wraps(function)
    def run(
        *,
        text: str | None,
        kind: str,
        title: str,
        tags: tuple[str, ...],
        subject: str,
        scope: str,
        importance: int | None,
        sensitivity: str,
        record_class: str,
        fields: tuple[str, ...],
        valid_from: str,
        valid_until: str,
        event_time: str,
        key: str,
        **arguments: object,
    ) -> int:
        from memfs.app.drafts import ClaimOptions

        claim = ClaimOptions(
            kind=kind,
            title=title,
            tags=tags,
            subject=subject,
            scope=scope,
            importance=importance,
            sensitivity=sensitivity,
            record_class=record_class,
            fields=dict(map(named_value, fields)),
            valid_from=valid_from,
            valid_until=valid_until,
            event_time=event_time,
            key=key,
        )
        words = "" if text is None and fields else text_or_stdin(text)
        return function(text=words, claim=claim, **arguments)

    decorated: Callable[..., int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def named_value(text: str) -> tuple[str, str]:
    """Returns the name and the value of ``NAME=VALUE``; a value may be empty.

    Raises:
        UsageError: It is something else.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"expected NAME=VALUE, got {text!r}")
    return name.strip(), value


def text_or_stdin(text: str | None, *, what: str = "TEXT") -> str:
    """Returns the text as given, or what stands on stdin for ``-`` and for no text at all.

    A byte order mark in front, as some shells pipe it, is no part of the text. Bytes that are
    no UTF-8 stay recognisable, and are refused as what they are.

    Raises:
        UsageError: No text, and a person at the keyboard who was not asked for any.
    """
    if text is not None and text != "-":
        return text
    if text is None and sys.stdin.isatty():
        raise UsageError(f"expected {what}, got nothing", hint=f"give {what}, or - for stdin")
    return sys.stdin.buffer.read().decode("utf-8-sig", "surrogateescape")
