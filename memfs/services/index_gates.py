"""Which gates of the index are open for one question, and what stands for what is seen in part.

The index keeps records behind gates: everything that access depends on, as one string. A gate
is open when its records may be read whole. Records that may be read in part stay behind their
closed gate, and documents of their visible words stand for them in front of it, so that a
hidden word matches nothing, weighs nothing and is counted nowhere (A9).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from memfs.index.documents import Document
from memfs.index.port import IndexHit
from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.frozen import frozen
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.policy.access import AccessRequest, may_read
from memfs.services.ports import Workspace
from memfs.services.reindex import document_of

_FAR: Final = datetime.max.replace(tzinfo=UTC)
"""Later than any question: times are judged of each record, not of its gate."""
SEEN_IN_PART: Final = "seen-in-part"
"""The gate of the documents that stand for what is seen in part; no file has it."""


@frozen
class IndexGates:
    """Judges gates for one question.

    Attributes:
        request: Who asks.
        kinds: Kinds that are looked for.
        branch: Only what was learned on this branch, or on none; empty for all.
    """

    request: AccessRequest
    kinds: Collection[str]
    branch: str

    @property
    def may_be_in_part(self) -> bool:
        """Whether anything at all can be seen in part."""
        return any(grant.shown_fields for grant in self.request.grants)

    def is_open(self, gate: str) -> bool:
        """Tells whether the documents behind a gate may be looked at whole."""
        return gate == SEEN_IN_PART or self._is_behind(gate, is_whole=True)

    def is_partly_open(self, gate: str) -> bool:
        """Tells whether something of the records behind a gate may be seen, and not all."""
        return self._is_behind(gate, is_whole=False)

    def _is_behind(self, gate: str, *, is_whole: bool) -> bool:
        try:
            record = record_of_gate(gate)
        except (ValueError, KeyError, TypeError):
            return False
        if record.kind not in self.kinds:
            return False
        if self.branch and record.branch not in ("", self.branch):
            return False
        decision = may_read(record, self.request)
        return decision.allowed and decision.is_whole is is_whole


@lru_cache(maxsize=4096)
def record_of_gate(gate: str) -> Record:
    """Returns a record without content that the read gate judges like those behind ``gate``.

    Raises:
        ValueError: The text is no gate, or says what this build does not know.
        KeyError: It is the gate of another version.
    """
    values = json.loads(gate)
    origin = None
    if values["principal"]:
        origin = Origin(
            origin_class=OriginClass(values["class"]),
            principal=Principal.parse(values["principal"]),
            channel=Channel(values["channel"]),
            source=values["source"],
        )
    return Record(
        kind=values["kind"],
        status=Status(values["status"]),
        scope=Scope.parse(values["scope"]) if values["scope"] else None,
        record_class=values["record_class"],
        superseded_from=_FAR if values["later"] else None,
        sensitivity=Sensitivity.from_label(values["sensitivity"]),
        sinks=frozenset(Sink(sink) for sink in values["sinks"]),
        taint=tuple(values["taint"]),
        authority=Authority.from_label(values["authority"]) if values["authority"] else None,
        branch=values["branch"],
        origin=origin,
    )


def documents_in_part(
    workspace: Workspace, seen: Iterable[tuple[IndexHit, StoredRecord]]
) -> list[Document]:
    """Returns documents of what is seen, each for the file that it was found in."""
    return [
        replace(
            document_of(workspace, replace(stored, path=hit.path, blob=hit.blob)),
            gate=SEEN_IN_PART,
        )
        for hit, stored in seen
    ]
