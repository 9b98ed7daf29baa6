"""Two texts of the same words that say the opposite."""

from __future__ import annotations

import pytest

from memfs.domains.nodes.opposition import Opposition, masked, opposition


@pytest.mark.parametrize(
    ("first", "second", "how"),
    [
        ("The cache is not shared", "The cache is shared", Opposition.DENIAL),
        ("Deploys never wait", "Deploys wait", Opposition.DENIAL),
        ("The build doesn't pass", "The build does pass", Opposition.DENIAL),
        ("Der Server läuft nicht", "Der Server läuft", Opposition.DENIAL),
        ("Кэш не общий", "Кэш общий", Opposition.DENIAL),
        ("Postgres 15 runs here", "Postgres 16 runs here", Opposition.NUMBER),
        ("The limit is 1.5 s", "The limit is 2.5 s", Opposition.NUMBER),
        ("Telemetry is enabled", "Telemetry is disabled", Opposition.OPPOSITE),
        ("Lint runs before tests", "Lint runs after tests", Opposition.OPPOSITE),
    ],
)
def test_what_is_plainly_against_another_is_found(first: str, second: str, how: Opposition) -> None:
    assert opposition(first, second) is how
    assert opposition(second, first) is how
    assert masked(first) == masked(second) or how is Opposition.DENIAL


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The cache is shared", "The cache is shared"),
        ("Postgres runs here", "Postgres 16 runs here"),
        ("It is not true that it is not shared", "It is true that it is shared"),
        ("", ""),
        ("Version 3 runs", "version 3 RUNS"),
    ],
)
def test_what_is_not_against_another_is_left_alone(first: str, second: str) -> None:
    assert opposition(first, second) is None


def test_a_masked_text_has_no_word_that_could_turn_it() -> None:
    assert masked("The port is NOT 8080, never public") == "the port is"
