"""The composition root: finds or makes a store, decides who acts, and hands out a memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memfs.app.actors import Caller, require_forms, resolve_actor
from memfs.app.memory import Memory
from memfs.app.opening import beside, open_workspace, opener
from memfs.model.origin import Actor
from memfs.model.result import Result

__all__ = ["Memory", "init_store", "open_memory", "open_memory_for"]


def open_memory(
    *,
    start: Path,
    env: Mapping[str, str],
    store: Path | None = None,
    as_principal: str | None = None,
    yes: bool = False,
    stdin_tty: bool = False,
    stdout_tty: bool = False,
) -> Memory:
    """Opens the store that is meant from ``start`` and decides who works with it.

    Args:
        start: Folder to look from.
        env: The environment.
        store: The store or project as named by the caller; ``None`` to look for it.
        as_principal: Who the caller says it is.
        yes: A script says yes for a person.
        stdin_tty: Standard input is a terminal.
        stdout_tty: Standard output is a terminal.

    Raises:
        StoreError: There is no store, more than one, or one in a newer format.
        AccessError: The principal may not act here.
    """
    workspace = open_workspace(start=start, env=env, explicit=store)
    caller = Caller(
        as_principal=as_principal or "",
        yes=yes,
        is_terminal=stdin_tty and stdout_tty,
        env=env,
    )
    try:
        actor = resolve_actor(caller, workspace.settings.trust)
    except BaseException:
        workspace.store.close()
        raise
    return Memory(workspace, actor, beside(workspace, env), opener(workspace, env))


def open_memory_for(
    actor: Actor, *, start: Path, env: Mapping[str, str], store: Path | None = None
) -> Memory:
    """Opens the store that is meant from ``start`` for an actor that the entry point knows.

    A person who answers in a form acts only where the settings take such an answer.

    Raises:
        StoreError: There is no store, more than one, or one in a newer format.
        NotTrustedError: The settings take no answers from forms.
    """
    workspace = open_workspace(start=start, env=env, explicit=store)
    try:
        require_forms(actor, workspace.settings.trust)
    except BaseException:
        workspace.store.close()
        raise
    return Memory(workspace, actor, beside(workspace, env), opener(workspace, env))


def init_store(
    *,
    folder: Path,
    env: Mapping[str, str],
    explicit: Path | None = None,
    project: str = "",
    is_home: bool = False,
    is_scripted: bool = False,
    as_principal: str | None = None,
    yes: bool = False,
    stdin_tty: bool = False,
    stdout_tty: bool = False,
) -> Result:
    """Makes the store of the project in ``folder``; see ``memfs.app.founding``.

    Raises:
        StoreError: Something else is there.
        AccessError: A scripted store needs the name of the person it is for.
    """
    from memfs.app.founding import found_store

    caller = Caller(
        as_principal=as_principal or "",
        yes=yes,
        is_terminal=stdin_tty and stdout_tty,
        env=env,
    )
    return found_store(
        caller,
        folder=folder,
        explicit=explicit,
        project=project,
        is_home=is_home,
        is_scripted=is_scripted,
    )
