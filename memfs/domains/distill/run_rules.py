"""What an ended run tells: that it ended, the issues it changed, the failure it mended. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memfs.domains.distill.material import RunSeen
from memfs.domains.distill.products import (
    SUMMARY_CHARS,
    EdgeFound,
    EventFound,
    Product,
    Trust,
    product_key,
)
from memfs.model.event import EventSort

_TITLE_CHARS: Final = 120
_DONE: Final = "done"


def run_key(run: str) -> str:
    """Returns the key of the event of a run."""
    return product_key("run", run)


def products_of_run(seen: RunSeen) -> Iterator[Product]:
    """Yields the event of a run, then its edges."""
    event = _event(seen)
    if event is None:
        return
    yield event
    targets = [("changed", name) for name in seen.issues]
    if event.sort is EventSort.LEARNING:
        targets.append(("remedies", run_key(seen.remedies)))
    for relation, end in targets:
        yield EdgeFound(
            key=product_key("edge", event.key, relation, end),
            source=event.source,
            trust=Trust.SEEN,
            start=event.key,
            relation=relation,
            end=end,
            at=seen.at,
        )


def _event(seen: RunSeen) -> EventFound | None:
    task = " ".join(seen.task.split())
    if not task:
        return None
    is_done = seen.state == _DONE
    is_remedy = is_done and bool(seen.remedies) and bool(seen.summary)
    title = task if is_done else f"{task} ({'failed' if seen.state == 'error' else seen.state})"
    return EventFound(
        key=run_key(seen.id),
        source=f"run:{seen.id}",
        trust=Trust.SEEN,
        title=title[:_TITLE_CHARS],
        sort=EventSort.LEARNING if is_remedy else EventSort.WORK,
        at=seen.at,
        summary=" ".join(seen.summary.split())[:SUMMARY_CHARS],
        run=seen.id,
        commit=seen.commit,
        derived_from=(seen.reference,),
        replaces=tuple(run_key(name) for name in seen.replaces),
        importance=6 if is_remedy or not is_done else 5,
        confidence=0.8 if is_remedy else 1.0,
    )
