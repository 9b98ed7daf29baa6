"""Erasure: a sentinel is written through every way into a store, erased, and searched for.

The search is the suite's own: it reads files and asks Git for every object, and uses nothing of
the scan that memfs itself makes. Beside the time of ``erase --history`` stands that of plain
git-filter-repo on a copy of the same store, which removes the same paths and words and nothing
around the history.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Final

from benchmarks.corpus import environment
from benchmarks.suites.figures import Figure
from benchmarks.suites.stores import AGENT, fresh_memory
from memfs.app.container import Memory
from memfs.model.result import Result, ResultStatus

SUITE: Final = "erasure"
SENTINEL: Final = "velvet-heron-60417"
FILLER: Final = 400
FILLER_SMALL: Final = 40
PLACES: Final = (
    "working tree",
    "names",
    "inbox",
    "index",
    "caches",
    "loose and packed objects",
    "refs",
    "reflogs",
    "messages",
    "user data",
    "exports",
)


@dataclass(slots=True)
class Planted:
    """One store with the sentinel in it, and the ids that have to go."""

    memory: Memory
    root: Path
    env: Mapping[str, str]
    identifiers: list[str] = field(default_factory=list)

    def git(self, *words: str) -> str:
        """Runs Git as a person would, without hooks."""
        command = ["git", "-C", str(self.root), "-c", "core.hooksPath=/dev/null", *words]
        done = subprocess.run(command, check=True, capture_output=True, env=dict(self.env))
        return done.stdout.decode("utf-8", "replace")

    def say(self, text: str, **options: str) -> Result:
        """Remembers a text and notes its id."""
        result = self.memory.remember(text, **options)  # type: ignore[arg-type]
        if result.status is ResultStatus.DONE:
            self.identifiers.append(result.target)
        return result

    def file_of(self, identifier: str) -> Path:
        """Returns the working file of a record."""
        return self.root / self.memory.show(identifier).path


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Plants, erases, searches; then the same with everything packed first."""
    is_small = data.name == "governance" and data.parent.name == "fixtures"
    filler = FILLER_SMALL if is_small else FILLER
    for case in ("loose, text named", "packed, text named", "loose, by ids alone"):
        name = case.replace(" ", "-").replace(",", "")
        with fresh_memory(scratch, f"erasure-{name}") as memory:
            yield from _measured(memory, scratch, case, filler)
    with fresh_memory(scratch, "erasure-sealed") as memory:
        yield from _sealed(memory, scratch)


def _measured(memory: Memory, scratch: Path, case: str, filler: int) -> Iterator[Figure]:
    planted = _planted(memory, scratch, filler)
    if case.startswith("packed"):
        planted.git("repack", "-a", "-d", "-q")
    before = Counter(_found(planted, scratch))
    yield _figure(case, "places with the sentinel before", f"{len(before)} of {len(PLACES)}")
    copy = scratch / f"copy-{planted.root.parent.name}"
    shutil.copytree(planted.root, copy, symlinks=True)
    operations = _operations(planted)
    started = perf_counter()
    texts = (SENTINEL,) if case.endswith("text named") else ()
    result = memory.erase(planted.identifiers, texts=texts, is_history=True)
    erase_s = perf_counter() - started
    after = Counter(_found(planted, scratch))
    for place in PLACES:
        yield _figure(case, f"sentinel in {place}", str(after[place]), "0", after[place] == 0)
    is_done = result.status is ResultStatus.DONE
    yield _figure(case, "what the command says", str(result.status), "done", is_done)
    fsck = planted.git("fsck", "--full", "--strict").strip()
    yield _figure(case, "git fsck", fsck or "clean", "clean", not fsck)
    lost = len(operations - _operations(planted))
    yield _figure(case, "operations that lost their id", str(lost), "0", lost == 0)
    plain_s = _plain_filter_repo(copy, planted.env)
    yield _figure(
        case,
        "erase --history beside git-filter-repo alone",
        f"{erase_s:.2f} s, {plain_s:.2f} s ({erase_s / plain_s:.1f}x)",
    )


def _planted(memory: Memory, scratch: Path, filler: int) -> Planted:
    env = environment(scratch)
    names = {"AUTHOR", "COMMITTER"}
    env |= {f"GIT_{name}_NAME": "Owner" for name in names}
    env |= {f"GIT_{name}_EMAIL": "owner@example.org" for name in names}
    planted = Planted(memory=memory, root=memory.workspace.store.root, env=env)
    for number in range(filler):
        memory.remember(f"Build {number} of the ferry schedule took {number} seconds.", kind="note")
    for way in WAYS:
        way(planted)
    return planted


def _by_remember(planted: Planted) -> None:
    planted.say(f"The lock of the boathouse opens with {SENTINEL}.", kind="note", subject="lock")


def _by_correct(planted: Planted) -> None:
    found = planted.say("The gate of the boathouse is on the left.", kind="note", subject="gate")
    planted.memory.correct(found.target, f"The gate of the boathouse takes {SENTINEL} too.")
    planted.memory.correct(found.target, "The gate of the boathouse has no lock any more.")


def _by_conflict(planted: Planted) -> None:
    planted.say(f"The boathouse alarm code is {SENTINEL}.", kind="fact", subject="alarm")
    planted.say(f"The boathouse alarm code was {SENTINEL}-b.", kind="fact", subject="alarm")


def _by_propose(planted: Planted) -> None:
    memory = planted.memory
    owner, memory.actor = memory.actor, AGENT
    for number in range(3):
        memory.propose(
            f"Someone said {SENTINEL} {number} times.", kind="fact", subject=f"said-{number}"
        )
    memory.actor = owner


def _by_import(planted: Planted) -> None:
    source = planted.root.parent / "notes"
    source.mkdir()
    (source / "boathouse.md").write_text(f"# Boathouse\n\nSpare key: {SENTINEL}\n")
    planted.memory.import_path(source, accept=True)
    shutil.rmtree(source)
    for stored in planted.memory.list_records():
        if SENTINEL in stored.record.body and stored.record.id not in planted.identifiers:
            planted.identifiers.append(stored.record.id)


def _by_hand(planted: Planted) -> None:
    place = planted.file_of(planted.identifiers[0])
    place.write_text(place.read_text(encoding="utf-8") + f"\nAdded by hand: {SENTINEL}.\n")
    planted.memory.reconcile()


def _by_commit(planted: Planted) -> None:
    stray = planted.root / "records" / "note" / f"{SENTINEL}.md"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_text(f"---\nkind: note\n---\nBy hand: {SENTINEL}\n", encoding="utf-8")
    planted.git("add", "-f", str(stray))
    planted.git("commit", "-q", "-m", f"note {SENTINEL}", "--", str(stray))


def _by_branch_and_tag(planted: Planted) -> None:
    planted.git("branch", f"keep-{SENTINEL}")
    planted.git("tag", "-a", "-m", f"as of {SENTINEL}", "before")
    planted.git("notes", "add", "-m", f"about {SENTINEL}")


def _by_stash(planted: Planted) -> None:
    (planted.root / "README.md").write_text(f"{SENTINEL}\n", encoding="utf-8")
    planted.git("stash", "push", "-q", "-m", f"stash {SENTINEL}", "--", "README.md")


def _by_reflog(planted: Planted) -> None:
    planted.git("checkout", "-q", "-b", "passing")
    planted.git("commit", "-q", "--allow-empty", "-m", f"passing {SENTINEL}")
    planted.git("checkout", "-q", "main")
    planted.git("branch", "-q", "-D", "passing")


def _by_search(planted: Planted) -> None:
    planted.memory.search("boathouse lock")
    planted.memory.recall("how does the boathouse lock open")
    views = planted.root / "views"
    views.mkdir(exist_ok=True)
    (views / "timeline.jsonl").write_text(f'{{"text": "{SENTINEL}"}}\n', encoding="utf-8")


WAYS: Final[tuple[Callable[[Planted], None], ...]] = (
    _by_remember,
    _by_correct,
    _by_conflict,
    _by_propose,
    _by_import,
    _by_branch_and_tag,
    _by_stash,
    _by_reflog,
    _by_commit,
    _by_hand,
    _by_search,
)


def _found(planted: Planted, scratch: Path) -> Iterator[str]:
    """Yields the place of everything that holds the sentinel."""
    needle, root = SENTINEL.encode(), planted.root
    for path in _files(root):
        relative = path.relative_to(root).as_posix()
        if SENTINEL in relative:
            yield "names"
        if needle in path.read_bytes():
            yield _place(relative)
    workspace = planted.memory.workspace
    for name, folder in (("caches", workspace.cache_dir), ("user data", scratch / "home")):
        yield from (name for path in _files(folder) if needle in path.read_bytes())
    for kind, data in _objects(planted):
        if needle in data:
            yield "messages" if kind in ("commit", "tag") else "loose and packed objects"
    yield from ("refs" for name in planted.git("for-each-ref").splitlines() if SENTINEL in name)


def _place(relative: str) -> str:
    tops = {".git/logs": "reflogs", ".git/refs": "refs", ".git/index": "index"}
    for top, place in (*tops.items(), ("inbox", "inbox"), ("views", "exports")):
        if relative == top or relative.startswith(f"{top}/"):
            return place
    return "working tree" if not relative.startswith(".git/") else "index"


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _objects(planted: Planted) -> Iterator[tuple[str, bytes]]:
    command = ["git", "-C", str(planted.root), "cat-file", "--batch-all-objects", "--batch"]
    output = subprocess.run(command, check=True, capture_output=True).stdout
    at = 0
    while at < len(output):
        head, _, _ = output[at:].partition(b"\n")
        _, kind, size = head.split(b" ")
        start = at + len(head) + 1
        yield kind.decode(), output[start : start + int(size)]
        at = start + int(size) + 1


def _operations(planted: Planted) -> set[str]:
    log = planted.git("log", "--all", "--format=%(trailers:key=Memfs-Txn,valueonly)")
    return {line for line in log.splitlines() if line}


def _plain_filter_repo(copy: Path, env: Mapping[str, str]) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as stream:
        stream.write(f"literal:{SENTINEL}==>(erased)\n")
    shutil.rmtree(copy / ".git" / "logs" / "refs" / "stash", ignore_errors=True)
    words = ("--replace-text", stream.name, "--replace-message", stream.name)
    started = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "git_filter_repo", "--force", "--quiet", *words],
        cwd=copy,
        check=True,
        capture_output=True,
        env=dict(env),
    )
    Path(stream.name).unlink()
    return perf_counter() - started


def _sealed(memory: Memory, scratch: Path) -> Iterator[Figure]:
    planted = Planted(memory=memory, root=memory.workspace.store.root, env=environment(scratch))
    planted.say(f"Sealed: {SENTINEL}", kind="note", subject="seal", sensitivity="sealed")
    shown = memory.show(planted.identifiers[0]).record.body
    yield _figure("sealed", "opens for a person at a terminal", str(SENTINEL in shown), "True")
    found = len(list(_found(planted, scratch)))
    yield _figure("sealed", "sentinel in plain text before", str(found), "0", found == 0)
    memory.erase(planted.identifiers)
    keys = len(list((scratch / "home").rglob("*.key")))
    yield _figure("sealed", "keys after erase without --history", str(keys), "0", keys == 0)


def _figure(case: str, name: str, value: str, bar: str = "", holds: bool | None = None) -> Figure:
    if bar and holds is None:
        holds = value == bar
    return Figure(suite=SUITE, case=case, name=name, value=value, bar=bar, holds=holds)
