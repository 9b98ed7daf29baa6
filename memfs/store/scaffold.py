"""Makes a store: its repository, configuration, hooks, first files and place in the project.

Every step can be repeated: an interrupted or older store is completed, what a person put there
(a hook, an exclude line, a setting of their own) stays. The first commit goes through the one
door like any other. Only the project's own exclude file is touched outside of the store.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from memfs.errors import StoreError
from memfs.model.frozen import frozen
from memfs.store.discovery import find_git_project, is_store, pointer_text
from memfs.store.files import FOLDER_MODE, atomic_write, make_private, open_root
from memfs.store.git import init_repository, run_git
from memfs.store.layout import README_PATH, SETTINGS_PATH, STORE_FOLDER
from memfs.store.maintenance import sweep_temporaries
from memfs.store.repository import is_configuration_broken, read_configuration
from memfs.store.resources import read_resource

HOOKS: Final = ("pre-commit", "post-commit", "post-merge", "post-checkout")
MERGE_DRIVER: Final = "merge-issue"
"""Stands among the hooks and is run where two clones changed one issue."""
HOOK_MARK: Final = "# memfs hook:"

CONFIGURATION: Final[Mapping[str, str]] = MappingProxyType(
    {
        "core.autocrlf": "false",
        "core.safecrlf": "false",
        "core.quotePath": "false",
        "core.untrackedCache": "true",
        "core.fsmonitor": "false",
        "core.logAllRefUpdates": "true",
        "core.hooksPath": ".git/hooks",
        "core.protectHFS": "true",
        "core.protectNTFS": "true",
        "core.precomposeUnicode": "false",
        "commit.gpgSign": "false",
        "tag.gpgSign": "false",
        "gc.auto": "0",
        "gc.pruneExpire": "2.weeks.ago",
        "gc.reflogExpire": "never",
        "gc.reflogExpireUnreachable": "never",
        "maintenance.auto": "false",
        "transfer.fsckObjects": "true",
        "receive.denyNonFastForwards": "true",
        "pull.ff": "false",
        "pull.rebase": "false",
        "merge.memfs-issue.name": "issues by their events",
        "merge.memfs-issue.driver": f".git/hooks/{MERGE_DRIVER} %O %A %B %P",
    }
)
"""What every store's own Git configuration says; it stands above a person's global one."""

_PLAIN_CONFIG: Final = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"

_ATTRIBUTES: Final = (
    "* -text -eol -ident -filter -working-tree-encoding\n/issues/**/*.md merge=memfs-issue\n"
    "/timeline/**/*.json merge=memfs-issue\n/graph/**/* merge=memfs-issue\n"
)
"""For ``.git/info/attributes``, which no file of the tree can override."""

_TEMPLATES: Final = MappingProxyType(
    {
        README_PATH: "templates/store/README.md",
        SETTINGS_PATH: "templates/store/memfs.yaml",
        ".gitattributes": "templates/store/gitattributes",
        ".gitignore": "templates/store/gitignore",
    }
)


class UnsuitableFolderError(StoreError):
    """A store cannot be made here."""

    code = "store.unsuitable-folder"


@frozen
class ConfigDrift:
    """A setting of the store's repository that is not what memfs needs."""

    name: str
    expected: str
    found: str


def template_files(
    *, store_id: str, project: str, scripted: Sequence[str] = ()
) -> dict[str, bytes]:
    """Returns the first files of a store by path.

    Args:
        store_id: Its identity.
        project: A plain name, as in ``project:<name>``.
        scripted: Principals that scripts may act for.
    """
    people = "[" + ", ".join(f'"{person}"' for person in scripted) + "]"
    values = {"@STORE_ID@": store_id, "@PROJECT@": project, "@SCRIPTED@": people}
    return {path: _fill(read_resource(name), values).encode() for path, name in _TEMPLATES.items()}


def prepare_store(root: Path, *, project_root: Path | None = None) -> None:
    """Makes or completes everything of a store but its first commit.

    Raises:
        UnsuitableFolderError: The folder is a link, a repository that is no store, or in a store.
    """
    git_dir = root / ".git"
    if root.is_symlink() or (git_dir.exists() and not is_store(root)):
        raise UnsuitableFolderError(
            f"expected a new folder or a store at {root}, got something else",
            hint="choose another folder, or move what is there away",
        )
    outer = next((str(folder) for folder in root.absolute().parents if is_store(folder)), "")
    if outer:
        raise UnsuitableFolderError(f"expected a folder outside of any store, got one in {outer}")
    root.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    (root / ".git" / "memfs").mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    init_repository(root)
    configure_repository(git_dir)
    install_hooks(git_dir)
    make_private(root)
    if project_root is not None:
        exclude_from_project(root, project_root)


def mend_repository(root: Path) -> None:
    """Restores configuration, hooks and access rights, and sweeps what killed processes left.

    A configuration that Git cannot read is set aside as ``.git/config.broken``.
    """
    _set_broken_config_aside(root / ".git")
    configure_repository(root / ".git")
    install_hooks(root / ".git")
    make_private(root)
    sweep_temporaries(root / ".git")


def _set_broken_config_aside(git_dir: Path) -> None:
    config = git_dir / "config"
    if config.exists() and not is_configuration_broken(git_dir):
        return
    if config.exists():
        config.replace(git_dir / "config.broken")
    config.touch(mode=0o600)
    config.write_text(_PLAIN_CONFIG, encoding="ascii")


def configure_repository(git_dir: Path) -> None:
    """Sets the repository's own configuration, attributes and excludes where they differ."""
    drifts = config_drift(git_dir)
    is_appended = _append_config(git_dir, [drift for drift in drifts if not drift.found])
    for drift in drifts:
        if drift.found or not is_appended:
            _set_config(git_dir, drift.name, drift.expected)
    if not _has_identity(git_dir):
        # Without one, a person's own `git commit` in the store would be refused.
        login = _login()
        _set_config(git_dir, "user.name", login)
        _set_config(git_dir, "user.email", f"{login}@memfs.invalid")
    descriptor = open_root(git_dir)
    try:
        atomic_write(descriptor, "info/attributes", _ATTRIBUTES.encode())
        atomic_write(descriptor, "info/exclude", read_resource(_TEMPLATES[".gitignore"]).encode())
    finally:
        os.close(descriptor)


def config_drift(git_dir: Path) -> tuple[ConfigDrift, ...]:
    """Returns the settings of the repository that are not what :data:`CONFIGURATION` says."""
    found = read_configuration(git_dir)
    return tuple(
        ConfigDrift(name=name, expected=value, found=found.get(name.lower(), ""))
        for name, value in CONFIGURATION.items()
        if found.get(name.lower()) != value
    )


def install_hooks(git_dir: Path) -> tuple[str, ...]:
    """Installs the hook shims and the merge driver; a hook that a person wrote stays.

    Returns:
        The names of the hooks that were kept.
    """
    kept = []
    folder = git_dir / "hooks"
    folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    for name in (*HOOKS, MERGE_DRIVER):
        target = folder / name
        if target.exists() and HOOK_MARK not in target.read_text("utf-8", "replace"):
            kept.append(name)
            continue
        target.unlink(missing_ok=True)
        target.touch(mode=0o700)
        target.write_text(hook_text(name), encoding="utf-8")
    return tuple(kept)


def hook_text(name: str, *, python: str = sys.executable) -> str:
    """Returns the shim of one Git hook that runs memfs with the interpreter ``python``."""
    return _fill(read_resource(f"hooks/git/{name}"), {"@PYTHON@": shlex.quote(python)})


def exclude_from_project(root: Path, project_root: Path) -> bool:
    """Adds the store to the exclude file that all working trees of the project share.

    Returns:
        Whether a line was added; false outside of Git, or when it was there.
    """
    git = find_git_project(project_root)
    if git is None or not root.is_relative_to(git.top):
        return False
    relative = root.relative_to(git.top).as_posix()
    line = f"/{relative}/" if root.is_dir() else f"/{relative}"
    target = git.common_dir / "info" / "exclude"
    before = target.read_bytes() if target.exists() else b""
    if line.encode() in before.splitlines():
        return False
    target.parent.mkdir(exist_ok=True)
    with target.open("ab") as stream:
        stream.write(
            (b"" if not before or before.endswith(b"\n") else b"\n") + line.encode() + b"\n"
        )
    return True


def link_store(project_root: Path, store_id: str) -> None:
    """Writes the ``.memfs`` file that stands for a project's store in the home folder.

    Raises:
        UnsuitableFolderError: Something else is at that place.
    """
    place = project_root / STORE_FOLDER
    text = pointer_text(store_id)
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise UnsuitableFolderError(f"expected no {STORE_FOLDER} in {project_root}, found one")
    if place.exists() and place.read_text("utf-8", "replace") != text:
        raise UnsuitableFolderError(f"{place} names another store")
    place.write_text(text, encoding="utf-8")
    exclude_from_project(place, project_root)


def _fill(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _set_config(git_dir: Path, name: str, value: str) -> None:
    run_git(git_dir, None, "config", "--local", "--replace-all", name, value, is_read=False)


def _append_config(git_dir: Path, missing: Sequence[ConfigDrift]) -> bool:
    """Adds settings that the configuration does not have, all at once, under Git's own lock.

    Git starts a process for each setting that it is asked to write, and a new store has none of
    them. What stands in the file stays as it is.

    Returns:
        Whether they stand there now; false where somebody else is writing the file.
    """
    sections: dict[str, list[str]] = {}
    for drift in missing:
        section, _, key = drift.name.rpartition(".")
        name, _, inner = section.partition(".")
        head = f'[{name} "{inner}"]' if inner else f"[{name}]"
        sections.setdefault(head, []).append(f'\t{key} = "{drift.expected}"\n')
    added = "".join(f"{head}\n{''.join(lines)}" for head, lines in sections.items())
    config, lock = git_dir / "config", git_dir / "config.lock"
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(descriptor, "wb") as out:
            before = config.read_bytes()
            between = b"" if before.endswith(b"\n") or not before else b"\n"
            out.write(before + between + added.encode("ascii"))
            out.flush()
            os.fsync(out.fileno())
        lock.replace(config)
    finally:
        lock.unlink(missing_ok=True)
    return True


def _has_identity(git_dir: Path) -> bool:
    """Whether Git knows who a person is who commits here, in their own environment."""
    if read_configuration(git_dir).get("user.email"):
        return True
    import subprocess

    named = subprocess.run(
        ["git", "config", "--global", "--get", "user.email"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return named.returncode == 0 and bool(named.stdout.strip())


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "person"
