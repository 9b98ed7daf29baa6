"""What an erasure has to find: every version of the records, and the words that tell them.

Nothing is changed here. Every object of the repository is looked at, so that a version on a
branch, in the stash or on no branch at all is found like any other.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from memfs.errors import DataError, UsageError
from memfs.formats.record_codec import decode_record
from memfs.model.ids import is_id, short_id, split_version
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.policy.closure import closure, dependents
from memfs.policy.content import fields_of
from memfs.policy.erasure import LINE_CHARS, distinctive, forms_of, phrases_in, phrases_of
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.erasure_scan import Needles
from memfs.services.forget import with_words
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError, find_record
from memfs.services.served_records import read_records, served_places
from memfs.store.histories import HistoryRewrite
from memfs.store.layout import STATIC_FILES, hold_path, slugify, tombstone_path
from memfs.store.object_scan import Copies, find_copies
from memfs.store.snapshot import Snapshot

TEXT_CHARS: Final = 6
"""A shorter text stands in too many places by chance to be hunted down."""
_AS_MARKDOWN: Final = "records/note/x.md"
_AS_JSON: Final = "evidence/x.json"
_STRING: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


@dataclass(frozen=True, kw_only=True)
class Sought:
    """What is to be erased.

    Attributes:
        identifiers: Records, sorted; with a source the words that were kept of it.
        standing: Those of them that the ledger has now.
        copies: All their versions.
        phrases: Words that tell them and nothing else, and the texts that were named.
        shared: How many pieces of them other records say as well.
    """

    identifiers: tuple[str, ...]
    standing: tuple[StoredRecord, ...]
    copies: Copies
    phrases: tuple[str, ...]
    shared: int

    @cached_property
    def forms(self) -> tuple[bytes, ...]:
        """The phrases as bytes, in all their forms."""
        found = [form for phrase in self.phrases for form in forms_of(phrase)]
        slugs = (slugify(phrase) for phrase in self.phrases if " " in phrase)
        found += [slug.encode() for slug in slugs if len(slug) >= TEXT_CHARS and "-" in slug]
        return tuple(dict.fromkeys(found))

    @cached_property
    def needles(self) -> Needles:
        """What every managed place is searched for."""
        return Needles(self.forms)

    @property
    def wish(self) -> HistoryRewrite:
        """What is to leave the history and the working tree."""
        holds = (hold_path(os.fsdecode(path)) for path in self.copies.paths)
        return HistoryRewrite(
            blobs=frozenset(self.copies.blobs),
            paths=self.copies.paths | {os.fsencode(path) for path in holds},
            records=frozenset(self.identifiers),
            phrases=self.forms,
        )


def look_for(
    workspace: Workspace, references: Sequence[str], actor: Actor, texts: Sequence[str]
) -> Sought:
    """Finds what an erasure is about.

    Args:
        workspace: The store.
        references: Ids, ends of ids, or paths; a full id may be of a record that is forgotten
            already, or that only a branch has.
        actor: The person who asks.
        texts: Further words that must go, wherever they stand.

    Raises:
        UnknownRecordError: A reference names nothing.
        AmbiguousRecordError: A reference names more than one record.
        UsageError: A text is too short.
    """
    for text in texts:
        if len(text) < TEXT_CHARS:
            raise UsageError(
                f"expected texts of {TEXT_CHARS} characters or more, got a shorter one"
            )
    snapshot = workspace.store.snapshot()
    named = [_identifier(workspace, snapshot, item, actor) for item in references]
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = [row for name in named for row in catalogue.by_id(name)]
        targets = read_entries(workspace, snapshot, rows)
        standing = with_words(workspace, snapshot, catalogue, targets)
    identifiers = {*named, *(stored.record.id for stored in standing)}
    copies = find_copies(workspace.store.git_dir, identifiers)
    missing = [
        name
        for name in named
        if not _is_known(name, standing, copies)
        # One whose bytes are gone already: an erasure that was cut short is repeated.
        and snapshot.raw_entry(tombstone_path(name)) is None
    ]
    if missing:
        raise UnknownRecordError(
            f"no record matches {missing[0]!r}, now or in the history", hint="see: memfs list"
        )
    found = _phrases(workspace, snapshot, copies, frozenset(identifiers))
    return Sought(
        identifiers=tuple(sorted(identifiers)),
        standing=standing,
        copies=copies,
        phrases=tuple(dict.fromkeys((*texts, *found[0]))),
        shared=found[1],
    )


def _identifier(workspace: Workspace, snapshot: Snapshot, reference: str, actor: Actor) -> str:
    name, _ = split_version(reference.strip())
    if is_id(name):
        return name
    request = access_request(workspace, actor, is_history=True, sees_polluted=True)
    return find_record(workspace, snapshot, reference, request).record.id


def _is_known(name: str, standing: Iterable[StoredRecord], copies: Copies) -> bool:
    if any(stored.record.id == name for stored in standing):
        return True
    mark = name.encode("ascii")
    return any(mark in data for data in copies.blobs.values())


def _phrases(
    workspace: Workspace, snapshot: Snapshot, copies: Copies, identifiers: frozenset[str]
) -> tuple[tuple[str, ...], int]:
    """Returns the distinctive phrases of all versions, and how many others are shared."""
    wanted: dict[str, None] = {}
    for data in copies.blobs.values():
        wanted.update(dict.fromkeys(_phrases_of_file(workspace, data)))
    found = distinctive(wanted, _words_that_stay(workspace, snapshot, identifiers))
    names = distinctive(_names(copies), _names_that_stay(snapshot, copies))
    return (*found.distinctive, *names.distinctive), found.shared


def _phrases_of_file(workspace: Workspace, data: bytes) -> Iterator[str]:
    is_json = data.lstrip().startswith(b"{")
    # A draft may be any text: read as one, the braces and keys of JSON would be its words.
    for path in (_AS_JSON, _AS_MARKDOWN) if is_json else (_AS_MARKDOWN,):
        if path == _AS_MARKDOWN and _is_object(data):
            break
        try:
            record = decode_record(data, path=path, registry=workspace.registry, draft=True).record
        except DataError:
            continue
        if record is not None:
            yield from phrases_of(record)
            return
    # A file that is no record any more still says what it says.
    text = data.decode("utf-8", "replace")
    if is_json:
        text = "\n".join(said for said in _STRING.findall(text) if " " in said)
    yield from phrases_in(text.rpartition("\n---")[2])


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except ValueError:
        return False


def _words_that_stay(
    workspace: Workspace, snapshot: Snapshot, identifiers: frozenset[str]
) -> Iterator[str]:
    """Yields the words of every record that neither goes nor rests on one that goes."""
    places = list(served_places(snapshot))
    edges = dependents(stored.record for stored in read_records(workspace, snapshot, places))
    going = closure(identifiers, edges)
    for stored in read_records(workspace, snapshot, places):
        if stored.record.id not in going:
            yield _words(stored.record)
    for path in STATIC_FILES:
        yield (snapshot.read(path) or b"").decode("utf-8", "replace")


def _words(record: Record) -> str:
    return "\n".join((record.title, record.body, *fields_of(record)))


def _names(copies: Copies) -> Iterator[str]:
    """Yields the readable parts of the files' names, with and without the end of the id."""
    for path in copies.paths:
        stem = PurePosixPath(os.fsdecode(path)).stem
        if is_id(stem):
            continue
        slug, _, end = stem.rpartition("-")
        for name in (stem, slug if len(end) == len(short_id(stem)) else stem):
            if len(name) >= LINE_CHARS and name.isprintable():
                yield name


def _names_that_stay(snapshot: Snapshot, copies: Copies) -> Iterator[str]:
    return (
        entry.path for entry in snapshot.entries() if os.fsencode(entry.path) not in copies.paths
    )
