"""``memfs.yaml`` as typed settings, with every fault of the file reported at once.

Reading is cheap where the file has the shape of the template: no YAML library is imported.
A file in a newer format is refused before anything else in it is looked at.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memfs.errors import DataError, StoreError
from memfs.formats.fast_matter import read_fast
from memfs.formats.settings_reader import (
    Field,
    SettingsReader,
    boolean,
    choice,
    group_of,
    integer,
    is_project,
    number,
    principals,
    switches,
    text_of,
    tightened,
)
from memfs.formats.text import decode_text
from memfs.model.ids import STORE_PREFIX, is_id
from memfs.model.limits import MATTER_BYTES
from memfs.model.problem import Problem
from memfs.model.settings import (
    STORE_FORMAT,
    Durability,
    GraphSettings,
    HandEdits,
    InboxSettings,
    IndexMode,
    Mode,
    NodeSettings,
    RankSettings,
    RecallSettings,
    RunSettings,
    Settings,
    SleepSettings,
    StoreSettings,
    TrustSettings,
)
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.formats.record_problems import Fault

_DIGEST_CHARS: Final = 8
_TIME_OF_DAY: Final = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_YOUNGER: Final[Mapping[type, Mapping[str, Any]]] = {
    Settings: {
        "sources_off": frozenset(),
        "runs": RunSettings(),
        "nodes": NodeSettings(),
        "graph": GraphSettings(),
        "sleep": SleepSettings(),
    },
    TrustSettings: {"forms": True},
    RankSettings: {"graph": RankSettings().graph},
}
"""Settings that count in the digest only where they are not the default: they are younger."""


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
    reader = SettingsReader()
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
        younger = _YOUNGER.get(type(value), {})
        return {
            name: part
            for name, part in said.items()
            if name not in younger or part != younger[name]
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


_WEIGHT: Final = number(0, 100)
_RANK: Final[Mapping[str, Field]] = {
    "keyword": _WEIGHT,
    "recency": _WEIGHT,
    "lineage": _WEIGHT,
    "importance": _WEIGHT,
    "vector": _WEIGHT,
    "outcome": _WEIGHT,
    "graph": _WEIGHT,
    "half_life_days": number(0.01, 100_000),
    "floor": number(0, 1_000),
}
_RECALL: Final[Mapping[str, Field]] = {
    "budget_tokens": integer(1, 1_000_000),
    "items": integer(1, 1_000),
    "item_bytes": integer(64, 1_048_576),
    "item_lines": integer(1, 100_000),
    "session_bytes": integer(64, 104_857_600),
    "rank": group_of(RankSettings, _RANK),
}
_GROUPS: Final[Mapping[str, Field]] = {
    "store_id": text_of(lambda text: is_id(text, STORE_PREFIX), "an id such as store_01kb8…"),
    "format": integer(1, STORE_FORMAT),
    "project": text_of(is_project, "a plain name of letters, digits and ._/@+-"),
    "mode": choice(Mode),
    "sources": group_of(dict, {"off": switches}),
    "trust": group_of(
        TrustSettings,
        {
            "scripted": principals,
            "hand_edits": choice(HandEdits),
            "agent_quotes": boolean,
            "forms": boolean,
        },
    ),
    "recall": group_of(RecallSettings, _RECALL),
    "inbox": group_of(
        InboxSettings,
        {
            "expire_days": integer(1, 36_500),
            "quota": integer(1, 1_000_000),
            "item_bytes": integer(64, 1_048_576),
        },
    ),
    "runs": group_of(
        RunSettings,
        {
            "preamble_items": integer(0, 64),
            "preamble_tokens": integer(1, 1_000_000),
            "index_entries": integer(1, 100_000),
            "resolved_days": integer(0, 36_500),
            "idle_minutes": integer(1, 10_080),
            "commit_turns": boolean,
        },
    ),
    "nodes": group_of(
        NodeSettings,
        {
            "duplicate": number(0, 1),
            "link": number(0, 1),
            "links": integer(0, 100),
            "similar": number(0, 1),
            "save_score": integer(1, 10),
            "profile_lines": integer(0, 100),
        },
    ),
    "graph": group_of(
        GraphSettings,
        {
            "expand_hops": integer(1, 3),
            "neighbor_hops": integer(1, 3),
            "most": integer(1, 10_000),
        },
    ),
    "sleep": group_of(
        SleepSettings,
        {
            "deep_at": text_of(_TIME_OF_DAY.fullmatch, "a time of day such as 03:00"),
            "score": number(0, 1),
            "recalls": integer(0, 1_000_000),
            "queries": integer(0, 1_000_000),
            "core_bytes": integer(256, 2_048),
        },
    ),
    "store": group_of(
        StoreSettings,
        {
            "index": choice(IndexMode),
            "durability": choice(Durability),
            "lock_timeout_s": number(0, 3_600),
        },
    ),
    "policy": group_of(dict, {"tighten": tightened}),
}


def _settings(reader: SettingsReader, values: Mapping[str, JsonValue]) -> Settings | None:
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
