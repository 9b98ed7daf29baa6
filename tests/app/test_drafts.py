"""What is typed becomes a draft or a question, or is refused with the choices listed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from memfs.errors import UsageError
from tests.support.memory import memory_of, new_project
from tests.support.review import said


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an empty memory."""
    return new_project(tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "gossip"}, "preference, profile, fact"),
        ({"kind": "evidence"}, "preference, profile, fact"),
        ({"kind": "receipt"}, "preference, profile, fact"),
        ({"scope": "galaxy:x"}, "galaxy"),
        ({"sensitivity": "very"}, "very"),
    ],
    ids=lambda item: next(iter(item.values())) if isinstance(item, dict) else "",
)
def test_what_does_not_exist_is_refused_with_the_choices(
    project: Path, options: Mapping[str, str], words: str
) -> None:
    with memory_of(project) as memory, pytest.raises(UsageError) as caught:
        memory.remember("CI needs Node 20", **options)  # type: ignore[arg-type]
    assert words in caught.value.message
    assert said(project) == []


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_nothing_is_not_remembered(project: Path, text: str) -> None:
    with memory_of(project) as memory, pytest.raises(UsageError):
        memory.remember(text)


@pytest.mark.parametrize(
    "options", [{"since": "soon"}, {"as_of": "now-ish"}, {"kinds": ["x"]}, {"scopes": ["x"]}]
)
def test_a_question_that_cannot_be_understood_is_wrong_usage(
    project: Path, options: Mapping[str, str]
) -> None:
    with memory_of(project) as memory, pytest.raises(UsageError):
        memory.search("node", **options)  # type: ignore[arg-type]


def test_listing_a_kind_that_does_not_exist_is_wrong_usage(project: Path) -> None:
    with memory_of(project) as memory, pytest.raises(UsageError, match="gossip"):
        memory.list_records(kinds=["fact", "gossip"])


def test_text_keeps_every_character_and_gets_one_final_newline(project: Path) -> None:
    text = "Zeile 1 \u00fc\n\n```\n---\nkind: x\n```\n日本語\n"
    with memory_of(project) as memory:
        result = memory.remember(text, kind="note")
        assert memory.show(result.target).record.body == text
        result = memory.remember("no newline", kind="note")
        assert memory.show(result.target).record.body == "no newline\n"
