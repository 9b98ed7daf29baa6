"""All of a role's memory in one look, for whoever looks after it: no transcript is needed (E58).

What it took in, what lasts and where that is from, what ripens and how far, what presses, what it
might do and whether it may, what was done to it, and what is stale. Everything that is said of how
a memory stands is found now. Evidence stands apart from what is only remembered (E44).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from memfs.domains.roles.answers import memory_value
from memfs.domains.roles.packets.packet_cuts import is_stale
from memfs.domains.roles.packets.packet_words import receipt_value
from memfs.domains.roles.packets.picture import Looking, Picture
from memfs.domains.roles.packets.role_status import RoleStatus, candidates, status_of, status_value
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    Lifecycle,
    Profile,
    lifecycle_of,
    number_of,
    profile_of,
)
from memfs.model.values import JsonValue
from memfs.policy.relations import ends_of_edge, is_pressure
from memfs.policy.role_cuts import contradictions, is_put_aside
from memfs.policy.role_readiness import Readiness
from memfs.policy.role_ripening import ripeness_of

MOST_LINES: Final = 50
"""So many memories of a part are shown one by one; the rest is counted."""
MOST_LINEAGE: Final = 8
"""So many edges are told at a memory; the rest is counted."""
PARTS: Final[Sequence[tuple[str, tuple[Profile, ...]]]] = (
    ("identity", (Profile.IDENTITY,)),
    ("durable", (Profile.ROLE_SELF,)),
    ("short-term", (Profile.CONVERSATION,)),
    ("incubation", (Profile.INCUBATION,)),
    ("pressure", (Profile.AGENCY_PRESSURE,)),
    ("candidates", (Profile.CANDIDATE_INTERVENTION,)),
    ("evidence", (Profile.EVIDENCE,)),
    ("project", (Profile.REPO_ARCHITECTURE, Profile.REPO_DATAFLOW)),
)
"""The parts of the view, with the profiles that stand in each."""


@frozen
class Line:
    """One memory in the view.

    Attributes:
        record: As the reader may see it.
        notes: How it stands as found now, in words of this build, with ids and numbers.
        lineage: Where it comes from and what came of it: relation and id, a line an edge.
    """

    record: Record
    notes: tuple[str, ...] = ()
    lineage: tuple[str, ...] = ()


@frozen
class Part:
    """One part of the view: the memories that are shown, and how many are not."""

    name: str
    lines: tuple[Line, ...] = ()
    beyond: int = 0
    aside: int = 0


@frozen
class OperatorView:
    """All of a role's memory.

    Attributes:
        status: The counts.
        parts: In the order of :data:`PARTS`; those with nothing too.
        summaries: Its summaries.
        receipts: What was done to it, newest first; for a person.
    """

    status: RoleStatus
    parts: tuple[Part, ...] = ()
    summaries: Part = Part(name="summaries")
    receipts: tuple[Record, ...] = ()


def operator_view(looking: Looking, picture: Picture, *, is_all: bool = False) -> OperatorView:
    """Returns the view of a role.

    Args:
        looking: The reader.
        picture: All of the role that they may see.
        is_all: Also what was put aside, one by one.
    """
    writer = _Writer(picture)
    parts = []
    for name, profiles in PARTS:
        found = [r for r in picture.view.memories.values() if profile_of(r) in profiles]
        shown = [r for r in found if is_all or not is_put_aside(r)]
        shown.sort(key=lambda record: (is_put_aside(record), record.id))
        lines = tuple(map(writer.line, shown[:MOST_LINES]))
        beyond, aside = max(0, len(shown) - MOST_LINES), len(found) - len(shown)
        parts.append(Part(name=name, lines=lines, beyond=beyond, aside=aside))
    summaries = picture.summaries
    return OperatorView(
        status=status_of(looking, picture),
        parts=tuple(parts),
        summaries=Part(
            name="summaries",
            lines=tuple(map(writer.line, summaries[:MOST_LINES])),
            beyond=max(0, len(summaries) - MOST_LINES),
        ),
        receipts=picture.receipts,
    )


class _Writer:
    """Says how each memory stands."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.against = contradictions(picture.view.memories, picture.edges)
        self.readiness: Mapping[str, Readiness] = {r.id: d for r, d in candidates(picture)}
        self.edges: dict[str, list[str]] = {}
        for edge in picture.edges:
            start, relation, end = ends_of_edge(edge)
            likeness = " (likeness, no proof)" if is_pressure(edge) else ""
            self.edges.setdefault(start, []).append(f"{relation} {end}{likeness}")
            self.edges.setdefault(end, []).append(f"{relation}, from {start}{likeness}")

    def line(self, record: Record) -> Line:
        """Returns a memory or a summary with how it stands."""
        lineage = tuple(dict.fromkeys(self.edges.get(record.id, ())))
        beyond = len(lineage) - MOST_LINEAGE
        told = lineage[:MOST_LINEAGE] + ((f"{beyond} more",) if beyond > 0 else ())
        return Line(record=record, notes=tuple(self._notes(record)), lineage=told)

    def _notes(self, record: Record) -> Iterator[str]:
        if is_stale(self.picture, record):
            causes = self.picture.freshness.causes.get(record.id, ())
            yield f"stale: {len(causes)} of its sources changed" if causes else "stale"
        if record.id in self.against:
            yield f"contradicted by {', '.join(self.against[record.id])}"
        match profile_of(record):
            case Profile.INCUBATION:
                ripeness = ripeness_of(record, self.picture.view.memories)
                lacks = "; ".join(ripeness.lacking)
                yield f"support {ripeness.support}, maturity {ripeness.maturity:.2f}" + (
                    f", lacks {lacks}" if lacks else ", ripe"
                )
            case Profile.AGENCY_PRESSURE:
                yield f"intensity {number_of(record, 'intensity'):.2f}"
                if lifecycle_of(record) is Lifecycle.COOLING:
                    yield f"cools until {text_field(record, 'cooling_until') or 'somebody asks'}"
            case Profile.CANDIDATE_INTERVENTION:
                decided = self.readiness.get(record.id)
                if decided is not None:
                    yield f"{text_field(record, 'intent')}: {decided.verdict} (row {decided.row})"
            case None:
                yield (
                    f"covers {len(texts_field(record, 'covers_nodes'))}, "
                    f"leaves out {len(texts_field(record, 'omissions'))}"
                )
            case _:
                pass
        if text_field(record, "because"):
            yield f"put aside: {text_field(record, 'because')}"


def view_value(view: OperatorView) -> dict[str, JsonValue]:
    """Returns the view as plain data."""
    return {
        "status": status_value(view.status),
        "parts": {part.name: _part_value(part) for part in (*view.parts, view.summaries)},
        "receipts": [receipt_value(record) for record in view.receipts],
    }


def _part_value(part: Part) -> JsonValue:
    return {
        "memories": list(_line_values(part.lines)),
        "beyond": part.beyond,
        "put_aside": part.aside,
    }


def _line_values(lines: Iterable[Line]) -> Iterator[JsonValue]:
    for line in lines:
        record = line.record
        yield {
            **memory_value(record),
            "claim": record.title,
            "target": text_field(record, "target"),
            "topic": text_field(record, "topic"),
            "salience": number_of(record, "salience"),
            "confidence": record.confidence,
            "notes": list(line.notes),
            "lineage": list(line.lineage),
        }
