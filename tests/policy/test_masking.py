"""Masking: of a record that is opened in part, nothing else can be read or guessed."""

from __future__ import annotations

from dataclasses import fields as fields_of_class
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.record import Record, StoredRecord
from memfs.model.relation import Relation, RelationKind
from memfs.policy.masking import masked, visible, visible_stored
from tests.policy.test_grants import DAY, asked, grant
from tests.support.policy import AGENT, ANA, NOW, PROJECT, claim, identifier, origin_of

MARK = "zzhiddenzz"
FULL = Record(
    kind="fact",
    id=identifier(1),
    version=3,
    scope=PROJECT,
    record_class="clinical",
    title=f"title {MARK}",
    body=f"body {MARK}\n",
    subject=f"subject-{MARK}",
    tags=(f"tag-{MARK}",),
    entities=(f"entity {MARK}",),
    relations=(Relation(kind=RelationKind.USER_CONFIRMED, target=MARK, label=MARK),),
    summary=f"summary {MARK}",
    abstract=f"abstract {MARK}",
    transform=MARK,
    taint=(MARK,),
    branch=MARK,
    evidence=(identifier(2, "ev"),),
    derived_from=(identifier(3),),
    supersedes=(identifier(4),),
    superseded_by=identifier(5),
    conflicts=(identifier(6),),
    event_time=NOW,
    observed=NOW,
    expires=NOW + DAY,
    confidence=0.5,
    authority=Authority.USER,
    sensitivity=Sensitivity.CONFIDENTIAL,
    origin=replace(origin_of(ANA, MARK), source=MARK, speaker=MARK, digest=f"d1:{MARK}"),
    fields={"field": MARK, "open_field": "shown one"},
    unknown={"ssn": MARK, MARK: {"deep": [MARK]}, "name": "Ada"},
)
NAMES = ("title", "body", "subject", "tags", "entities", "relations", "summary", "abstract")


def test_what_is_not_named_is_empty() -> None:
    seen = masked(FULL, frozenset({"name", "open_field"})).record
    assert MARK not in repr(seen)
    assert seen == Record(
        kind="fact",
        id=identifier(1),
        version=3,
        scope=PROJECT,
        record_class="clinical",
        observed=NOW,
        expires=NOW + DAY,
        confidence=0.5,
        authority=Authority.USER,
        sensitivity=Sensitivity.CONFIDENTIAL,
        origin=replace(origin_of(ANA), source="", digest=""),
        fields={"open_field": "shown one"},
        unknown={"name": "Ada"},
    )


def test_every_named_field_can_be_shown_alone() -> None:
    for name in NAMES:
        seen = masked(FULL, frozenset({name})).record
        assert getattr(seen, name) == getattr(FULL, name)
        assert MARK not in repr(replace(seen, **{name: getattr(Record(kind="fact"), name)}))
    assert masked(FULL, frozenset({"event_time"})).record.event_time == NOW
    origin = masked(FULL, frozenset({"source"})).record.origin
    assert origin is not None
    assert (origin.source, origin.speaker, origin.digest) == (MARK, MARK, "")


def test_hidden_fields_are_named_only_where_they_held_something() -> None:
    assert "ssn" in masked(FULL, frozenset()).hidden
    assert masked(claim(), frozenset({"body"})).hidden == ()
    assert masked(claim(), frozenset()).hidden == ("body",)


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.text(min_size=1), max_size=8),
    st.sets(st.sampled_from("abcdefgh")),
    st.sets(st.sampled_from(NAMES)),
)
def test_shown_is_exactly_what_is_named(
    values: dict[str, str], shown: set[str], named: set[str]
) -> None:
    record = replace(FULL, unknown={name: f"{text}{MARK}" for name, text in values.items()})
    seen = masked(record, frozenset(shown | named))
    assert set(seen.record.unknown) == shown & set(values)
    assert all(seen.record.unknown[name] == record.unknown[name] for name in seen.record.unknown)
    for name in NAMES:
        expected = getattr(record, name) if name in named else getattr(Record(kind="x"), name)
        assert getattr(seen.record, name) == expected
    assert not seen.is_whole


def test_a_field_of_the_record_that_nobody_thought_of_is_noticed() -> None:
    """A new field of ``Record`` has to be shown by name, emptied always, or safe for all."""
    safe = {
        "kind",
        "id",
        "status",
        "version",
        "scope",
        "record_class",
        "observed",
        "valid_from",
        "valid_until",
        "review_after",
        "expires",
        "authority",
        "confidence",
        "importance",
        "sensitivity",
        "sinks",
    }
    seen = masked(FULL, frozenset()).record
    for field in fields_of_class(Record):
        if field.name not in safe | {"origin"}:
            assert not getattr(seen, field.name), field.name


def test_visible_asks_the_gate() -> None:
    part = grant(
        record_classes=("clinical",),
        shown_fields=("name",),
        clearance=Sensitivity.CONFIDENTIAL,
    )
    assert visible(FULL, asked()) is None
    seen = visible(FULL, asked(part))
    assert seen is not None
    assert dict(seen.record.unknown) == {"name": "Ada"}
    whole = visible(FULL, asked(replace(part, shown_fields=())))
    assert whole is not None
    assert whole.record == FULL
    assert visible(FULL, asked(actor=ANA, sink=Sink.PERSON)) is not None


def test_the_name_of_the_file_and_the_digest_of_it_are_hidden_with_the_rest() -> None:
    stored = StoredRecord(record=FULL, path=f"records/fact/{MARK}-000001.md", blob="ab" * 20)
    part = grant(
        record_classes=("clinical",),
        shown_fields=("name",),
        clearance=Sensitivity.CONFIDENTIAL,
    )
    seen = visible_stored(stored, asked(part))
    assert seen is not None
    assert (seen.path, seen.blob) == ("", "")
    assert visible_stored(stored, asked(replace(part, shown_fields=()))) == stored
    assert visible_stored(stored, asked(actor=AGENT)) is None
