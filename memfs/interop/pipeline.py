"""From a path to submissions: what an import asks to admit, and what it cannot.

Nothing here decides. Each submission says that it was imported and from where; policy
gives it no more than that is worth. The source is only read (A77).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from memfs.interop.detect import AUTO, Part, find_parts
from memfs.interop.draft_bounds import bounded_item
from memfs.interop.port import ImportItem
from memfs.interop.sources import item_of_problem
from memfs.model.candidate import Submission
from memfs.model.frozen import frozen
from memfs.model.origin import Actor, Channel, Origin
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record
from memfs.policy.authority import origin_class

MIXED: Final = "mixed"


@frozen
class ImportBatch:
    """What stands at one path.

    Attributes:
        format: Name of the format, or ``mixed``.
        path: As the person gave it.
        items: Read while they are taken, in a stable order; to be taken once.
    """

    format: str
    path: Path
    items: Iterator[ImportItem]

    def __iter__(self) -> Iterator[ImportItem]:
        return self.items


def read_items(path: Path, format_name: str = AUTO) -> ImportBatch:
    """Opens an import.

    Raises:
        ImportPathError: Nothing is there.
        UnknownFormatError: No such format, or none fits.
    """
    parts, problems = find_parts(path, format_name)
    names = {part.importer.name for part in parts}
    return ImportBatch(
        format=names.pop() if len(names) == 1 else MIXED,
        path=path,
        items=_items_of(path, parts, problems),
    )


def submissions_from(
    items: Iterable[ImportItem], *, actor: Actor, now: datetime
) -> Iterator[Submission | ImportItem]:
    """Turns items with a draft into submissions and hands the others through.

    The key of a submission is the digest of its item, so that the same source a second
    time asks for nothing new. An item whose digest was already seen in this batch comes
    back with a warning and without a draft. Warnings about an item that has a draft follow
    its submission, as an item of their own that is not malformed.
    """
    seen: set[str] = set()
    for item in items:
        if item.draft is None:
            yield item
        elif item.digest in seen:
            yield _repeated(item)
        else:
            seen.add(item.digest)
            yield _submission(item, item.draft, actor, now)
            if item.problems:
                yield replace(item, draft=None)


def _items_of(
    root: Path, parts: tuple[Part, ...], problems: tuple[Problem, ...]
) -> Iterator[ImportItem]:
    for problem in problems:
        yield item_of_problem(problem, source=f"import:{MIXED}")
    for part in parts:
        for item in part.importer.read(part.path, part.below):
            yield bounded_item(item, root)


def _submission(item: ImportItem, draft: Record, actor: Actor, now: datetime) -> Submission:
    origin = Origin(
        origin_class=origin_class(Channel.IMPORT),
        principal=actor.principal,
        channel=Channel.IMPORT,
        source=item.cites or item.source,
        digest=item.digest,
        speaker=item.speaker,
    )
    # What says itself when it was learned keeps that, unless it would be later than now.
    observed = min(draft.observed, now) if draft.observed is not None else now
    record = replace(draft, origin=origin, observed=observed)
    return Submission(draft=record, origin=origin, key=item.digest)


def _repeated(item: ImportItem) -> ImportItem:
    path = item.source.partition("/")[2]
    message = "the same content stands earlier in this import"
    problem = Problem(path, 0, 0, "import.repeated", message, severity=Severity.WARNING)
    return replace(item, draft=None, problems=(*item.problems, problem))
