"""Items are cut out of a stream one at a time, however the stream arrives."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.interop import json_items
from memfs.interop.json_items import RawItem, iter_elements, iter_lines, parse_item
from memfs.model.problem import Problem

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=3), max_size=6),
    st.integers(1, 7),
    st.sampled_from([None, 2]),
)
def test_an_array_gives_back_its_elements_at_any_chunk_size(
    elements: list[dict[str, object]], chunk: int, indent: int | None
) -> None:
    data = json.dumps(elements, indent=indent, ensure_ascii=False).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_items, "_CHUNK", chunk)
        items = list(iter_elements(io.BytesIO(data)))
    assert [parse_item(item, "x") for item in items] == elements
    lines = data.decode().split("\n")
    assert all(lines[item.line - 1].lstrip()[0] == "{" for item in items if indent)


@given(st.binary(max_size=60), st.integers(1, 5))
def test_any_bytes_give_items_and_never_an_error(data: bytes, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_items, "_CHUNK", chunk)
        for split in (iter_elements, iter_lines):
            for item in split(io.BytesIO(data)):
                assert isinstance(parse_item(item, "x"), (dict, Problem))


def test_an_item_that_is_too_large_is_skipped_and_the_next_is_read() -> None:
    huge = json.dumps({"content": "x" * (json_items.MAX_ITEM_BYTES + 10)})
    small = '{"content": "small"}'
    for split, text in ((iter_elements, f"[{huge},{small}]"), (iter_lines, f"{huge}\n{small}\n")):
        first, second = split(io.BytesIO(text.encode()))
        assert first.problem[0] == "import.too-large"
        assert parse_item(second, "x") == {"content": "small"}


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (b'{"a": 1, "a": 2}', "import.duplicate-key", 5),
        (b'{"a": NaN}', "import.malformed", 5),
        (b'{"a": 1e999}', "import.malformed", 5),
        (b'{"a": "\\ud800"}', "import.not-utf8", 5),
        (b'{"a": "\xff"}', "import.not-utf8", 5),
        (b'{"a": "\x00"}', "import.nul", 5),
        (b'{"a":\n\n 1,}', "import.malformed", 7),
        (b"[1]", "import.not-an-object", 5),
        (b'{"a":' * 100_000, "import.malformed", 5),
        (b'{"a": ' + b"9" * 5000 + b"}", "import.malformed", 5),
    ],
)
def test_what_two_readers_would_read_differently_is_refused(
    text: bytes, code: str, line: int
) -> None:
    problem = parse_item(RawItem(5, text), "graph.jsonl")
    assert isinstance(problem, Problem)
    assert (problem.path, problem.code, problem.line) == ("graph.jsonl", code, line)


def test_what_stands_after_the_array_is_reported() -> None:
    items = list(iter_elements(io.BytesIO(b'[{"a": 1}]\n{"b": 2}')))
    assert [item.problem[0] for item in items] == ["", "import.malformed"]
