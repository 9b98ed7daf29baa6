"""``memfs entity``: the things that memory speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.claim_options import named_value, text_or_stdin
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import say, write, write_json

if TYPE_CHECKING:
    from memfs.app.relating import EntityChanges

_type_option = click.option(
    "--type", "entity_type", metavar="TYPE", help="What sort of thing it is, such as service."
)
_attribute_option = click.option(
    "--attr",
    "attributes",
    multiple=True,
    metavar="NAME=VALUE",
    help="What is known of it by name; repeatable.",
)
_about_option = click.option(
    "--about", metavar="TEXT", help="Words about it; - reads them from stdin."
)
_moment_options = (
    click.option("--as-of", default="", metavar="WHEN", help="What memory knew then."),
    click.option("--valid-at", default="", metavar="WHEN", help="What was so then."),
    click.option(
        "--scope",
        "scopes",
        multiple=True,
        metavar="SCOPE",
        help="Only this namespace; repeatable.",
    ),
)


@click.group("entity", short_help="Keep the things that memory speaks of, by all their names.")
def command() -> None:
    """Add, name and show entities: people, services, files, ideas.

    REF is an id, the end of one, a file, or any name of the entity.
    """


@command.command(
    "add",
    cls=ExampleCommand,
    examples=('memfs entity add "sync service" --type service --alias datasync',),
)
@click.argument("name")
@_type_option
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name; repeatable.")
@_attribute_option
@_about_option
@click.option("--scope", default="", metavar="SCOPE", help="Namespace; the store's by default.")
@click.option("--importance", type=click.IntRange(1, 10), help="1 to 10; 5 by default.")
@click.option(
    "--sensitivity",
    default="",
    metavar="LEVEL",
    help="public, normal, confidential, secret; normal by default.",
)
@click.option(
    "--key", default="", metavar="KEY", help="Makes a repetition with the same key harmless."
)
@shared_options
def add_command(
    invocation: Invocation,
    *,
    name: str,
    entity_type: str | None,
    aliases: tuple[str, ...],
    attributes: tuple[str, ...],
    about: str | None,
    scope: str,
    importance: int | None,
    sensitivity: str,
    key: str,
) -> int:
    """Make a page for a thing; its id follows from its name and stays."""
    with invocation.open() as memory:
        result = memory.add_entity(
            name,
            entity_type=entity_type or "",
            aliases=aliases,
            attributes=dict(map(named_value, attributes)),
            about=_words(about) or "",
            scope=scope,
            importance=importance,
            sensitivity=sensitivity,
            key=key,
        )
    return respond(invocation, result)


@command.command("show")
@click.argument("reference", metavar="REF")
@_moment_options[0]
@_moment_options[1]
@_moment_options[2]
@shared_options
def show_command(
    invocation: Invocation, reference: str, as_of: str, valid_at: str, scopes: tuple[str, ...]
) -> int:
    """Show an entity with its edges and with what names it, now or at another moment."""
    with invocation.open() as memory:
        view = memory.entity(reference, as_of=as_of, valid_at=valid_at, scopes=scopes)
    if invocation.is_json:
        from memfs.cli.entity_text import entity_value

        write_json(entity_value(view))
    else:
        from memfs.cli.entity_text import entity_page

        write(entity_page(view))
    if view.is_cut:
        say("there is more than is shown at once (graph.most)")
    return 0


@command.command("list")
@_type_option
@_moment_options[0]
@_moment_options[1]
@_moment_options[2]
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="At most so many entities; 0 for all.",
)
@shared_options
def list_command(
    invocation: Invocation,
    *,
    entity_type: str | None,
    as_of: str,
    valid_at: str,
    scopes: tuple[str, ...],
    limit: int,
) -> int:
    """List entities, newest first."""
    with invocation.open() as memory:
        found = memory.entities(
            entity_type=entity_type or "",
            as_of=as_of,
            valid_at=valid_at,
            scopes=scopes,
            limit=limit + 1 if limit else 0,
        )
    shown = found[:limit] if limit else found
    if invocation.is_json:
        from memfs.cli.entity_text import page_value

        write_json([page_value(stored) for stored in shown])
    elif shown:
        from memfs.cli.entity_text import entity_lines

        write(entity_lines(shown))
    else:
        say("no entity is kept" if not entity_type else "no entity is of this type")
    if len(shown) < len(found):
        say("there are more; --limit 0 lists all")
    return 0


@command.command("alias")
@click.argument("reference", metavar="REF")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--remove", "is_dropped", is_flag=True, help="Take the names from it instead.")
@shared_options
def alias_command(
    invocation: Invocation, reference: str, names: tuple[str, ...], is_dropped: bool
) -> int:
    """Give an entity more names: whoever asks by one of them finds it."""
    with invocation.open() as memory:
        result = memory.alias(reference, names, is_dropped=is_dropped)
    return respond(invocation, result)


@command.command("set")
@click.argument("reference", metavar="REF")
@click.option("--name", metavar="NAME", help="Call it so; the old name stays one of its names.")
@_type_option
@_attribute_option
@click.option(
    "--unset", multiple=True, metavar="NAME", help="What is not known any longer; repeatable."
)
@_about_option
@shared_options
def set_command(
    invocation: Invocation,
    *,
    reference: str,
    name: str | None,
    entity_type: str | None,
    attributes: tuple[str, ...],
    unset: tuple[str, ...],
    about: str | None,
) -> int:
    """Say something more, or something else, of an entity; its id stays."""
    from memfs.app.relating import EntityChanges

    changes = EntityChanges(attributes=dict(map(named_value, attributes)), unset=unset)
    _put(changes, name, entity_type, _words(about))
    with invocation.open() as memory:
        result = memory.set_entity(reference, **changes)
    return respond(invocation, result)


def _put(
    changes: EntityChanges, name: str | None, entity_type: str | None, about: str | None
) -> None:
    """Adds what was said; an option that was not given changes nothing."""
    if name is not None:
        changes["name"] = name
    if entity_type is not None:
        changes["entity_type"] = entity_type
    if about is not None:
        changes["about"] = about


def _words(text: str | None) -> str | None:
    return None if text is None else text_or_stdin(text)
