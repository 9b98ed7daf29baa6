"""Settings as a flat table of dotted names, as ``memfs.yaml`` nests them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Final

from memfs.model.settings import Settings
from memfs.model.values import JsonValue

# Where the file calls something otherwise than the code.
_FILE_NAMES: Final = MappingProxyType(
    {
        "store_format": "format",
        "sources_off": "sources.off",
        "tightened": "policy.tighten",
        "digest": "policy.digest",
    }
)


def flat_settings(settings: Settings) -> dict[str, JsonValue]:
    """Returns every setting by dotted name, such as ``recall.rank.floor``, in file order."""
    flat: dict[str, JsonValue] = {}
    _collect(settings, "", flat)
    return flat


def _collect(value: object, prefix: str, into: dict[str, JsonValue]) -> None:
    assert is_dataclass(value)
    for item in fields(value):
        part = getattr(value, item.name)
        name = prefix + _FILE_NAMES.get(item.name, item.name)
        if is_dataclass(part):
            _collect(part, f"{name}.", into)
        elif isinstance(part, Mapping):
            into.update({f"{name}.{key}": str(entry) for key, entry in part.items()})
        elif isinstance(part, tuple | frozenset):
            entries = sorted(part) if isinstance(part, frozenset) else part
            into[name] = [str(entry) for entry in entries]
        elif isinstance(part, bool | int | float):
            into[name] = part
        else:
            into[name] = str(part)
