"""The options that narrow a walk over the graph, shared by all commands that walk."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from memfs.cli.query_options import MOMENT_OPTIONS
from memfs.model.graph import EdgeSort

if TYPE_CHECKING:
    from memfs.app.walking import WalkOptions

_HOPS = click.option("--hops", type=click.IntRange(1, 3), help="So many steps; see graph.*_hops.")
_LIMIT = click.option("--limit", type=click.IntRange(1, 1000), help="At most so many nodes.")
_OPTIONS = (
    click.option(
        "--sort",
        "sorts",
        multiple=True,
        type=click.Choice([str(sort) for sort in EdgeSort]),
        help="Only along links of this sort; may be repeated.",
    ),
    click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="Such as project:NAME."),
    *MOMENT_OPTIONS,
)


def walk_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options of a walk; hands them over as ``WalkOptions``."""

    @functools.wraps(function)
    def run(
        *,
        sorts: tuple[str, ...],
        scopes: tuple[str, ...],
        valid_at: str,
        as_of: str,
        **arguments: object,
    ) -> int:
        options: WalkOptions = {
            "sorts": sorts,
            "scopes": scopes,
            "valid_at": valid_at,
            "as_of": as_of,
        }
        return function(options=options, **arguments)

    decorated: Callable[..., int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def reach_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds how far a walk goes and how much it shows, 0 where that is left to the settings."""

    @functools.wraps(function)
    def run(*, hops: int | None, limit: int | None, **arguments: object) -> int:
        return function(hops=hops or 0, limit=limit or 0, **arguments)

    return _HOPS(_LIMIT(run))
