"""Which roles are to rest now, and their rest: a nap where one is drowsy, a sleep at night (E53).

A role that has just rested is not read again before its next rest can be due, however much came
in since; one in which nothing is open rests without a trace.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from memfs.errors import MemfsError
from memfs.model.origin import Actor
from memfs.model.role import ROLES_FOLDER, role_actor, role_of
from memfs.model.role_sleep import Rest
from memfs.services.modes import is_taking
from memfs.services.ports import Workspace
from memfs.services.usage import background

if TYPE_CHECKING:
    from memfs.model.result import Result
    from memfs.store.snapshot import Snapshot


_LOOK_S: Final = 600.0
"""A process that lasts looks so often at most."""
_STAMP: Final = "role-look"


def rest_roles_now_and_then(workspace: Workspace, asker: Actor) -> tuple[Result, ...]:
    """Has roles rest that are due, where nobody looked for a while; one stat most of the time.

    Nothing is raised: what went wrong stands in the log of background work by its code, and the
    next call looks again.
    """
    stamp, now = workspace.cache_dir / _STAMP, workspace.clock.now().timestamp()
    with suppress(OSError, MemfsError):
        age = now - stamp.stat().st_mtime if stamp.is_file() else _LOOK_S
        if 0 <= age < _LOOK_S or not is_taking(workspace):
            return ()
        stamp.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        stamp.touch(mode=0o600)
        os.utime(stamp, (now, now))
        with background(workspace, "due rests"):
            return rest_due_roles(workspace, asker)
    return ()


def rest_due_roles(workspace: Workspace, asker: Actor, *, only: str = "") -> tuple[Result, ...]:
    """Has roles rest that are due, and answers with what each did, or why it could not.

    Nothing is raised for one role: the others rest all the same, and how each rest ended is noted
    with the background work, whether or not anybody reads the answers.

    Args:
        workspace: The store.
        asker: Who looks; the receipts say so.
        only: The one role that is looked at; empty for all of them.
    """
    from memfs.app.rest_answers import already_resting, rest_failed, rest_result
    from memfs.domains.roles.rest.rest_state import RoleRestingError
    from memfs.domains.roles.rest.rule_mind import RuleMind
    from memfs.domains.roles.rest.settling import settle
    from memfs.domains.roles.rest.sleeping import rest_role

    if not is_taking(workspace):
        return ()
    done: list[Result] = []
    snapshot = workspace.store.snapshot()
    for role in _roles(workspace, snapshot):
        if only and role != only:
            continue
        rest: Rest | None = None
        try:
            rest = _due(workspace, snapshot, role)
            if rest is None:
                continue
            with background(workspace, "role rest"):
                rested = rest_role(
                    workspace,
                    role,
                    rest,
                    RuleMind(is_settling=rest is Rest.SLEEP),
                    asker,
                    maintenance=(lambda plan: settle(plan.view),),
                )
        except RoleRestingError as error:
            done.append(already_resting(workspace, role, rest or Rest.NAP, error))
        except (MemfsError, OSError) as error:
            done.append(rest_failed(workspace, role, error))
        else:
            done.append(rest_result(workspace, role, rested, asker))
    return tuple(done)


def _roles(workspace: Workspace, snapshot: Snapshot) -> Iterator[str]:
    """Yields the names of the roles that remember anything, each once, sorted by folder.

    A file that cannot be read, or that stands in the folder of another role, hides none.
    """
    from memfs.services.served_records import read_paths, served_places
    from memfs.store.layout import role_folder

    folders: dict[str, list[str]] = {}
    for path, _ in served_places(snapshot, ROLES_FOLDER):
        folders.setdefault(path.split("/", 2)[1], []).append(path)
    for folder, paths in sorted(folders.items()):
        read = read_paths(workspace, snapshot, paths)
        names = (role_of(stored.record) for stored in read)
        name = next((name for name in names if name and role_folder(name) == folder), "")
        if name:
            yield name


def _due(workspace: Workspace, snapshot: Snapshot, role: str) -> Rest | None:
    """Returns how a role is to rest now; ``None`` where it is not."""
    from memfs.domains.roles.loading import load_role
    from memfs.domains.roles.rest.schedule import schedule_for
    from memfs.policy.role_schedule import Cycle

    if _is_rested(workspace, role):
        return None
    view = load_role(workspace, snapshot, role, role_actor(role)).view
    match schedule_for(workspace, view).cycle:
        case Cycle.ASLEEP:
            return Rest.SLEEP
        case Cycle.DROWSY:
            return Rest.NAP
        case _:
            return None


def _is_rested(workspace: Workspace, role: str) -> bool:
    """Tells whether a role needs no rest however much is open by now; reads none of it."""
    from memfs.domains.roles.rest.rest_state import last_rests
    from memfs.domains.roles.rest.schedule import schedule_of
    from memfs.policy.role_schedule import Cycle

    last = last_rests(workspace, role)
    if last.sleep is None:
        return False
    at, now = workspace.settings.sleep.deep_at, workspace.clock.now()
    return schedule_of(last.sleep, last.nap, 1.0, now, at=at).cycle is Cycle.AWAKE
