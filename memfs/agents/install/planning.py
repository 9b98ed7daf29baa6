"""Plans what becomes of each file, and carries a plan out.

A plan is all or nothing: one file that has to be left alone leaves all of them alone, and says
why. A second installation that would make memfs answer twice is such a reason. Planning reads
and never writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memfs.agents.install.config_files import (
    ConfigFile,
    may_hold,
    missing_folders,
    read_config,
    real_path,
    remove_folders,
    seen_text,
    write_config,
)
from memfs.agents.install.keeping import Keeper, first_kept, with_program
from memfs.agents.install.refusals import InstallRefusedError
from memfs.agents.install.shelf import InstallScope, Recipe, Target
from memfs.agents.install.texts import Edited, Found, Part
from memfs.model.problem import Problem

TWICE: Final = "install.twice"
NAME: Final = "memfs"
"""Stands in everything that memfs installs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes of one file.

    Attributes:
        file: As it was read.
        after: Its new bytes; ``None`` where there is to be no file.
        original: Its bytes without memfs, for the day when memfs is taken out.
        parts: What of memfs's it is about.
        notes: What has to be said about it, as sentences.
    """

    file: ConfigFile
    after: bytes | None
    original: bytes | None
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether the file changes at all."""
        return self.after != self.file.content


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What becomes of all files of a client.

    Attributes:
        changes: One a file, in the order of the recipe.
        problems: Why nothing is to be written; empty when it may be.
        notes: What has to be said besides.
    """

    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_due(self) -> bool:
        """Whether there is anything to write and nothing against it."""
        return not self.problems and any(change.is_change for change in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One thing of memfs's with the file in which it stands."""

    path: Path
    found: Found


def plan_install(
    chosen: Recipe,
    around: Sequence[Recipe],
    keeper: Keeper,
    *,
    parts: frozenset[Part],
    project: Path,
    force: bool,
) -> Plan:
    """Plans the installation of a client.

    Args:
        chosen: What is to be installed.
        around: What the same client has in the other scope.
        keeper: What is known of the files.
        parts: Which parts are wanted.
        project: Root of the project.
        force: Replace what was edited by hand.
    """
    targets = [target for target in chosen.targets if target.editor.part in parts]
    elsewhere = list(_elsewhere(chosen, around))
    problems = _twice(chosen, elsewhere, targets)
    notes = list(chosen.notes)
    twin = next((item for item in elsewhere if item.found.part is Part.INSTRUCTIONS), None)
    if twin is not None and any(item.editor.part is Part.INSTRUCTIONS for item in targets):
        notes.append(f"the instructions stand in {twin.path} already; they are not put in twice")
        targets = [item for item in targets if item.editor.part is not Part.INSTRUCTIONS]
    within = project if chosen.scope is InstallScope.PROJECT else None

    def edit(target: Target, text: str | None) -> Edited:
        return target.editor.install(text, force=force)

    changes, more = _edited(targets, edit, keeper, within=within, is_install=True)
    return Plan(changes=changes, problems=(*problems, *more), notes=tuple(notes))


def plan_uninstall(
    chosen: Recipe, neighbours: Sequence[Recipe], keeper: Keeper, *, project: Path
) -> Plan:
    """Plans the removal of a client.

    Args:
        chosen: What is to be taken out.
        neighbours: What other clients have in the same scope; what one of them still needs
            stays.
        keeper: What is known of the files.
        project: Root of the project.
    """
    within = project if chosen.scope is InstallScope.PROJECT else None
    notes, targets = [], []
    ours = (target for target in chosen.also if not target.is_shared)
    for target in (*chosen.targets, *ours):
        needed = _needed_by(target, neighbours)
        if needed and seen_text(target.path) is not None:
            notes.append(f"{target.path} stays: {needed} is installed and reads it too")
        elif may_hold(target.path, NAME.encode()):
            targets.append(target)

    def edit(target: Target, text: str | None) -> Edited:
        return Edited(text=None) if text is None else target.editor.uninstall(text)

    changes, problems = _edited(targets, edit, keeper, within=within, is_install=False)
    return Plan(changes=changes, problems=problems, notes=tuple(notes))


def standing(recipes: Iterable[Recipe]) -> Iterator[Standing]:
    """Yields what of memfs's stands in the files of some recipes.

    A file that cannot be read counts as one without memfs.
    """
    seen = set()
    for target in (target for item in recipes for target in (*item.targets, *item.also)):
        place = (real_path(target.path), target.editor.part)
        text = seen_text(target.path)
        if text is None or place in seen:
            continue
        seen.add(place)
        try:
            found = target.editor.find(text)
        except InstallRefusedError:
            continue
        yield from (Standing(path=target.path, found=item) for item in found)


def installed_of(item: Recipe) -> tuple[Standing, ...]:
    """Returns what of memfs's a client has; nothing where it only shares what another one has."""
    own = {real_path(target.path) for target in item.targets if not target.is_shared}
    found = tuple(standing((item,)))
    return found if any(real_path(thing.path) in own for thing in found) else ()


def carry_out(plan: Plan, keeper: Keeper, *, program: str, is_install: bool) -> dict[Path, Path]:
    """Writes what a plan says, one file after the other; the caller holds the keeper's lock.

    Returns:
        The copy that is kept of each file that was there, by its path.

    Raises:
        ConfigChangedError: A file was written meanwhile; what was written before it stands, and
            the command can be repeated.
    """
    copies: dict[Path, Path] = {}
    made: list[Path] = []
    for change in (change for change in plan.changes if change.is_change):
        real, content = change.file.real, change.file.content
        kept = keeper.kept(real)
        is_ours = kept is not None and kept.is_as_written(content)
        if kept is None or not is_ours:
            folders = missing_folders(real) if kept is None else map(Path, kept.folders)
            kept = first_kept(change.original, tuple(folders))
        copy = keeper.keep(change.file, with_program(kept, program), change.after)
        write_config(change.file, change.after)
        if not is_install:
            # What nobody else touched is given back, and no second copy of it is left behind.
            keeper.forget(real, with_copy=is_ours)
            copy = None if is_ours else copy
            made += map(Path, kept.folders)
        if copy is not None:
            copies[change.file.path] = copy
    remove_folders(tuple(made))
    return copies


def _elsewhere(chosen: Recipe, around: Sequence[Recipe]) -> Iterator[Standing]:
    """Yields what the client would find besides the files of the recipe."""
    own = {real_path(target.path) for target in chosen.targets}
    for item in standing((Recipe(client="", scope=chosen.scope, targets=chosen.also), *around)):
        if real_path(item.path) not in own:
            yield item


def _twice(
    chosen: Recipe, elsewhere: Sequence[Standing], targets: Sequence[Target]
) -> tuple[Problem, ...]:
    """Returns why a client would run memfs's hooks twice."""
    if not any(target.editor.part in (Part.HOOKS, Part.PLUGIN) for target in targets):
        return ()
    other = chosen.scope.other
    return tuple(
        Problem(
            str(item.path),
            item.found.line,
            0,
            TWICE,
            f"expected {chosen.client} to run memfs once, got {item.found.name} here already",
            f"memfs uninstall {chosen.client} --{other}, or leave them out with --without hooks",
        )
        for item in elsewhere
        if item.found.part in (Part.HOOKS, Part.PLUGIN)
    )[:1]


def _needed_by(target: Target, neighbours: Sequence[Recipe]) -> str:
    """Returns a client that is installed and reads a shared file; empty for none."""
    if not target.is_shared:
        return ""
    for other in neighbours:
        reads = any(real_path(item.path) == real_path(target.path) for item in other.targets)
        own = tuple(item for item in other.targets if not item.is_shared)
        if reads and any(standing((Recipe(client="", scope=other.scope, targets=own),))):
            return other.client
    return ""


def _edited(
    targets: Sequence[Target],
    edit: Callable[[Target, str | None], Edited],
    keeper: Keeper,
    *,
    within: Path | None,
    is_install: bool,
) -> tuple[tuple[Change, ...], tuple[Problem, ...]]:
    """Returns the change of each file, once a file however many parts it holds."""
    changes, problems = [], []
    for group in _by_file(targets):
        try:
            file = read_config(group[0].path, within=within, mode=group[0].mode)
            text = file.text
            notes: list[str] = []
            for target in group:
                edited = edit(target, text)
                text = edited.text
                notes += edited.notes
            if text is None and file.content is None:
                continue
            after, original = file.bytes_of(text), _original(file, group, keeper)
            if not is_install and after != file.content:
                after = _given_back(file, group, keeper, after, original)
        except InstallRefusedError as error:
            problems.append(_problem(group[0].path, error))
            continue
        parts = tuple(target.editor.part for target in group)
        changes.append(
            Change(file=file, after=after, original=original, parts=parts, notes=tuple(notes))
        )
    return tuple(changes), tuple(problems)


def _by_file(targets: Sequence[Target]) -> Iterator[list[Target]]:
    groups: dict[Path, list[Target]] = {}
    for target in targets:
        groups.setdefault(real_path(target.path), []).append(target)
    yield from groups.values()


def _original(file: ConfigFile, group: Sequence[Target], keeper: Keeper) -> bytes | None:
    """Returns what the file is without memfs, byte for byte where that is known."""
    kept = keeper.kept(file.real)
    if kept is not None and kept.is_as_written(file.content):
        return kept.original
    text = file.text
    for target in group:
        text = None if text is None else target.editor.uninstall(text).text
    return file.bytes_of(text)


def _given_back(
    file: ConfigFile,
    group: Sequence[Target],
    keeper: Keeper,
    after: bytes | None,
    original: bytes | None,
) -> bytes | None:
    """Returns the bytes of a file that memfs leaves."""
    kept = keeper.kept(file.real)
    if kept is None:
        return after
    if kept.is_as_written(file.content):
        return original
    # Somebody wrote it since. A file that memfs made and in which nothing is left goes.
    is_made = kept.original is None and after is not None
    text = after.decode().removeprefix("\ufeff") if after is not None else ""
    return None if is_made and group[0].editor.is_blank(text) else after


def _problem(path: Path, error: InstallRefusedError) -> Problem:
    return Problem(
        str(path), error.line or 0, error.column or 0, error.code, error.message, error.hint
    )
