"""The root command: finds a command by name and imports nothing else."""

from __future__ import annotations

from importlib import import_module

import click

from memfs.cli.catalogue import COMMANDS, SECTIONS


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns all command names in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports and returns one command; ``None`` for an unknown name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = import_module(entry.module).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolves a name and, for an unknown one, says which known name is closest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands by section, from the table alone."""
        width = max(map(len, COMMANDS))
        for section in SECTIONS:
            with formatter.section(section.title):
                formatter.write_dl(
                    [(name.ljust(width), entry.help) for name, entry in section.commands.items()]
                )
