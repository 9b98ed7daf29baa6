"""A part of a JSON text is changed, and every other byte stays."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.agents.install.json_edit import with_item, with_member, with_value, without
from memfs.agents.install.json_spans import parse, plain
from memfs.agents.install.refusals import NotReadableAsError

ENTRY = {"command": "memfs", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "m": {\n    "command": "memfs",\n    "args": ["mcp"]\n  }\n}'),
        ('{"a":1}', '{"a":1, "m": {"command": "memfs", "args": ["mcp"]}}'),
        (
            '{\n\t"a": [1,2] // first\n\t/* last */\n}\n',
            '{\n\t"a": [1,2], // first\n\t/* last */\n\t"m": {\n\t\t"command": "memfs",\n'
            '\t\t"args": ["mcp"]\n\t}\n}\n',
        ),
        (
            '{\r\n    "a": 1,\r\n}\r\n',
            '{\r\n    "a": 1,\r\n    "m": {\r\n        "command": "memfs",\r\n'
            '        "args": ["mcp"]\r\n    },\r\n}\r\n',
        ),
    ],
    ids=["empty", "one line", "tabs and comments", "CRLF and a trailing comma"],
)
def test_a_member_is_put_last_in_the_layout_of_the_file(before: str, after: str) -> None:
    result = with_member(before, (), "m", ENTRY)

    assert result == after
    assert without(result, ("m",)) == before


def test_an_item_is_put_into_the_list_that_is_meant() -> None:
    before = '{\n  "h": {"A": [], "B": [\n    {"x": "}]\\"//"}\n  ]}\n}'

    result = with_item(with_item(before, ("h", "B"), {"y": 1}), ("h", "A"), "z")

    assert json.loads(result) == {"h": {"A": ["z"], "B": [{"x": '}]"//'}, {"y": 1}]}}
    assert json.loads(without(result, ("h", "B", 0)))["h"]["B"] == [{"y": 1}]


def test_a_value_is_replaced_and_its_neighbours_stay() -> None:
    before = '{ "a" : "old" /* why */ , "b":[1 , 2] }'

    assert with_value(before, ("a",), "new") == before.replace('"old"', '"new"')
    assert with_value(before, ("b",), [3]) == before.replace("[1 , 2]", "[3]")


def test_comments_beside_what_is_taken_out_stay() -> None:
    before = "[\n  1, // one\n  2, // two\n  // before three\n  3 // three\n]\n"

    assert without(before, (1,)) == "[\n  1, // one\n // two\n  // before three\n  3 // three\n]\n"
    assert without(before, (2,)) == "[\n  1, // one\n  2 // two\n  // before three\n // three\n]\n"
    assert without("[1 /* a */, /* b */ 2]", (0,)) == "[ /* a */ /* b */ 2]"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("{", 1, 2),
        ('{"a": 1,, "b": 2}', 1, 9),
        ('{"a": 1 "b": 2}', 1, 9),
        ("{'a': 1}", 1, 2),
        ('{\n  "a": tru\n}', 2, 8),
        ('{"a": "x\ny"}', 1, 7),
        ('{"a": "\\q"}', 1, 8),
        ("{} {}", 1, 4),
        ("{} /* open", 1, 4),
        ('{"a": NaN}', 1, 7),
        ('{"a": 01}', 1, 8),
        ("[" * 300, 1, 202),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(NotReadableAsError) as refused:
        parse(text)

    assert (refused.value.line, refused.value.column) == (line, column)


def test_a_key_that_is_meant_and_stands_there_twice_is_refused() -> None:
    text = '{"hooks": {}, "other": {"a": 1, "a": 2}, "hooks": {}}'

    with pytest.raises(NotReadableAsError, match="'hooks' once"):
        with_member(text, ("hooks",), "A", [])
    assert json.loads(with_member(text, (), "m", 1))["m"] == 1


def test_a_part_that_is_not_there_or_of_another_shape_is_refused() -> None:
    changes: tuple[Callable[[], str], ...] = (
        lambda: with_item('{"a": {}}', ("a",), 1),
        lambda: with_member('{"a": []}', ("a",), "b", 1),
        lambda: without('{"a": 1}', ("b",)),
        lambda: with_value('{"a": 1}', ("b", "c"), 2),
    )
    for change in changes:
        with pytest.raises(NotReadableAsError):
            change()


_SCALARS = (
    st.none() | st.booleans() | st.integers(-9, 99) | st.sampled_from(["", "a//b", '"', "é]"])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "hooks", "/*x*/"]), inner, max_size=3)
    ),
    max_leaves=8,
)
_COMMA = st.sampled_from(["", ","])
_SPACE = st.sampled_from(["", " ", "\n", "\r\n  ", "\t", " // c\n", "/* , } */", "\n// ]\n  "])


@st.composite
def _documents(draw: st.DrawFn) -> tuple[str, object]:
    """Draws an object and a text that holds it in some layout."""
    value = draw(st.dictionaries(st.sampled_from(["a", "b", "hooks"]), _VALUES, max_size=3))

    def written(part: object) -> str:
        gap = draw(_SPACE)
        match part:
            case dict():
                inner = [
                    f"{gap}{json.dumps(k)}{draw(_SPACE)}:{written(v)}" for k, v in part.items()
                ]
                brackets = "{}"
            case list():
                inner = [written(item) for item in part]
                brackets = "[]"
            case _:
                return f"{gap}{json.dumps(part)}"
        comma = draw(_COMMA) if inner else ""
        listed = (draw(_SPACE) + ",").join(inner) + comma + draw(_SPACE)
        return f"{gap}{brackets[0]}{listed}{brackets[1]}"

    return written(value), value


@settings(max_examples=60)
@given(_documents())
def test_whatever_the_layout_a_part_goes_in_and_comes_out_again(
    drawn: tuple[str, object],
) -> None:
    text, value = drawn
    assert isinstance(value, dict)

    result = with_member(text, (), "memfs", ENTRY)

    assert plain(parse(result).root) == (
        *_pairs(text),
        ("memfs", plain(parse(json.dumps(ENTRY)).root)),
    )
    assert _pairs(without(result, ("memfs",))) == _pairs(text)
    for key in value:
        left = without(text, (key,))
        assert _pairs(left) == tuple(pair for pair in _pairs(text) if pair[0] != key)
    for start, end in parse(text).comments:
        assert text[start:end] in result


def _pairs(text: str) -> tuple[tuple[str, object], ...]:
    pairs = plain(parse(text).root)
    assert isinstance(pairs, tuple)
    return pairs
