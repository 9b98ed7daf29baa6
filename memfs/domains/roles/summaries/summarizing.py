"""Makes conservative summaries of what a role remembers, one for each target and topic.

Pure: the same memories and edges give the same summary under the same id. A summary is derived from
all that it covers, so that it has their labels and is withdrawn with any of them. A wording that
somebody else proposes, a model included, is taken only where nothing is lost by it (E7, E8, E20).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.domains.roles.view import Planned, RoleView
from memfs.model.authority import Authority
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.ids import derived_id
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    ANCHOR_MISSING,
    SUMMARY_KIND,
    SUMMARY_PREFIX,
    Lifecycle,
    lifecycle_of,
    role_of,
    subject_of,
)
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue
from memfs.policy.authority import derive_sensitivity, derive_sinks, derive_taint
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_summaries import (
    COUNTED,
    LEAST_COVERED,
    MOST_COVERED,
    MOST_KEPT_ANCHORS,
    MOST_KEPT_EDGES,
    MOST_KEPT_HASHES,
    MOST_KEPT_TAGS,
    MOST_LINE_BYTES,
    MOST_LINES,
    Part,
    anchors_in,
    cover,
    hashes_in,
    may_cover,
    ranked,
)
from memfs.policy.role_summary_check import Loss, check_summary

_LEADING: Final = ("question", "tension", "implication")
TRANSFORM: Final = "summary"


@frozen
class Wording:
    """Other words for a summary, as somebody proposes them; checked before anything is taken.

    Attributes:
        claim: Of the strongest claim; empty to leave it.
        question: Of one that a covered memory asks.
        tension: Of one that a covered memory names.
        implication: Of one that a covered memory draws.
    """

    claim: str = ""
    question: str = ""
    tension: str = ""
    implication: str = ""


def summary_id(role: str, target: str, topic: str, *more: str) -> str:
    """Returns the id of the summary of one target and topic of a role, the same everywhere."""
    return derived_id(SUMMARY_PREFIX, role, *_theme(target, topic), *more)


def _theme(target: str, topic: str) -> tuple[str, str]:
    """Returns what memories have in common that are summarised together."""
    return normalise_text(target), normalise_text(topic)


def build_summary(
    children: Sequence[Record], edges: Sequence[Record], now: datetime
) -> Record | None:
    """Returns the conservative summary of memories of one target; ``None`` where there are none.

    Args:
        children: What it is to cover, in any order; all of one role and target, and open.
        edges: Edges of role memory; those that touch none of the children are left out.
        now: The present.
    """
    if not children:
        return None
    touching = Joins(edges).of(child.id for child in children)
    covered = cover(children, touching)
    order, parts, figures = covered.order, covered.parts, covered.figures
    head = order[0]
    leading = {sort: next((p for p in parts if p.sort == sort), None) for sort in _LEADING}
    first = {part for part in leading.values() if part is not None}
    rest = [part for part in parts if part not in first and part != _claim_of(parts)]
    kept = _kept(rest)
    anchors, hashes = anchors_in(order), hashes_in(order, touching)
    omissions = [part.omission for part in rest[len(kept) :]]
    omissions += ["anchors"] if len(anchors) > MOST_KEPT_ANCHORS else []
    omissions += ["sources"] if len(hashes) > MOST_KEPT_HASHES else []
    omissions += ["edges"] if len(touching) > MOST_KEPT_EDGES else []
    target, topic = text_field(head, "target"), _shared_topic(order)
    fields: dict[str, JsonValue] = {
        "target": target,
        "topic": topic,
        **{sort: part.text for sort, part in leading.items() if part is not None},
        "anchors": list(anchors[:MOST_KEPT_ANCHORS]) or [ANCHOR_MISSING],
        "source_hashes": list(hashes[:MOST_KEPT_HASHES]),
        "covers_nodes": [child.id for child in order],
        "covers_edges": [edge.id for edge in touching[:MOST_KEPT_EDGES]],
        "omissions": list(dict.fromkeys(omissions)),
        "lifecycle": str(Lifecycle.ACCEPTED),
        **{name: getattr(figures, name) for name in COUNTED},
    }
    return _labelled(
        Record(
            kind=SUMMARY_KIND,
            id=summary_id(role_of(head), target, topic),
            title=head.title,
            subject=f"summary of {subject_of(target, topic)}",
            scope=head.scope,
            observed=now,
            confidence=figures.confidence,
            authority=Authority.NONE,
            body="".join(f"{part.line}\n" for part in kept),
            tags=tuple(sorted({tag for child in order for tag in child.tags}))[:MOST_KEPT_TAGS],
            derived_from=tuple(sorted(child.id for child in order)),
            transform=TRANSFORM,
            fields={name: value for name, value in fields.items() if value not in ("", [], None)},
        ),
        order,
    )


class Joins:
    """Edges by what they join, so that those of a few memories are found without a walk."""

    def __init__(self, edges: Iterable[Record]) -> None:
        self._found: dict[str, list[Record]] = {}
        for edge in edges:
            start, _, end = ends_of_edge(edge)
            for name in {start, end}:
                self._found.setdefault(name, []).append(edge)

    def of(self, names: Iterable[str]) -> tuple[Record, ...]:
        """Returns the edges with an end among ``names``, each once, by id."""
        found = {edge.id: edge for name in names for edge in self._found.get(name, ())}
        return tuple(found[name] for name in sorted(found))


def _claim_of(parts: Sequence[Part]) -> Part | None:
    """Returns the strongest claim, which the title says; one that stands against is a line too."""
    return parts[0] if parts and parts[0].sort == "claim" else None


def _shared_topic(order: Sequence[Record]) -> str:
    topics = {normalise_text(text_field(child, "topic")) for child in order}
    return text_field(order[0], "topic") if len(topics) == 1 else ""


def _kept(parts: Sequence[Part]) -> Sequence[Part]:
    """Returns the first parts that a summary has room for; what comes after is left out, known."""
    size = 0
    for number, part in enumerate(parts):
        size += len(part.line.encode("utf-8", "surrogatepass")) + 1
        if number >= MOST_LINES or size > MOST_LINE_BYTES:
            return parts[:number]
    return parts


def _labelled(summary: Record, children: Sequence[Record]) -> Record:
    """Keeps a summary as closely, and for no longer, than anything that it covers."""
    return replace(
        summary,
        sensitivity=derive_sensitivity(item.sensitivity for item in children),
        sinks=derive_sinks(item.sinks for item in children),
        taint=derive_taint(item.taint for item in children),
        record_class=next((item.record_class for item in children if item.record_class), ""),
        expires=_first_of(item.expires for item in children),
        valid_until=_first_of(item.valid_until for item in children),
    )


def _first_of(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)


def worded(
    summary: Record, wording: Wording, children: Sequence[Record], edges: Sequence[Record]
) -> tuple[Record, tuple[Loss, ...]]:
    """Returns a summary in other words, and what it would lose by them.

    The words that they stand for are kept as lines. Where anything is lost, nothing of the
    proposal is taken and the summary comes back as it was.
    """
    told = {name: text for name in _LEADING if (text := " ".join(getattr(wording, name).split()))}
    title = " ".join(wording.claim.split()) or summary.title
    new = replace(summary, title=title, fields={**summary.fields, **told})
    said = {("claim", normalise_text(title))}
    said |= {(sort, normalise_text(text_field(new, sort))) for sort in _LEADING}
    standing = summary.body.splitlines()
    omitted = set(texts_field(summary, "omissions"))
    touching = Joins(edges).of(child.id for child in children)
    for part in cover(children, touching).parts:
        if part.key not in said and part.omission not in omitted and part.line not in standing:
            standing.append(part.line)
    new = replace(new, body="".join(f"{line}\n" for line in standing))
    lost = check_summary(new, children, touching)
    return (summary, lost) if lost else (new, ())


def lossy(lost: Iterable[Loss]) -> Reason:
    """Returns why other words for a summary are not taken: what would be lost by them."""
    return reason("role.summary-lossy", ", ".join(dict.fromkeys(loss.part for loss in lost)))


def clusters_of(memories: Iterable[Record]) -> tuple[tuple[Record, ...], ...]:
    """Returns what is summarised together: memories of one target and topic, at least two.

    Of more than :data:`MOST_COVERED` the strongest are covered; the others stand for themselves.
    """
    found: dict[tuple[str, str], list[Record]] = {}
    for record in memories:
        if may_cover(record):
            key = _theme(text_field(record, "target"), text_field(record, "topic"))
            found.setdefault(key, []).append(record)
    return tuple(
        ranked(found[key])[:MOST_COVERED]
        for key in sorted(found)
        if len(found[key]) >= LEAST_COVERED
    )


def summaries_for(
    view: RoleView,
    edges: Sequence[Record],
    standing: Mapping[str, Record],
    *,
    taken: Container[str] = frozenset(),
) -> Planned:
    """Plans the summaries of all that a role remembers: new, made again, or put aside.

    Pure; what says the same already is not touched, so that planning twice gives nothing more.

    Args:
        view: What the role remembers, as it will stand.
        edges: Edges of its memory, as they will stand.
        standing: Its summaries by id, as they stand.
        taken: Ids of summaries that stand and may not be read any more: withdrawn ones. What is
            made in their place has an id of its own.
    """
    made: list[Record] = []
    changed: list[Record] = []
    wanted: set[str] = set()
    joins = Joins(edges)
    for children in clusters_of(view.memories.values()):
        touching = joins.of(child.id for child in children)
        built = build_summary(children, touching, view.now)
        if built is None:
            continue
        if built.id in taken:
            target, topic = text_field(built, "target"), text_field(built, "topic")
            built = replace(built, id=summary_id(view.role, target, topic, *built.derived_from))
            if built.id in taken:
                continue
        wanted.add(built.id)
        before = standing.get(built.id)
        if before is None:
            made.append(built)
        elif not is_same_summary(before, built, children, touching):
            changed.append(_again(before, built))
    for name in sorted(standing.keys() - wanted):
        if lifecycle_of(standing[name]) is not Lifecycle.RETIRED:
            fields = {**standing[name].fields, "lifecycle": str(Lifecycle.RETIRED)}
            changed.append(replace(standing[name], fields=fields))
    return Planned(made=tuple(made), changed=tuple(changed))


def is_same_summary(
    standing: Record, built: Record, children: Sequence[Record], edges: Sequence[Record]
) -> bool:
    """Tells whether a summary that stands needs no making again: it lost nothing and is accepted.

    One in other words that lost nothing stays as somebody worded it.
    """
    if _again(standing, replace(built, observed=standing.observed)) == standing:
        return True
    return (
        lifecycle_of(standing) is Lifecycle.ACCEPTED
        and not check_summary(standing, children, edges)
        and texts_field(standing, "omissions") == texts_field(built, "omissions")
    )


def _again(before: Record, built: Record) -> Record:
    """Returns a summary made again: its id, its origin and its version go on."""
    return replace(
        built,
        version=before.version,
        origin=before.origin,
        sensitivity=max(before.sensitivity, built.sensitivity),
        sinks=before.sinks & built.sinks,
        taint=tuple(sorted({*before.taint, *built.taint})),
    )
