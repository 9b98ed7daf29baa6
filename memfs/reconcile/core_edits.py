"""Edits of ``core.md``: each changed line becomes a candidate for the record behind it.

As with ``MEMORY.md``, with two differences. An event is never rewritten, so that a changed line
of one is a new note. And a line that lost its marker while its words stayed is refused: a claim
of core memory without its source is none (O43); it is told, and nothing is proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

from memfs.domains.distill.core import is_pristine
from memfs.model.candidate import Candidate
from memfs.model.event import EVENT_KIND
from memfs.model.frozen import frozen
from memfs.model.problem import Problem, Severity
from memfs.model.record import StoredRecord
from memfs.policy.reasons import reason
from memfs.reconcile.projections import EditKind, ProjectionEdit, revised_record
from memfs.services.core_note import CORE_PATH, read_core_note
from memfs.services.core_view import LINE_CHARS, core_words, told_in_core
from memfs.services.intake import ProposedText, file_texts
from memfs.services.marked_lines import MarkedLine, read_line
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection

NEW_LINE_KIND: Final = "note"
ID_DROPPED: Final = "core.id-dropped"
NOT_GENERATED: Final = "core.not-generated"
_ALIKE: Final = 0.6
"""From here on a line without a marker is the reworded line of a record that has none left."""


@frozen
class CoreEdits:
    """What a person changed in the core.

    Attributes:
        proposals: What is to be filed, in the order of the lines.
        problems: Lines that lost their source.
        is_edited: Whether lines of it were changed, so that it is to be written anew.
    """

    proposals: tuple[ProposedText, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_edited: bool = False


def edits_of_core(workspace: Workspace) -> CoreEdits:
    """Returns what a person changed in the core; costs one small read when nothing was.

    The lines are compared with the ledger as it was when they were written. An empty file was
    deleted rather than edited; one without any generated line is none of memfs's, and is told
    of and left alone.
    """
    text = read_projection(workspace, CORE_PATH)
    if text is None or not text.strip() or is_pristine(text):
        return CoreEdits()
    lines = tuple(_lines_of(text))
    if not any(line.record_id for _, line in lines):
        return CoreEdits(problems=(_foreign(),))
    note = read_core_note(workspace)
    # Where the note is gone nobody knows what stood there: a missing line proves nothing.
    listed = note.told if note is not None else ()
    named = {line.record_id for _, line in lines if line.record_id}
    known = told_in_core(workspace, {*listed, *named}, commit=note.commit if note else "")
    missing = [known[name] for name in listed if name in known and name not in named]
    return _compared(lines, known, missing)


def file_core_edits(workspace: Workspace, found: CoreEdits) -> tuple[Candidate, ...]:
    """Files changed lines as candidates; the core itself is written anew afterwards."""
    return file_texts(workspace, found.proposals) if found.proposals else ()


def _lines_of(text: str) -> Iterator[tuple[int, MarkedLine]]:
    for number, line in enumerate(text.split("\n"), 1):
        found = read_line(line)
        if found is not None:
            yield number, found


def _compared(
    lines: Iterable[tuple[int, MarkedLine]],
    known: Mapping[str, StoredRecord],
    missing: list[StoredRecord],
) -> CoreEdits:
    why = reason("edit.core-line")
    proposals: list[ProposedText] = []
    problems: list[Problem] = []
    for number, line in lines:
        stored = known.get(line.record_id)
        if line.record_id:
            # A line of a record that is no longer served says nothing about any other.
            if stored is not None and line.text != core_words(stored.record):
                proposals.append(_revised(stored, number, line))
            continue
        lost = _lost_line(line.text, missing)
        if lost is None:
            proposals.append(ProposedText(text=line.text, kind=NEW_LINE_KIND, reason=why))
        else:
            missing.remove(lost)
            problems.append(_without_source(number, lost))
    proposals.extend(ProposedText(stored=stored, reason=why) for stored in missing)
    return CoreEdits(proposals=tuple(proposals), problems=tuple(problems), is_edited=True)


def _revised(stored: StoredRecord, number: int, line: MarkedLine) -> ProposedText:
    why = reason("edit.core-line")
    record = stored.record
    if record.kind == EVENT_KIND:
        return ProposedText(text=line.text, kind=NEW_LINE_KIND, reason=why)
    edit = ProjectionEdit(
        kind=EditKind.REVISE,
        line=number,
        record_id=record.id,
        version=record.version,
        text=line.text,
    )
    revised = revised_record(record, edit, limit=LINE_CHARS)
    return ProposedText(
        stored=stored, record=replace(revised, version=record.version + 1), reason=why
    )


def _lost_line(words: str, missing: Iterable[StoredRecord]) -> StoredRecord | None:
    """Returns the record whose line this was before it lost its marker; ``None`` for a new one."""
    shares = (
        (SequenceMatcher(None, words, core_words(stored.record)).ratio(), stored)
        for stored in missing
    )
    alike = [(share, stored) for share, stored in shares if share >= _ALIKE]
    return max(alike, key=lambda item: item[0])[1] if alike else None


def _foreign() -> Problem:
    return Problem(
        CORE_PATH,
        1,
        1,
        NOT_GENERATED,
        "expected the generated core, got a text without any of its lines",
        "move it elsewhere, and the next sleep writes the core anew",
        Severity.WARNING,
    )


def _without_source(number: int, stored: StoredRecord) -> Problem:
    return Problem(
        CORE_PATH,
        number,
        1,
        ID_DROPPED,
        f"expected the marker of {stored.record.reference} at the end of its line, got none",
        f"nothing was proposed; change the line and leave the marker, or: memfs edit "
        f"{stored.record.id}",
        Severity.WARNING,
    )
