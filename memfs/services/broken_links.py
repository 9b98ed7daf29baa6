"""Links that lead nowhere: what prose names and nobody is, and edges to what is not there (O39).

A broken link is reported and left as it was written: the thing may be added, or be somebody's who
is not served here. The report names the place and never the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from memfs.index.catalogue import Catalogue
from memfs.model.graph import EDGE_KIND
from memfs.model.ids import is_id
from memfs.model.naming import entity_key, file_key
from memfs.model.problem import BROKEN_LINK, Problem, Severity
from memfs.model.record import StoredRecord
from memfs.model.wikilinks import wikilinks
from memfs.policy.graph_links import may_link
from memfs.policy.relations import joined_by
from memfs.policy.withdrawal import is_standing
from memfs.services.catalogue import open_catalogue
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot

_NOBODY: Final = "expected the link to name an entity or a record, got a name that nobody bears"
_SEVERAL: Final = "expected the link to name one record, got what several are called"
_ADD: Final = "add it with: memfs entity add NAME, or correct the link"
_CHOOSE: Final = "link the one that is meant by its id or its file name"


def broken_links(
    workspace: Workspace, snapshot: Snapshot, records: Sequence[StoredRecord]
) -> tuple[Problem, ...]:
    """Returns a warning for each link of active records that leads nowhere.

    Args:
        workspace: The store.
        snapshot: The ledger.
        records: Records of it; only their links are looked at.
    """
    linking = [
        item
        for item in records
        if is_standing(item.record) and may_link(item.record) and _has_links(item)
    ]
    if not linking:
        return ()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        known: dict[str, int] = {}
        found = (
            problem for item in linking for problem in _broken(item, snapshot, catalogue, known)
        )
        return tuple(found)


def _has_links(stored: StoredRecord) -> bool:
    record = stored.record
    texts = (record.body, record.summary, record.abstract)
    return record.kind == EDGE_KIND or any("[[" in text for text in texts)


def _broken(
    stored: StoredRecord, snapshot: Snapshot, catalogue: Catalogue, known: dict[str, int]
) -> Iterator[Problem]:
    record = stored.record
    if record.kind == EDGE_KIND:
        for end in sorted(joined_by(record)):
            if not _count(end, catalogue, known):
                message = f"expected both ends in the store, got none at {end}"
                hint = f"take the edge away with: memfs unrelate {record.id}"
                yield _problem(stored, "link.dangling-edge", message, hint)
        return
    first = _first_line(snapshot.read_blob(stored.blob), record.body)
    for link in wikilinks(record.body):
        place = (first + link.line - 1, link.column)
        yield from _told(stored, _count(link.name, catalogue, known), place)
    for text in (record.summary, record.abstract):
        for link in wikilinks(text):
            yield from _told(stored, _count(link.name, catalogue, known))


def _told(stored: StoredRecord, count: int, place: tuple[int, int] = (0, 0)) -> Iterator[Problem]:
    """Yields what is wrong with a link that so many may be meant by."""
    if count != 1:
        message, hint = (_SEVERAL, _CHOOSE) if count else (_NOBODY, _ADD)
        yield _problem(stored, BROKEN_LINK, message, hint, place)


def _count(name: str, catalogue: Catalogue, known: dict[str, int]) -> int:
    """Returns how many records a name may mean; a link to entities leads to all that bear it."""
    if name not in known:
        rows = catalogue.by_id(name) if is_id(name) else catalogue.entities_named(entity_key(name))
        ranks = {} if rows or is_id(name) else catalogue.called(file_key(name))
        first = [rank for rank in ranks.values() if rank == min(ranks.values())]
        known[name] = 1 if rows else len(first)
    return known[name]


def _first_line(content: bytes, body: str) -> int:
    """Returns the line of a file on which its body begins."""
    text = content.decode("utf-8", "replace")
    head = text[: len(text) - len(body)] if text.endswith(body) else ""
    return head.count("\n") + 1


def _problem(
    stored: StoredRecord, code: str, message: str, hint: str, place: tuple[int, int] = (0, 0)
) -> Problem:
    return Problem(stored.path, *place, code, message, hint, Severity.WARNING)
