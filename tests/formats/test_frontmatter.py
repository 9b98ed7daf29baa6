from __future__ import annotations

import pytest

from memfs.formats.frontmatter import Document, parse_matter, read_foreign, split
from memfs.model.problem import Severity


def test_a_file_is_taken_apart_at_its_fences_without_losing_a_byte() -> None:
    assert split(b"---\na: 1\n---\n\n body \n", path="a.md") == Document(
        matter=b"a: 1\n", body=b"\n body \n", newline=b"\n", matter_line=2, body_line=4
    )
    assert split(b"---\r\n---\r\nx", path="a.md") == Document(
        matter=b"", body=b"x", newline=b"\r\n", matter_line=2, body_line=3
    )


def test_keys_and_items_have_their_places() -> None:
    data = b"---\na: 1\n# c\nlist:\n  - x\n  - {y: 2}\nlast: >\n  z\n---\n"
    matter = parse_matter(split(data, path="a.md"), path="a.md")
    assert matter.places == {
        ("a",): (2, 1),
        ("list",): (4, 1),
        ("list", 0): (5, 5),
        ("list", 1): (6, 5),
        ("list", 1, "y"): (6, 6),
        ("last",): (7, 1),
    }


@pytest.mark.parametrize(
    ("data", "values", "body"),
    [
        (b"only words\n", {}, "only words\n"),
        (
            b"---\nname: x\ntype: user\n---\n\nwords\n\n",
            {"name": "x", "type": "user"},
            "\nwords\n\n",
        ),
        (b"--- \r\ncountry: NO\r\n...\r\nwords", {"country": "NO"}, "words"),
        (b"\xef\xbb\xbf---\na: 007\n---\nwords", {"a": "007"}, "words"),
        (b"---\n---\nwords", {}, "words"),
    ],
)
def test_foreign_text_is_read_leniently(data: bytes, values: object, body: str) -> None:
    assert read_foreign(data) == (values, body, ())


@pytest.mark.parametrize(
    ("data", "code", "line", "severity"),
    [
        (b"---\na: 1\na: 2\n---\nwords", "yaml.duplicate-key", 3, Severity.ERROR),
        (b"---\na: [b\n---\nwords", "yaml.syntax", 3, Severity.ERROR),
        (b"---\n- list\n---\nwords", "yaml.mapping", 2, Severity.ERROR),
        (b"caf\xe9\n", "text.encoding", 1, Severity.ERROR),
        (b"one\ntw\0o\n", "text.nul", 2, Severity.ERROR),
        (b"---\na rule, no frontmatter\n", "frontmatter.unclosed", 1, Severity.WARNING),
    ],
)
def test_foreign_text_that_cannot_be_read_is_kept_whole_and_named(
    data: bytes, code: str, line: int, severity: Severity
) -> None:
    values, body, problems = read_foreign(data, path="notes/a.md")
    assert values == {}
    assert body == data.decode("utf-8", "replace").replace("\0", "\ufffd")
    assert [(item.path, item.code, item.line, item.severity) for item in problems] == [
        ("notes/a.md", code, line, severity)
    ]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("name: Why: because", "Why: because"),
        ("name: six digits (no #)", "six digits (no #)"),
        ("name: see http://x/#y", "see http://x/#y"),
        ("name: ends in a colon:", "ends in a colon:"),
        ("name: word # a comment", "word"),
        ("name: 8 # a comment", 8),
        ("name: 'quoted: text' # a comment", "quoted: text"),
        ("name: [a, b] # a comment", ["a", "b"]),
    ],
)
def test_prose_without_quotes_is_taken_to_the_end_of_its_line(line: str, value: object) -> None:
    for end in ("\n", "\r\n"):
        data = f"---{end}{line}{end}---{end}words".encode()
        assert read_foreign(data) == ({"name": value}, "words", ())
