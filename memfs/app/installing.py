"""Installing: puts memfs into the configuration of a coding agent and takes it out again (M34).

No store is needed for it and none is opened. What is decided and written is in
:mod:`memfs.agents.install`; here is where things are, and how it is told.
"""

from __future__ import annotations

import difflib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Final

from memfs.agents.install.calls import PROGRAM
from memfs.agents.install.keeping import Keeper
from memfs.agents.install.planning import (
    Change,
    Plan,
    Standing,
    carry_out,
    installed_of,
    plan_install,
    plan_uninstall,
)
from memfs.agents.install.recipes import CLIENTS, recipe
from memfs.agents.install.shelf import InstallScope, Material, Places, Recipe
from memfs.agents.install.texts import Part
from memfs.errors import MemfsError, UsageError
from memfs.model.problem import Problem
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.policy.screening import scan_secrets
from memfs.store.discovery import NoStoreError, discover, find_git_project, home_folder
from memfs.store.resources import read_resource

EVERY_PART: Final = frozenset(Part)
_KEPT_FOLDER: Final = "installed"
_CONTEXT_LINES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where installers work and with what.

    Attributes:
        places: Where the clients keep their files.
        material: What is written.
        keeper: What is known of the files.
    """

    places: Places
    material: Material
    keeper: Keeper

    def recipe(self, client: str, scope: InstallScope) -> Recipe:
        """Returns what is installed for a client."""
        return recipe(client, scope, self.places, self.material)


def bench(start: Path, env: Mapping[str, str], *, program: str = "") -> Bench:
    """Returns where installers work.

    Args:
        start: Folder of the project, or one inside of it.
        env: The environment.
        program: What runs memfs; its name, to be found by the client, by default.

    Raises:
        UsageError: The program is not called memfs, so that nothing would know it again, or
            the account has no home folder.
    """
    home = Path(env.get("HOME") or Path.home())
    if not home.is_dir():
        raise UsageError(f"expected the home folder {home}, found none")
    git = find_git_project(start)
    places = Places(home=home, project=git.top if git is not None else start.resolve(), env=env)
    chosen = _program(program)
    instructions = read_resource("templates/agents/instructions.md")
    plugin = read_resource("templates/agents/opencode-plugin.js")
    material = Material(
        program=chosen,
        instructions=instructions,
        skill=read_resource("templates/agents/SKILL.md"),
        rule=read_resource("templates/agents/cursor-rule.mdc"),
        plugin=plugin.replace("@PROGRAM@", json.dumps(chosen)),
    )
    return Bench(places=places, material=material, keeper=Keeper(home_folder(env) / _KEPT_FOLDER))


def install_client(
    client: str,
    scope: InstallScope,
    *,
    start: Path,
    env: Mapping[str, str],
    program: str = "",
    without: Sequence[Part] = (),
    dry_run: bool = False,
    force: bool = False,
) -> Result:
    """Installs memfs for a client; running it again changes nothing.

    Args:
        client: One of :data:`CLIENTS`.
        scope: The project, or the user.
        start: Folder of the project.
        env: The environment.
        program: What runs memfs; ``memfs`` by default.
        without: Parts to leave out; a plugin is what hooks are elsewhere.
        dry_run: Write nothing at all.
        force: Replace what was edited by hand.

    Raises:
        UsageError: See :func:`bench`.
        ConfigChangedError: A file was written meanwhile.
    """
    place = bench(start, env, program=program)
    left_out = {*without, Part.PLUGIN} if Part.HOOKS in without else set(without)

    def plan() -> Plan:
        return plan_install(
            place.recipe(client, scope),
            (place.recipe(client, scope.other),),
            place.keeper,
            parts=EVERY_PART - left_out,
            project=place.places.project,
            force=force,
        )

    more = _program_notes(place.material.program, env, is_served=Part.SERVER not in left_out)
    notes = (*more, *_store_notes(start, env))
    return _carried_out("install", client, scope, plan, place, notes, dry_run=dry_run)


def uninstall_client(
    client: str,
    scope: InstallScope,
    *,
    start: Path,
    env: Mapping[str, str],
    dry_run: bool = False,
) -> Result:
    """Takes memfs out of a client's files again; what others wrote stays byte for byte.

    Raises:
        UsageError: See :func:`bench`.
        ConfigChangedError: A file was written meanwhile.
    """
    place = bench(start, env)
    others = [place.recipe(other, scope) for other in CLIENTS if other != client]

    def plan() -> Plan:
        return plan_uninstall(
            place.recipe(client, scope), others, place.keeper, project=place.places.project
        )

    is_there_too = installed_of(place.recipe(client, scope.other))
    notes = [f"it is installed for the {scope.other} too: --{scope.other}"] if is_there_too else []
    return _carried_out("uninstall", client, scope, plan, place, notes, dry_run=dry_run)


def installed(
    start: Path, env: Mapping[str, str]
) -> tuple[tuple[Recipe, tuple[Standing, ...]], ...]:
    """Returns what of memfs's is installed, for each client and scope where anything is."""
    place = bench(start, env)
    every = (place.recipe(client, scope) for client in CLIENTS for scope in InstallScope)
    found = ((item, installed_of(item)) for item in every)
    return tuple((item, things) for item, things in found if things)


def _program(named: str) -> str:
    if not named:
        return PROGRAM
    chosen = str(Path(named).absolute()) if len(PurePath(named).parts) > 1 else named
    if PurePath(chosen).name.removesuffix(".exe") != PROGRAM:
        raise UsageError(f"expected a program called {PROGRAM}, got {named!r}")
    return chosen


def _carried_out(
    action: str,
    client: str,
    scope: InstallScope,
    make_plan: Callable[[], Plan],
    place: Bench,
    notes: Sequence[str],
    *,
    dry_run: bool,
) -> Result:
    plan = make_plan()
    copies: dict[Path, Path] = {}
    if plan.is_due and not dry_run:
        with place.keeper.lock():
            # Another installer may have been at work until the lock was free.
            plan = make_plan()
            if plan.is_due:
                is_install = action == "install"
                program = place.material.program
                copies = carry_out(plan, place.keeper, program=program, is_install=is_install)
    changed = [change for change in plan.changes if change.is_change]
    root = place.places.project if scope is InstallScope.PROJECT else place.places.home
    if plan.problems:
        status = ResultStatus.REFUSED
    else:
        status = ResultStatus.DONE if changed else ResultStatus.NOTHING
    files: list[JsonValue] = [
        _told(change, copies.get(change.file.path)) for change in plan.changes
    ]
    problems: list[JsonValue] = [_line(problem) for problem in plan.problems]
    said: list[JsonValue] = [*plan.notes, *notes]
    return Result(
        action=action,
        target=client,
        status=status,
        message=_message(client, scope, plan, root, is_dry=dry_run),
        data={
            "scope": str(scope),
            "folder": str(root),
            "dry_run": dry_run,
            "files": [] if plan.problems else files,
            "notes": said,
            "problems": problems,
        },
    )


def _message(client: str, scope: InstallScope, plan: Plan, root: Path, *, is_dry: bool) -> str:
    where = f"for {client}, {scope} {root}"
    number = sum(change.is_change for change in plan.changes)
    files = f"{number} file" if number == 1 else f"{number} files"
    if plan.problems:
        return f"nothing was written {where}"
    if not number:
        return f"nothing to change {where}"
    verb = "would change" if is_dry else "changed"
    return f"{verb} {files} {where}" + ("; nothing was written" if is_dry else "")


def _told(change: Change, copy: Path | None) -> dict[str, JsonValue]:
    before, after = change.file.content, change.after
    if not change.is_change:
        verb = "unchanged"
    elif before is None:
        verb = "created"
    else:
        verb = "removed" if after is None else "changed"
    parts: list[JsonValue] = [str(part) for part in dict.fromkeys(change.parts)]
    notes: list[JsonValue] = list(change.notes)
    return {
        "path": str(change.file.path),
        "verb": verb,
        "parts": parts,
        "notes": notes,
        "copy": str(copy) if copy is not None else "",
        "diff": _diff(change) if change.is_change else "",
    }


def _diff(change: Change) -> str:
    """Returns a unified diff; what looks like a secret of a person's is not shown."""
    name = str(change.file.path)
    before, after = (
        (content or b"").decode("utf-8", "replace").splitlines()
        for content in (change.file.content, change.after)
    )
    lines = difflib.unified_diff(
        before,
        after,
        name if change.file.content is not None else "/dev/null",
        name if change.after is not None else "/dev/null",
        lineterm="",
        n=_CONTEXT_LINES,
    )
    return _masked("\n".join(lines))


def _masked(text: str) -> str:
    shown_from = len(text)
    for finding in sorted(scan_secrets(text), key=lambda item: item.start, reverse=True):
        end = min(finding.end, shown_from)
        text = f"{text[: finding.start]}[not shown]{text[end:]}"
        shown_from = finding.start
    return text


def _line(problem: Problem) -> str:
    return f"{problem}\n    hint: {problem.hint}" if problem.hint else str(problem)


def _program_notes(program: str, env: Mapping[str, str], *, is_served: bool) -> list[str]:
    """Returns what would keep the configured commands from running."""
    notes = []
    if shutil.which(program, path=env.get("PATH")) is None:
        notes.append(f"{program} is not on the PATH: name it with --program /path/to/memfs")
    if is_served and find_spec("mcp") is None:
        notes.append("the server needs an extra: pip install 'memfs-ledger[mcp]'")
    return notes


def _store_notes(start: Path, env: Mapping[str, str]) -> list[str]:
    try:
        discover(start, env)
    except NoStoreError:
        return ["there is no store for this folder yet: memfs init"]
    except MemfsError as error:
        # Installing needs no store that opens; what is configured will, so it is told.
        return [f"{error.code}: {error.message}"]
    return []
