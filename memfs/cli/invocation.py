"""What every command is told besides its own arguments: where, as whom, how to answer."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.model.frozen import frozen

if TYPE_CHECKING:
    from memfs.app.container import Memory


@frozen
class Invocation:
    """The options that all commands share.

    Attributes:
        store: The store as given with ``--store``; ``None`` to look for it.
        as_principal: Who acts, as given with ``--as``; ``None`` for who it is.
        yes: A script says yes where a person would be asked.
        is_json: Answer in JSON.
    """

    store: Path | None
    as_principal: str | None
    yes: bool
    is_json: bool

    def open(self) -> Memory:
        """Opens the store that is meant here.

        Raises:
            StoreError: There is none, or more than one could be meant.
            AccessError: The principal may not act here.
        """
        from memfs.app.container import open_memory

        return open_memory(
            store=self.store,
            start=Path.cwd(),
            env=os.environ,
            as_principal=self.as_principal,
            yes=self.yes,
            stdin_tty=sys.stdin.isatty(),
            stdout_tty=sys.stdout.isatty(),
        )


_NOTHING_SAID = Invocation(store=None, as_principal=None, yes=False, is_json=False)

_OPTIONS = (
    click.option(
        "--store",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="Use this store instead of looking for one.",
    ),
    click.option("--as", "as_principal", metavar="WHO", help="Act as user:NAME or agent:NAME."),
    click.option("--yes", is_flag=True, help="Answer yes for a script that acts for a person."),
    click.option("--json", "is_json", is_flag=True, help="Answer in JSON."),
)


def shared_options(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options of every command and hands them over as one :class:`Invocation`.

    What was said before the name of a command holds for the command too, unless it is said
    again: ``memfs --store X list`` and ``memfs list --store X`` are the same.
    """

    @functools.wraps(function)
    def run(
        *,
        store: Path | None,
        as_principal: str | None,
        yes: bool,
        is_json: bool,
        **arguments: object,
    ) -> int:
        context = click.get_current_context()
        outer = context.find_object(Invocation) or _NOTHING_SAID
        context.obj = Invocation(
            store=store or outer.store,
            as_principal=as_principal or outer.as_principal,
            yes=yes or outer.yes,
            is_json=is_json or outer.is_json,
        )
        return function(context.obj, **arguments)

    decorated: Callable[..., int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
