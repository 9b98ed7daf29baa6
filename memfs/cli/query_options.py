"""The options that narrow a question, shared by ``recall`` and ``search``."""

from __future__ import annotations

import functools
from collections.abc import Callable

import click

MOMENT_OPTIONS = (
    click.option("--valid-at", default="", metavar="WHEN", help="What was true then."),
    click.option("--as-of", default="", metavar="WHEN", help="What memory knew then."),
)

_OPTIONS = (
    click.argument("text"),
    click.option("--limit", type=click.IntRange(1, 1000), help="At most so many records."),
    click.option("--kind", "kinds", multiple=True, metavar="KIND", help="May be repeated."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="All of them must be there."),
    click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="Such as project:NAME."),
    click.option("--subject", default="", metavar="KEY", help="Exactly this subject."),
    click.option("--since", default="", metavar="WHEN", help="Not older than this instant."),
    click.option("--until", default="", metavar="WHEN", help="Older than this instant."),
    *MOMENT_OPTIONS,
    click.option("--purpose", default="", metavar="LABEL", help="What it is for, for grants."),
    click.option("--explain", is_flag=True, help="Show the parts of each score."),
)


def moment_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options that ask about another moment; hands them over as they were typed."""
    for option in reversed(MOMENT_OPTIONS):
        function = option(function)
    return function


def query_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds TEXT and the options of a question; hands over the text and ``QuestionOptions``."""

    @functools.wraps(function)
    def run(
        *,
        text: str,
        limit: int | None,
        kinds: tuple[str, ...],
        tags: tuple[str, ...],
        scopes: tuple[str, ...],
        subject: str,
        since: str,
        until: str,
        valid_at: str,
        as_of: str,
        purpose: str,
        **arguments: object,
    ) -> int:
        from memfs.app.drafts import QuestionOptions

        question = QuestionOptions(
            limit=limit,
            kinds=kinds,
            tags=tags,
            scopes=scopes,
            subject=subject,
            since=since,
            until=until,
            valid_at=valid_at,
            as_of=as_of,
            purpose=purpose,
        )
        return function(text=text, question=question, **arguments)

    decorated: Callable[..., int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
