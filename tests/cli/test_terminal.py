"""What is stored cannot act on a terminal; tables line up; errors have one look."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.cli.terminal import columns, json_text, printable, problem_lines, say_error, write_json
from memfs.errors import DataError
from memfs.model.problem import Problem


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("FastAPI für 東京 🎉", "FastAPI für 東京 🎉"),
        ("\x1b[2Jgone", "\\u{1b}[2Jgone"),
        ("two\nlines\tand a tab", "two\\u{a}lines\\u{9}and a tab"),
        ("pay \u202eeno", "pay \\u{202e}eno"),
        ("tag\U000e0041", "tag\\u{e0041}"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_a_title_cannot_command_the_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_body_keeps_its_lines_and_nothing_else() -> None:
    assert printable("a\n\tb\x1b]0;x\x07\r\n", keep_lines=True) == (
        "a\n\tb\\u{1b}]0;x\\u{7}\\u{d}\n"
    )


@given(st.text() | st.sampled_from(["\x7f\x9b", "\U000e0041", "\u202e", "\n\t"]))
def test_json_says_the_same_and_hides_nothing_from_a_terminal(text: str) -> None:
    shown = json_text({"title": text}, indent=2)
    assert json.loads(shown) == {"title": text}
    assert printable(shown, keep_lines=True) == shown


@given(st.text())
def test_what_is_printed_holds_no_control_character(text: str) -> None:
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in printable(text))


def test_columns_line_up_and_carry_no_trailing_blanks() -> None:
    assert columns([("a", "bb", "c"), ("aaa", "b", "")], indent="  ") == "  a    bb  c\n  aaa  b"


def test_an_error_is_told_on_stderr_with_place_code_and_hint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = DataError(
        "expected a kind, got none", code="record.kind", path="a.md", line=3, hint="add kind: note"
    )

    say_error(error, is_json=False)

    assert capsys.readouterr() == (
        "",
        "a.md:3: record.kind: expected a kind, got none\nhint: add kind: note\n",
    )


def test_an_error_in_json_is_one_document_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(DataError("no", code="record.kind", path="a.md", line=3), is_json=True)

    captured = capsys.readouterr()
    assert json.loads(captured.out) == {
        "error": {
            "code": "record.kind",
            "message": "no",
            "exit_status": 20,
            "path": "a.md",
            "line": 3,
        }
    }
    assert captured.err == ""


def test_json_keeps_every_script_readable(capsys: pytest.CaptureFixture[str]) -> None:
    write_json({"title": "東京", "tags": ("a",)})

    assert capsys.readouterr().out == '{\n  "title": "東京",\n  "tags": [\n    "a"\n  ]\n}\n'


def test_a_problem_is_one_line_and_its_hint() -> None:
    problem = Problem("a\x1b.md", 2, 5, "record.field", "expected x, got y", hint="write x")

    assert problem_lines(problem) == (
        "a\\u{1b}.md:2:5: record.field: expected x, got y\n  hint: write x"
    )
