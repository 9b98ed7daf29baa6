"""Options that the commands on what roles remember share."""

from __future__ import annotations

from typing import Final

import click

role_option: Final = click.option(
    "--role", default="", metavar="NAME", help="Whose memory; an agent's own by default."
)
key_option: Final = click.option(
    "--key", default="", metavar="KEY", help="Makes a repetition with the same key harmless."
)
