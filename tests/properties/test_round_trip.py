from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.errors import DataError
from memfs.formats.canonical import emit_matter
from memfs.formats.fast_matter import read_fast
from memfs.formats.frontmatter import edit_matter, parse_matter, split
from memfs.formats.matter_edit import same_data
from memfs.formats.record_codec import (
    decode_record,
    encode_record,
    read_record,
    update_record,
)
from memfs.formats.yaml_core import parse_yaml
from memfs.formats.yaml_spans import YamlError
from memfs.model.record import Record
from memfs.model.status import Status
from tests.support.records import lines, make_record, records, scalars, values

MODERATE = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def path_of(record: Record) -> str:
    kind = REGISTRY.get(record.kind)
    assert kind is not None
    return f"{kind.folder}/2026-11/a{kind.extension}"


@MODERATE
@given(record=records())
def test_what_is_written_reads_back_the_same(record: Record) -> None:
    data = encode_record(record, REGISTRY)
    assert read_record(data, path=path_of(record), registry=REGISTRY) == record
    assert encode_record(record, REGISTRY) == data


@MODERATE
@given(record=records())
def test_the_lean_reader_and_the_decoder_agree_on_what_is_written(record: Record) -> None:
    data, path = encode_record(record, REGISTRY), path_of(record)
    decoded = decode_record(data, path=path, registry=REGISTRY)
    assert decoded.record == read_record(data, path=path, registry=REGISTRY)


FAULTY_VALUES = st.one_of(
    values,
    lines,
    st.sampled_from(
        ["2026-11-29T10:12:00", "0001-01-01T00:00:00+23:00", "mem_1", "project:", "user:ana", "a\n"]
    ),
)


@MODERATE
@given(
    name=st.sampled_from(
        [
            *("id", "kind", "title", "status", "version", "scope", "subject", "observed"),
            *("authority", "confidence", "importance", "sensitivity", "sinks", "taint", "tags"),
            *("origin", "evidence", "relations", "superseded_by", "summary", "conditions"),
            *("outcome", "allow", "expires", "entities", "x y"),
        ]
    ),
    value=FAULTY_VALUES,
)
@example(name="confidence", value=True)
@example(name="importance", value=True)
@example(name="version", value=1.0)
@example(name="confidence", value=1)
@example(name="sinks", value=[])
@example(name="origin", value={"class": "system", "principal": "user:ana", "channel": "host"})
def test_the_lean_reader_and_the_decoder_agree_on_faults(name: str, value: Any) -> None:
    record = make_record(kind="episode")
    matter = parse_matter(split(encode_record(record, REGISTRY), path="a.md"), path="a.md")
    text = emit_matter({**matter.values, name: value})
    data = f"---\n{text}---\nbody\n".encode()
    decoded = decode_record(data, path="a.md", registry=REGISTRY)
    try:
        lean: Record | None = read_record(data, path="a.md", registry=REGISTRY)
    except DataError:
        lean = None
    assert lean == decoded.record


@MODERATE
@given(said=st.dictionaries(lines, values, max_size=5))
def test_the_fast_reader_and_the_full_one_agree_on_canonical_text(said: dict[str, Any]) -> None:
    text = emit_matter(said)
    fully = parse_yaml(text, path="a.md").values
    assert same_data(fully, said)
    fast = read_fast(text)
    assert fast is None or same_data(fast, said)


YAML_BITS = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "b",
                "key",
                ": ",
                ":",
                " ",
                "  ",
                "\n",
                "- ",
                "-",
                "#",
                " #",
                ",",
                ", ",
                "[",
                "]",
            ),
            *("{", "}", '"', "'", "x y", "1", "1.5", "true", "~", "?", "|", ">", "&a", "*a", "%"),
            *("\\", "\\n", "é", "\u3000", "\u00a0", "\t", "\r\n", "---", "...", "!", "@", "`"),
        ]
    ),
    max_size=14,
).map("".join)


@settings(MODERATE, max_examples=400)
@given(text=YAML_BITS)
@example(text="a: b\n  c: d")
@example(text="key: -1\nb:\n  a: 1\n b: 2")
@example(text="a: [x, y] #c\n")
@example(text="a: {b: c, b: d}")
@example(text="a: b:c\n#x\n\nb: c #d")
@example(text="a: x\n  y\n")
@example(text="a:\n  b: 1\na: 2")
def test_the_fast_reader_never_says_what_the_full_one_does_not(text: str) -> None:
    fast = read_fast(text)
    if fast is None:
        return
    try:
        fully = parse_yaml(text, path="a.md").values
    except YamlError as error:
        raise AssertionError(f"{text!r} is {fast!r} to the fast reader only: {error}") from error
    assert same_data(fast, fully)


@MODERATE
@given(record=records(), other=records(), has_new_body=st.booleans())
def test_an_update_says_the_new_record_and_touches_nothing_else(
    record: Record, other: Record, has_new_body: bool
) -> None:
    data = encode_record(record, REGISTRY)
    wanted = replace(
        record,
        status=Status.SUPERSEDED,
        superseded_by=f"mem_{other.id[-26:]}",
        title=other.title,
        tags=other.tags,
        body=record.body + "more\n" if has_new_body and record.body else record.body,
    )
    path = path_of(record)
    edited = update_record(data, wanted, path=path, registry=REGISTRY)
    assert read_record(edited, path=path, registry=REGISTRY) == wanted
    own = ("status:", "superseded_by:", "title:", "tags:", '"status"', '"superseded_by"', '"title"')
    if path.endswith(".md"):
        before = split(data, path=path).matter.decode().split("\n")
        after = split(edited, path=path).matter.decode().split("\n")
        assert [line for line in before if not line.startswith(own)] == [
            line for line in after if not line.startswith(own)
        ]
    else:
        gone = {"status", "superseded_by", "title", "tags"}
        old, new = json.loads(data), json.loads(edited)
        assert [pair for pair in old.items() if pair[0] not in gone] == [
            pair for pair in new.items() if pair[0] not in gone
        ]


@MODERATE
@given(
    comments=st.lists(st.sampled_from(["# one", "", "  # two", "#"]), min_size=3, max_size=3),
    value=scalars.filter(lambda item: item is not None),
    body=st.binary(max_size=20).filter(lambda data: b"\0" not in data),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_an_edit_leaves_comments_line_ends_and_body_as_they_are(
    comments: list[str], value: Any, body: bytes, newline: str
) -> None:
    matter = [
        "---",
        comments[0],
        "kind: note",
        comments[1],
        "x:   'old'  # why",
        comments[2],
        "---",
    ]
    try:
        body.decode()
    except UnicodeDecodeError:
        body = b"plain"
    data = newline.join(matter).encode() + newline.encode() + body
    edited = edit_matter(data, {"x": value}, path="a.md")
    old, new = data.split(b"\n"), edited.split(b"\n")
    assert len(old) == len(new)
    assert [line for number, line in enumerate(old) if number != 4] == [
        line for number, line in enumerate(new) if number != 4
    ]
    assert new[4].startswith(b"x:   ")
    assert new[4].rstrip(b"\r").endswith(b"  # why")
