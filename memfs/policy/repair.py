"""What may be served again after a withdrawal, and as what (A14, A60).

A record behind a barrier comes back only where everything that it says stands, sentence by
sentence, in something that it rests on and that still stands. So nothing comes back that could
carry the words of what was withdrawn, and the earlier versions of what comes back say nothing
else. Whatever cannot be told apart stays withheld: a free summary of a withdrawn record is not
mended, it is made again from what is left.

What comes back is a new version without the withdrawn inputs. Its authority is never higher and
its labels are never looser than before (A4, A6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.origin import Origin, OriginClass
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.model.text import normalise_text
from memfs.policy.authority import authority_of, derive_authority, is_person_origin, labelled
from memfs.policy.verification import sentences_of
from memfs.policy.withdrawal import is_standing

_AGAINST: Final = "contradicts"
_OF_A_PERSON: Final = ("user_confirmed", "corrects")
_WORD: Final = re.compile(r"\w+")


@frozen
class Input:
    """One thing that a record rests on, as it stands now.

    Attributes:
        reference: As the record names it.
        record: What stands in its place: the record itself, what superseded it, or ``None``
            when there is nothing (any more).
        excerpts: Records that keep the words of a source, for an envelope.
        lost: What was withdrawn in its place, as far as it is known; ``None`` when something
            was withdrawn and nobody knows any more what it said.
    """

    reference: str
    record: Record | None
    excerpts: tuple[Record, ...] = ()
    lost: tuple[Record, ...] | None = ()

    @property
    def stands(self) -> bool:
        """Whether it can support anything."""
        if self.record is None or not is_standing(self.record):
            return False
        return self.record.fields.get("relation") != _AGAINST

    @property
    def present_reference(self) -> str:
        """What names it from now on: a reference to a version is brought up to the present."""
        if self.record is None:
            return self.reference
        _, version = split_version(self.reference)
        return self.record.id if version is None else self.record.reference


def rebuilt(
    record: Record, inputs: Sequence[Input], *, was: Status, append_only: bool
) -> Record | None:
    """Returns what may stand in the place of a withheld record; ``None`` to go on withholding.

    Args:
        record: The record behind the barrier.
        inputs: Everything that it rests on, in the order in which it names them.
        was: Its status before the barrier.
        append_only: Its content is never rewritten; it comes back as it was or not at all.
    """
    left = [item for item in inputs if item.stands]
    if not left or not _is_supported(record, inputs, left):
        return None
    if append_only or was is not Status.ACTIVE:
        # What was replaced or taken back before keeps its text and its state.
        is_whole = len(left) == len(inputs)
        return replace(record, status=was) if is_whole else None
    return _next(record, left)


def _next(record: Record, left: Sequence[Input]) -> Record:
    standing = {item.reference: item for item in left}
    records = [item.record for item in left if item.record is not None]
    labels = labelled(record, record.origin, records) if record.origin is not None else record
    return replace(
        labels,
        status=Status.ACTIVE,
        version=record.version + 1,
        authority=derive_authority((authority_of(record), *map(authority_of, records))),
        derived_from=_present(record.derived_from, standing),
        evidence=_present(record.evidence, standing),
    )


def _present(references: Iterable[str], standing: dict[str, Input]) -> tuple[str, ...]:
    kept = (standing[item].present_reference for item in references if item in standing)
    return tuple(dict.fromkeys(kept))


def _is_supported(record: Record, inputs: Sequence[Input], left: Sequence[Input]) -> bool:
    if _says_it_itself(record, inputs):
        return True
    said = frozenset(sentence for item in left for sentence in _sentences(item))
    body = sentences_of(record.body)
    title = sentences_of(record.title.rstrip("…"))
    if not body and not title:
        return False
    if _is_attested(record, left):
        said = said.union(body)
    if not said.issuperset(body):
        return False
    if not _is_lead(title, body) and not said.issuperset(title):
        return False
    if not said.issuperset((*sentences_of(record.summary), *sentences_of(record.abstract))):
        return False
    return _are_labels_free(record, inputs, left, said)


def _says_it_itself(record: Record, inputs: Sequence[Input]) -> bool:
    """A person's own statement rests on evidence for its standing, not for its words.

    Unless it is what a source said: then its words are the source's.
    """
    origin = record.origin
    if origin is None or record.derived_from or not is_person_origin(origin):
        return False
    gone = [item for item in inputs if not item.stands]
    if any(item.lost is None for item in gone):
        return False
    lost = [record.origin for item in gone for record in item.lost or ()]
    digests = {source.digest for source in lost if source is not None}
    return origin.digest not in digests and not digests & _digests(record)


def _is_attested(record: Record, left: Sequence[Input]) -> bool:
    """Whether a source that still stands is known to have said exactly this, by its digest.

    Whoever proposed or confirmed what was made from something else attests how it was made,
    not what it was made from: that falls with its inputs.
    """
    digests = _digests(record)
    return any(
        item.record is not None
        and item.record.kind == "evidence"
        and item.record.origin is not None
        and item.record.origin.digest in digests
        and not (record.derived_from and _is_about_making(item.record, item.record.origin))
        for item in left
    )


def _is_about_making(envelope: Record, origin: Origin) -> bool:
    relation = envelope.fields.get("relation")
    return relation in _OF_A_PERSON or origin.origin_class is OriginClass.AGENT_STATED


def _digests(record: Record) -> frozenset[str]:
    """Returns the digests that a source with exactly these words would have."""
    texts = {record.body, record.body.rstrip("\n"), record.body.strip()}
    return frozenset(
        content_digest("source", text.encode("utf-8", "surrogatepass")) for text in texts if text
    )


def _is_lead(title: Sequence[str], body: Sequence[str]) -> bool:
    """Whether a title only repeats how the body begins."""
    return not title or " ".join(body).startswith(" ".join(title))


def _sentences(item: Input) -> Iterator[str]:
    record = item.record
    if record is None:
        return
    for text in (record.title, record.body, record.summary, record.abstract):
        yield from sentences_of(text.lstrip("# "))
    for excerpt in item.excerpts:
        if is_standing(excerpt):
            yield from sentences_of(excerpt.body)


def _are_labels_free(
    record: Record, inputs: Sequence[Input], left: Sequence[Input], said: frozenset[str]
) -> bool:
    """Whether no label can have come from what was withdrawn.

    A tag, a subject or a field can give away as much as a sentence: each of its words stands in
    what is left, or stood nowhere in what was withdrawn.
    """
    words = {word for sentence in said for word in _words(sentence)}
    words.update(_words(record.kind))
    for item in left:
        if item.record is not None:
            words.update(word for label in _labels(item.record) for word in _words(label))
    open_words = {word for label in _labels(record) for word in _words(label)} - words
    return not open_words or _is_untold(open_words, inputs)


def _is_untold(words: set[str], inputs: Sequence[Input]) -> bool:
    """Whether none of ``words`` stands anywhere in what was withdrawn."""
    for item in inputs:
        if item.lost is None:
            return False
        for record in item.lost:
            told = (*_sentences(Input(reference="", record=record)), *_labels(record))
            if any(words.intersection(_words(text)) for text in told):
                return False
    return True


def _labels(record: Record) -> Iterator[str]:
    yield record.subject
    yield from record.tags
    yield from record.entities
    for relation in record.relations:
        yield relation.label
    yield from _texts([record.fields, record.unknown])


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() | tuple():
            for item in value:
                yield from _texts(item)
        case _ if hasattr(value, "items"):
            for key, item in value.items():
                yield str(key)
                yield from _texts(item)


def _words(text: str) -> list[str]:
    return _WORD.findall(normalise_text(text))
