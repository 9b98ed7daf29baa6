"""A name is the same name however it is written, and no other one is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.ids import is_id
from memfs.model.naming import entity_id, entity_key, file_key
from memfs.model.scope import Scope


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Data-Sync", "data sync"),
        ("data_sync", "“Data  Sync”"),
        ("Dr. Weber", "dr weber"),
        ("Zoë", unicodedata.normalize("NFD", "ZOË")),
        ("src\\api\\Server.py", "src/api/server.py"),
        ("Straße", "STRASSE"),
        ("Port\u200bal", "portal"),
        ("☕️ bar", "☕ bar"),
        ("Yahoo!", "yahoo"),
        ("`render()`", "render()"),
    ],
)
def test_spellings_of_one_name_have_one_key(left: str, right: str) -> None:
    assert entity_key(left) == entity_key(right)
    assert entity_id("project:datasync", left) == entity_id(Scope.parse("project:datasync"), right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("C", "C++"),
        ("C", "C#"),
        ("C", "C--"),
        ("a-b.py", "a_b.py"),
        (".env", "env"),
        ("src/a.py", "src/b.py"),
        ("#12", "12"),
        ("port 80", "port 8.0"),
        ("__init__", "init"),
        ("-v", "v"),
    ],
)
def test_what_is_another_thing_has_another_key(left: str, right: str) -> None:
    assert entity_key(left) != entity_key(right)


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "\n\t"])
def test_nothing_is_no_name(name: str) -> None:
    assert entity_key(name) == ""


@pytest.mark.parametrize("name", ["...", "''", "--", "?!"])
def test_marks_alone_are_a_name_of_their_own(name: str) -> None:
    assert entity_key(name)


@given(st.text(max_size=40))
def test_the_key_of_a_key_is_the_key(name: str) -> None:
    key = entity_key(name)
    assert entity_key(key) == key
    assert is_id(entity_id("global", name), "ent")


@pytest.mark.parametrize(
    "name", ["project_card-dom v1.2", "Project-card_dom-v1.2.md", "project card dom V1.2 "]
)
def test_in_the_name_of_a_file_a_hyphen_an_underscore_and_a_space_are_one(name: str) -> None:
    assert file_key(name) == "project card dom v1.2"
    assert file_key(file_key(name)) == file_key(name)


def test_ids_are_the_same_on_every_machine() -> None:
    assert entity_id("project:datasync", "Data-Sync") == "ent_06j9aa0rz73j9n5apwx49ycsc9"
    assert entity_id("global", "Data-Sync") != entity_id("project:datasync", "Data-Sync")
