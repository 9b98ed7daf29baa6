"""Records as the index sees them: weighted terms, exact keys and a few plain columns.

A document carries no text and decides nothing. Its *gate* is everything that access
depends on, written as one string: records that share a gate are seen or not seen together.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TypeAlias

from memfs.index.analysis import Analyzer
from memfs.index.dates import day_keys, names_day, record_keys, recorded_keys, states_time
from memfs.index.port import FieldWeights
from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.frozen import frozen
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.status import Status

_GateOrigin: TypeAlias = tuple[OriginClass, Principal, Channel, str]

MAX_LENGTH: Final = 0xFFFF
NO_INSTANT: Final = -(2**63)
NO_GROUP: Final = 0
_ASKED: Final = ("task", "workflow", "verdict")
_SESSION: Final = re.compile(r"session:(?P<session>.+?)#(?P<turn>\d{1,9})\Z")


@frozen
class Document:
    """One record, ready to index.

    Attributes:
        terms: Weight of each term.
        keys: Exact keys: ``id:``, ``subject:``, ``tag:``, ``entity:`` and calendar keys, those
            of the day on which it was made where nothing says another.
        length: Number of terms, at most 65,535.
        group: 63-bit number of the session it belongs to, 0 for none.
        sequence: Place in the session.
        speaker: Folded name of who said it, or empty.
        instant: Event or observation time in seconds, or ``NO_INSTANT``.
        valid_from: First second of validity, or ``NO_INSTANT``.
        valid_until: First second after it answers for anything, or ``NO_INSTANT``.
        states_time: Whether its words say when.
        importance: 1 to 10.
    """

    path: str
    blob: str
    gate: str
    terms: dict[str, float]
    keys: frozenset[str]
    length: int
    group: int
    sequence: int
    speaker: str
    instant: int
    valid_from: int
    valid_until: int
    states_time: bool
    importance: int


def document_from(stored: StoredRecord, analyzer: Analyzer, weights: FieldWeights) -> Document:
    """Returns the document of one record; the same record always gives the same document."""
    record = stored.record
    session, sequence = session_of(record)
    said = record.event_time or record.observed
    asked = (*_asked_of(record), *_layers_of(record))
    is_repeated = any(_opens_with(part, record.title) for part in (record.body, *asked))
    title = "" if is_repeated else record.title
    text = "\n".join((record.body or record.summary or record.field_text, *asked))
    words = analyzer.words(text)
    title_words = analyzer.words(title)
    terms: dict[str, float] = {}
    length = analyzer.add_counts(terms, words, weights.body) if weights.body else 0
    if title and weights.title:
        length += analyzer.add_counts(terms, title_words, weights.title)
    if record.subject and weights.subject:
        analyzer.add_counts(terms, analyzer.words(record.subject), weights.subject)
    if weights.tags:
        for label in (*record.tags, *record.entities):
            analyzer.add_counts(terms, analyzer.words(label), weights.tags)
    is_dated = analyzer.may_be_dated(words) or analyzer.may_be_dated(title_words)
    said_text = f"{title}\n{text}" if is_dated else ""
    return Document(
        path=stored.path,
        blob=stored.blob,
        gate=gate_of(record),
        terms=terms,
        keys=_keys(record, said_text, said),
        length=min(length, MAX_LENGTH),
        group=group_number(session),
        sequence=sequence,
        speaker=speaker_of(record),
        instant=seconds(said),
        valid_from=seconds(record.valid_from),
        valid_until=seconds(_earliest(record.holds_until, record.expires)),
        states_time=is_dated and states_time(said_text),
        importance=record.importance,
    )


def _asked_of(record: Record) -> tuple[str, ...]:
    """Returns what a record of work was asked to do, which its prose does not repeat (C22)."""
    if not record.body:
        return ()
    values = (record.fields.get(name) for name in _ASKED)
    return tuple(value for value in values if isinstance(value, str) and value)


def _layers_of(record: Record) -> tuple[str, ...]:
    """Returns summary and abstract where the body does not have their words anyway (M30)."""
    body = record.body
    if not body:
        return (record.abstract,) if record.abstract else ()
    return tuple(text for text in (record.summary, record.abstract) if text and text not in body)


def _opens_with(body: str, title: str) -> bool:
    """Tells whether a title only repeats how the body starts, shortened or as a heading."""
    return body.lstrip("# ").startswith(title.rstrip("…").rstrip())


def gate_of(record: Record) -> str:
    """Returns everything that access depends on, as canonical JSON."""
    return _gate(
        record.kind,
        record.status,
        record.scope,
        record.sensitivity,
        record.sinks,
        record.taint,
        record.authority,
        record.branch,
        record.record_class,
        record.superseded_from is not None,
        record.origin and _gate_origin(record.origin),
    )


def _gate_origin(origin: Origin) -> _GateOrigin:
    return (origin.origin_class, origin.principal, origin.channel, origin.imported_from)


@lru_cache(maxsize=4096)
def _gate(
    kind: str,
    status: Status,
    scope: Scope | None,
    sensitivity: Sensitivity,
    sinks: frozenset[Sink],
    taint: tuple[str, ...],
    authority: Authority | None,
    branch: str,
    record_class: str,
    is_replaced_later: bool,
    origin: _GateOrigin | None,
) -> str:
    return json.dumps(
        {
            "kind": kind,
            "status": status,
            "scope": str(scope) if scope else "",
            "sensitivity": sensitivity.label,
            "sinks": sorted(sinks),
            "taint": taint,
            "authority": "" if authority is None else authority.label,
            "branch": branch,
            "record_class": record_class,
            "later": is_replaced_later,
            "class": origin[0] if origin else "",
            "principal": str(origin[1]) if origin else "",
            "channel": origin[2] if origin else "",
            "source": origin[3] if origin else "",
        },
        sort_keys=True,
        separators=(",", ":"),
    )


def session_of(record: Record) -> tuple[str, int]:
    """Returns the session that a record was said in and its turn, or an empty name."""
    if record.origin is None:
        return "", 0
    match = _SESSION.match(record.origin.source)
    return (match["session"], int(match["turn"])) if match else ("", 0)


def group_number(session: str) -> int:
    """Returns a stable positive number for a session name, 0 for none."""
    if not session:
        return NO_GROUP
    digest = hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 1) or 1


def speaker_of(record: Record) -> str:
    """Returns the folded name of who said it according to the transport, or empty."""
    if record.origin is None or not record.origin.speaker:
        return ""
    return record.origin.speaker.casefold()


def seconds(moment: datetime | None) -> int:
    """Returns whole seconds since the epoch, ``NO_INSTANT`` for none."""
    return NO_INSTANT if moment is None else int(moment.timestamp() // 1)


def _earliest(first: datetime | None, second: datetime | None) -> datetime | None:
    if first is None or second is None:
        return first or second
    return min(first, second)


def _keys(record: Record, text: str, said: datetime | None) -> frozenset[str]:
    keys = set(record_keys(text, said.astimezone(UTC).date() if said else None)) if text else set()
    if record.event_time is not None:
        keys.update(day_keys(record.event_time.astimezone(UTC).date()))
    elif not names_day(keys):
        made = (record.valid_from, record.observed)
        keys |= recorded_keys(moment.astimezone(UTC).date() for moment in made if moment)
    keys.add(f"id:{record.id}")
    if record.subject:
        keys.add(f"subject:{record.subject}")
    keys.update(f"tag:{tag}" for tag in record.tags)
    keys.update(f"entity:{entity}" for entity in record.entities)
    return frozenset(keys)
