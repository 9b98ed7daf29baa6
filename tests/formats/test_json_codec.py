from __future__ import annotations

import pytest

from memfs.errors import DataError
from memfs.formats.json_codec import edit_json, emit_json, parse_json
from memfs.formats.matter_edit import RoundTripError


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b'{"a": 1, "a": 2}', "json.duplicate-key", 1),
        (b'{"b": {\n"a": 1,\n"a": 2}}', "json.duplicate-key", 3),
        (b'{"a": NaN}', "json.number", 1),
        (b'{"a": 1e999}', "json.number", 1),
        (b'{"a": 9007199254740993}', "json.number", 1),
        (b'{\n"a": "\\ud83d"}', "json.surrogate", 2),
        (b'{"a": ["\\ud83d"]}', "json.surrogate", None),
        (b"[1]", "json.object", 1),
        (b'{"a": 1,}', "json.syntax", 1),
        (b'{"a": 1} x', "json.syntax", 1),
        (b"// no\n{}", "json.syntax", 1),
        (b"", "json.syntax", 1),
        (b"\xef\xbb\xbf{}", "text.bom", 1),
        (b'{"a": "\0"}', "text.nul", 1),
        (b'{"a": ' + b"[" * 20 + b"]" * 20 + b"}", "json.depth", None),
        (b'{"a": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", "json.depth", None),
        (b'{"a": "' + b"x" * 70_000 + b'"}', "text.size", None),
    ],
)
def test_json_that_would_lose_something_is_refused(
    data: bytes, code: str, line: int | None
) -> None:
    with pytest.raises(DataError) as caught:
        parse_json(data, path="a.json")
    assert (caught.value.code, caught.value.line) == (code, line)


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        (b'{"a":1,"b":[1, 2]}', {"a": 2}, b'{"a":2,"b":[1, 2]}'),
        (b'{"a":1,"b":[1, 2]}', {"a": None}, b'{"b":[1, 2]}'),
        (b'{"a":1,"b":[1, 2]}', {"b": None}, b'{"a":1}'),
        (b'{ "a" : 1 }\n', {"a": None}, b"{  }\n"),
        (b"{}", {"a": "x"}, b'{\n  "a": "x"\n}\n'),
        (b'{\r\n\t"a": 1\r\n}\r\n', {"b": True}, b'{\r\n\t"a": 1,\r\n\t"b": true\r\n}\r\n'),
        (b'{"a": 1, "\\u0061b": 2}', {"ab": 3}, b'{"a": 1, "\\u0061b": 3}'),
        (b'{"a": {"a": 1}}', {"a": [1]}, b'{"a": [\n    1\n  ]}'),
    ],
)
def test_an_edit_touches_its_own_members_only(
    before: bytes, changes: dict[str, object], after: bytes
) -> None:
    assert edit_json(before, changes, path="a.json") == after  # type: ignore[arg-type]


def test_a_value_that_would_lose_digits_is_not_written() -> None:
    with pytest.raises(RoundTripError):
        edit_json(b'{"a": 1}', {"a": 9007199254740994}, path="a.json")


def test_text_is_written_as_it_is_read() -> None:
    assert emit_json({"a": "é\u2028", "b": (1, 2.5)}) == (
        b'{\n  "a": "\xc3\xa9\xe2\x80\xa8",\n  "b": [\n    1,\n    2.5\n  ]\n}\n'
    )
