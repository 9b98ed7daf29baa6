"""A command whose help page ends with examples, one command line each."""

from __future__ import annotations

from collections.abc import Sequence

import click


class ExampleCommand(click.Command):
    """A command with examples; they are shown as typed and never wrapped."""

    def __init__(self, *args: object, examples: Sequence[str] = (), **attributes: object) -> None:
        super().__init__(*args, **attributes)  # type: ignore[arg-type]
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples after the options."""
        with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
            for line in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
