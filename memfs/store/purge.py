"""Puts a rewritten history in the place of the old one: whole or not at all (A61).

Order: everything is rewritten in a scratch repository → its packs come beside the old ones →
the journal is written (the point from which an interrupted purge is finished, before it nothing
has happened) → refs → logs, working files, index → what Git and memfs keep by commit id → old
objects go. Each step can be repeated; the next opener repeats those that were not done. When a
person moved a ref between a crash and that opening, the refs go back and the old history stays.

The caller holds the store's write lock. ``index.lock`` is held while anything is swapped, so
that no commit by hand can fall in between.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.store.context import WriteContext
from memfs.store.git import run_git
from memfs.store.histories import HistoryRewrite, Rewritten, list_refs
from memfs.store.journal import Placed
from memfs.store.leavings import drop_leavings, drop_logs, drop_packs_of_the_dead
from memfs.store.placement import WorkingFiles
from memfs.store.preconditions import check_branch
from memfs.store.purge_checks import PurgeBlockedError, check_possible
from memfs.store.recovery import write_marker
from memfs.store.refs import LEDGER_REF, MAIN_REF
from memfs.store.rewriting import TIMEOUT_S, rewrite_history
from memfs.store.settled import PURGE_FOLDER
from memfs.store.staging import Staging
from memfs.store.tree import diff_trees

_JOURNAL: Final = "journal"
_ATTEMPTS: Final = 5


@frozen
class Purged:
    """What a rewrite did: commits that got another id, and files of the branch that changed.

    ``blobs`` gives the new blob id by the old one, for files whose text was replaced.
    """

    commits: int
    changed: int
    kept: tuple[str, ...]
    blobs: dict[str, str]


@frozen
class _Journal:
    """All that is needed to finish; ``stage`` is ``refs``, then ``files``, then ``objects``."""

    stage: str
    refs: list[list[str]]
    main: list[str]
    stash: list[list[str]]
    ledger_log: list[list[str]]
    index_tree: str


def purge(context: WriteContext, wish: HistoryRewrite) -> Purged:
    """Rewrites the history and everything in the repository that follows from it.

    Raises:
        PurgeBlockedError: A merge is under way, a linked working tree exists, the disk is full,
            or somebody else commits all the time.
        PurgeUnavailableError: git-filter-repo is not installed.
        RewriteFailedError: It failed.
        WrongBranchError: Another branch is checked out.
        LockTimeoutError: Another Git process kept the index.
        GitError: Git failed.
        OSError: The file system refuses.
    """
    check_branch(context)
    check_possible(Path(context.git_dir))
    folder = Path(context.git_dir, PURGE_FOLDER)
    clear_scratch(context)
    for attempt in range(_ATTEMPTS):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        scratch = folder / f"scratch-{attempt}"
        made = rewrite_history(Path(context.git_dir), context.root, scratch, wish)
        context.effects.step("purge:rewritten")
        done = _swap(context, made)
        if done is not None:
            return done
        clear_scratch(context)
    raise PurgeBlockedError(
        "somebody else moved a branch at every attempt", hint="try again; nothing was changed"
    )


def clear_scratch(context: WriteContext) -> None:
    """Removes what an interrupted rewrite left aside; nothing in the store refers to it."""
    shutil.rmtree(Path(context.git_dir, PURGE_FOLDER), ignore_errors=True)


def resume(context: WriteContext) -> bool:
    """Finishes or undoes an interrupted purge; the caller holds the write lock.

    Returns:
        Whether the new history stands.
    """
    journal = _read(context)
    if journal is None:
        clear_scratch(context)
        return False
    if journal.stage == "refs" and not _may_go_on(context, journal):
        _set_refs(context, [[name, new, old] for name, old, new in journal.refs], is_back=True)
        clear_scratch(context)
        return False
    _finish(context, journal)
    return True


def _swap(context: WriteContext, made: Rewritten) -> Purged | None:
    """Publishes a rewritten history; ``None`` when a ref moved meanwhile and nothing happened."""
    staging = context.new_staging()
    lock = context.index_lock(staging)
    lock.acquire(time.monotonic() + context.settings.lock_timeout_s)
    try:
        if list_refs(Path(context.git_dir)) != made.before:
            return None
        journal = _journal_of(context, made)
        blobs = _changed_blobs(context, made, journal)
        _bring_packs(context, made)
        context.effects.step("purge:packs")
        _write(context, journal)
        context.effects.step("purge:journal")
    finally:
        lock.release()
        staging.discard()
    kept, changed = _finish(context, journal)
    moved = sum(1 for old, new in made.commits.items() if old != new)
    return Purged(commits=moved, changed=changed, kept=kept, blobs=blobs)


def _journal_of(context: WriteContext, made: Rewritten) -> _Journal:
    new_names = {item.name: item.oid for item in made.before}
    refs = [[name, new_names.get(name, ""), oid] for name, oid in made.refs.items()]
    refs += [[item.name, item.oid, ""] for item in made.before if item.name not in made.refs]
    return _Journal(
        stage="refs",
        refs=sorted(refs),
        main=[context.read_main(), made.refs.get(MAIN_REF, "")],
        stash=[[entry.oid, entry.rest] for entry in made.stash],
        ledger_log=_ledger_log(Path(context.git_dir), made),
        index_tree=made.index_tree,
    )


def _ledger_log(git_dir: Path, made: Rewritten) -> list[list[str]]:
    """Returns the ledger's log with new ids and no words: it tells operations from forgeries."""
    try:
        lines = (git_dir / "logs" / LEDGER_REF).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        head = line.partition("\t")[0].split(" ")
        if len(head) >= 4 and (head[1] in made.commits):
            old = made.commits.get(head[0], "0" * 40)
            found.append([old, made.commits[head[1]], " ".join(head[-2:])])
    return found


def _changed_blobs(context: WriteContext, made: Rewritten, journal: _Journal) -> dict[str, str]:
    """Returns the new blob ids of the branch's files whose text was replaced."""
    old, new = journal.main
    scratch = made.scratch
    listing = run_git(scratch, None, "ls-tree", "-r", "-z", new) if new else b""
    after = dict(_entries(listing))
    before = run_git(Path(context.git_dir), None, "ls-tree", "-r", "-z", old) if old else b""
    return {
        blob: after[path]
        for path, blob in _entries(before)
        if path in after and after[path] != blob
    }


def _entries(listing: bytes) -> list[tuple[bytes, str]]:
    lines = (line.partition(b"\t") for line in listing.split(b"\0") if line)
    return [(path, head.split(b" ")[2].decode("ascii")) for head, _, path in lines]


def _bring_packs(context: WriteContext, made: Rewritten) -> None:
    """Moves the new packs beside the old ones, each index last, as Git itself does."""
    target = f"{context.git_dir}/objects/pack"
    context.effects.mkdir(target)
    for name in sorted(made.packs, key=lambda name: name.endswith(".idx")):
        source = made.scratch / "objects" / "pack" / name
        context.effects.rename(str(source), f"{target}/{name}")
    context.effects.fsync_folder(target)
    context.objects.close()


def _may_go_on(context: WriteContext, journal: _Journal) -> bool:
    """Whether every ref is where the purge found it or where it put it."""
    found = {item.name: item.oid for item in list_refs(Path(context.git_dir))}
    known = {name: {old, new} for name, old, new in journal.refs}
    if any(oid not in known.get(name, set()) for name, oid in found.items()):
        return False
    return all(name in found or "" in values for name, values in known.items())


def _finish(context: WriteContext, journal: _Journal) -> tuple[tuple[str, ...], int]:
    """Carries out what the journal says, from its stage on."""
    staging = context.new_staging()
    deadline = time.monotonic() + context.settings.lock_timeout_s
    kept: tuple[str, ...] = ()
    changed = 0
    lock = context.index_lock(staging)
    lock.acquire(deadline)
    try:
        if journal.stage == "refs":
            _set_refs(context, journal.refs, is_back=False)
            context.effects.step("purge:refs")
            journal = replace(journal, stage="files")
            _write(context, journal)
        if journal.stage == "files":
            drop_logs(Path(context.git_dir))
            _write_logs(context, journal)
            context.effects.step("purge:logs")
            kept, changed = _place_files(context, journal, staging)
            context.effects.step("purge:files")
            drop_leavings(Path(context.git_dir))
            main = context.read_main()
            key = context.index.rebuild(lock, journal.index_tree or main, staging)
            context.effects.step("purge:index")
            context.journal.remove_intent()
            write_marker(context, key, staging)
            journal = replace(journal, stage="objects")
            _write(context, journal)
            lock = context.index_lock(staging)
            lock.acquire(deadline)
        _drop_objects(context)
        context.effects.step("purge:objects")
    finally:
        lock.release()
        staging.discard()
    clear_scratch(context)
    return kept, changed


def _set_refs(context: WriteContext, refs: list[list[str]], *, is_back: bool) -> None:
    """Moves every ref at once, the ones that are there already left out."""
    found = {item.name: item.oid for item in list_refs(Path(context.git_dir))}
    lines = []
    for name, old, new in refs:
        standing = found.get(name, "")
        if standing == new or (is_back and standing != old):
            continue
        if new:
            lines.append(
                f"update {name}\0{new}\0{standing}\0" if standing else f"create {name}\0{new}\0"
            )
        elif standing:
            lines.append(f"delete {name}\0{standing}\0")
    if lines:
        run_git(
            Path(context.git_dir),
            None,
            "update-ref",
            "--no-deref",
            "--stdin",
            "-z",
            input=os.fsencode("".join(lines)),
            is_read=False,
        )


def _write_logs(context: WriteContext, journal: _Journal) -> None:
    """Writes what the logs are still needed for: the ledger's own, and the stash."""
    logs = Path(context.git_dir, "logs")
    ledger = [
        f"{old} {new} memfs <memfs@memfs.invalid> {when}\tmemfs: rewritten"
        for old, new, when in journal.ledger_log
    ]
    before = "0" * 40
    stash = []
    for oid, rest in journal.stash:
        stash.append(f"{before} {oid} {rest}")
        before = oid
    for name, lines in ((LEDGER_REF, ledger), ("refs/stash", stash)):
        if lines:
            place = logs / name
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.write_bytes(os.fsencode("\n".join(lines) + "\n"))


def _place_files(
    context: WriteContext, journal: _Journal, staging: Staging
) -> tuple[tuple[str, ...], int]:
    """Brings working files to the new branch; what a person edited stays."""
    old, new = (context.read_tree_of(commit) for commit in journal.main)
    files = tuple(
        Placed(
            path=path,
            old=before.oid if before is not None else "",
            new=after.oid if after is not None else "",
        )
        for path, before, after in diff_trees(context.trees, old, new)
        if before != after
    )

    def stage(item: Placed) -> str:
        temporary = staging.put(context.objects.read_blob(item.new))
        staging.flush()
        return temporary

    with WorkingFiles(context.root, staging, context.effects) as working:
        return working.place(files, stage).kept, len(files)


def _drop_objects(context: WriteContext) -> None:
    """Packs what refs and index lead to and removes everything else at once."""
    git_dir = Path(context.git_dir)
    drop_packs_of_the_dead(git_dir)
    context.objects.close()
    for words in (
        ("pack-refs", "--all", "--prune"),
        ("repack", "-a", "-d", "-q", "--no-write-bitmap-index"),
        ("prune", "--expire=now"),
    ):
        run_git(git_dir, None, *words, timeout_s=TIMEOUT_S, is_read=False)
        context.effects.step(f"purge:{words[0]}")
    context.objects.close()


def _read(context: WriteContext) -> _Journal | None:
    try:
        content = Path(context.git_dir, PURGE_FOLDER, _JOURNAL).read_bytes()
        return _Journal(**json.loads(content))
    except (OSError, ValueError, TypeError):
        return None


def _write(context: WriteContext, journal: _Journal) -> None:
    folder = Path(context.git_dir, PURGE_FOLDER)
    temporary = folder / f"{_JOURNAL}.new"
    with contextlib.suppress(FileNotFoundError):
        context.effects.unlink(str(temporary))
    descriptor = context.effects.create(
        str(temporary), json.dumps(asdict(journal), ensure_ascii=True).encode("ascii")
    )
    try:
        context.effects.fsync(descriptor)
    finally:
        os.close(descriptor)
    context.effects.rename(str(temporary), str(folder / _JOURNAL))
    context.effects.fsync_folder(str(folder))
