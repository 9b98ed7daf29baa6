"""How a settings file is read: one function a shape, every fault noted under its key's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from memfs.formats.yaml_spans import Place
from memfs.model.decision import Verdict
from memfs.model.origin import Channel, OriginClass, Principal
from memfs.model.scope import Scope
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.formats.record_problems import Fault

_IMPORT: Final = re.compile(r"import:[a-z0-9][a-z0-9._-]{0,63}")


class SettingsReader:
    """Collects faults while values are read."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def group(self, value: JsonValue, place: Place, fields: Mapping[str, Field]) -> dict[str, Any]:
        """Reads one group of keys; a group without a value counts as left out."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.fault(place, "settings.type", f"expected keys below it, got {_got(value)}")
            return {}
        read: dict[str, Any] = {}
        for key, item in value.items():
            here = (*place, key)
            if key not in fields:
                hint = _closest(key, fields) or f"known here: {', '.join(fields)}"
                self.fault(here, "settings.unknown-key", "expected a known key", hint)
            elif item is not None:
                try:
                    read[key] = fields[key](item)
                except NestedGroup as nested:
                    read[key] = nested.build(self, item, here)
                except ValueError as error:
                    self.fault(here, "settings.value", str(error))
        return read

    def fault(self, place: Place, code: str, message: str, hint: str = "") -> None:
        """Notes one fault under the name of its key."""
        from memfs.formats.record_problems import Fault

        name = ".".join(str(part) for part in place)
        self.faults.append(Fault(place, code, f"{name}: {message}" if name else message, hint))


Field = Callable[[JsonValue], Any]


def _got(value: JsonValue) -> str:
    from memfs.formats.record_problems import describe

    return describe(value)


def _closest(key: str, fields: Mapping[str, Field]) -> str:
    from memfs.formats.record_problems import closest

    return closest(key, fields)


class NestedGroup(Exception):  # noqa: N818 - tells the reader to descend, not an error
    """Tells the reader that a value has keys of its own below it."""

    def __init__(self, fields: Mapping[str, Field], make: Callable[..., Any]) -> None:
        self.fields = fields
        self.make = make

    def build(self, reader: SettingsReader, value: JsonValue, place: Place) -> Any:
        """Reads those keys, their faults noted by ``reader``."""
        return self.make(**reader.group(value, place, self.fields))


def group_of(make: Callable[..., Any], fields: Mapping[str, Field]) -> Field:
    """Reads keys below a key and makes one value of them."""

    def read(value: JsonValue) -> Any:
        raise NestedGroup(fields, make)

    return read


def text_of(check: Callable[[str], object], expected: str) -> Field:
    """Reads a text that passes a check; ``expected`` says of the check what it asks for."""

    def read(value: JsonValue) -> str:
        if not isinstance(value, str) or not check(value):
            raise ValueError(f"expected {expected}, got {_got(value)}")
        return value

    return read


def choice(choices: type[StrEnum]) -> Field:
    """Reads one of a few names."""

    def read(value: JsonValue) -> Any:
        names = [choice.value for choice in choices]
        if not isinstance(value, str) or value not in names:
            raise ValueError(f"expected one of {', '.join(names)}, got {_got(value)}")
        return choices(value)

    return read


def integer(lowest: int, highest: int) -> Field:
    """Reads a whole number within bounds, both included."""

    def read(value: JsonValue) -> int:
        if type(value) is not int or not lowest <= value <= highest:
            raise ValueError(
                f"expected a whole number from {lowest} to {highest}, got {_got(value)}"
            )
        return value

    return read


def number(lowest: float, highest: float) -> Field:
    """Reads a number within bounds, both included."""

    def read(value: JsonValue) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not lowest <= float(value) <= highest:  # type: ignore[arg-type]
            raise ValueError(f"expected a number from {lowest:g} to {highest:g}, got {_got(value)}")
        return float(value)  # type: ignore[arg-type]

    return read


def boolean(value: JsonValue) -> bool:
    """Reads true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {_got(value)}")
    return value


def principals(value: JsonValue) -> tuple[str, ...]:
    """Reads a list of persons, each once."""
    if not isinstance(value, list):
        raise ValueError(f"expected a list such as [user:ana], got {_got(value)}")
    for item in value:
        if not isinstance(item, str) or not Principal.parse(item).is_person:
            raise ValueError(f"expected names such as user:ana, got {_got(item)}")
    return tuple(dict.fromkeys(str(item) for item in value))


def switches(value: JsonValue) -> frozenset[str]:
    """Reads a list of sources that can be switched off."""
    if not isinstance(value, list):
        raise ValueError(f"expected a list such as [agent:scout, channel:tool], got {_got(value)}")
    for item in value:
        if not isinstance(item, str) or not _is_switch(item):
            raise ValueError(
                "expected names such as agent:scout, channel:tool, class:remote or "
                f"import:claude-memory, got {_got(item)}"
            )
    return frozenset(str(item) for item in value)


def _is_switch(text: str) -> bool:
    """What memfs itself writes is its accounts, and cannot be switched off."""
    family, _, name = text.partition(":")
    match family:
        case "channel":
            return name in set(Channel) - {Channel.SYSTEM}
        case "class":
            return name in set(OriginClass) - {OriginClass.SYSTEM}
        case "import":
            return _IMPORT.fullmatch(text) is not None
        case "user" | "agent" | "tool":
            return _is_principal(text)
        case _:
            return False


def _is_principal(text: str) -> bool:
    try:
        Principal.parse(text)
    except ValueError:
        return False
    return True


def tightened(value: JsonValue) -> Mapping[str, str]:
    """Reads verdicts by rule, none of them milder than waiting."""
    if not isinstance(value, Mapping):
        raise ValueError(f"expected 'rule: verdict' lines, got {_got(value)}")
    stricter = (Verdict.QUARANTINE.value, Verdict.REJECT.value)
    for rule, verdict in value.items():
        if verdict not in stricter:
            raise ValueError(f"{rule}: expected one of {', '.join(stricter)}")
    return {rule: str(verdict) for rule, verdict in value.items()}


def is_project(text: str) -> bool:
    """Whether a text can be the name of a project."""
    try:
        Scope.parse(f"project:{text}")
    except ValueError:
        return False
    return True
