"""Takes erased words out of the private notes of a store: runs that go on and are no record yet.

A note is not history and no record, so nothing that clears those reaches it. What it says of
the run stays; its words are replaced where they are the erased ones, so that the run is ended
and recorded like any other (A61).
"""

from __future__ import annotations

import json
from contextlib import suppress

from memfs.errors import StoreError
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.ties import DISPATCHES, DISTILLED, ROUND
from memfs.store.histories import HistoryRewrite
from memfs.store.private_notes import PrivateNotes
from memfs.store.scrub import Scrub


def scrub_notes(workspace: Workspace, wish: HistoryRewrite) -> int:
    """Replaces the erased words in every note that has them; returns in how many.

    A note that does not read cannot be recorded any more, and goes where it has them.
    """
    scrub = wish.scrub
    count = _dropped(PrivateNotes(workspace.store.git_dir, DISTILLED), scrub)
    notes = PrivateNotes(workspace.store.git_dir, DISPATCHES)
    notes.drop_torn(lambda data: scrub.text(data) != data)
    for name in notes.names():
        content = notes.read(name)
        if content is None or scrub.text(content) == content:
            continue
        count += 1
        try:
            value = _scrubbed(json.loads(content), scrub)
        except (ValueError, RecursionError):
            notes.remove(name)
            continue
        with suppress(StoreError):
            written = json.dumps(value, ensure_ascii=False)
            notes.replace(name, written.encode("utf-8", "backslashreplace"))
    return count


def drop_rounds(workspace: Workspace) -> None:
    """Takes away what a distillation has in hand: it is collected again, from what is there."""
    notes = PrivateNotes(workspace.store.git_dir, DISTILLED)
    for name in notes.names():
        if name == ROUND:
            notes.remove(name)


def _dropped(notes: PrivateNotes, scrub: Scrub) -> int:
    """Takes away the notes of a distillation that have the words: it is gone through again."""
    notes.drop_torn(lambda data: scrub.text(data) != data)
    carrying = [name for name in notes.names() if _carries(notes.read(name), scrub)]
    for name in carrying:
        notes.remove(name)
    return len(carrying)


def _carries(content: bytes | None, scrub: Scrub) -> bool:
    return content is not None and scrub.text(content) != content


def _scrubbed(value: JsonValue, scrub: Scrub) -> JsonValue:
    """Returns a value with the words replaced in its texts; its keys are memfs's own words."""
    match value:
        case str():
            return scrub.text(value.encode("utf-8", "replace")).decode("utf-8", "replace")
        case list():
            return [_scrubbed(item, scrub) for item in value]
        case dict():
            return {key: _scrubbed(item, scrub) for key, item in value.items()}
        case _:
            return value
