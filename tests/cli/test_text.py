"""Records as pages for people."""

from __future__ import annotations

import pytest

from memfs.cli.text import field_text
from memfs.model.values import JsonValue


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (True, "yes"),
        (3, "3"),
        (["iss_1", "iss_2"], "iss_1, iss_2"),
        ([], ""),
        ([{"name": "ana", "state": "done"}, {"name": "bo"}], "name ana, state done; name bo"),
    ],
)
def test_a_field_is_told_in_words(value: JsonValue, text: str) -> None:
    assert field_text(value) == text
