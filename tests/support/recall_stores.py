"""Records for the index, and small real stores that hold given records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memfs.app.registry import REGISTRY
from memfs.formats.record_codec import encode_record
from memfs.index.port import IndexHit, IndexQuery, RecordIndex
from memfs.model.digests import blob_id
from memfs.model.origin import Actor, Channel, Origin, OriginClass, Principal
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.settings import Settings
from memfs.services.ports import Workspace
from memfs.store.store import Store
from tests.support.memory import CountedIds, SteppedClock
from tests.support.stores import QUICK, new_store, plan_for

ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
BOT = Actor(Principal.parse("agent:bot"), Channel.AGENT)
OWN = Scope.parse("project:demo")
SAID = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
STATED = Origin(
    origin_class=OriginClass.USER_STATED, principal=ANA.principal, channel=Channel.TERMINAL
)
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def record_id(number: int) -> str:
    """Returns the id of the ``number``-th record of a test."""
    tail = ""
    for _ in range(6):
        number, digit = divmod(number, 32)
        tail = _DIGITS[digit] + tail
    return f"mem_01kb8x3v6yq4m9t2r7w5{tail}"


def note(number: int, body: str, **changes: Any) -> Record:
    """Returns a note of Ana's that says ``body``."""
    values: dict[str, Any] = {
        "kind": "note",
        "id": record_id(number),
        "title": body.splitlines()[0][:200],
        "body": f"{body}\n",
        "scope": OWN,
        "observed": SAID,
        "origin": STATED,
    }
    return Record(**{**values, **changes})


def turn(number: int, session: str, place: int, speaker: str, body: str, **more: Any) -> Record:
    """Returns a turn of a conversation as a note."""
    origin = replace(STATED, source=f"session:{session}#{place}", speaker=speaker)
    return note(number, body, origin=origin, **more)


def path_of(record: Record) -> str:
    """Returns where a test store keeps a record."""
    kind = REGISTRY.get(record.kind)
    assert kind is not None
    return f"{kind.folder}/2026-11/a-{record.id[-6:]}{kind.extension}"


def stored(record: Record) -> StoredRecord:
    """Returns the record with its place, as a store would."""
    content = encode_record(record, REGISTRY)
    return StoredRecord(record=record, path=path_of(record), blob=blob_id(content))


def ask(index: RecordIndex, text: str, **changes: Any) -> list[IndexHit]:
    """Asks an index with every gate open."""
    values: dict[str, Any] = {"text": text, "is_open": lambda _: True}
    return index.search(IndexQuery(**{**values, **changes}))


def bodies(hits: Sequence[IndexHit], records: Sequence[Record]) -> list[str]:
    """Returns the words of the records that were hit, best first."""
    by_path = {path_of(record): record.body.strip() for record in records}
    return [by_path[hit.path] for hit in hits]


def question(text: str, actor: Actor = ANA, **changes: Any) -> Query:
    """Returns a question as an entry point makes it."""
    return Query(text=text, actor=actor, **changes)


def commit(
    store: Store, *records: Record, gone: Sequence[Record] = (), at: datetime | None = None
) -> str:
    """Writes records to the ledger in one commit; returns the commit."""
    files: dict[str, bytes | None] = {
        path_of(item): encode_record(item, REGISTRY) for item in records
    }
    files |= {path_of(item): None for item in gone}
    plan = plan_for(store, files)
    return store.commit(replace(plan, at=at or plan.at)).id


@contextmanager
def workspace_with(
    tmp_path: Path, *records: Record, settings: Settings | None = None
) -> Iterator[Workspace]:
    """Makes a store that holds ``records`` and opens it for services."""
    root = new_store(tmp_path / "store", {path_of(r): encode_record(r, REGISTRY) for r in records})
    with Store.open(root, settings=QUICK) as store:
        yield workspace_over(store, tmp_path / "cache", settings=settings)


def workspace_over(store: Store, cache: Path, *, settings: Settings | None = None) -> Workspace:
    """Returns a workspace over an open store."""
    return Workspace(
        store=store,
        settings=settings or Settings(store_id="store_01kb8x3v6yq4m9t2r7w5000000", project="demo"),
        registry=REGISTRY,
        clock=SteppedClock(),
        ids=CountedIds(),
        cache_dir=cache,
    )
