from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memfs.app.registry import REGISTRY
from memfs.errors import DataError
from memfs.formats.canonical import UnwritableError
from memfs.formats.matter_edit import RoundTripError
from memfs.formats.record_codec import (
    RecordError,
    decode_record,
    encode_record,
    read_record,
    update_record,
)
from memfs.model.authority import Authority
from memfs.model.origin import Channel, Origin, OriginClass
from memfs.model.problem import Severity
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE, Scope, ScopeKind
from memfs.model.status import Status
from tests.support.records import ANA, ULID, make_record

NOTE = "records/note/2026-11/a.md"


def codes(data: bytes, path: str = NOTE, *, draft: bool = False) -> list[str]:
    decoded = decode_record(data, path=path, registry=REGISTRY, draft=draft)
    return [problem.code for problem in decoded.problems]


def test_a_record_is_written_in_the_order_of_the_envelope_without_its_defaults() -> None:
    record = make_record(
        kind="preference",
        title="FastAPI for every Python backend, never Flask",
        version=2,
        subject="python-backend-framework",
        importance=9,
        tags=("python", "backend"),
        evidence=(f"ev_{ULID}e",),
        supersedes=(f"mem_{ULID}f",),
        unknown={"ticket": "00042"},
        body="Never Flask.\n",
    )
    assert encode_record(record, REGISTRY).decode() == (
        "---\n"
        f"id: mem_{ULID}e\n"
        "kind: preference\n"
        "title: FastAPI for every Python backend, never Flask\n"
        "version: 2\n"
        "scope: project:datasync\n"
        "subject: python-backend-framework\n"
        "observed: 2026-11-29T10:12:00Z\n"
        "importance: 9\n"
        "tags: [python, backend]\n"
        "origin: {class: user_stated, principal: user:ana, channel: terminal}\n"
        f"evidence: [ev_{ULID}e]\n"
        f"supersedes: [mem_{ULID}f]\n"
        'ticket: "00042"\n'
        "---\n"
        "Never Flask.\n"
    )


def test_a_json_kind_is_written_with_two_spaces_and_a_final_line_end() -> None:
    record = make_record(
        kind="evidence", id=f"ev_{ULID}e", body="", title="", fields={"path": "né"}
    )
    assert encode_record(record, REGISTRY).decode() == (
        "{\n"
        f'  "id": "ev_{ULID}e",\n'
        '  "kind": "evidence",\n'
        '  "scope": "project:datasync",\n'
        '  "observed": "2026-11-29T10:12:00Z",\n'
        '  "origin": {\n'
        '    "class": "user_stated",\n'
        '    "principal": "user:ana",\n'
        '    "channel": "terminal"\n'
        "  },\n"
        '  "path": "né"\n'
        "}\n"
    )


def test_the_first_words_of_the_body_are_the_title_where_there_is_none() -> None:
    record = make_record(title="", body="\n## Use  *tabs*\n\nmore\n")
    assert b"title: Use *tabs*\n" in encode_record(record, REGISTRY)
    data = b"---\nkind: note\n---\n- first words\n"
    draft = decode_record(data, path=NOTE, registry=REGISTRY, draft=True).record
    assert draft is not None
    assert draft.title == "first words"


def test_a_person_may_write_no_more_than_a_kind_and_words() -> None:
    decoded = decode_record(
        b"---\nkind: fact\n---\nIt is so.\n", path="a.md", registry=REGISTRY, draft=True
    )
    assert decoded.problems == ()
    assert decoded.record == Record(kind="fact", title="It is so.", body="It is so.\n")


def test_the_folder_gives_a_draft_its_kind() -> None:
    for data in (b"It is so.\n", b"---\ntags: [x]\n---\nIt is so.\n"):
        decoded = decode_record(
            data, path="records/fact/2026-11/new.md", registry=REGISTRY, draft=True
        )
        assert decoded.record is not None
        assert decoded.record.kind == "fact"
        assert decoded.record.body == "It is so.\n"


def test_only_a_draft_may_leave_out_identity_scope_time_and_origin() -> None:
    assert codes(b"---\nkind: note\n---\nwords\n") == ["record.missing"] * 4


def test_a_draft_without_a_kind_outside_the_folders_is_a_problem() -> None:
    assert codes(b"words\n", "notes/a.md", draft=True) == ["record.missing"]


@pytest.mark.parametrize(
    "name",
    [
        "permission",
        "permissions",
        "allow",
        "grants",
        "capabilities",
        "auto_approve",
        "Auto-Approve",
    ],
)
def test_a_field_that_would_grant_an_action_is_refused(name: str) -> None:
    data = f"---\nkind: note\n{name}: [Bash]\n---\nwords\n".encode()
    decoded = decode_record(data, path=NOTE, registry=REGISTRY, draft=True)
    assert decoded.record is None
    assert [(item.code, item.line) for item in decoded.problems] == [("record.grants-action", 3)]


def test_a_grant_below_an_unknown_field_is_refused_and_cannot_be_written() -> None:
    assert codes(b"---\nkind: note\nhost: {allow: true}\n---\nwords\n", draft=True) == [
        "record.grants-action"
    ]
    with pytest.raises(UnwritableError):
        encode_record(make_record(unknown={"host": [{"permissions": "all"}]}), REGISTRY)


def test_unknown_fields_are_kept_and_a_near_miss_is_named() -> None:
    data = b"---\nkind: note\ntag: x\nmood: good\n---\nwords\n"
    decoded = decode_record(data, path=NOTE, registry=REGISTRY, draft=True)
    assert decoded.record is not None
    assert decoded.record.unknown == {"tag": "x", "mood": "good"}
    (problem,) = decoded.problems
    assert (problem.code, problem.line, problem.severity) == (
        "record.unknown-field",
        3,
        Severity.WARNING,
    )
    assert problem.hint == "did you mean 'tags'?"


def test_a_key_without_a_value_counts_as_left_out() -> None:
    data = b"---\nkind: note\nsubject:\ntags:\nmood:\n---\nwords\n"
    decoded = decode_record(data, path=NOTE, registry=REGISTRY, draft=True)
    assert decoded.record == Record(
        kind="note", title="words", body="words\n", unknown={"mood": None}
    )


def test_a_second_frontmatter_and_a_wrong_folder_are_warnings() -> None:
    stacked = b"---\nkind: note\n---\n\n---\nname: old\n---\nwords\n"
    assert codes(stacked, draft=True) == ["record.stacked"]
    assert codes(b"---\nkind: fact\n---\nwords\n", draft=True) == ["record.folder"]


def test_a_body_beyond_the_limit_is_refused_by_both_readers() -> None:
    data = encode_record(make_record(body="x\n"), REGISTRY) + b"x" * 65_536
    assert codes(data) == ["record.length"]
    with pytest.raises(DataError):
        read_record(data, path=NOTE, registry=REGISTRY)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"title": "two\nlines"}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"observed": datetime(2026, 11, 29)}, "same"),
        ({"importance": 11}, "importance"),
        ({"id": "mem_short"}, "id"),
        ({"id": f"ev_{ULID}e"}, "id"),
        ({"body": "\ud83d"}, "surrogate"),
        ({"unknown": {"title": "other"}}, "twice"),
        ({"unknown": {"x": float("nan")}}, "exact"),
        ({"unknown": {"x": LookupError}}, "plain data"),
        ({"kind": "evidence", "id": f"ev_{ULID}e"}, "body"),
        ({"kind": "poem"}, "registered"),
    ],
)
def test_what_would_not_read_back_the_same_is_not_written(
    changes: dict[str, object], word: str
) -> None:
    with pytest.raises(UnwritableError) as caught:
        encode_record(make_record(**changes), REGISTRY)
    assert word in caught.value.message


def test_instants_of_other_zones_are_written_in_utc() -> None:
    data = encode_record(make_record(), REGISTRY).replace(
        b"2026-11-29T10:12:00Z", b"2026-11-29T12:12:00+02:00"
    )
    record = read_record(data, path=NOTE, registry=REGISTRY)
    assert record.observed == datetime(2026, 11, 29, 10, 12, tzinfo=UTC)
    assert b"observed: 2026-11-29T10:12:00Z" in encode_record(record, REGISTRY)


def test_an_update_changes_own_keys_of_a_hand_written_file_only() -> None:
    data = (
        b"---\r\n# mine\r\ntitle:  'One'   # really\r\nkind: note\r\ncommit: 1234e56\r\n"
        b"tags:\r\n  - a\r\n---\r\nfirst\r\n\r\nlast"
    )
    draft = decode_record(data, path=NOTE, registry=REGISTRY, draft=True).record
    assert draft is not None
    filled = replace(
        draft,
        id=f"mem_{ULID}e",
        scope=GLOBAL_SCOPE,
        observed=make_record().observed,
        origin=make_record().origin,
        authority=Authority.USER,
    )
    assert update_record(data, filled, path=NOTE, registry=REGISTRY) == (
        b"---\r\n# mine\r\nid: mem_01kb8x3v6yq4m9t2r7w5z1c0de\r\ntitle:  'One'   # really\r\n"
        b"kind: note\r\nscope: global\r\nobserved: 2026-11-29T10:12:00Z\r\nauthority: user\r\n"
        b"commit: 1234e56\r\ntags:\r\n  - a\r\n"
        b"origin: {class: user_stated, principal: user:ana, channel: terminal}\r\n"
        b"---\r\nfirst\r\n\r\nlast"
    )


def test_an_update_of_words_alone_puts_frontmatter_before_them() -> None:
    path = "records/fact/2026-11/new.md"
    data = b"It is so.\n"
    draft = decode_record(data, path=path, registry=REGISTRY, draft=True).record
    assert draft is not None
    filled = replace(make_record(), kind="fact", title=draft.title, body=draft.body)
    edited = update_record(data, filled, path=path, registry=REGISTRY)
    assert edited.endswith(b"---\nIt is so.\n")
    assert read_record(edited, path=path, registry=REGISTRY) == filled


def test_an_update_replaces_the_body_only_where_it_differs() -> None:
    record = make_record()
    data = encode_record(record, REGISTRY)
    corrected = replace(record, version=2, body="PostgreSQL 17.\n")
    edited = update_record(data, corrected, path=NOTE, registry=REGISTRY)
    assert edited == data.replace(b"scope:", b"version: 2\nscope:").replace(
        record.body.encode(), b"PostgreSQL 17.\n"
    )


def test_an_update_back_to_a_default_takes_the_line_out() -> None:
    record = make_record()
    plain = encode_record(record, REGISTRY)
    retracted = replace(record, status=Status.RETRACTED)
    data = update_record(plain, retracted, path=NOTE, registry=REGISTRY)
    assert b"status: retracted\n" in data
    assert update_record(data, record, path=NOTE, registry=REGISTRY) == plain


def test_a_json_record_is_updated_in_its_own_style() -> None:
    path = "evidence/2026-11/a.json"
    record = make_record(kind="evidence", id=f"ev_{ULID}e", body="", title="")
    canonical = encode_record(record, REGISTRY)
    for data in (canonical, canonical.replace(b"\n  ", b"\n\t").replace(b": ", b" :  ")):
        gone = replace(record, status=Status.SUPERSEDED, superseded_by=f"ev_{ULID}f")
        edited = update_record(data, gone, path=path, registry=REGISTRY)
        assert read_record(edited, path=path, registry=REGISTRY) == gone
        assert update_record(edited, record, path=path, registry=REGISTRY) == data


def test_an_update_of_what_is_no_record_is_refused() -> None:
    data = encode_record(make_record(), REGISTRY).replace(b"scope: project:", b"scope: place:")
    with pytest.raises(RecordError):
        update_record(data, make_record(title="x"), path=NOTE, registry=REGISTRY)


@pytest.mark.parametrize("name", ["body", "model_config", "__class__", "origin_class", "self"])
def test_an_unknown_field_may_have_any_name(name: str) -> None:
    record = make_record(unknown={name: "x"})
    data = encode_record(record, REGISTRY)
    assert decode_record(data, path=NOTE, registry=REGISTRY).record == record


def test_an_update_that_cannot_be_exact_writes_nothing() -> None:
    data = encode_record(make_record(), REGISTRY).replace(
        b"title: Staging runs PostgreSQL 16\n", b"title: &t Staging\nalias: *t\n"
    )
    record = read_record(data, path=NOTE, registry=REGISTRY)
    with pytest.raises(RoundTripError):
        update_record(data, replace(record, title="Other"), path=NOTE, registry=REGISTRY)


def test_origin_and_scope_survive_with_every_part() -> None:
    origin = Origin(
        origin_class=OriginClass.IMPORTED,
        principal=ANA,
        channel=Channel.IMPORT,
        source="session:abc#12",
        digest="sha256:import:00ff",
        speaker="Ana: the 2nd",
    )
    record = make_record(origin=origin, scope=Scope(ScopeKind.AGENT, "helper/1"))
    data = encode_record(record, REGISTRY)
    assert b'speaker: "Ana: the 2nd"' in data
    assert read_record(data, path=NOTE, registry=REGISTRY) == record
