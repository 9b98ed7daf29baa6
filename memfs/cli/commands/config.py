"""``memfs config``: the settings in force."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, printable, write, write_json
from memfs.errors import UsageError
from memfs.model.values import JsonValue


@click.command("config", short_help="Show the settings in force.")
@click.argument("key", required=False)
@shared_options
def command(invocation: Invocation, key: str | None) -> int:
    """Show the settings in force, or the one called KEY, such as recall.budget_tokens.

    Settings are changed by editing memfs.yaml; a change is in force once a person has
    accepted it.
    """
    from memfs.cli.settings_text import flat_settings

    with invocation.open() as memory:
        settings = flat_settings(memory.settings)
    if key is not None:
        if key not in settings:
            raise UsageError(f"expected a setting, got {key!r}", hint="memfs config lists them")
        settings = {key: settings[key]}
    if invocation.is_json:
        write_json(settings)
    elif key is not None:
        write(_shown(settings[key]))
    else:
        write(columns((name, _shown(value)) for name, value in settings.items()))
    return 0


def _shown(value: JsonValue) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            return "[" + ", ".join(printable(str(item)) for item in value) + "]"
        case _:
            return printable(str(value))
