"""``memfs.yaml`` as typed settings, with every fault of the file reported at once.

Reading is cheap where the file has the shape of the template: no YAML library is imported.
A file in a newer format is refused before anything else in it is looked at.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from memfs.errors import DataError, StoreError
from memfs.formats.fast_matter import read_fast
from memfs.formats.text import decode_text
from memfs.formats.yaml_spans import Place
from memfs.model.decision import Verdict
from memfs.model.ids import STORE_PREFIX, is_id
from memfs.model.limits import MATTER_BYTES
from memfs.model.origin import Channel, OriginClass, Principal
from memfs.model.problem import Problem
from memfs.model.scope import Scope
from memfs.model.settings import (
    STORE_FORMAT,
    Durability,
    HandEdits,
    InboxSettings,
    IndexMode,
    Mode,
    RankSettings,
    RecallSettings,
    RunSettings,
    Settings,
    StoreSettings,
    TrustSettings,
)
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.formats.record_problems import Fault

_DIGEST_CHARS: Final = 8
_YOUNGER: Final[Mapping[str, Any]] = {
    "sources_off": frozenset(),
    "runs": RunSettings(),
    "forms": True,
}
"""Settings that count in the digest only where they are not the default: they are younger."""
_IMPORT: Final = re.compile(r"import:[a-z0-9][a-z0-9._-]{0,63}")


class SettingsError(DataError):
    """``memfs.yaml`` does not say what it may say.

    Attributes:
        problems: All faults, by line; the first is also the message.
    """

    code = "settings.invalid"

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(
            first.message + more,
            hint=first.hint,
            path=first.path,
            line=first.line or None,
            column=first.column or None,
            code=first.code,
        )
        self.problems = problems


class NewerFormatError(StoreError):
    """The store was made by a newer memfs."""

    code = "store.newer-format"
    exit_status = 12


def decode_settings(data: bytes, *, path: str = "memfs.yaml") -> Settings:
    """Decodes a settings file; what it leaves out has the default.

    Raises:
        SettingsError: With all problems; unknown keys are among them.
        NewerFormatError: The store's format is newer than this memfs.
        DataError: The file is no YAML that memfs works with.
    """
    text = decode_text(data, path=path, limit_bytes=MATTER_BYTES)
    values: Mapping[str, JsonValue] | None = read_fast(text)
    if values is None:
        from memfs.formats.yaml_core import parse_yaml

        values = parse_yaml(text, path=path).values
    _check_format(values, path)
    reader = _Reader()
    settings = _settings(reader, values)
    if reader.faults or settings is None:
        raise SettingsError(_problems(reader.faults, text, path))
    return replace(settings, digest=settings_digest(settings))


def settings_digest(settings: Settings) -> str:
    """Returns the short digest of what the settings say, whatever the file looks like."""
    return hashlib.sha256(_canonical(settings).encode("ascii")).hexdigest()[:_DIGEST_CHARS]


def _canonical(settings: Settings) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, frozenset):
            return sorted(value)
        said = {name: getattr(value, name) for name in value.__slots__}
        return {
            name: part
            for name, part in said.items()
            if name not in _YOUNGER or part != _YOUNGER[name]
        }

    return json.dumps(replace(settings, digest=""), default=plain, sort_keys=True)


def _check_format(values: Mapping[str, JsonValue], path: str) -> None:
    found = values.get("format")
    if type(found) is int and found > STORE_FORMAT:
        raise NewerFormatError(
            f"expected format {STORE_FORMAT} or older, got {found}",
            hint="a newer memfs made this store: upgrade memfs to open it; nothing was changed, "
            "and every record stays readable as a plain file",
            path=path,
        )


class _Reader:
    """Collects faults while values are read."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def group(self, value: JsonValue, place: Place, fields: Mapping[str, _Field]) -> dict[str, Any]:
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
                except _NestedGroup as nested:
                    read[key] = nested.build(self, item, here)
                except ValueError as error:
                    self.fault(here, "settings.value", str(error))
        return read

    def fault(self, place: Place, code: str, message: str, hint: str = "") -> None:
        """Notes one fault under the name of its key."""
        from memfs.formats.record_problems import Fault

        name = ".".join(str(part) for part in place)
        self.faults.append(Fault(place, code, f"{name}: {message}" if name else message, hint))


_Field = Callable[[JsonValue], Any]


def _got(value: JsonValue) -> str:
    from memfs.formats.record_problems import describe

    return describe(value)


def _closest(key: str, fields: Mapping[str, _Field]) -> str:
    from memfs.formats.record_problems import closest

    return closest(key, fields)


class _NestedGroup(Exception):  # noqa: N818 - tells the reader to descend, not an error
    def __init__(self, fields: Mapping[str, _Field], make: Callable[..., Any]) -> None:
        self.fields = fields
        self.make = make

    def build(self, reader: _Reader, value: JsonValue, place: Place) -> Any:
        return self.make(**reader.group(value, place, self.fields))


def _group(make: Callable[..., Any], fields: Mapping[str, _Field]) -> _Field:
    def read(value: JsonValue) -> Any:
        raise _NestedGroup(fields, make)

    return read


def _text_of(check: Callable[[str], object], expected: str) -> _Field:
    def read(value: JsonValue) -> str:
        if not isinstance(value, str) or not check(value):
            raise ValueError(f"expected {expected}, got {_got(value)}")
        return value

    return read


def _choice(choices: type[StrEnum]) -> _Field:
    def read(value: JsonValue) -> Any:
        names = [choice.value for choice in choices]
        if not isinstance(value, str) or value not in names:
            raise ValueError(f"expected one of {', '.join(names)}, got {_got(value)}")
        return choices(value)

    return read


def _integer(lowest: int, highest: int) -> _Field:
    def read(value: JsonValue) -> int:
        if type(value) is not int or not lowest <= value <= highest:
            raise ValueError(
                f"expected a whole number from {lowest} to {highest}, got {_got(value)}"
            )
        return value

    return read


def _number(lowest: float, highest: float) -> _Field:
    def read(value: JsonValue) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not lowest <= float(value) <= highest:  # type: ignore[arg-type]
            raise ValueError(f"expected a number from {lowest:g} to {highest:g}, got {_got(value)}")
        return float(value)  # type: ignore[arg-type]

    return read


def _boolean(value: JsonValue) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {_got(value)}")
    return value


def _principals(value: JsonValue) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list such as [user:ana], got {_got(value)}")
    for item in value:
        if not isinstance(item, str) or not Principal.parse(item).is_person:
            raise ValueError(f"expected names such as user:ana, got {_got(item)}")
    return tuple(dict.fromkeys(str(item) for item in value))


def _switches(value: JsonValue) -> frozenset[str]:
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


def _tightened(value: JsonValue) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected 'rule: verdict' lines, got {_got(value)}")
    stricter = (Verdict.QUARANTINE.value, Verdict.REJECT.value)
    for rule, verdict in value.items():
        if verdict not in stricter:
            raise ValueError(f"{rule}: expected one of {', '.join(stricter)}")
    return {rule: str(verdict) for rule, verdict in value.items()}


def _is_project(text: str) -> bool:
    try:
        Scope.parse(f"project:{text}")
    except ValueError:
        return False
    return True


_WEIGHT: Final = _number(0, 100)
_RANK: Final[Mapping[str, _Field]] = {
    "keyword": _WEIGHT,
    "recency": _WEIGHT,
    "lineage": _WEIGHT,
    "importance": _WEIGHT,
    "vector": _WEIGHT,
    "outcome": _WEIGHT,
    "half_life_days": _number(0.01, 100_000),
    "floor": _number(0, 1_000),
}
_RECALL: Final[Mapping[str, _Field]] = {
    "budget_tokens": _integer(1, 1_000_000),
    "items": _integer(1, 1_000),
    "item_bytes": _integer(64, 1_048_576),
    "item_lines": _integer(1, 100_000),
    "session_bytes": _integer(64, 104_857_600),
    "rank": _group(RankSettings, _RANK),
}
_GROUPS: Final[Mapping[str, _Field]] = {
    "store_id": _text_of(lambda text: is_id(text, STORE_PREFIX), "an id such as store_01kb8…"),
    "format": _integer(1, STORE_FORMAT),
    "project": _text_of(_is_project, "a plain name of letters, digits and ._/@+-"),
    "mode": _choice(Mode),
    "sources": _group(dict, {"off": _switches}),
    "trust": _group(
        TrustSettings,
        {
            "scripted": _principals,
            "hand_edits": _choice(HandEdits),
            "agent_quotes": _boolean,
            "forms": _boolean,
        },
    ),
    "recall": _group(RecallSettings, _RECALL),
    "inbox": _group(
        InboxSettings,
        {
            "expire_days": _integer(1, 36_500),
            "quota": _integer(1, 1_000_000),
            "item_bytes": _integer(64, 1_048_576),
        },
    ),
    "runs": _group(
        RunSettings,
        {
            "preamble_items": _integer(0, 64),
            "preamble_tokens": _integer(1, 1_000_000),
            "index_entries": _integer(1, 100_000),
            "resolved_days": _integer(0, 36_500),
            "idle_minutes": _integer(1, 10_080),
        },
    ),
    "store": _group(
        StoreSettings,
        {
            "index": _choice(IndexMode),
            "durability": _choice(Durability),
            "lock_timeout_s": _number(0, 3_600),
        },
    ),
    "policy": _group(dict, {"tighten": _tightened}),
}


def _settings(reader: _Reader, values: Mapping[str, JsonValue]) -> Settings | None:
    read = reader.group(values, (), _GROUPS)
    for name in ("store_id", "project"):
        if name not in read and not any(fault.place == (name,) for fault in reader.faults):
            reader.fault((), "settings.missing", f"{name}: expected a value, got none")
    if reader.faults:
        return None
    if "format" in read:
        read["store_format"] = read.pop("format")
    read["sources_off"] = read.pop("sources", {}).get("off", frozenset())
    read["tightened"] = read.pop("policy", {}).get("tighten", {})
    return Settings(**read)


def _problems(faults: list[Fault], text: str, path: str) -> tuple[Problem, ...]:
    from memfs.formats.record_problems import Locator
    from memfs.formats.yaml_core import parse_yaml

    locator = Locator(path=path, places=parse_yaml(text, path=path).places)
    return tuple(sorted(map(locator.problem, faults)))
