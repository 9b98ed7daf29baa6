from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

import memfs.formats
from memfs.app.registry import REGISTRY
from memfs.formats import record_models
from memfs.formats.envelope import FIELD_ORDER
from memfs.formats.schema import export_schemas
from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.origin import Channel, OriginClass
from memfs.model.relation import RelationKind
from memfs.model.status import Status

SCHEMAS = Path(memfs.formats.__file__).parent / "schemas"
KNOWN_TO_BOTH_DRAFTS = {
    *("$schema", "$defs", "$ref", "title", "description", "default", "type", "properties"),
    *("required", "additionalProperties", "items", "anyOf", "oneOf", "const", "enum", "pattern"),
    *("minimum", "maximum", "maxLength", "maxItems"),
}


def test_the_schemas_in_the_package_are_those_of_the_models() -> None:
    exported = export_schemas(REGISTRY)
    on_disk = {path.name: path.read_text("utf-8") for path in SCHEMAS.iterdir()}
    assert on_disk == exported


def keywords(schema: Any) -> set[str]:
    """Returns every keyword, at any depth, that is not the name of a property."""
    if isinstance(schema, list):
        return set().union(*map(keywords, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for name, inner in schema.items():
        if name in ("properties", "$defs"):
            for part in inner.values():
                found |= keywords(part)
        elif name not in ("default", "enum", "const", "required"):
            found |= keywords(inner)
    return found


def test_only_keywords_that_old_and_new_readers_know_are_used() -> None:
    for text in export_schemas(REGISTRY).values():
        assert keywords(json.loads(text)) <= KNOWN_TO_BOTH_DRAFTS


def test_every_field_of_the_envelope_and_of_the_kind_is_described() -> None:
    exported = export_schemas(REGISTRY)
    for kind in REGISTRY:
        schema = json.loads(exported[f"{kind.name}.schema.json"])
        names = {*FIELD_ORDER, *(spec.name for spec in kind.fields)}
        assert set(schema["properties"]) == names
        for name, field in schema["properties"].items():
            assert field.get("description"), name


@pytest.mark.parametrize(
    ("names", "members"),
    [
        (record_models.StatusName, [item.value for item in Status]),
        (record_models.AuthorityName, [item.label for item in Authority]),
        (record_models.SensitivityName, [item.label for item in Sensitivity]),
        (record_models.SinkName, [item.value for item in Sink]),
        (record_models.ChannelName, [item.value for item in Channel]),
        (record_models.OriginClassName, [item.value for item in OriginClass]),
        (record_models.RelationName, [item.value for item in RelationKind]),
    ],
)
def test_the_models_know_the_same_words_as_the_types(names: Any, members: list[str]) -> None:
    assert list(get_args(names)) == members
