"""What each stage of a migration does, and what stepping back from it does.

Each is done again without harm: a process that dies in one leaves the work of the ones before, and
whoever comes next does it anew. Nothing here opens a way of its own: modes change by a decided
commit, what comes in passes the door, what is taken back is retracted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from memfs.app.migration_source import digests_in, find_source, take_in_source
from memfs.errors import ConflictError
from memfs.model.authority import Sink
from memfs.model.migration import Migration, SourceSort, Stage
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.problem import Severity
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.model.result import Result
from memfs.model.settings import Mode
from memfs.model.values import JsonValue
from memfs.policy.migration_stages import RULES, mode_after, stage_before
from memfs.services import migration_trips as trips
from memfs.services.backups import make_backup, read_backup
from memfs.services.guard_retracted import note_restored
from memfs.services.mode_change import put_mode
from memfs.services.modes import mode_error
from memfs.services.old_layout import move_layout, old_places
from memfs.services.ports import Workspace
from memfs.store.layout import SETTINGS_PATH

if TYPE_CHECKING:
    from memfs.app.memory import Memory

PROGRAM: Final = Actor(Principal(PrincipalKind.AGENT, "migration"), Channel.AGENT)
"""In whose place shadow asks: a program like any other, with nothing shared with it."""
_SAMPLE: Final = 20
_AMONG: Final = 20


class NotReadyError(ConflictError):
    """A stage cannot be done as things are; nothing of it was."""

    code = "migration.not-ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What came of one stage.

    Attributes:
        words: What was done, in a few words.
        counts: In numbers, for the account.
        problems: What is to be looked at; it did not stop the stage.
        details: Fields of the migration that are known now.
    """

    words: str
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    problems: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def perform(memory: Memory, stage: Stage, migration: Migration) -> Step:
    """Does one stage; doing it again adds nothing.

    Raises:
        NotReadyError: It cannot be done as things are.
        MemfsError: What the stage itself raises; it is done again when the migration goes on.
    """
    return _FORWARD[stage](memory, migration)


def undo(memory: Memory, stage: Stage, migration: Migration) -> Step:
    """Steps back from one stage; doing it again adds nothing."""
    words, counts = "", dict[str, int]()
    if stage is Stage.IMPORT:
        taken = trips.take_back(memory.workspace, migration, memory.actor)
        waiting = trips.take_out_waiting(memory.workspace, migration)
        counts = {"taken_back": taken, "taken_out": waiting}
        words = f"{taken} taken back, {waiting} taken out of the inbox"
    wanted = mode_after(stage_before(stage), migration.mode)
    if mode_after(stage, migration.mode) is not wanted:
        _mode(memory, wanted)
        words = f"mode: {wanted}"
    return Step(words=words or RULES[stage].undoes, counts=counts)


def look(memory: Memory, migration: Migration) -> Step:
    """Looks at the source and at the store; what keeps a migration from beginning is raised."""
    workspace = memory.workspace
    if workspace.settings.mode is Mode.OFF:
        raise mode_error(workspace)
    _require_settled(workspace)
    faults = [item for item in workspace.store.health() if item.severity is Severity.ERROR]
    if faults:
        raise NotReadyError(
            f"expected a sound repository, got {faults[0]}", hint="mend it: memfs doctor --fix"
        )
    warnings = [str(item) for item in memory.check() if item.severity is Severity.ERROR]
    layout = sum(1 for _ in old_places(workspace.store.snapshot()))
    if migration.source.sort is SourceSort.LAYOUT:
        if not layout:
            raise NotReadyError(
                "expected something to move, got a store in the newest layout",
                hint="memfs migrate SOURCE, where SOURCE is a file, a folder or another store",
            )
        return Step(words=f"would move {layout} files", counts={"old_layout": layout})
    result = _taken_in(memory, migration, dry_run=True)
    found, problems = _number(result.data.get("items")), _texts(result.data.get("problems"))
    left = _number(result.data.get("left"))
    words = _would(found, len(problems), left)
    if not (found or layout):
        raise NotReadyError(
            f"expected something to move in, got nothing: it {words}",
            path=migration.source.path,
            hint=problems[0] if problems else "",
        )
    return Step(
        words=words,
        counts={
            "found": found,
            "malformed": len(problems),
            "left": left,
            "old_layout": layout,
        },
        problems=(*problems, *warnings),
    )


def _quiesce(memory: Memory, migration: Migration) -> Step:
    return _put(memory, migration, Stage.QUIESCE)


def _backup(memory: Memory, migration: Migration) -> Step:
    backup = make_backup(memory.workspace, migration.name)
    return Step(
        words=f"copied ledger and {backup.files} files of the inbox to {backup.place}",
        details={"backup": migration.name},
    )


def _import(memory: Memory, migration: Migration) -> Step:
    taking = _taking(memory)
    moved = move_layout(taking)
    if migration.source.sort is SourceSort.LAYOUT:
        return Step(words=f"moved {moved} files", counts={"moved": moved})
    _check_source(memory, migration)
    said = digests_in(taking, migration.source, memory.actor, memory.open_other)
    again = trips.bring_again(taking, migration, memory.actor, said)
    result = _taken_in(memory, migration)
    _related(taking, migration, memory.actor)
    problems, refused = _texts(result.data.get("problems")), result.data.get("refused")
    refusals = refused if isinstance(refused, list) else []
    came = _came_in(memory, migration)
    recorded = len(came)
    note_restored(taking, (stored.record.id for stored in came))
    counts = {
        "recorded": recorded,
        "waiting": trips.waiting_of(taking, migration),
        "known": max(0, _number(result.data.get("known")) - again),
        "refused": len(refusals),
        "malformed": len(problems),
        "moved": moved,
    }
    words = f"{recorded} recorded, {counts['waiting']} wait for review, {len(refusals)} refused"
    return Step(words=words, counts=counts, problems=(*problems, *map(_refusal, refusals)))


def _reconcile(memory: Memory, migration: Migration) -> Step:
    found = memory.reconcile()
    report = memory.audit(mark=False)
    if not report.is_sound:
        first = next(item for item in report.problems if item.severity is Severity.ERROR)
        raise NotReadyError(
            f"expected a ledger in which everything was decided, got {first}", hint="memfs audit"
        )
    checked = [str(item) for item in memory.check() if item.severity is Severity.ERROR]
    filed = found.data.get("waiting")
    number = len(filed) if isinstance(filed, list) else 0
    return Step(
        words=f"{found.message}; every commit is accounted for",
        counts={"edits": number},
        problems=tuple(checked),
    )


def _project(memory: Memory, migration: Migration) -> Step:
    return Step(words=memory.rebuild().message)


def _shadow(memory: Memory, migration: Migration) -> Step:
    """Puts shadow in force and asks as a program, which is answered nothing and logged nothing."""
    put = _put(memory, migration, Stage.SHADOW)
    titles = [stored for stored in _came_in(memory, migration) if _is_asked_for(memory, stored)]
    step = max(1, len(titles) // _SAMPLE)
    asked, found = 0, 0
    from memfs.services.recall import search

    for stored in titles[::step][:_SAMPLE]:
        query = Query(text=stored.record.title, actor=PROGRAM, sink=Sink.AGENT, limit=_AMONG)
        hits = search(memory.workspace, query).withheld
        asked += 1
        found += any(hit.stored.record.id == stored.record.id for hit in hits)
    words = f"{put.words}; {found} of {asked} that were asked for would be found by a program"
    return Step(words=words, counts={"asked": asked, "found_again": found})


def _enforce(memory: Memory, migration: Migration) -> Step:
    return _put(memory, migration, Stage.ENFORCE)


def _finalise(memory: Memory, migration: Migration) -> Step:
    from memfs.services.receipts import write_account

    backup = read_backup(memory.workspace, migration.backup) if migration.backup else None
    details: dict[str, JsonValue] = {
        "source": str(migration.source.sort),
        "digest": migration.source.digest,
        "backup": backup is not None,
        **migration.counts,
    }
    receipt = write_account(
        memory.workspace,
        operation="migration",
        key=f"{migration.name}\0{migration.trips}",
        details=details,
    )
    problems = () if backup is not None else ("the backup is gone, or is not what was written",)
    return Step(words=f"receipt {receipt.id}", problems=problems)


_FORWARD: Final[Mapping[Stage, Callable[[Memory, Migration], Step]]] = MappingProxyType(
    {
        Stage.PREFLIGHT: look,
        Stage.QUIESCE: _quiesce,
        Stage.BACKUP: _backup,
        Stage.IMPORT: _import,
        Stage.RECONCILE: _reconcile,
        Stage.PROJECT: _project,
        Stage.SHADOW: _shadow,
        Stage.ENFORCE: _enforce,
        Stage.FINALISE: _finalise,
    }
)


def _put(memory: Memory, migration: Migration, stage: Stage) -> Step:
    mode = mode_after(stage, migration.mode)
    _mode(memory, mode)
    return Step(words=f"mode: {mode}")


def _require_settled(workspace: Workspace) -> None:
    """Lets nothing go on beside an edit of the settings: taken later, it would undo the mode."""
    served = workspace.store.snapshot().entry(SETTINGS_PATH)
    if served is None or workspace.store.working_digest(SETTINGS_PATH) != served.blob:
        raise NotReadyError(
            f"expected {SETTINGS_PATH} as it is in force, got an edit that waits",
            path=SETTINGS_PATH,
            hint="decide on it first: memfs review",
        )


def _mode(memory: Memory, mode: Mode) -> None:
    if memory.workspace.settings.mode is not mode:
        _require_settled(memory.workspace)
    put_mode(memory.workspace, mode, memory.actor)
    # What follows, such as projections, is under the mode that is in force now.
    memory._current()


def _taking(memory: Memory) -> Workspace:
    """Returns the store as the migration alone may write to it while it is held still.

    The person who runs it decided on that very import; the settings that are admitted stay in
    force for everybody else, and are the ones that the commit names.
    """
    workspace = memory.workspace
    return replace(workspace, settings=replace(workspace.settings, mode=Mode.ENFORCED))


def _check_source(memory: Memory, migration: Migration) -> None:
    path, format_name = Path(migration.source.path), migration.source.format
    if find_source(memory.workspace, path, format_name, memory.open_other) != migration.source:
        raise NotReadyError(
            "expected the source as preflight found it, got one that changed since",
            code="migration.source-changed",
            path=migration.source.path,
            hint="step back to before preflight, which looks again: memfs migrate --back",
        )


def _taken_in(memory: Memory, migration: Migration, *, dry_run: bool = False) -> Result:
    return take_in_source(
        _taking(memory),
        migration.source,
        memory.actor,
        memory.open_other,
        accept=migration.is_accepting,
        name="" if dry_run else migration.name,
        dry_run=dry_run,
        known=frozenset() if dry_run else trips.digests_of(memory.workspace, migration),
    )


def _related(workspace: Workspace, migration: Migration, actor: Actor) -> None:
    """Makes edges of what imported nodes related to, also where the import died before that."""
    from memfs.domains.nodes.imported import relate_imported, relations_said

    if not migration.is_accepting:
        return
    snapshot = workspace.store.snapshot()
    said = [
        stored.record.reference
        for stored in trips.imported_records(workspace, snapshot, migration)
        if relations_said(stored.record)
    ]
    relate_imported(workspace, said, actor, is_confirmed=True)


def _came_in(memory: Memory, migration: Migration) -> tuple[StoredRecord, ...]:
    """Returns what the migration recorded and what stands as it came, in a fixed order."""
    workspace = memory.workspace
    found = trips.imported_records(workspace, workspace.store.snapshot(), migration)
    return tuple(sorted(found, key=lambda stored: stored.record.id))


def _is_asked_for(memory: Memory, stored: StoredRecord) -> bool:
    kind = memory.workspace.registry.get(stored.record.kind)
    return kind is not None and kind.is_answer and bool(stored.record.title)


def _would(found: int, malformed: int, left: int) -> str:
    parts = (
        f"would import {found} {'item' if found == 1 else 'items'}",
        f"{malformed} cannot be read" if malformed else "",
        f"{left} may not leave their store" if left else "",
    )
    return ", ".join(part for part in parts if part)


def _number(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _refusal(value: JsonValue) -> str:
    if not isinstance(value, dict):
        return str(value)
    return f"{value.get('source')}: {value.get('code')}: {value.get('message')}"


def new_name(moment: datetime, token: str) -> str:
    """Returns the name of a migration: when it began, and the end of an id of its own."""
    return f"migrate-{moment.strftime('%Y%m%dT%H%M%SZ')}-{token[-6:]}"
