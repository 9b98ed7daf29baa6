"""What a session opens with."""

from __future__ import annotations

import pytest

from memfs.domains.nodes.opening import TRIVIAL_CHARS, Opening, opening_of


@pytest.mark.parametrize(
    "text", ["hello", "Hi!", "thanks", "how to sort a list", "what is a monad?", "", "  ok  "]
)
def test_a_generic_opening_is_trivial(text: str) -> None:
    assert opening_of(text) is Opening.TRIVIAL


@pytest.mark.parametrize(
    "text",
    [
        "how do I do it",
        "what is our plan",
        "what is Heron",
        "fix the build",
        "deploy",
        "how to sort a very long list",
        "what is port 8080",
        "what is src/a",
        "help @ana",
        "how to undo that",
    ],
)
def test_anything_else_asks_memory(text: str) -> None:
    assert opening_of(text) is Opening.CONTEXT


def test_only_what_is_short_is_trivial() -> None:
    assert opening_of("how to " + "x" * (TRIVIAL_CHARS - 7)) is Opening.TRIVIAL
    assert opening_of("how to " + "x" * (TRIVIAL_CHARS - 6)) is Opening.CONTEXT
