"""From the draft of an event to what is submitted, and what is answered.

Names that are known are written as the ids of who bears them, so that an event is found under
every name of what it is about, whatever it is called later. Only names that the teller may see
are looked up.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.evidence import Quote
from memfs.model.ids import ENTITY_PREFIX, is_id
from memfs.model.instants import format_instant
from memfs.model.limits import LIST_ITEMS
from memfs.model.naming import entity_key
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.authority import capture_origin
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot

_LONGEST_NAME: Final = 5
"""Words of a name that is looked for in a text."""
_LEAST_CHARS: Final = 3
_MOST_WORDS: Final = 60
_AROUND: Final = "\"'`“”‘’«»()[]{}<>,;:!?…"


def linked(workspace: Workspace, draft: Record, actor: Actor) -> Record:
    """Returns an event with ids for the names that are known, and for those in its words."""
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        look = _Look(workspace, snapshot, catalogue, request)
        named = [look.borne(name) or name for name in draft.entities]
        named += look.names_in(draft.summary or draft.title)
    return replace(draft, entities=tuple(dict.fromkeys(named))[:LIST_ITEMS])


def submission_of(
    draft: Record, actor: Actor, *, quote: str = "", evidence: str = "", key: str = ""
) -> Submission:
    """Returns an event as it is submitted, told by ``actor``."""
    return Submission(
        draft=draft,
        origin=capture_origin(actor, draft.summary or draft.title),
        quotes=(Quote(evidence_id=evidence, text=quote),) if evidence else (),
        key=key,
    )


def answered(result: Result, draft: Record) -> Result:
    """Adds to an answer what the event says; a refusal repeats none of its words (A19)."""
    if result.status is ResultStatus.REFUSED:
        return result
    moment = draft.event_time
    return replace(
        result,
        data={
            **result.data,
            "title": draft.title,
            "event_kind": draft.fields.get("event_kind"),
            "event_time": format_instant(moment) if moment is not None else "",
            "entities": list(draft.entities),
        },
    )


class _Look:
    """Looks names up, as far as one reader may see who bears them."""

    def __init__(
        self,
        workspace: Workspace,
        snapshot: Snapshot,
        catalogue: Catalogue,
        request: AccessRequest,
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._catalogue = catalogue
        self._request = request

    def borne(self, name: str) -> str:
        """Returns the id of the one entity that is meant; empty for none, or for several."""
        if is_id(name, ENTITY_PREFIX):
            rows = self._catalogue.by_id(self._catalogue.resolve_merged(name))
        else:
            key = entity_key(name)
            rows = self._catalogue.entities_named(key) if key else ()
        seen = [
            stored.record.id
            for stored in read_entries(self._workspace, self._snapshot, rows)
            if may_read(stored.record, self._request).is_whole
        ]
        return seen[0] if len(seen) == 1 else ""

    def names_in(self, text: str) -> list[str]:
        """Returns the ids of those whose names stand in a text; the longest name counts."""
        words = [word.strip(_AROUND).rstrip(".") for word in text.split()[:_MOST_WORDS]]
        found: list[str] = []
        start = 0
        while start < len(words):
            size = min(_LONGEST_NAME, len(words) - start)
            while size:
                name = " ".join(words[start : start + size])
                bearer = self.borne(name) if len(name) >= _LEAST_CHARS else ""
                if bearer:
                    found.append(bearer)
                    break
                size -= 1
            start += max(size, 1)
        return found
