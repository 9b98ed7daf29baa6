"""Fields whose name would grant an action: no record has one, at any depth (A2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memfs.model.record import Record
from memfs.model.values import JsonValue

ACTION_FIELDS: Final = frozenset(
    {
        "allow",
        "allowed",
        "allowed_actions",
        "allowed_commands",
        "allowed_tools",
        "approval",
        "approvals",
        "approved",
        "auto_approve",
        "autoapprove",
        "authorization",
        "authorized",
        "bypass",
        "capabilities",
        "capability",
        "grant",
        "grants",
        "permission",
        "permissions",
        "permit",
        "sudo",
        "tool_permissions",
    }
)
"""Names of fields that would grant an action; a record that has one is refused (A2)."""


def action_field(record: Record) -> str:
    """Returns the first such name in the fields of a record; empty when there is none."""
    return _find_action(record.fields) or _find_action(record.unknown)


def _find_action(value: JsonValue) -> str:
    if isinstance(value, Mapping):
        for key, item in value.items():
            name = key.strip().lower().replace("-", "_")
            if name in ACTION_FIELDS:
                return name
            if nested := _find_action(item):
                return nested
    elif isinstance(value, list | tuple):
        for item in value:
            if nested := _find_action(item):
                return nested
    return ""
