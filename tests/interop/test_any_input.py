"""Whatever bytes a source holds, an importer yields claims and problems and never an error."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.formats.record_codec import decode_record, encode_record
from memfs.interop.detect import IMPORTERS, ImportPathError, find_parts
from memfs.interop.pipeline import read_items, submissions_from
from memfs.interop.port import Importer, ImportItem
from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.scope import Scope
from tests.support.imports import ANA, FIXTURES, NOW, codes_of, items_of

FRAGMENTS = st.sampled_from(
    [
        b"---\n",
        b"---\r\n",
        b"title: words\n",
        b"type: feedback\n",
        b"tags: [a, b\n",
        b"metadata: &a {x: *a}\n",
        b"# Heading\n",
        b"- [Topic](topic.md) - hook\n",
        b"```\n",
        b'{"type":"entity","name":"n","observations":["o"]}\n',
        b'{"kind":"work","title":"t","event_time":"2026-03-01","id":[],"nodes":[1]}\n',
        b'{"type":"relation","from":"a","to":"b","relationType":"c"}\n',
        b'[{"content":"c","importance":1},',
        b'{"speaker":"s","text":"t","session":[],"turn":{},"time":1e300}\n',
        b'{"name":{},"entityType":[],"observations":{}}\n',
        b'{"content":["c"],"importance":"high","tags":{"a":1},"timestamp":[]}',
        b"]",
        b"\\",
        b"\xff\xfe",
        b"\x00",
        "é日\u2028\u0301".encode(),
    ]
)
SOURCES = st.lists(FRAGMENTS | st.binary(max_size=12), max_size=10).map(b"".join)


@pytest.mark.parametrize("importer", IMPORTERS, ids=lambda importer: importer.name)
@pytest.mark.parametrize("suffix", [".md", ".json"])
@settings(max_examples=60)
@given(data=SOURCES)
def test_any_bytes_are_read(importer: Importer, suffix: str, tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "source"
    folder.mkdir(exist_ok=True)
    for name in ("MEMORY", "topic"):
        (folder / f"{name}{suffix}").write_bytes(data)
    assert 0.0 <= importer.detect(folder) <= 1.0
    for item in read_items(folder, importer.name):
        assert item.draft is not None or item.problems
        assert not (item.draft and item.is_malformed)
        assert item.source.startswith(f"import:{importer.name}/")
        _is_printable(item)


WORDS = st.text(max_size=30)
ANYTHING = st.recursive(
    WORDS | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
NODES = st.fixed_dictionaries(
    {"content": WORDS},
    optional=dict.fromkeys(
        ("id", "title", "summary", "subject", "tags", "importance", "timestamp"), WORDS | ANYTHING
    ),
)
TURNS = st.fixed_dictionaries(
    {"speaker": WORDS, "text": WORDS},
    optional=dict.fromkeys(("session", "turn", "time", "mood"), WORDS | ANYTHING),
)
OBSERVATIONS = WORDS | st.fixed_dictionaries({"text": WORDS}, optional={"timestamp": ANYTHING})
ENTITIES = st.fixed_dictionaries(
    {"type": st.just("entity"), "name": WORDS, "observations": st.lists(OBSERVATIONS, max_size=2)},
    optional={"entityType": WORDS, "note": ANYTHING},
)
RELATIONS = st.fixed_dictionaries(
    {"type": st.just("relation"), "from": WORDS, "to": WORDS, "relationType": WORDS}
)
EVENTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(("work", "event")) | ANYTHING,
        "title": WORDS,
        "event_time": st.just("2026-03-01T00:00:00+02:00") | ANYTHING,
    },
    optional=dict.fromkeys(
        (
            *("id", "text", "entities", "nodes", "session", "commit", "importance", "confidence"),
            *("superseded_by", "ingestion_time", "sensitivity", "fact", "permissions", "mood"),
        ),
        WORDS | ANYTHING,
    ),
)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("node-json", NODES),
        ("conversation", TURNS),
        ("knowledge-graph", ENTITIES | RELATIONS),
        ("timeline", EVENTS),
    ],
)
@given(data=st.data())
def test_whatever_is_said_every_draft_can_be_written_as_a_record(
    name: str, lines: st.SearchStrategy[dict[str, object]], data: st.DataObject, tmp_path: Path
) -> None:
    said = [json.dumps(line) for line in data.draw(st.lists(lines, min_size=1, max_size=3))]
    path = tmp_path / "source.json"
    path.write_text(f"[{','.join(said)}]" if name == "node-json" else "\n".join(said))
    for entry in submissions_from(read_items(path, name), actor=ANA, now=NOW):
        if isinstance(entry, Submission):
            kind = REGISTRY.get(entry.draft.kind)
            assert kind is not None
            record = replace(
                entry.draft,
                id=f"{kind.id_prefix}_01kb8x3v6yq4m9t2r7w5z1c0de",
                scope=Scope.parse("project:datasync"),
                authority=Authority.UNVERIFIED,
            )
            written = encode_record(record, REGISTRY)
            place = f"{kind.folder}/2026-11/a{kind.extension}"
            decoded = decode_record(written, path=place, registry=REGISTRY)
            assert decoded.record == record


def _is_printable(item: ImportItem) -> None:
    item.source.encode("utf-8")
    for problem in item.problems:
        str(problem).encode("utf-8")
    if item.draft is not None:
        assert item.draft.title
        assert "\n" not in item.draft.title
        kind = REGISTRY.get(item.draft.kind)
        assert item.draft.body.strip() or (kind is not None and kind.is_stated)
        repr(item.draft).encode("utf-8")


def test_a_path_that_cannot_be_looked_at_is_an_error_with_its_name(tmp_path: Path) -> None:
    for path in (tmp_path / ("long" * 100), tmp_path / "a" / "b"):
        with pytest.raises(ImportPathError) as caught:
            find_parts(path)
        assert caught.value.path == str(path)


def test_a_pipe_named_by_the_person_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "talk.jsonl")
    assert codes_of(items_of(tmp_path / "talk.jsonl", "conversation")) == ["import.not-regular"]


def test_a_link_named_by_the_person_is_followed(tmp_path: Path) -> None:
    link = tmp_path / "memory.jsonl"
    link.symlink_to(FIXTURES / "knowledge-graph" / "memory.jsonl")
    assert len(items_of(link)) == len(items_of(FIXTURES / "knowledge-graph"))
