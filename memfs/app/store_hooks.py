"""Git as a client: the hooks in a store's own repository, which tell memfs of edits by hand.

``memfs init`` and ``memfs doctor --fix`` install them too. A hook that a person wrote stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.store.discovery import discover
from memfs.store.scaffold import HOOK_MARK, HOOKS, hook_text, install_hooks


def install_git(
    *, start: Path, explicit: Path | None, env: Mapping[str, str], dry_run: bool
) -> Result:
    """Installs the hooks of the store that is meant.

    Raises:
        StoreError: There is none, or more than one could be meant.
    """
    git_dir = discover(start, env, explicit).root / ".git"
    rows, notes = [], []
    for name in HOOKS:
        before = _text(git_dir / "hooks" / name)
        is_theirs = before is not None and HOOK_MARK not in before
        is_same = before == hook_text(name) or is_theirs
        rows.append(_row(git_dir, name, "unchanged" if is_same else _verb(before)))
        if is_theirs:
            notes.append(
                f"{name} is a hook of your own and stays; to have memfs called,"
                f" add to it: memfs hook git {name}"
            )
    if not dry_run:
        install_hooks(git_dir)
    return _result("install", git_dir, rows, notes, dry_run=dry_run)


def uninstall_git(
    *, start: Path, explicit: Path | None, env: Mapping[str, str], dry_run: bool
) -> Result:
    """Takes the hooks out of the store that is meant; edits are then noticed by other means.

    Raises:
        StoreError: There is none, or more than one could be meant.
    """
    git_dir = discover(start, env, explicit).root / ".git"
    rows, notes = [], []
    for name in HOOKS:
        place = git_dir / "hooks" / name
        before = _text(place)
        is_ours = before is not None and HOOK_MARK in before
        rows.append(_row(git_dir, name, "removed" if is_ours else "unchanged"))
        if is_ours and not dry_run:
            place.unlink()
    notes.append("memfs doctor --fix puts them back; every command looks for edits anyway")
    return _result("uninstall", git_dir, rows, notes, dry_run=dry_run)


def _text(place: Path) -> str | None:
    return place.read_text("utf-8", "replace") if place.is_file() else None


def _verb(before: str | None) -> str:
    return "created" if before is None else "changed"


def _row(git_dir: Path, name: str, verb: str) -> dict[str, JsonValue]:
    path = str(git_dir / "hooks" / name)
    parts: list[JsonValue] = ["hooks"]
    return {"path": path, "verb": verb, "parts": parts, "notes": [], "copy": "", "diff": ""}


def _result(
    action: str,
    git_dir: Path,
    rows: list[dict[str, JsonValue]],
    notes: list[str],
    *,
    dry_run: bool,
) -> Result:
    number = sum(row["verb"] != "unchanged" for row in rows)
    files = f"{number} hook" if number == 1 else f"{number} hooks"
    said = f"{'would change' if dry_run else 'changed'} {files} in {git_dir / 'hooks'}"
    told: list[JsonValue] = list(rows)
    words: list[JsonValue] = list(notes)
    return Result(
        action=action,
        target="git",
        status=ResultStatus.DONE if number else ResultStatus.NOTHING,
        message=said if number else f"nothing to change in {git_dir / 'hooks'}",
        store=str(git_dir.parent),
        data={
            "scope": "store",
            "folder": str(git_dir.parent),
            "dry_run": dry_run,
            "files": told,
            "notes": words,
            "problems": [],
        },
    )
