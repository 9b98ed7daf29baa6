"""The words of a record, wherever they stand: what screening and eligibility look at.

Titles, tags, labels, field names and unknown fields are as untrusted as the body (A28), so
nothing that a record can carry is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memfs.model.candidate import Submission
from memfs.model.record import Record
from memfs.model.values import JsonValue
from memfs.policy.log_text import prose_of


def words_of(value: JsonValue) -> Iterator[str]:
    """Yields every string of a JSON value; a mapping as ``key: value`` where it can."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, str | int | float):
                yield f"{key}: {item}"
            else:
                yield key
                yield from words_of(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from words_of(item)


def fields_of(record: Record) -> Iterator[str]:
    """Yields the words of everything but title and body, in a stable order."""
    yield from (record.subject, record.record_class, record.summary, record.abstract)
    yield from (record.transform, record.branch)
    yield from record.tags
    yield from record.entities
    yield from record.taint
    for relation in record.relations:
        yield relation.target
        yield relation.label
    yield from words_of(record.fields)
    yield from words_of(record.unknown)


def statement_parts(record: Record) -> tuple[object, ...]:
    """Returns what a record states, in parts to compare: words, labels, dates and fields.

    What memfs says of it (status, version, origin, worth) is no part of that.
    """
    return (
        record.title,
        record.body,
        record.subject,
        record.event_time,
        record.valid_from,
        record.valid_until,
        record.tags,
        record.entities,
        record.relations,
        record.summary,
        record.abstract,
        dict(record.fields),
        dict(record.unknown),
    )


def text_of(submission: Submission) -> str:
    """Returns all words that a submission would bring into the store, one piece a line."""
    record = submission.draft
    # A title that was cut from the body says nothing more; its ellipsis would make the whole
    # text look strange.
    body = prose_of(record)
    title = "" if body.startswith(record.title.removesuffix("…")) else record.title
    pieces = (
        title,
        body,
        *fields_of(record),
        submission.origin.source,
        submission.origin.speaker,
        *(quote.text for quote in submission.quotes),
    )
    return "\n".join(piece for piece in pieces if piece)
