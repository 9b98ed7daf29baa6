"""Turns a survey into memories and edges of a role, and tells what that changes of what stands.

Pure. An id follows from the store, the role, the profile, the path and the symbol, so that the same
part has the same id on every machine and is never there twice (E17). What a person put aside stays
aside. What was read off something that changed is looked at again: where the words come out the
same only the digests move on; where they do not, whatever was accepted is accepted no more.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from memfs.model.authority import Authority
from memfs.model.ids import EDGE_PREFIX, derived_id
from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import (
    ROLE_KIND,
    ROLE_PREFIX,
    Because,
    Lifecycle,
    Profile,
    is_role_edge,
    lifecycle_of,
    profile_of,
    role_scope,
    subject_of,
)
from memfs.model.survey import Bond, Part, Survey
from memfs.model.values import JsonValue
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_lifecycle import check_step, is_of_project
from memfs.services.graph_drafts import edge_draft

_TOPICS: Final = {Profile.REPO_ARCHITECTURE: "architecture", Profile.REPO_DATAFLOW: "dataflow"}
_OFTEN_MOVED: Final = ("lifecycle", "touched", "reason", "because", "repeats", "saturation")
_CUT: Final = frozenset({"time", "bytes", "files", "parts"})
"""Why files or parts are left out though nothing is wrong with them."""
_GONE: Final = "what it was read off changed or is gone, and nothing shows it now"
Key = tuple[str, str, str]
Ends = tuple[str, str, str]
"""Where an edge begins, its relation, and where it leads."""


@dataclass(slots=True, kw_only=True)
class Claims:
    """What a scan would do; nothing of it is done.

    Attributes:
        made: New memories, observed.
        refreshed: Memories as they stand behind it, the same words read off other bytes.
        restated: Memories with other words, observed anew.
        staled: Memories of which nothing shows now that they hold.
        unchanged: How many stand as they did.
        aside: How many a person put aside, and stay so.
        edges: New edges.
        gone: Ids of edges that are seen no more.
        again: Ids of what had been put up for review and says otherwise now.
        weights: How much leans on each memory, by its id.
    """

    made: list[Record] = field(default_factory=list)
    refreshed: list[Record] = field(default_factory=list)
    restated: list[Record] = field(default_factory=list)
    staled: list[Record] = field(default_factory=list)
    unchanged: int = 0
    aside: int = 0
    edges: list[Record] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)
    weights: Mapping[str, int] = field(default_factory=dict)

    @property
    def changed(self) -> list[Record]:
        """Memories that stand and change."""
        return [*self.refreshed, *self.restated, *self.staled]


def memory_id(store: str, role: str, key: Key) -> str:
    """Returns the id of a part in what a role remembers; the same on every platform (E17)."""
    told = (unicodedata.normalize("NFC", part.replace("\\", "/")) for part in key)
    return derived_id(ROLE_PREFIX, "repo", store, role, *told)


def edge_id(ends: Ends, turn: int = 0) -> str:
    """Returns the id of an edge; ``turn`` counts how often it went and came back."""
    return derived_id(EDGE_PREFIX, "repo", *ends, *((str(turn),) if turn else ()))


def bears_on_scan(role: str, record: Record, is_new: bool) -> bool:
    """Tells whether what a scan decides rests on a record that came or changed beside it."""
    del is_new
    return record.scope == role_scope(role) and (is_of_project(record) or is_role_edge(record))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimer:
    """Whose memory it becomes, in which store, and when."""

    store: str
    role: str
    now: datetime

    def claims(
        self, seen: Survey, standing: Mapping[str, Record], edges: Mapping[Ends, str]
    ) -> Claims:
        """Compares a survey with what stands.

        Args:
            seen: What was seen.
            standing: What the role remembers of the project, by id, in any state.
            edges: Ids of the edges between those that are served, by their ends.
        """
        found = Claims()
        ids = {key: memory_id(self.store, self.role, key) for key in seen.parts}
        is_partial = not _CUT.isdisjoint(seen.left_out)
        met: set[str] = set()
        for key, part in seen.parts.items():
            if ids[key] in met:
                # Two files whose names are one on another platform: one memory, that of the first.
                continue
            met.add(ids[key])
            draft = self._memory(ids[key], part, seen.digests)
            old = standing.get(ids[key])
            if old is None:
                found.made.append(draft)
            else:
                self._compare(old, draft, found, _is_cut(old, draft, seen))
        for name, old in standing.items():
            if name not in met and is_of_project(old):
                self._missed(old, seen, found, is_partial=is_partial)
        self._join(seen, ids, edges, found)
        found.weights = _weights(seen.bonds, ids)
        return found

    # Memories ------------------------------------------------------------------------------

    def _memory(self, identifier: str, part: Part, digests: Mapping[str, str]) -> Record:
        sources = [f"file:{name}" for name in part.sources]
        seams = [f"test:{name}" for name in part.seams]
        said: dict[str, JsonValue] = {
            "profile": str(part.profile),
            "lifecycle": str(Lifecycle.OBSERVED),
            "target": part.symbol,
            "topic": _TOPICS[part.profile],
            "question": part.question,
            "implication": part.implication,
            "anchors": [*sources, *seams],
            "source_hashes": [f"file:{name}={digests[name]}" for name in part.sources],
            "salience": part.salience,
            "saturation": 0.0,
            "touched": format_instant(self.now),
        }
        return Record(
            kind=ROLE_KIND,
            id=identifier,
            title=part.claim,
            subject=subject_of(part.symbol, _TOPICS[part.profile]),
            scope=role_scope(self.role),
            observed=self.now,
            confidence=part.confidence,
            tags=part.tags,
            fields=said,
            authority=Authority.NONE,
        )

    def _compare(self, old: Record, draft: Record, found: Claims, is_cut: bool) -> None:
        state = lifecycle_of(old)
        if profile_of(old) is not profile_of(draft) or state in (None, Lifecycle.RETIRED):
            found.aside += 1
            return
        is_same = _words(old) == _words(draft)
        if is_cut and state is not Lifecycle.STALE:
            found.unchanged += 1
            return
        if is_same and _rest(old) == _rest(draft) and state is not Lifecycle.STALE:
            found.unchanged += 1
            return
        if is_same and state is not Lifecycle.STALE:
            found.refreshed.append(self._taking(old, draft))
            return
        moved = self.moved(old, Lifecycle.STALE, Lifecycle.OBSERVED)
        if moved is None:
            found.aside += 1
            return
        if state in (Lifecycle.PROPOSED, Lifecycle.ACCEPTED):
            found.again.append(old.id)
        found.restated.append(self._taking(moved, draft))

    def _taking(self, old: Record, draft: Record) -> Record:
        """Returns a memory that says what was seen now, in the state that it is in."""
        kept = {name: old.fields[name] for name in _OFTEN_MOVED if name in old.fields}
        touched = {"touched": format_instant(self.now)}
        return replace(
            old,
            title=draft.title,
            tags=draft.tags,
            confidence=draft.confidence,
            fields={**old.fields, **draft.fields, **kept, **touched},
        )

    def moved(
        self, old: Record, *states: Lifecycle, why: str = "", because: Because | None = None
    ) -> Record | None:
        """Returns a memory that went through states; ``None`` where the table lets it not."""
        profile, before = profile_of(old), lifecycle_of(old)
        if profile is None or before is None:
            return None
        for state in states:
            if state is before:
                continue
            if check_step(profile, before, state) is not None:
                return None
            before = state
        told = {"reason": why, "because": str(because)} if because is not None else {}
        others = {k: v for k, v in old.fields.items() if k not in ("reason", "because")}
        changed = {"lifecycle": str(before), "touched": format_instant(self.now), **told}
        return replace(old, fields={**others, **changed})

    def _missed(self, old: Record, seen: Survey, found: Claims, *, is_partial: bool) -> None:
        """Marks what nothing shows any more; what could not be looked at is left as it is."""
        if lifecycle_of(old) in (Lifecycle.STALE, Lifecycle.RETIRED):
            found.aside += lifecycle_of(old) is Lifecycle.RETIRED
            found.unchanged += lifecycle_of(old) is Lifecycle.STALE
            return
        told = [item.rpartition("=") for item in texts_field(old, "source_hashes")]
        names = {anchor.removeprefix("file:"): digest for anchor, _, digest in told}
        is_other = any(seen.digests.get(name, digest) != digest for name, digest in names.items())
        is_unknown = not seen.unread.isdisjoint(names) or is_partial
        if is_unknown and not is_other:
            found.unchanged += 1
            return
        gone = self.moved(old, Lifecycle.STALE, why=_GONE, because=Because.EXPIRED)
        if gone is None:
            found.aside += 1
        else:
            found.staled.append(gone)

    # Edges ---------------------------------------------------------------------------------

    def _join(
        self,
        seen: Survey,
        ids: Mapping[Key, str],
        standing: Mapping[Ends, str],
        found: Claims,
    ) -> None:
        wanted: dict[Ends, Bond] = {}
        for bond in seen.bonds:
            if ids[bond.start] != ids[bond.end]:
                wanted[ids[bond.start], str(bond.relation), ids[bond.end]] = bond
        for ends, bond in wanted.items():
            if ends not in standing:
                found.edges.append(self._edge(ends, bond))
        if "edges" in seen.left_out or "parts" in seen.left_out:
            # Some bonds were seen and not kept: that one is not among them says nothing.
            return
        looked_at = frozenset(ids[key] for key in seen.parts)
        found.gone += [
            name
            for ends, name in standing.items()
            if {ends[0], ends[2]} <= looked_at and ends not in wanted
        ]

    def _edge(self, ends: Ends, bond: Bond) -> Record:
        drawn = edge_draft(role_scope(self.role), ends[0], ends[2], ends[1])
        fields: dict[str, JsonValue] = {
            **drawn.fields,
            "profile": bond.start[0],
            "lifecycle": str(Lifecycle.OBSERVED),
            "claim": bond.claim,
            # The digest of what it was read off stands in the memory that it begins at: where that
            # is stale the edge is, and an edge is not drawn anew with every change of a file.
            "anchors": [f"file:{bond.source}"],
        }
        return replace(
            drawn,
            id=edge_id(ends),
            observed=self.now,
            confidence=bond.confidence,
            fields=fields,
            authority=Authority.NONE,
        )


def _is_cut(old: Record, draft: Record, seen: Survey) -> bool:
    """Tells whether what differs may come from files that were not looked at this time alone.

    What was looked at of its own sources is as it was; the others, or other files, were left out.
    """
    before, now = (set(texts_field(item, "source_hashes")) for item in (old, draft))
    names = {item.rpartition("=")[0].removeprefix("file:") for item in before - now}
    is_unread = bool(names) and names <= seen.unread
    return now <= before and (is_unread or (now == before and not _CUT.isdisjoint(seen.left_out)))


def _words(record: Record) -> tuple[JsonValue, ...]:
    return (record.title, record.fields.get("implication"))


def _rest(record: Record) -> tuple[object, ...]:
    listed = (texts_field(record, name) for name in ("anchors", "source_hashes"))
    told = (record.fields.get(name) for name in ("question", "salience"))
    return (*listed, *told, record.tags, record.confidence)


def _weights(bonds: Sequence[Bond], ids: Mapping[Key, str]) -> Mapping[str, int]:
    """Counts what leads to each memory; what a test tries counts twice."""
    found: Counter[str] = Counter()
    for bond in bonds:
        if bond.relation != "contains":
            found[ids[bond.end]] += 2 if bond.relation == "tests" else 1
    return found


def with_turns(edges: Iterable[Record], taken: Mapping[str, bool]) -> list[Record]:
    """Returns edges under ids that are free: one that went and comes back is another.

    Args:
        edges: New ones.
        taken: Ids that stand in the ledger, and whether the edge ended because it was seen no
            more; one that ended otherwise was put aside and does not come back.
    """
    found = []
    for edge in edges:
        ends, turn = ends_of_edge(edge), 0
        while taken.get(edge_id(ends, turn), False):
            turn += 1
        if edge_id(ends, turn) not in taken:
            found.append(replace(edge, id=edge_id(ends, turn)))
    return found
