"""How memories of a role are made, deepened and moved, and how edges between them are drawn.

Pure but for ids, which the caller makes. A move that the lifecycle table does not have raises
:class:`RefusedError` with the row; planning turns that into an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from memfs.domains.roles.inheriting import resting_on
from memfs.domains.roles.view import RoleView
from memfs.model.authority import Authority
from memfs.model.decision import Reason
from memfs.model.ids import EDGE_PREFIX, is_id
from memfs.model.instants import format_instant
from memfs.model.limits import BODY_BYTES
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    ANCHOR_MISSING,
    ROLE_KIND,
    ROLE_PREFIX,
    Because,
    Lifecycle,
    MemoryRelation,
    Profile,
    lifecycle_of,
    number_of,
    profile_of,
    role_scope,
    subject_of,
)
from memfs.model.role_operation import Anatomy
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue
from memfs.policy.paraphrase import is_paraphrase
from memfs.policy.reasons import reason
from memfs.policy.role_lifecycle import check_step
from memfs.policy.role_operations import MOST_ANCHORS, MOST_TAGS
from memfs.policy.role_ripening import repeated, saturation_at
from memfs.services.graph_drafts import edge_draft

MOST_WORDINGS: Final = 12
"""Wordings that one memory gathers; what comes then begins another."""
DEFAULT_SALIENCE: Final = 0.5
DEFAULT_CONFIDENCE: Final = 0.5
SAYINGS: Final[Mapping[MemoryRelation, str]] = {
    MemoryRelation.DISTILLS: "the one was distilled from the other",
    MemoryRelation.REVISES: "the one takes the place of the other",
    MemoryRelation.RETIRES: "the one put the other aside",
    MemoryRelation.SUPPORTS: "the one supports the other",
    MemoryRelation.GROUNDS: "the other rests on the one",
    MemoryRelation.TRIGGERED: "the one pressed for the other",
    MemoryRelation.SPOKEN_AS: "the one was said, as the other records",
    MemoryRelation.COOLS: "the one was said or done, and cools the other",
    MemoryRelation.CLUSTERS_WITH: "the one was taken into the other",
}
"""What the edges that operations draw claim; no word of a memory stands in one."""


class RefusedError(Exception):
    """An operation is not applied; the reasons say why."""

    def __init__(self, *reasons: Reason) -> None:
        super().__init__(reasons[0].message)
        self.reasons = reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """One operation on one view: who makes ids, and what time it is."""

    view: RoleView
    new_id: Callable[[str], str]

    @property
    def now(self) -> datetime:
        """The present."""
        return self.view.now

    # What is meant ---------------------------------------------------------------------

    def meant(self, identifier: str, *profiles: Profile) -> Record:
        """Returns a memory of the role.

        Raises:
            RefusedError: There is none, or it is of another profile.
        """
        record = self.view.get(identifier)
        if record is None:
            raise RefusedError(reason("role.unknown-memory", identifier))
        if profile_of(record) not in profiles:
            raise RefusedError(reason("role.profile", ", ".join(profiles)))
        return record

    def standing(self, profile: Profile, anatomy: Anatomy) -> Record | None:
        """Returns an open memory of a profile that says the very same of the same."""
        claim = normalise_text(anatomy.claim)
        found = self.view.open_ones(profile, anatomy.target, anatomy.topic)
        return next((item for item in found if normalise_text(item.title) == claim), None)

    def check_pointed(self, names: Iterable[str]) -> None:
        """Lets nothing point at what is not there, or not for whoever applies it.

        Raises:
            RefusedError: Something of an id that is named is not known.
        """
        for name in names:
            if not self.view.has(name):
                raise RefusedError(reason("role.unknown-end", name))

    # Memories --------------------------------------------------------------------------

    def made(
        self,
        profile: Profile,
        anatomy: Anatomy,
        *,
        state: Lifecycle,
        derived_from: tuple[str, ...] = (),
        asked: Anatomy | None = None,
        **fields: JsonValue,
    ) -> Record:
        """Returns a new memory.

        ``asked`` is what of it the proposer says anew, and answers for; ``None`` for all of it.

        Raises:
            RefusedError: It would point at what is not there.
        """
        self.check_pointed(ids_in((asked or anatomy).anchors))
        said: dict[str, JsonValue] = {
            "profile": str(profile),
            "lifecycle": str(state),
            "target": anatomy.target,
            "topic": anatomy.topic,
            "question": anatomy.question,
            "tension": anatomy.tension,
            "implication": anatomy.implication,
            "anchors": list(anatomy.anchors),
            "source_hashes": list(anatomy.source_hashes),
            "salience": _or(anatomy.salience, DEFAULT_SALIENCE),
            "saturation": _or(anatomy.saturation, 0.0),
            "touched": format_instant(self.now),
            **fields,
        }
        made = Record(
            kind=ROLE_KIND,
            id=self.new_id(ROLE_PREFIX),
            title=anatomy.claim,
            subject=subject_of(anatomy.target, anatomy.topic),
            scope=role_scope(self.view.role),
            observed=self.now,
            confidence=_or(anatomy.confidence, DEFAULT_CONFIDENCE),
            tags=anatomy.tags,
            fields={name: value for name, value in said.items() if value not in ("", [], None)},
            # What might be done is worth nothing as a ground for doing it (E30).
            authority=Authority.NONE if profile is Profile.CANDIDATE_INTERVENTION else None,
        )
        return resting_on(made, (self.view.memories[name] for name in derived_from))

    def moved(
        self,
        record: Record,
        state: Lifecycle,
        *,
        why: str = "",
        because: Because | None = None,
        **fields: JsonValue,
    ) -> Record:
        """Returns a memory in another state.

        Raises:
            RefusedError: The lifecycle table has no such move.
        """
        profile, before = profile_of(record), lifecycle_of(record)
        if profile is None or before is None:
            raise RefusedError(reason("role.lifecycle"))
        refused = check_step(profile, before, state)
        if refused is not None:
            raise RefusedError(refused)
        return self.changed(
            record, lifecycle=str(state), reason=why, because=str(because or ""), **fields
        )

    def changed(self, record: Record, **fields: JsonValue) -> Record:
        """Returns a memory with other fields; empty ones stay as they are.

        Saturation is written down as it is now: it goes back by itself from when it was touched.

        Raises:
            RefusedError: A commit made by hand waits on it.
        """
        if record.id in self.view.held:
            raise RefusedError(reason("role.held", record.id))
        told = {name: value for name, value in fields.items() if value not in ("", None)}
        stamped: dict[str, JsonValue] = {"touched": format_instant(self.now)}
        if number_of(record, "saturation"):
            stamped["saturation"] = saturation_at(record, self.now)
        return replace(record, fields={**record.fields, **stamped, **told})

    def deepened(self, record: Record, *sources: Anatomy | Record) -> Record:
        """Returns a memory that took others in: anchors, tags, wordings, and how often.

        Raises:
            RefusedError: It holds as much as it can already.
        """
        parts = [item if isinstance(item, Anatomy) else anatomy_of(item) for item in sources]
        anchors = united_anchors(texts_field(record, "anchors"), *(part.anchors for part in parts))
        hashes = united(texts_field(record, "source_hashes"), *(p.source_hashes for p in parts))
        tags = united(record.tags, *(part.tags for part in parts))
        body = record.body
        for item, part in zip(sources, parts, strict=True):
            body = with_wording(body, record, part, self.now)
            if isinstance(item, Record):
                body = with_lines(body, item.body)
        is_full = (
            len(anchors) > MOST_ANCHORS
            or len(tags) > MOST_TAGS
            or len(hashes) > MOST_ANCHORS
            or len(body.encode()) > BODY_BYTES
        )
        if is_full:
            raise RefusedError(reason("role.full", record.id))
        salience = max(number_of(record, "salience"), *(part.salience or 0.0 for part in parts))
        given = [part.confidence for part in parts if part.confidence is not None]
        grown = replace(record, tags=tags, body=body)
        if not isinstance(sources[0], Record) and given:
            grown = replace(grown, confidence=given[-1])
        if hashes:
            grown = replace(grown, fields={**grown.fields, "source_hashes": list(hashes)})
        return self.changed(
            grown,
            anchors=list(anchors),
            salience=round(salience, 4),
            saturation=repeated(saturation_at(record, self.now), len(parts)),
            repeats=int(number_of(record, "repeats")) + len(parts),
        )

    # Edges -----------------------------------------------------------------------------

    def edge(self, relation: MemoryRelation, start: Record | str, end: Record | str) -> Record:
        """Returns an edge that an operation draws by itself."""
        of = start if isinstance(start, Record) else end
        assert isinstance(of, Record)
        return self._edge(str(relation), start, end, of, claim=SAYINGS[relation])

    def linked(self, record: Record, anatomy: Anatomy) -> tuple[Record, ...]:
        """Returns the edges that the proposer asks for.

        Raises:
            RefusedError: One leads to nothing that may be seen.
        """
        edges = []
        for link in anatomy.links:
            self.check_pointed((link.to, *ids_in(link.anchors)))
            if link.to == record.id:
                raise RefusedError(reason("edge.self"))
            edge = self._edge(link.relation, record, link.to, record, claim=link.claim)
            fields = {
                **edge.fields,
                "anchors": list(link.anchors or (ANCHOR_MISSING,)),
                "source_hashes": list(link.source_hashes),
            }
            told = {name: value for name, value in fields.items() if value != []}
            edges.append(replace(edge, confidence=link.confidence, fields=told))
        return tuple(edges)

    def _edge(
        self, relation: str, start: Record | str, end: Record | str, of: Record, *, claim: str
    ) -> Record:
        first = start.id if isinstance(start, Record) else start
        last = end.id if isinstance(end, Record) else end
        drawn = edge_draft(role_scope(self.view.role), first, last, relation)
        fields: dict[str, JsonValue] = {
            **drawn.fields,
            "profile": text_field(of, "profile"),
            "lifecycle": text_field(of, "lifecycle"),
            "claim": claim,
            "anchors": [f"memory:{name}" for name in (first, last) if is_id(name, ROLE_PREFIX)],
        }
        return replace(drawn, id=self.new_id(EDGE_PREFIX), observed=self.now, fields=fields)

    def until(self, minutes: int) -> str:
        """Returns the instant so many minutes from now."""
        return format_instant(self.now + timedelta(minutes=minutes))


def without_cooling(record: Record) -> Record:
    """Returns a memory that may come up again."""
    fields = {name: value for name, value in record.fields.items() if name != "cooling_until"}
    return replace(record, fields=fields)


# Parts of memories ---------------------------------------------------------------------------


def anatomy_of(record: Record) -> Anatomy:
    """Returns what a memory says, as an operation would say it."""
    return Anatomy(
        target=text_field(record, "target"),
        topic=text_field(record, "topic"),
        claim=record.title,
        question=text_field(record, "question"),
        tension=text_field(record, "tension"),
        implication=text_field(record, "implication"),
        anchors=texts_field(record, "anchors"),
        source_hashes=texts_field(record, "source_hashes"),
        tags=record.tags,
        salience=number_of(record, "salience"),
        confidence=record.confidence,
    )


def words_of(anatomy: Anatomy) -> tuple[str, ...]:
    """Returns the words of an anatomy that a memory which stands would take in."""
    parts = (anatomy.claim, anatomy.question, anatomy.tension, anatomy.implication)
    return tuple(part for part in (*parts, *anatomy.tags, *anatomy.anchors) if part)


def ids_in(anchors: Iterable[str]) -> tuple[str, ...]:
    """Returns the ids that anchors name."""
    places = (anchor.partition(":")[2] for anchor in anchors)
    return tuple(place for place in places if is_id(place))


def united(*lists: Iterable[str]) -> tuple[str, ...]:
    """Returns every item once, in order."""
    return tuple(dict.fromkeys(item for items in lists for item in items))


def united_anchors(*lists: Iterable[str]) -> tuple[str, ...]:
    """Returns every anchor once; the mark that there is none goes with the first that is one."""
    every = united(*lists)
    real = tuple(anchor for anchor in every if anchor != ANCHOR_MISSING)
    return real or every


def is_saying_more(record: Record, anatomy: Anatomy) -> bool:
    """Tells whether an anatomy adds anything to a memory: an anchor, a tag, or other words."""
    anchors = {item for item in anatomy.anchors if item != ANCHOR_MISSING}
    return (
        not anchors <= set(texts_field(record, "anchors"))
        or not set(anatomy.source_hashes) <= set(texts_field(record, "source_hashes"))
        or not set(anatomy.tags) <= set(record.tags)
        or not _is_said(record, anatomy)
    )


def wordings_of(record: Record) -> tuple[str, ...]:
    """Returns the wordings that a memory gathered besides its own, oldest first."""
    lines = (line.removeprefix("- ") for line in record.body.splitlines() if line.startswith("- "))
    return tuple(line.partition(": ")[2] or line for line in lines)


def with_wording(body: str, record: Record, anatomy: Anatomy, now: datetime) -> str:
    """Returns a body with other words of the same, where they are none that stand there."""
    if not anatomy.claim or _is_said(replace(record, body=body), anatomy):
        return body
    day = format_instant(now)[:10]
    return with_lines(body, f"- {day}: {_wording(anatomy)}\n")


def with_lines(body: str, more: str) -> str:
    """Returns a body with the lines of another that it does not have."""
    standing = set(body.splitlines())
    added = [line for line in more.splitlines() if line.strip() and line not in standing]
    if not added:
        return body
    start = body if not body or body.endswith("\n") else f"{body}\n"
    return start + "".join(f"{line}\n" for line in added)


def _wording(anatomy: Anatomy) -> str:
    parts = (anatomy.claim, anatomy.question, anatomy.tension, anatomy.implication)
    return " | ".join(part for part in parts if part)


def _is_said(record: Record, anatomy: Anatomy) -> bool:
    """Tells whether a memory says what an anatomy says, in whatever words."""
    own = anatomy_of(record)
    pairs = (
        (own.claim, anatomy.claim),
        (own.question, anatomy.question),
        (own.tension, anatomy.tension),
        (own.implication, anatomy.implication),
    )
    if all(not new or is_paraphrase(old, new) for old, new in pairs):
        return True
    return any(is_paraphrase(said, _wording(anatomy)) for said in wordings_of(record))


def _or(value: float | None, default: float) -> float:
    return default if value is None else value
