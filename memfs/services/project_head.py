"""Which commit of the project is checked out, as Git says; never a guess."""

from __future__ import annotations

from memfs.errors import GitError
from memfs.services.ports import Workspace


def project_commit(workspace: Workspace) -> str:
    """Returns the commit of the project that is checked out; empty when there is none."""
    if workspace.project_dir is None:
        return ""
    from memfs.store.discovery import find_git_project  # only what ends asks Git
    from memfs.store.git import run_git

    try:
        found = find_git_project(workspace.project_dir)
        if found is None:
            return ""
        said = run_git(found.git_dir, None, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitError:
        return ""
    return said.decode("ascii", "replace").strip()
