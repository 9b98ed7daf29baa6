"""Records for tests: one plain builder, and Hypothesis strategies for anything a record can say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.kinds import FieldSpec, FieldType, KindSpec
from memfs.model.origin import Channel, Origin, OriginClass, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.relation import Relation, RelationKind
from memfs.model.scope import Scope, ScopeKind
from memfs.model.status import Status

ULID = "01kb8x3v6yq4m9t2r7w5z1c0d"
ANA = Principal(PrincipalKind.USER, "ana")
STATED = Origin(origin_class=OriginClass.USER_STATED, principal=ANA, channel=Channel.TERMINAL)
LEARNED = datetime(2026, 11, 29, 10, 12, tzinfo=UTC)


def make_record(**changes: Any) -> Record:
    """Returns a complete note of Ana's; every field can be given another value."""
    values: dict[str, Any] = {
        "kind": "note",
        "id": f"mem_{ULID}e",
        "title": "Staging runs PostgreSQL 16",
        "body": "PostgreSQL 16.2 behind PgBouncer.\n",
        "scope": Scope(ScopeKind.PROJECT, "datasync"),
        "observed": LEARNED,
        "origin": STATED,
    }
    return Record(**{**values, **changes})


_ULID_CHARS = "0123456789abcdefghjkmnpqrstvwxyz"
_line_chars = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\x85")
lines = st.one_of(
    st.text(_line_chars, min_size=1, max_size=30),
    st.sampled_from(
        [
            *("no", "Yes", "true", "null", "~", "12:30:45", "1e3", "1234e56", "0777", ".inf"),
            *("- a", "? b", "a: b", "a #b", "#c", "[x]", "{y: 1}", "'q'", '"dq"', "@at", "%d"),
            *("key:", " lead", "trail ", "---", "...", "<<", "=", "!tag", "&a", "*b", "|", ">"),
            *("2026-11-29", "user:ana", "a,b", "e\u0301", "👩‍💻", "\ufeffbom", "\u00a0nbsp", "\\n"),
        ]
    ),
)
labels = lines.filter(lambda text: len(text) <= 100)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
bodies = st.one_of(
    texts,
    st.sampled_from(
        ["", "---\nkind: fact\n---\n", "one\r\ntwo", "\n\n  code\n\n", "a\rb", "# T\n"]
    ),
)
instants = st.datetimes(
    min_value=datetime(1000, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
)
ulids = st.builds(
    lambda first, rest: first + rest,
    st.sampled_from("01234567"),
    st.text(_ULID_CHARS, min_size=25, max_size=25),
)
references = st.builds(
    lambda ulid, version: f"mem_{ulid}{f'@{version}' if version else ''}",
    ulids,
    st.integers(0, 999),
)
scopes = st.one_of(
    st.just(Scope(ScopeKind.GLOBAL)),
    st.builds(
        Scope,
        st.sampled_from([kind for kind in ScopeKind if kind is not ScopeKind.GLOBAL]),
        st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._/@+-]{0,20}", fullmatch=True),
    ),
)
principals = st.builds(
    Principal,
    st.sampled_from(PrincipalKind),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._@+/-]{0,20}", fullmatch=True),
)
origins = st.builds(
    Origin,
    origin_class=st.sampled_from(OriginClass),
    principal=principals,
    channel=st.sampled_from(Channel),
    source=st.just("") | lines,
    digest=st.just("") | lines,
    speaker=st.just("") | lines,
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(-1e6, 1e6).map(lambda value: round(value, 6)),
    texts,
    lines,
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(lines, inner, max_size=3),
    max_leaves=8,
)


def _tuples(items: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=most).map(tuple)


def _field_values(spec: FieldSpec) -> st.SearchStrategy[Any]:
    if spec.choices:
        choice = st.sampled_from(spec.choices)
        is_list = spec.field_type is FieldType.STRING_LIST
        return st.lists(choice, max_size=3) if is_list else choice
    shapes: dict[FieldType, st.SearchStrategy[Any]] = {
        FieldType.STRING: texts,
        FieldType.INTEGER: st.integers(-(2**53), 2**53),
        FieldType.NUMBER: st.integers(-9, 9),
        FieldType.BOOLEAN: st.booleans(),
        FieldType.INSTANT: st.just("2026-11-29T10:12:00Z"),
        FieldType.STRING_LIST: st.lists(texts, max_size=3),
        FieldType.OBJECT: st.dictionaries(lines, scalars, max_size=3),
        FieldType.OBJECT_LIST: st.lists(st.dictionaries(lines, scalars, max_size=2), max_size=2),
    }
    return shapes[spec.field_type]


@st.composite
def records(draw: st.DrawFn, kind: KindSpec | None = None) -> Record:
    """Draws a complete record of any kind, with odd text wherever text may stand."""
    chosen = kind or draw(st.sampled_from(list(REGISTRY)))
    is_prose = chosen.extension == ".md"
    fields = {
        spec.name: draw(_field_values(spec))
        for spec in chosen.fields
        if spec.required or draw(st.booleans())
    }
    optional = {
        "version": st.integers(1, 99),
        "status": st.sampled_from(Status),
        "subject": lines,
        "event_time": instants,
        "valid_from": instants,
        "valid_until": instants,
        "review_after": instants,
        "expires": instants,
        "authority": st.sampled_from(Authority),
        "confidence": st.floats(0, 1).map(lambda value: round(value, 4)),
        "importance": st.integers(1, 10),
        "sensitivity": st.sampled_from(Sensitivity),
        "sinks": st.frozensets(st.sampled_from(Sink)),
        "taint": st.lists(labels, max_size=3).map(lambda items: tuple(sorted(set(items)))),
        "evidence": _tuples(references),
        "derived_from": _tuples(references),
        "transform": lines,
        "supersedes": _tuples(references),
        "superseded_by": references,
        "superseded_from": instants,
        "conflicts": _tuples(references),
        "tags": _tuples(labels),
        "entities": _tuples(lines),
        "relations": _tuples(
            st.builds(Relation, st.sampled_from(RelationKind), lines, st.just("") | lines)
        ),
        "summary": texts,
        "abstract": texts,
        "branch": lines,
        "unknown": st.dictionaries(
            lines.map(lambda name: f"x {name}"),
            values.filter(lambda item: item is not None),
            max_size=3,
        ),
    }
    names = draw(st.sets(st.sampled_from(sorted(optional)), max_size=8))
    return Record(
        kind=chosen.name,
        id=f"{chosen.id_prefix}_{draw(ulids)}",
        title=draw(lines),
        body=draw(bodies) if is_prose else "",
        scope=draw(scopes),
        observed=draw(instants),
        origin=draw(origins),
        fields=fields,
        **{name: draw(optional[name]) for name in sorted(names)},
    )
