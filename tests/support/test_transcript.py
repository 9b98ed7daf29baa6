"""The reader of transcripts itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.transcript import Step, is_match, steps_in


def test_only_console_blocks_are_steps(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "a\n\n```sh\n$ no\n```\n```console\n$ one \\\n> two\nout\n\nmore\n$ three\n```\n"
    )

    assert steps_in(page) == [
        Step(command="one \\\ntwo", expected="out\n\nmore\n", line=7),
        Step(command="three", expected="", line=12),
    ]


@pytest.mark.parametrize(
    ("expected", "printed", "answer"),
    [
        ("a\n", "a  \n", True),
        ("a … c\n", "a b c\n", True),
        ("a … c\n", "a b d\n", False),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nz\n", True),
        ("a.c\n", "abc\n", False),
        ("", "", True),
        ("", "noise\n", False),
    ],
)
def test_an_ellipsis_stands_for_anything(expected: str, printed: str, answer: bool) -> None:
    assert is_match(expected, printed) is answer
