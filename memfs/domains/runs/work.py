"""How work stands for one asker: the last run, what it left to be done, what is open.

Asked of the store of the project alone and through the read gate; what the asker may not see is
not there. Nothing here is in the way of an answer: a fault becomes a code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from memfs.domains.runs.issue_states import MOST_ISSUES, open_hits
from memfs.domains.runs.work_sections import issue_section, run_sections
from memfs.errors import DataError, GitError, IndexUnavailableError, StoreError
from memfs.index.port import IndexHit
from memfs.model.frozen import frozen
from memfs.model.packet import Section
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.services.ports import Workspace
from memfs.services.ranking import ties_of
from memfs.services.shelf import Shelf, shelf
from memfs.services.ties import ties_here
from memfs.store.snapshot import Snapshot

RUN: Final = "run"
ISSUE: Final = "issue"
LOOKED_AT: Final = 8
"""So many of the newest runs are looked at for the last one and the last one of the chain."""
_AT_ONCE: Final = 3
"""So many end in one second, and are told apart by their ids."""
SHOWN_ISSUES: Final = 10
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@frozen
class Work:
    """How work stands.

    Attributes:
        sections: In the order in which they matter; empty where nothing was ever done.
        told: Ids of the runs that the sections tell of.
        trouble: Code of what was in the way; empty when nothing was.
    """

    sections: tuple[Section, ...] = ()
    told: frozenset[str] = frozenset()
    trouble: str = ""


def standing_work(workspace: Workspace, question: Query) -> Work:
    """Returns how work stands for whoever asks ``question``.

    Args:
        workspace: The store of the project.
        question: Who asks and for where; issues that its words are about come first.
    """
    try:
        if not workspace.store.ledger_head():
            return Work()
        return _standing(workspace, replace(question, branch="", is_opening=False))
    except (IndexUnavailableError, StoreError, GitError, DataError) as error:
        return Work(trouble=error.code)
    except OSError:
        return Work(trouble="recall.io")


def _standing(workspace: Workspace, question: Query) -> Work:
    snapshot = workspace.store.snapshot()
    runs = _newest_runs(workspace, snapshot, question)
    issues = _open_issues(workspace, snapshot, question, runs)
    told = [(record, is_own) for is_own, record in enumerate(runs)]
    sections = [
        section for record, is_own in told for section in run_sections(record, is_own=bool(is_own))
    ]
    if issues is not None:
        sections.append(issues)
    return Work(sections=tuple(sections), told=frozenset(record.id for record in runs))


def _newest_runs(workspace: Workspace, snapshot: Snapshot, question: Query) -> list[Record]:
    """Returns the newest run, and behind it the newest of the own chain where it is another."""
    ties = ties_here(workspace, snapshot)
    limit = LOOKED_AT if ties else _AT_ONCE
    found = shelf(workspace, snapshot, replace(question, text="", kinds=(RUN,), limit=limit))
    runs = [stored.record for stored in found.read(found.hits)]
    runs.sort(key=_age, reverse=True)
    own = [run for run in runs if ties and not ties.isdisjoint(ties_of(run))]
    return list({run.id: run for run in (*runs[:1], *own[:1])}.values())


def _age(run: Record) -> tuple[datetime, str]:
    return run.event_time or run.observed or _LONG_AGO, run.id


def _open_issues(
    workspace: Workspace, snapshot: Snapshot, question: Query, runs: Sequence[Record]
) -> Section | None:
    every = shelf(
        workspace, snapshot, replace(question, text="", kinds=(ISSUE,), limit=MOST_ISSUES)
    )
    opened = open_hits(workspace, snapshot, every.hits)
    shown = every.read(_first(every, opened, question, runs)) if opened else ()
    if not shown:
        return None
    return issue_section(
        [stored.record for stored in shown], beyond=max(0, len(opened) - len(shown))
    )


def _first(
    every: Shelf, opened: Sequence[IndexHit], question: Query, runs: Sequence[Record]
) -> Sequence[IndexHit]:
    """Returns the open issues that are shown: about the task, of the last runs, then the newest."""
    if len(opened) <= SHOWN_ISSUES:
        return opened
    places: dict[str, IndexHit] = {hit.path: hit for hit in opened}
    about = every.about(question.text, SHOWN_ISSUES) if question.text.strip() else ()
    # An issue is filed by its id, whose end its file's name ends with.
    ends = [name[-6:] for run in runs for name in _names(run)]
    touched = [path for end in ends for path in places if path.rpartition(".")[0].endswith(end)]
    order = dict.fromkeys((*(hit.path for hit in about if hit.path in places), *touched, *places))
    return [places[path] for path in order][:SHOWN_ISSUES]


def _names(run: Record) -> list[str]:
    issues = run.fields.get("issues")
    return [str(name) for name in issues] if isinstance(issues, list | tuple) else []
