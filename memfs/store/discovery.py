"""Finds the store that a folder belongs to; never guesses and never falls back (A30).

A project is a Git working tree, or the folder that holds the store. Looked at are, in a Git
project, every folder from the start up to the top of the working tree and the main working
tree that a linked one belongs to; outside of Git, every folder up to the root, nearest first.
Two different stores for one project are an error that names both. Nothing is written and no
process is started.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from memfs.errors import ConflictError, StoreError, UsageError
from memfs.model.frozen import frozen
from memfs.model.ids import STORE_PREFIX, is_id
from memfs.store.layout import SETTINGS_PATH, STORE_FOLDER

HOME_VARIABLE: Final = "MEMFS_HOME"
POINTER_FIELD: Final = "memfs-store:"


class NoStoreError(StoreError):
    """There is no store for this folder."""

    code = "store.not-found"


class UntrustedStoreError(StoreError):
    """The store that was found belongs to another account of this machine."""

    code = "store.other-owner"


class AmbiguousStoreError(ConflictError):
    """More than one store could be meant."""

    code = "store.ambiguous"


class Discovery(StrEnum):
    """How a store was found."""

    EXPLICIT = "explicit"
    INSIDE = "inside"
    PROJECT = "project"
    WORKTREE = "worktree"
    HOME = "home"


@frozen
class StoreLocation:
    """Where a store is.

    Attributes:
        root: The store's root folder, absolute and free of links.
        project_root: Working tree of the project as seen from the start; ``None`` for a store
            that belongs to no project.
        how: How it was found.
    """

    root: Path
    project_root: Path | None
    how: Discovery


@frozen
class GitProject:
    """A Git working tree around a folder.

    Attributes:
        top: Root of this working tree.
        git_dir: Its own Git directory.
        common_dir: The Git directory that all working trees of the repository share.
    """

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def main_top(self) -> Path | None:
        """Root of the main working tree; ``None`` for a bare repository."""
        if self.git_dir == self.common_dir:
            return self.top
        return self.common_dir.parent if self.common_dir.name == ".git" else None


def discover(start: Path, env: Mapping[str, str], explicit: Path | None = None) -> StoreLocation:
    """Returns the store that ``start`` belongs to.

    Args:
        start: An existing folder; relative to the working directory or absolute.
        env: Environment that names the home folder of memfs.
        explicit: The store, or the project that holds it, as the user named it.

    Raises:
        NoStoreError: None was found; says where it looked.
        AmbiguousStoreError: More than one was found; names them.
        UntrustedStoreError: It belongs to another account.
    """
    if explicit is not None:
        return _explicit(explicit, env)
    start = Path(os.path.realpath(start))
    inside = next((folder for folder in _upward(start) if is_store(folder)), None)
    if inside is not None:
        project = inside.parent if inside.name == STORE_FOLDER else None
        return _trusted(StoreLocation(root=inside, project_root=project, how=Discovery.INSIDE))
    git = find_git_project(start)
    places = list(_project_places(start, git))
    found: dict[Path, StoreLocation] = {}
    for folder, how in places:
        root = _store_of(folder, env)
        if root is not None:
            project_root = git.top if git is not None else folder
            found.setdefault(root, StoreLocation(root=root, project_root=project_root, how=how))
            if git is None:
                break
    match list(found.values()):
        case [one]:
            return _trusted(one)
        case []:
            raise _nothing(start, places)
        case several:
            raise AmbiguousStoreError(
                "expected one store, got "
                + " and ".join(str(location.root) for location in several),
                hint="name the one you mean with --store PATH",
            )


def project_root_for(start: Path) -> Path:
    """Returns the folder that a new store of this project goes into.

    The main working tree of a Git project, so that removing a linked one orphans nothing; the
    working tree itself where there is no main one; the folder itself outside of Git.
    """
    start = Path(os.path.realpath(start))
    git = find_git_project(start)
    return start if git is None else git.main_top or git.top


def find_home_store(env: Mapping[str, str]) -> StoreLocation | None:
    """Returns the user's global store, ``None`` when there is none.

    Raises:
        UsageError: ``MEMFS_HOME`` is no absolute path.
        UntrustedStoreError: It belongs to another account.
    """
    root = Path(os.path.realpath(global_store_root(env)))
    if not is_store(root):
        return None
    return _trusted(StoreLocation(root=root, project_root=None, how=Discovery.HOME))


def home_folder(env: Mapping[str, str]) -> Path:
    """Returns the folder for stores outside of projects, whether it exists or not.

    Raises:
        UsageError: ``MEMFS_HOME`` is no absolute path.
    """
    named = env.get(HOME_VARIABLE, "")
    if named:
        if not Path(named).is_absolute():
            raise UsageError(f"expected an absolute path in {HOME_VARIABLE}, got {named!r}")
        return Path(named)
    data = env.get("XDG_DATA_HOME", "")
    if data and Path(data).is_absolute():
        return Path(data) / "memfs"
    from platformdirs import user_data_path

    return user_data_path("memfs", appauthor=False)


def global_store_root(env: Mapping[str, str]) -> Path:
    """Returns where the global store is or would be."""
    return home_folder(env) / "global"


def home_store_root(env: Mapping[str, str], store_id: str) -> Path:
    """Returns where a project's store is kept when it is not in the project itself."""
    return home_folder(env) / "stores" / store_id


def pointer_text(store_id: str) -> str:
    """Returns the content of a ``.memfs`` file that stands for a store in the home folder."""
    return f"{POINTER_FIELD} {store_id}\n"


def is_store(folder: Path) -> bool:
    """Whether ``folder`` is the root of a store: a real folder with a repository of its own."""
    git_dir = folder / ".git"
    if not (_is_real_folder(folder) and _is_real_folder(git_dir)):
        return False
    return _is_real_folder(git_dir / "memfs") or _is_real_file(folder / SETTINGS_PATH)


def store_around(path: Path) -> Path | None:
    """Returns the root of the store that a path is in, or is, wherever links lead."""
    return next(
        (folder for folder in _upward(Path(os.path.realpath(path))) if is_store(folder)), None
    )


def find_git_project(start: Path) -> GitProject | None:
    """Returns the Git working tree around an absolute folder, without asking Git."""
    for folder in _upward(start):
        marker = folder / ".git"
        if marker.is_dir():
            if (marker / "HEAD").is_file():
                return GitProject(top=folder, git_dir=marker, common_dir=marker)
        elif marker.is_file():
            git_dir = _gitfile_target(marker)
            if git_dir is not None:
                return GitProject(top=folder, git_dir=git_dir, common_dir=_common_dir(git_dir))
    return None


def read_branch(project_root: Path) -> str:
    """Returns the branch that a project's working tree is on; empty when detached or no Git."""
    git = find_git_project(Path(os.path.realpath(project_root)))
    head = _read_line(git.git_dir / "HEAD") if git is not None else ""
    prefix = "ref: refs/heads/"
    return head.removeprefix(prefix) if head.startswith(prefix) else ""


def _explicit(explicit: Path, env: Mapping[str, str]) -> StoreLocation:
    folder = Path(os.path.realpath(explicit))
    if is_store(folder):
        project = folder.parent if folder.name == STORE_FOLDER else None
        return StoreLocation(root=folder, project_root=project, how=Discovery.EXPLICIT)
    root = _store_of(folder, env)
    if root is None:
        raise NoStoreError(
            f"expected a store at {explicit}, found none there nor in its {STORE_FOLDER}",
            hint=f"make one with: memfs init (in {explicit})",
        )
    return StoreLocation(root=root, project_root=folder, how=Discovery.EXPLICIT)


def _project_places(start: Path, git: GitProject | None) -> Iterator[tuple[Path, Discovery]]:
    """Yields the folders that may hold the store of a project, in the order looked at."""
    if git is None:
        for folder in _upward(start):
            yield folder, Discovery.PROJECT
        return
    for folder in _upward(start):
        yield folder, Discovery.PROJECT
        if folder == git.top:
            break
    if git.git_dir == git.common_dir:
        return
    if git.main_top is not None:
        yield git.main_top, Discovery.WORKTREE
        return
    # A bare repository has no main working tree: the store is in one of the linked ones.
    for linked in sorted((git.common_dir / "worktrees").glob("*/gitdir")):
        top = Path(_read_line(linked)).parent
        if top.is_absolute() and top != git.top:
            yield Path(os.path.realpath(top)), Discovery.WORKTREE


def _store_of(folder: Path, env: Mapping[str, str]) -> Path | None:
    """Returns the store that stands in a folder, itself or by a pointer into the home folder."""
    inner = folder / STORE_FOLDER
    if is_store(inner):
        return inner
    if not _is_real_file(inner):
        return None
    store_id = _read_line(inner).removeprefix(POINTER_FIELD).strip()
    # Only an id is taken from the file: a project cannot point anywhere else on this machine.
    if not is_id(store_id, STORE_PREFIX):
        return None
    root = Path(os.path.realpath(home_store_root(env, store_id)))
    return root if is_store(root) else None


def _trusted(location: StoreLocation) -> StoreLocation:
    owner = location.root.stat().st_uid
    if owner != os.geteuid():
        raise UntrustedStoreError(
            f"the store {location.root} belongs to another account (uid {owner})",
            hint=f"if you trust it, name it: --store {location.root}",
        )
    return location


def _nothing(start: Path, places: list[tuple[Path, Discovery]]) -> NoStoreError:
    folders = [str(folder) for folder, _ in places]
    shown = ", ".join(folders[:4]) + (f" and {len(folders) - 4} more" if folders[4:] else "")
    broken = [
        str(folder / STORE_FOLDER) for folder, _ in places if (folder / STORE_FOLDER).exists()
    ]
    remark = f"; {broken[0]} is there but is no store" if broken else ""
    return NoStoreError(
        f"expected a store for {start}, found none in {shown}{remark}",
        hint="make one with: memfs init, or name one with --store PATH",
    )


def _upward(start: Path) -> Iterator[Path]:
    yield start
    yield from start.parents


def _gitfile_target(marker: Path) -> Path | None:
    line = _read_line(marker)
    if not line.startswith("gitdir: "):
        return None
    target = Path(os.path.realpath(marker.parent / line.removeprefix("gitdir: ")))
    return target if (target / "HEAD").is_file() else None


def _common_dir(git_dir: Path) -> Path:
    relative = _read_line(git_dir / "commondir")
    return Path(os.path.realpath(git_dir / relative)) if relative else git_dir


def _read_line(path: Path) -> str:
    """Returns the first line of a small file; empty when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return os.fsdecode(stream.read(4096)).partition("\n")[0].rstrip("\r")
    except OSError:
        return ""


def _is_real_folder(path: Path) -> bool:
    mode = _link_mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _is_real_file(path: Path) -> bool:
    mode = _link_mode(path)
    return mode is not None and stat.S_ISREG(mode)


def _link_mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except OSError:
        return None
