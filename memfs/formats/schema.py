"""JSON Schemas of the records, one a kind and one for all of them, for editors and other tools.

Made from the models that check records, so they cannot say something else. Only keywords that
draft 2020-12 and draft-07 readers share are used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from memfs.formats.record_models import model_for
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.limits import DEPTH
from memfs.model.values import JsonValue

UNION: Final = "record.schema.json"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def export_schemas(registry: KindRegistry) -> Mapping[str, str]:
    """Returns file name to text: ``<kind>.schema.json`` for each kind and ``record.schema.json``.

    The union has one branch a kind; ``kind`` tells them apart.
    """
    schemas = {kind.name: _schema(kind) for kind in registry}
    files = {f"{name}.schema.json": _text(schema) for name, schema in schemas.items()}
    files[UNION] = _text(_union(registry))
    return files


def _schema(kind: KindSpec) -> dict[str, JsonValue]:
    schema: dict[str, JsonValue] = model_for(kind).model_json_schema(by_alias=True)
    required: JsonValue = schema.pop("required", [])
    return {
        "$schema": _DIALECT,
        "title": kind.name,
        "description": kind.description,
        **{key: value for key, value in schema.items() if key not in ("title", "description")},
        "required": required,
    }


def _union(registry: KindRegistry) -> dict[str, JsonValue]:
    return {
        "$schema": _DIALECT,
        "title": "record",
        "description": "Any record of memfs; the kind decides which fields it may have.",
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"enum": list(registry.names)}},
        "oneOf": [{"$ref": f"{name}.schema.json"} for name in registry.names],
    }


def _text(schema: Mapping[str, JsonValue]) -> str:
    return json.dumps(_tidy(schema, 0), indent=2, ensure_ascii=False) + "\n"


def _tidy(value: JsonValue, depth: int) -> JsonValue:
    """Drops titles made from attribute names and defaults that only say "nothing"."""
    if depth > DEPTH:
        return value
    if isinstance(value, Mapping):
        is_schema = "type" in value or "anyOf" in value or "$ref" in value or "const" in value
        return {
            key: _tidy(item, depth + 1)
            for key, item in value.items()
            if not (is_schema and depth and key == "title" and isinstance(item, str))
            and not (is_schema and key == "default" and item in ("", None, []))
        }
    if isinstance(value, list):
        return [_tidy(item, depth + 1) for item in value]
    return value
