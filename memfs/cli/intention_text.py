"""Intentions as text for a person."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, faint, printable, strong
from memfs.domains.intentions.views import trigger_text
from memfs.model.ids import short_id
from memfs.model.instants import format_instant

if TYPE_CHECKING:
    from memfs.domains.intentions.views import IntentionView


def list_lines(found: tuple[IntentionView, ...]) -> str:
    """Returns a line for each intention."""
    rows = []
    for view in found:
        state = strong(view.state) if view.state == "due" else view.state
        rows.append((short_id(view.id), state, _title(view), faint(_when(view))))
    return columns(rows)


def page(view: IntentionView) -> str:
    """Returns everything that is said of one intention."""
    record, intention = view.stored.record, view.intention
    scope = f" · {record.scope}" if record.scope else ""
    parts = [faint(f"{record.id}  intention · {view.state}{scope}"), strong(_title(view))]
    if record.body.strip():
        parts.append(printable(record.body.strip(), keep_lines=True))
    parts.append("")
    if intention is not None:
        rows = [("asks", printable(trigger_text(intention.trigger)))]
        if view.next:
            rows.append(("next", view.next))
        if intention.due_at is not None:
            rows.append(("due since", format_instant(intention.due_at)))
        if intention.window is not None:
            rows.append(("worth asking", f"for {_length(intention.window)}"))
        if intention.ends is not None:
            rows.append(("ends", format_instant(intention.ends)))
        rows += [("after", name) for name in intention.after]
        rows.append(("asked", f"{intention.asked}, missed {intention.missed}"))
        parts.append(columns(rows))
    if record.superseded_by:
        parts.append(faint(f"superseded by {record.superseded_by}"))
    if view.stored.path:
        parts.append(faint(f"file  {view.stored.path}"))
    return "\n".join(parts)


def _length(window: timedelta) -> str:
    """Returns a duration in the largest unit that it is a whole number of."""
    seconds = int(window.total_seconds())
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _title(view: IntentionView) -> str:
    return printable(view.title) or "(no title)"


def _when(view: IntentionView) -> str:
    if view.intention is None:
        return ""
    when = printable(trigger_text(view.intention.trigger))
    return f"{when}; next {view.next}" if view.next and view.next not in when else when
