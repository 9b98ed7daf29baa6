"""Fields that a kind adds, and the names that no record may carry.

No field can grant an action (A2): a record that tries to carry one, at any depth, is refused
whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from memfs.formats.field_readers import read_instant
from memfs.model.kinds import FieldSpec, FieldType
from memfs.model.limits import BODY_BYTES, LIST_ITEMS
from memfs.model.values import JsonValue

_ACTION_FIELDS: Final = frozenset(
    (
        "permission",
        "permissions",
        "allow",
        "allows",
        "allowed",
        "allow_list",
        "allowlist",
        "allowed_tools",
        "allow_tools",
        "grant",
        "grants",
        "granted",
        "capability",
        "capabilities",
        "approve",
        "approved",
        "approval",
        "approvals",
        "auto_approve",
        "auto_approved",
        "autoapprove",
        "auto_run",
        "execute",
        "exec",
        "run_as",
        "sudo",
        "privilege",
        "privileges",
        "trusted",
        "tool_permissions",
        "bypass",
        "bypass_permissions",
        "skip_review",
        "skip_permissions",
    )
)


class FieldError(ValueError):
    """A field does not say what it may say."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message


def check_field(spec: FieldSpec, value: JsonValue) -> None:
    """Checks one field that a kind adds.

    Raises:
        FieldError: The value has another shape or is no choice.
    """
    if not _CHECKS[spec.field_type](value):
        raise FieldError(spec.name, f"expected {spec.field_type}")
    if spec.choices:
        items = value if isinstance(value, list) else [value]
        if any(item not in spec.choices for item in items):
            raise FieldError(spec.name, f"expected one of {', '.join(spec.choices)}")


def _is_field_text(value: JsonValue) -> bool:
    return isinstance(value, str) and len(value) <= BODY_BYTES and "\0" not in value


def _is_instant(value: JsonValue) -> bool:
    try:
        read_instant(value)
    except ValueError:
        return False
    return True


def _is_list_of(check: Callable[[JsonValue], bool]) -> Callable[[JsonValue], bool]:
    return lambda value: (
        isinstance(value, list) and len(value) <= LIST_ITEMS and all(map(check, value))
    )


_CHECKS: Final[Mapping[FieldType, Callable[[JsonValue], bool]]] = {
    FieldType.STRING: _is_field_text,
    FieldType.INTEGER: lambda value: type(value) is int,
    FieldType.NUMBER: lambda value: type(value) in (int, float),
    FieldType.BOOLEAN: lambda value: type(value) is bool,
    FieldType.INSTANT: _is_instant,
    FieldType.STRING_LIST: _is_list_of(_is_field_text),
    FieldType.OBJECT: lambda value: isinstance(value, dict),
    FieldType.OBJECT_LIST: _is_list_of(lambda value: isinstance(value, dict)),
}


def grants_in(value: JsonValue, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Returns the places of every key that reads like the grant of an action (A2)."""
    found: list[tuple[str | int, ...]] = []
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key.casefold().replace("-", "_").replace(" ", "_") in _ACTION_FIELDS:
                found.append((*place, key))
            else:
                found += grants_in(item, (*place, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            found += grants_in(item, (*place, number))
    return found
