"""Moving a memory in, in nine stages that can be interrupted and stepped back from (A76, A79).

:class:`memfs.app.memory.Memory` inherits it. After each stage the store's private note says how
far it is; whoever comes next goes on from there. Only a person migrates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from memfs.app.opened import Opened
from memfs.errors import AccessError, UsageError
from memfs.model.migration import STAGES, Migration, MigrationSource, Stage
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_operation
from memfs.policy.migration_stages import (
    RULES,
    Standing,
    stage_before,
    stage_to_undo,
    stages_left,
    standing_of,
)

if TYPE_CHECKING:
    from memfs.app.memory import Memory
    from memfs.app.migration_steps import Step
    from memfs.model.values import JsonValue

ACTION: Final = "migrate"
OnStage = Callable[[Stage, str], None]
"""Told of each stage when it is done, and what came of it."""


class OtherMigrationError(UsageError):
    """A migration of something else is under way."""

    code = "migration.other-source"


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationWish:
    """What a person asks for.

    Attributes:
        source: What to move in; ``None`` to go on, or for the store's own older layout.
        format_name: Name of an importer, or ``auto``.
        accept: Take what is imported in one commit, instead of letting it wait for review. May
            be said until it is imported, and is not taken back by saying nothing.
        until: Stop after this stage.
    """

    source: Path | None = None
    format_name: str = "auto"
    accept: bool = False
    until: Stage = Stage.FINALISE


class Migrating(Opened):
    """The verbs by which a person moves another memory into a store."""

    def migrate(
        self, wish: MigrationWish, *, dry_run: bool = False, on_stage: OnStage | None = None
    ) -> Result:
        """Does the stages that are left, in order; nothing where all are done.

        Args:
            wish: What to move, and how far.
            dry_run: Only look, and tell what each stage would do; nothing is written.
            on_stage: Told of each stage when it is done.

        Raises:
            AccessError: Whoever asks is no person, or memory is off.
            MigrationRunningError: Another process migrates.
            OtherMigrationError: Something else is under way.
            NotReadyError: A stage cannot be done as things are; those before it stay done.
        """
        from memfs.services.migration_state import migrating, read_migration

        memory = self._migrator()
        if dry_run:
            return self._migration_foreseen(wish)
        self._take_in()
        with migrating(self.workspace):
            standing, migration = self._migration_met(wish, read_migration(self.workspace))
            if standing is Standing.OVER and migration is not None:
                return self._migration_told(
                    migration, "everything was done before", is_nothing=True
                )
            if migration is None:
                migration = self._new_migration(wish)
            left = stages_left(migration if standing is not Standing.BEGIN else None, wish.until)
            if wish.accept and Stage.IMPORT in left:
                migration = replace(migration, is_accepting=True)
            problems: list[str] = []
            for stage in left:
                migration, step = _advanced(memory, migration, stage)
                problems += step.problems
                if on_stage is not None:
                    on_stage(stage, step.words)
        if not left:
            return self._migration_told(migration, "nothing was left to do", is_nothing=True)
        return self._migration_told(migration, _words(migration), problems=problems)

    def migrate_back(self) -> Result:
        """Steps back from the newest stage; what was withdrawn stays withdrawn.

        Raises what :meth:`migrate` raises.
        """
        from memfs.app.migration_steps import undo
        from memfs.services.migration_state import (
            end_migration,
            migrating,
            read_migration,
            write_migration,
        )

        memory = self._migrator()
        self._take_in()
        with migrating(self.workspace):
            migration = read_migration(self.workspace)
            if migration is None:
                return self._no_migration()
            stage = stage_to_undo(migration)
            if migration.undoing is None:
                # Noted first: whoever finds it half done ends it, or does the stage anew.
                trips = migration.trips + (stage is Stage.IMPORT)
                migration = replace(migration, undoing=stage, trips=trips)
                write_migration(self.workspace, migration)
            step = undo(memory, stage, migration)
            before = stage_before(stage)
            if before is None:
                end_migration(self.workspace)
            else:
                counts = MappingProxyType({**migration.counts, **step.counts})
                migration = replace(migration, done=before, undoing=None, counts=counts)
                write_migration(self.workspace, migration)
        if before is None:
            words = f"back from {stage}: {step.words}"
            return replace(self._no_migration(), status=ResultStatus.DONE, message=words)
        return self._migration_told(
            migration, f"back from {stage}: {step.words}; {before} is the newest done"
        )

    def migration_status(self) -> Result:
        """Tells how far the migration of the store is; changes nothing.

        Raises:
            AccessError: Whoever asks is no person.
        """
        from memfs.services.migration_state import read_migration

        self._migrator()
        migration = read_migration(self.workspace)
        if migration is None:
            return self._no_migration()
        return self._migration_told(migration, _words(migration), is_nothing=True)

    def _migrator(self) -> Memory:
        """Returns this memory where whoever asks may migrate it."""
        memory = cast("Memory", self)
        memory._require_switched_on()
        decision = decide_operation("migration.run", self.actor, self.workspace.settings)
        if not decision.is_admitted:
            first = decision.reasons[0]
            raise AccessError(
                first.message, code=first.code, hint="a person migrates, in a terminal"
            )
        return memory

    def _migration_met(
        self, wish: MigrationWish, migration: Migration | None
    ) -> tuple[Standing, Migration | None]:
        """Tells how a wish meets what is under way; the migration is the one to go on with."""
        wanted: MigrationSource | None = None
        if wish.source is not None or migration is None:
            wanted = self._migration_source(wish)
        elif migration.is_over:
            # An older layout may have come since, by a merge with a clone that still has it.
            layout = self._migration_source(wish)
            wanted = layout if layout.digest else None
        standing = standing_of(migration, wanted)
        if standing is Standing.OTHER and migration is not None:
            place = migration.source.path or "the older layout"
            raise OtherMigrationError(
                f"expected {place}, which is under way, got another source",
                hint="finish it with memfs migrate, or step back with memfs migrate --back",
            )
        return standing, None if standing is Standing.BEGIN else migration

    def _migration_source(self, wish: MigrationWish) -> MigrationSource:
        from memfs.app.migration_source import find_source

        memory = cast("Memory", self)
        return find_source(self.workspace, wish.source, wish.format_name, memory.open_other)

    def _new_migration(self, wish: MigrationWish) -> Migration:
        """Returns a migration of which nothing is done; its first stage is noted once it is."""
        from memfs.app.migration_steps import new_name

        now = self.workspace.clock.now()
        return Migration(
            name=new_name(now, self.workspace.ids.new_id("tx")),
            source=self._migration_source(wish),
            is_accepting=wish.accept,
            mode=self.workspace.settings.mode,
            started=now,
            done=STAGES[0],
        )

    def _migration_foreseen(self, wish: MigrationWish) -> Result:
        from memfs.app.migration_steps import look
        from memfs.services.migration_state import read_migration

        known = read_migration(self.workspace)
        standing, migration = self._migration_met(wish, known)
        if standing is Standing.OVER and migration is not None:
            return self._migration_told(migration, "everything was done before", is_nothing=True)
        left = stages_left(migration, wish.until)
        migration = migration or self._new_migration(wish)
        step = look(cast("Memory", self), migration) if Stage.PREFLIGHT in left else None
        lines = [f"{stage}: {RULES[stage].does}" for stage in left]
        words = step.words if step is not None else f"{len(left)} stages are left"
        told = self._migration_told(migration, f"{words}; nothing was written", is_nothing=True)
        problems = list(step.problems) if step is not None else []
        return replace(told, data={**told.data, "preview": [*lines], "problems": [*problems]})

    def _no_migration(self) -> Result:
        return Result(
            action=ACTION,
            target=self.workspace.settings.project,
            status=ResultStatus.NOTHING,
            message="no migration is under way",
            store=str(self.workspace.store.root),
            data={"done": "", "stages": []},
        )

    def _migration_told(
        self,
        migration: Migration,
        words: str,
        *,
        problems: list[str] | None = None,
        is_nothing: bool = False,
    ) -> Result:
        from memfs.services.backups import backup_folder

        place = str(backup_folder(self.workspace) / migration.backup) if migration.backup else ""
        data: dict[str, JsonValue] = {
            "migration": migration.name,
            "source": migration.source.path,
            "sort": str(migration.source.sort),
            "done": str(migration.done),
            "undoing": str(migration.undoing or ""),
            "stages": [*_stages(migration)],
            "mode": str(self.workspace.settings.mode),
            "counts": dict(migration.counts),
            "backup": place,
            "problems": [*dict.fromkeys(problems or ())],
        }
        status = ResultStatus.PROBLEMS if problems else ResultStatus.DONE
        return Result(
            action=ACTION,
            target=self.workspace.settings.project,
            status=ResultStatus.NOTHING if is_nothing else status,
            message=words,
            store=str(self.workspace.store.root),
            data=data,
        )


def _advanced(memory: Memory, migration: Migration, stage: Stage) -> tuple[Migration, Step]:
    """Does one stage and notes it; the note is written when the work is there."""
    from memfs.app.migration_steps import perform
    from memfs.services.migration_state import write_migration

    workspace = memory.workspace
    if stage is Stage.IMPORT and not migration.base:
        # Known before anything comes in: that is how what came in is found again.
        migration = replace(migration, base=workspace.store.ledger_head() or "")
        write_migration(workspace, migration)
    step = perform(memory, stage, migration)
    migration = replace(
        migration,
        done=stage,
        undoing=None,
        backup=step.details.get("backup", migration.backup),
        counts=MappingProxyType({**migration.counts, **step.counts}),
    )
    write_migration(workspace, migration)
    return migration, step


def _stages(migration: Migration) -> Iterator[JsonValue]:
    left = stages_left(migration)
    for stage in STAGES:
        yield {"stage": str(stage), "state": "left" if stage in left else "done"}


def _words(migration: Migration) -> str:
    if migration.undoing is not None:
        return (
            f"a step back from {migration.undoing} was interrupted: "
            "memfs migrate --back ends it, memfs migrate goes on"
        )
    left = stages_left(migration)
    if not left:
        return "all nine stages are done"
    return f"{migration.done} is done, {left[0]} comes next"
