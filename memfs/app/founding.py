"""Founding: makes the store of a project, or the one that belongs to no project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memfs.app.actors import Caller, NotTrustedError, resolve_actor
from memfs.app.opening import StoreUnfinishedError, admitted_settings
from memfs.app.system import SystemClock, SystemIds
from memfs.errors import UsageError
from memfs.formats.settings import decode_settings
from memfs.model.ids import STORE_PREFIX, TRANSACTION_PREFIX
from memfs.model.operation import Commit, FileChange, OperationKind, Plan
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import ScopeKind
from memfs.model.settings import TrustSettings
from memfs.policy.administration import decide_init
from memfs.store.discovery import global_store_root, is_store, project_root_for
from memfs.store.layout import SETTINGS_PATH, STORE_FOLDER
from memfs.store.scaffold import prepare_store, template_files
from memfs.store.store import Store

_ODD: Final = re.compile(r"[^A-Za-z0-9._+-]+")
_NAME_LENGTH: Final = 64


def found_store(
    caller: Caller,
    *,
    folder: Path,
    explicit: Path | None = None,
    project: str = "",
    is_home: bool = False,
    is_scripted: bool = False,
) -> Result:
    """Makes a store, or completes the one that is there; never changes a record.

    Args:
        caller: What is known of the process.
        folder: The project's folder.
        explicit: Where to put the store instead.
        project: Name of the project; the folder's by default.
        is_home: Make the user's global store.
        is_scripted: Let scripts act for the person who founds it; off otherwise.

    Raises:
        UnsuitableFolderError: Something else is there.
        UsageError: The project would have the name of the global store.
        NotTrustedError: A scripted store needs the name of the person it is for.
    """
    project_root = None if is_home or explicit else project_root_for(folder)
    root = _root(caller.env, folder=folder, explicit=explicit, is_home=is_home)
    name = str(ScopeKind.GLOBAL) if is_home else project or _plain((project_root or folder).name)
    if not is_home and name == str(ScopeKind.GLOBAL) and not is_store(root):
        raise UsageError(
            f"expected a project, got the name {name!r} of the global store",
            hint="name it with --project NAME, or make the global store with --home",
        )
    actor, scripted = _founder(caller, root, is_scripted=is_scripted)
    if is_store(root):
        scripted = ()
    plan = _plan(name, actor, scripted)
    prepare_store(root, project_root=project_root)
    with Store.open(root) as store:
        is_adopted = _adopt(store, actor)
        commit = None if is_adopted else _begin(store, plan)
        settings = admitted_settings(store)
    return Result(
        action="init",
        target=settings.project,
        status=ResultStatus.DONE if commit or is_adopted else ResultStatus.NOTHING,
        message=_words(root, name, commit, is_adopted=is_adopted, scripted=scripted),
        operation=commit.transaction if commit else "",
        store=str(root),
        data={
            "store_id": settings.store_id,
            "project": settings.project,
            "scripted": list(settings.trust.scripted),
        },
    )


def _begin(store: Store, plan: Plan) -> Commit | None:
    """Commits the first files, unless the store has operations already."""
    return store.commit(plan) if store.ledger_head() is None else None


def _adopt(store: Store, actor: Actor) -> bool:
    """Takes a clone as a store, when that is what lies there and a person asks for it.

    Raises:
        NotTrustedError: Whoever asks is no person: a clone can say anything of itself.
    """
    if store.ledger_head() is not None or store.main_head() is None:
        return False
    if not actor.is_person:
        raise NotTrustedError(
            f"expected a person to take over the clone at {store.root}, got {actor}",
            hint="run memfs init there in a terminal",
        )
    return store.adopt_ledger(SystemClock().now()) is not None


def _root(env: Mapping[str, str], *, folder: Path, explicit: Path | None, is_home: bool) -> Path:
    if is_home:
        return global_store_root(env)
    if explicit is not None:
        return explicit.absolute()
    return project_root_for(folder) / STORE_FOLDER


def _plain(name: str) -> str:
    return _ODD.sub("-", name).strip("-._+")[:_NAME_LENGTH] or "project"


def _founder(caller: Caller, root: Path, *, is_scripted: bool) -> tuple[Actor, tuple[str, ...]]:
    """Returns who founds the store, or completes it, and who scripts may act for in it.

    Whoever can run this command owns the account; a scripted store is asked for in words,
    names its person, and says so in its settings for everyone to see.
    """
    if not is_scripted:
        return resolve_actor(caller, _trust_of(root)), ()
    named = caller.as_principal
    actor = resolve_actor(caller, TrustSettings(scripted=(named,) if named else ()))
    if not actor.is_person:
        raise NotTrustedError(
            f"expected the person that scripts act for, got {actor.principal}",
            hint="memfs init --scripted --as user:NAME --yes",
        )
    return actor, (str(actor.principal),)


def _trust_of(root: Path) -> TrustSettings:
    """Returns whom the store that is there already trusts; nobody where there is none."""
    if not is_store(root):
        return TrustSettings()
    with Store.open(root) as store:
        try:
            return admitted_settings(store).trust
        except StoreUnfinishedError:
            return TrustSettings()


def _plan(name: str, actor: Actor, scripted: tuple[str, ...]) -> Plan:
    ids = SystemIds()
    store_id = ids.new_id(STORE_PREFIX)
    files = template_files(store_id=store_id, project=name, scripted=scripted)
    settings = decode_settings(files[SETTINGS_PATH], path=SETTINGS_PATH)
    decision = decide_init(actor, settings)
    changes = tuple(
        FileChange(path=path, content=content, expected=None, decision=decision)
        for path, content in sorted(files.items())
    )
    return Plan(
        transaction=ids.new_id(TRANSACTION_PREFIX),
        operation=OperationKind.INIT,
        subject=f"memory of {name}",
        actor=actor,
        at=SystemClock().now(),
        changes=changes,
        base="",
    )


def _words(
    root: Path, name: str, commit: Commit | None, *, is_adopted: bool, scripted: tuple[str, ...]
) -> str:
    if is_adopted:
        return f"took over the clone at {root}; what is above its last operation waits for review"
    if commit is None:
        return f"the store at {root} was there already; its records are as they were"
    words = f"made the memory of {name} at {root}"
    if scripted:
        words += f"; scripts may act here for {', '.join(scripted)} with --as and --yes"
    return words
