"""Rewrites the whole history into a scratch repository beside the store's own.

The store is only read (but for tree objects of the index, which nothing refers to): every ref,
each stash entry and what is staged go into the scratch, git-filter-repo rewrites them together,
and what comes out is verified and packed there. A process that dies here has changed nothing.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memfs.errors import GitError, StoreError
from memfs.store import scrub
from memfs.store.git import GitFailedError, git_environment, init_repository, run_git
from memfs.store.histories import (
    HistoryRewrite,
    RefState,
    Rewritten,
    StashEntry,
    list_refs,
    read_commit_map,
    read_stash,
)

TIMEOUT_S: Final = 3600.0
_HEADS: Final = "refs/heads/n"
_TAGS: Final = "refs/tags/"
_NOTES: Final = "refs/notes/"
_REPLACE: Final = "refs/replace/"
_BLOB_NAME: Final = "content"
_AS_MEMFS: Final = {"user.name": "memfs", "user.email": "memfs@memfs.invalid"}


class PurgeUnavailableError(GitError):
    """git-filter-repo, which rewrites history, is not installed."""

    code = "git.no-filter-repo"


class RewriteFailedError(StoreError):
    """The history could not be rewritten; nothing was changed."""

    code = "store.rewrite-failed"


def filter_command() -> list[str]:
    """Returns the command line of git-filter-repo.

    Raises:
        PurgeUnavailableError: It is not installed.
    """
    if importlib.util.find_spec("git_filter_repo") is not None:
        return [sys.executable, "-m", "git_filter_repo"]
    found = shutil.which("git-filter-repo")
    if found is None:
        raise PurgeUnavailableError(
            "expected git-filter-repo, which rewrites history, found none",
            hint="install it: pip install 'memfs-ledger[purge]'; without --history everything "
            "but the Git history is erased now",
        )
    return [found]


def rewrite_history(
    git_dir: Path, work_tree: Path, scratch: Path, wish: HistoryRewrite
) -> Rewritten:
    """Makes ``scratch`` a repository with the whole history of ``git_dir``, rewritten.

    Raises:
        PurgeUnavailableError: git-filter-repo is not installed.
        RewriteFailedError: It failed.
        GitError: Git failed.
    """
    command = filter_command()
    before = list_refs(git_dir)
    work = _Scratch(git_dir, scratch, wish)
    work.fill(before, staged_tree(git_dir, work_tree))
    work.run_filter(command)
    return work.result(before)


def staged_tree(git_dir: Path, work_tree: Path) -> str:
    """Returns the tree that is staged, empty where it says nothing of its own.

    An index that is in conflict, damaged or gone cannot be written as a tree.
    """
    try:
        staged = run_git(git_dir, work_tree, "write-tree", is_read=False).decode("ascii").strip()
        tip = run_git(git_dir, None, "rev-parse", "--verify", "--quiet", "HEAD^{tree}")
    except GitFailedError:
        return ""
    return "" if staged == tip.decode("ascii").strip() else staged


class _Scratch:
    """A scratch repository on its way from a copy to a rewritten history."""

    def __init__(self, git_dir: Path, scratch: Path, wish: HistoryRewrite) -> None:
        self._git_dir = git_dir
        self._scratch = scratch
        self._wish = wish
        self._scrub = wish.scrub
        self._places: dict[str, str] = {}
        self._stash: tuple[StashEntry, ...] = ()
        self._staged = ""

    def fill(self, before: Sequence[RefState], staged: str) -> None:
        """Copies every object that a ref, the stash's log or the index leads to."""
        init_repository(self._scratch, is_bare=True)
        shallow = self._git_dir / "shallow"
        if shallow.exists():
            shutil.copyfile(shallow, self._scratch / "shallow")
        self._stash = self._readable(read_stash(self._git_dir))
        roots = [item.oid for item in before]
        roots += [entry.oid for entry in self._stash]
        roots += [staged] if staged else []
        pack = self._scratch / "objects" / "pack" / "pack"
        run_git(
            self._git_dir,
            None,
            "pack-objects",
            "--revs",
            "-q",
            "--delta-base-offset",
            str(pack),
            input="".join(f"{oid}\n" for oid in dict.fromkeys(roots)).encode("ascii"),
            timeout_s=TIMEOUT_S,
            is_read=False,
        )
        self._place(before, staged)

    def _readable(self, entries: Sequence[StashEntry]) -> tuple[StashEntry, ...]:
        """Leaves out entries whose objects a clean-up has taken already."""
        found = []
        for entry in entries:
            try:
                run_git(self._git_dir, None, "cat-file", "-e", f"{entry.oid}^{{tree}}")
            except GitFailedError:
                continue
            found.append(entry)
        return tuple(found)

    def _place(self, before: Sequence[RefState], staged: str) -> None:
        """Gives every root a ref in the scratch; tags keep their names, which they contain."""
        lines = []
        for number, item in enumerate(before):
            oid = item.oid
            place = f"{_HEADS}{number}"
            if not item.is_history:
                oid = self._as_commit(item)
            elif item.kind == "tag":
                place = self.renamed(item.name) if item.name.startswith(_TAGS) else place
                oid = oid if item.name.startswith(_TAGS) else self._peeled(oid)
            self._places[item.name] = place
            lines.append(f"create {place} {oid}\n")
        for number, entry in enumerate(self._stash):
            lines.append(f"create {_HEADS}stash{number} {entry.oid}\n")
        if staged:
            self._staged = f"{_HEADS}index"
            lines.append(f"create {self._staged} {self._commit_of(staged)}\n")
        self._git("update-ref", "--stdin", input=os.fsencode("".join(lines)))
        self._git("symbolic-ref", "HEAD", f"{_HEADS}0")

    def renamed(self, name: str) -> str:
        """Returns the name under which a ref is kept; one that tells what is erased is opaque."""
        data = os.fsencode(name)
        if self._scrub.text(data) == data:
            return name
        import hashlib

        head = "/".join(name.split("/")[:2])
        return f"{head}/erased-{hashlib.sha256(data).hexdigest()[:12]}"

    def _peeled(self, oid: str) -> str:
        return self._git("rev-parse", "--verify", f"{oid}^{{commit}}").decode("ascii").strip()

    def _as_commit(self, item: RefState) -> str:
        """Wraps a ref's blob or tree in a commit, so that it is rewritten like everything else."""
        oid = self._git("rev-parse", "--verify", f"{item.oid}^{{}}").decode("ascii").strip()
        kind = self._git("cat-file", "-t", oid).decode("ascii").strip()
        if kind == "blob":
            line = f"100644 blob {oid}\t{_BLOB_NAME}\n".encode("ascii")
            oid = self._git("mktree", input=line).decode("ascii").strip()
        return self._commit_of(oid)

    def _commit_of(self, tree: str) -> str:
        made = run_git(self._scratch, None, "commit-tree", tree, is_read=False, settings=_AS_MEMFS)
        return made.decode("ascii").strip()

    def run_filter(self, command: Sequence[str]) -> None:
        """Lets git-filter-repo rewrite all of it and drop what nothing leads to any more."""
        rules = scrub.encode_rules(
            blobs=sorted(self._wish.blobs),
            paths=sorted(self._wish.paths),
            records=sorted(self._wish.records),
            phrases=list(self._wish.phrases),
        )
        options = ["--force", "--quiet", "--prune-empty", "never", "--prune-degenerate", "never"]
        options += ["--replace-refs", "update-no-add"]
        options += [word for pair in scrub.CALLBACKS for word in pair]
        # A file without a name: what is to be forgotten must not lie on the disk once more.
        with tempfile.TemporaryFile(dir=self._scratch) as stream:
            stream.write(rules)
            stream.flush()
            environment = git_environment(is_read=False) | {
                scrub.DESCRIPTOR: str(stream.fileno()),
                scrub.CODE: str(scrub.__file__),
            }
            done = subprocess.run(
                [*command, *options],
                cwd=self._scratch,
                env=environment,
                pass_fds=(stream.fileno(),),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        if done.returncode != 0:
            # Its words may quote what is being erased, hence only the last line's first one.
            raise RewriteFailedError(
                f"git-filter-repo ended with status {done.returncode}; the history is as it was",
                hint="free disk space and Git 2.36 or newer are needed; then repeat the command",
            )

    def result(self, before: Sequence[RefState]) -> Rewritten:
        """Reads what came out, follows commit ids in notes and replacements, and packs it."""
        commits = read_commit_map(self._scratch / "filter-repo" / "commit-map")
        made = {item.name: item for item in list_refs(self._scratch)}
        refs: dict[str, str] = {}
        for item in before:
            found = made.get(self._places[item.name])
            oid = found.oid if found is not None else ""
            if oid and not item.is_history:
                oid = self._unwrapped(item, oid)
            name = self._followed(item.name, commits)
            if oid and name:
                refs[name] = oid
        for name in [name for name in refs if name.startswith(_NOTES)]:
            refs[name] = self._notes(refs[name], commits)
        staged = made.get(self._staged)
        tree = self._git("rev-parse", f"{staged.oid}^{{tree}}") if staged is not None else b""
        stash = tuple(
            StashEntry(oid=commits.get(entry.oid, entry.oid), rest=self._plain(entry.rest))
            for entry in self._stash
        )
        self._git("repack", "-a", "-d", "-q", "--no-write-bitmap-index", timeout_s=TIMEOUT_S)
        packs = (self._scratch / "objects" / "pack").iterdir()
        return Rewritten(
            before=tuple(before),
            refs=refs,
            commits=commits,
            stash=stash,
            index_tree=tree.decode("ascii").strip(),
            packs=tuple(sorted(path.name for path in packs if path.name.startswith("pack-"))),
            scratch=self._scratch,
        )

    def _plain(self, rest: str) -> str:
        return os.fsdecode(self._scrub.text(os.fsencode(rest)))

    def _followed(self, name: str, commits: Mapping[str, str]) -> str:
        """Returns the new name of a ref; a replacement is named after the commit it replaces."""
        if name.startswith(_REPLACE):
            old = name.removeprefix(_REPLACE)
            return f"{_REPLACE}{commits[old]}" if old in commits else ""
        return self.renamed(name)

    def _unwrapped(self, item: RefState, commit: str) -> str:
        is_blob = "blob" in (item.kind, item.target)
        place = f"{commit}:{_BLOB_NAME}" if is_blob else f"{commit}^{{tree}}"
        try:
            return self._git("rev-parse", "--verify", "--quiet", place).decode("ascii").strip()
        except GitFailedError:
            return ""

    def _notes(self, head: str, commits: Mapping[str, str]) -> str:
        """Moves notes to the new ids of their commits; their file names are commit ids."""
        listing = self._git("ls-tree", "-r", "-z", head).split(b"\0")
        lines, has_moved = [], False
        for entry in filter(None, listing):
            meta, _, path = entry.partition(b"\t")
            old = path.replace(b"/", b"").decode("ascii", "replace")
            new = commits.get(old, old)
            has_moved = has_moved or new != old
            lines.append(meta + b"\t" + (new.encode("ascii") if new != old else path))
        if not has_moved:
            return head
        index = self._scratch / "notes-index"
        info = b"".join(line + b"\0" for line in lines)
        self._git("update-index", "-z", "--index-info", input=info, index_file=index)
        tree = self._git("write-tree", index_file=index).decode("ascii").strip()
        index.unlink()
        made = run_git(
            self._scratch,
            None,
            "commit-tree",
            tree,
            "-p",
            head,
            input=b"notes: follow a rewritten history\n",
            is_read=False,
            settings=_AS_MEMFS,
        )
        oid = made.decode("ascii").strip()
        # The scratch packs only what a ref leads to.
        self._git("update-ref", f"refs/heads/notes-{oid[:12]}", oid)
        return oid

    def _git(
        self,
        *words: str,
        input: bytes | None = None,  # noqa: A002  the name that subprocess uses
        index_file: Path | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> bytes:
        return run_git(
            self._scratch,
            None,
            *words,
            input=input,
            index_file=index_file,
            timeout_s=timeout_s,
            is_read=False,
        )
