"""What a client is told of the tools: few, small, closed, and honest about what they do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ListToolsResult

from memfs.mcp.server import INSTRUCTIONS, TOOLS
from tests.support.protocol_client import ERAS, server_for, talk

MOST_TOOLS = 8
MOST_TOKENS = 2_500


def listed(tmp_path: Path, era: str) -> list[dict[str, Any]]:
    result: ListToolsResult = talk(server_for(tmp_path), lambda it: it.client.list_tools(), era=era)
    return [tool.model_dump(by_alias=True, exclude_none=True) for tool in result.tools]


@pytest.mark.parametrize("era", ERAS)
def test_at_most_eight_tools_and_2500_tokens(tmp_path: Path, era: str) -> None:
    tools = listed(tmp_path, era)

    text = json.dumps(tools, separators=(",", ":"), ensure_ascii=False)
    assert len(tools) <= MOST_TOOLS
    assert len(text.encode()) / 4 <= MOST_TOKENS


def test_each_client_takes_the_names_and_the_lengths(tmp_path: Path) -> None:
    for tool in listed(tmp_path, ERAS[0]):
        assert re.fullmatch(r"memory_[a-z]{2,25}", tool["name"])
        assert len(tool["description"]) < 2_000
        assert tool["title"]
    assert len(INSTRUCTIONS) < 2_000


def test_each_schema_is_a_closed_object_without_alternatives(tmp_path: Path) -> None:
    for tool in listed(tmp_path, ERAS[1]):
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert not {"anyOf", "oneOf", "allOf"} & schema.keys()
        assert tool["outputSchema"]["required"] == ["text"]


def test_annotations_say_what_a_tool_may_do(tmp_path: Path) -> None:
    said = {tool["name"]: tool["annotations"] for tool in listed(tmp_path, ERAS[1])}

    assert all(it["openWorldHint"] is False for it in said.values())
    assert {name for name, it in said.items() if it["readOnlyHint"]} == {
        tool.name for tool in TOOLS if tool.is_reading
    }
    assert [name for name, it in said.items() if it["destructiveHint"]] == ["memory_decide"]
    for it in said.values():
        assert {"readOnlyHint", "destructiveHint", "idempotentHint"} <= it.keys()


def test_the_tool_that_decides_asks_the_person_on_every_call(tmp_path: Path) -> None:
    asking = {tool["name"]: tool["_meta"] for tool in listed(tmp_path, ERAS[1]) if "_meta" in tool}

    assert asking == {"memory_decide": {"anthropic/requiresUserInteraction": True}}
