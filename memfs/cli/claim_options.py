"""The options that describe a claim, shared by ``remember`` and ``propose``."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import click

from memfs.errors import UsageError

_OPTIONS = (
    click.argument("text", required=False),
    click.option("--kind", default="note", show_default=True, help="What kind of claim it is."),
    click.option("--title", default="", help="One line; the first line of TEXT by default."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be repeated."),
    click.option(
        "--subject",
        default="",
        metavar="KEY",
        help="What it is about, such as web-framework; claims about one subject meet.",
    ),
    click.option("--scope", default="", metavar="SCOPE", help="Such as project:NAME, or global."),
    click.option("--importance", type=click.IntRange(1, 10), help="1 to 10; 5 by default."),
    click.option("--sensitivity", default="", help="public, normal, confidential, secret."),
    click.option("--key", default="", help="Idempotency key: the same key is carried out once."),
)


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
            key=key,
        )
        return function(text=text_or_stdin(text), claim=claim, **arguments)

    decorated: Callable[..., int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def text_or_stdin(text: str | None, *, what: str = "TEXT") -> str:
    """Returns the text as given, or what stands on stdin for ``-`` and for no text at all.

    Raises:
        UsageError: No text, and a person at the keyboard who was not asked for any.
    """
    if text is not None and text != "-":
        return text
    if text is None and sys.stdin.isatty():
        raise UsageError(f"expected {what}, got nothing", hint=f"give {what}, or - for stdin")
    return sys.stdin.read()
