"""Procedures as text for people, and as the plain data of ``--json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, counted, faint, printable, strong
from memfs.cli.text import day
from memfs.cli.values import record_value
from memfs.model.ids import short_id
from memfs.model.record import StoredRecord
from memfs.model.record_fields import text_field, texts_field
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.domains.procedures.standing import ProcedureView
    from memfs.policy.procedure_stages import Proof


def procedure_rows(views: Sequence[ProcedureView]) -> str:
    """Returns one line a procedure: end of the id, stage, what it has shown, title and marks."""
    return columns(
        [
            (
                short_id(view.stored.record.id),
                str(view.stage),
                _counts(view.proof),
                f"{printable(view.stored.record.title)}{_marks(view)}",
            )
            for view in views
        ]
    )


def procedure_page(view: ProcedureView) -> str:
    """Returns a procedure as a page: its stage, its conditions, its steps, its episodes."""
    record = view.stored.record
    lines = [
        faint(f"{record.reference}  procedure · {record.scope}"),
        strong(printable(record.title)),
        f"stage {view.stage}, round {view.round}: {_counts(view.proof)}",
    ]
    if view.withheld is not None:
        lines.append(f"not handed out: {view.withheld.message}")
    for name, values in (
        ("applies when", texts_field(record, "applies_when")),
        ("not met here", view.fit.broken),
        ("script", (text_field(record, "script"),)),
        ("tools", texts_field(record, "tools")),
        ("changed since it was tried", view.drift),
    ):
        if any(values):
            lines.append(f"{name}: {printable(', '.join(values))}")
    compared = view.proof.compared
    if compared.pairs:
        lines.append(
            f"beside {counted(compared.pairs, 'attempt')} without memory: "
            f"{compared.better} better, {compared.same} as good, {compared.worse} worse"
        )
    lines += ["", printable(record.body.strip(), keep_lines=True)]
    if view.episodes:
        lines += ["", strong("episodes"), episode_rows(view.episodes)]
    return "\n".join(lines)


def episode_rows(episodes: Sequence[StoredRecord]) -> str:
    """Returns one line an episode: end of the id, day, how it ended, its conditions."""
    return columns(
        [
            (
                short_id(item.record.id),
                day(item.record.observed),
                printable(text_field(item.record, "outcome")),
                printable(", ".join(texts_field(item.record, "conditions"))),
            )
            for item in episodes
        ]
    )


def procedure_value(view: ProcedureView) -> JsonValue:
    """Returns a procedure with what it has shown, as plain data."""
    withheld = view.withheld
    return {
        "record": record_value(view.stored),
        "stage": str(view.stage),
        "round": view.round,
        **view.proof.counts(),
        "changed": list(view.drift),
        "not_met": list(view.fit.broken),
        "withheld": withheld.code if withheld is not None else "",
        "episodes": [item.record.id for item in view.episodes],
    }


def _counts(proof: Proof) -> str:
    counts = f"{proof.success} success, {proof.partial} partial, {proof.failure} failure"
    return f"{counts}, {proof.harmful} harmful" if proof.harmful else counts


def _marks(view: ProcedureView) -> str:
    names = []
    if view.drift:
        names.append("stale")
    if view.fit.broken:
        names.append("not for here")
    if view.stored.record.fields.get("harmed_by"):
        names.append("harmful")
    return faint(f"  ({', '.join(names)})") if names else ""
