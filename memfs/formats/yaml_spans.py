"""What reading YAML gives: values, places and spans; apart, so that the fast reader stays light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from memfs.errors import DataError
from memfs.model.frozen import frozen
from memfs.model.values import JsonValue

Place: TypeAlias = tuple[str | int, ...]
"""Where a value stands: keys and 0-based positions from the outside in."""
Position: TypeAlias = tuple[int, int]
"""1-based line and column in the file."""


class YamlError(DataError):
    """The frontmatter or settings are no YAML that memfs works with."""

    code = "yaml.syntax"


@frozen
class Span:
    """Where one top-level entry stands in the text, as character offsets.

    Attributes:
        key: Start of the key.
        value: Start of the value; for an empty value the position after the colon.
        end: End of the value, without a comment that follows it.
        style: ``inline`` (on the key's line, or a flow or quoted value), ``block`` or ``empty``.
        column: 0-based column of the key.
    """

    key: int
    value: int
    end: int
    style: str
    column: int


@frozen
class ParsedYaml:
    """A mapping read from YAML.

    Attributes:
        values: In the order of the file.
        places: Position of each key and list item.
        spans: Where each top-level entry stands; empty for a flow mapping.
    """

    values: Mapping[str, JsonValue]
    places: Mapping[Place, Position]
    spans: Mapping[str, Span]
