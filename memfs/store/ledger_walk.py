"""The ledger step by step: every operation with what it says of itself and what it changed.

Steps follow the first parents of the ledger, which is the ledger's own line; commits that
others made between two operations belong to the step that settled them. Three processes do the
whole walk, whatever its length. Nothing is written, nothing is judged here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import CommitId
from memfs.model.operation import Commit
from memfs.store.git import run_git
from memfs.store.history import LedgerLog
from memfs.store.message import ACTOR, DECISION, POLICY, parse_commit, trailers_of, tree_of
from memfs.store.refs import LEDGER_REF
from memfs.store.snapshot import TreeChange
from memfs.store.tree import EMPTY_TREE

_TIMEOUT_S: Final = 600.0
_REGULAR: Final = frozenset({b"100644", b"100755"})
_IDENTITY: Final = b" memfs <"


@frozen
class LedgerStep:
    """One operation on the ledger.

    Attributes:
        commit: The operation; of the last commit, also one that is none.
        decisions: Every decision trailer.
        policies: Every policy trailer.
        actor: The actor trailer.
        changes: How its files differ from those of the step before.
        between: Commits that others made since then, oldest first.
    """

    commit: Commit
    decisions: tuple[str, ...]
    policies: tuple[str, ...]
    actor: str
    changes: tuple[TreeChange, ...]
    between: tuple[Commit, ...] = ()


@frozen(kw_only=False)
class ForeignMove:
    """A move of the ledger's ref that memfs did not make."""

    old: str
    new: str


@frozen(kw_only=False)
class _Seen:
    commit: Commit
    tree: str
    trailers: Mapping[str, Sequence[str]]


def walk_ledger(git_dir: Path, head: CommitId) -> Iterator[LedgerStep]:
    """Yields the steps of the ledger, oldest first.

    A commit that carries the marks of an operation and that the ledger's own log refutes is no
    step; it is among ``between``, with its transaction still there to be read.
    """
    seen = _line_of(git_dir, head)
    groups: list[tuple[_Seen, list[Commit]]] = []
    between: list[Commit] = []
    for number, item in enumerate(seen):
        if item.commit.is_operation or number == len(seen) - 1:
            groups.append((item, between))
            between = []
        else:
            between.append(item.commit)
    trees = [EMPTY_TREE, *(item.tree for item, _ in groups)]
    changes = _differences(git_dir, list(itertools.pairwise(trees)))
    for (item, others), old, new in zip(groups, trees, trees[1:], strict=False):
        yield LedgerStep(
            commit=item.commit,
            decisions=tuple(item.trailers.get(DECISION, ())),
            policies=tuple(item.trailers.get(POLICY, ())),
            actor=next(iter(item.trailers.get(ACTOR, ())), ""),
            changes=changes.get((old, new), ()),
            between=tuple(others),
        )


def foreign_moves(git_dir: Path) -> tuple[ForeignMove, ...]:
    """Returns the moves of the ledger's ref by somebody else, as far as its log goes back."""
    try:
        log = (git_dir / "logs" / LEDGER_REF).read_bytes()
    except OSError:
        return ()
    found = []
    for line in log.split(b"\n"):
        if len(line) > 82 and not line[81:].startswith(_IDENTITY):
            found.append(
                ForeignMove(
                    line[:40].decode("ascii", "replace"), line[41:81].decode("ascii", "replace")
                )
            )
    return tuple(found)


def operations_beyond(git_dir: Path, ledger: CommitId, main: CommitId) -> tuple[Commit, ...]:
    """Returns the operations of this store that ``main`` has and the ledger does not, newest first.

    There are none as a rule: both refs move together. Some show that the ledger was moved back.
    """
    output = run_git(git_dir, None, "rev-list", str(main), f"^{ledger}", "--")
    log = LedgerLog(git_dir)
    commits = (item.commit for item in _read(git_dir, output.decode("ascii").split(), log))
    return tuple(commit for commit in commits if commit.is_operation and log.has(commit.id))


def is_shallow(git_dir: Path) -> bool:
    """Whether the history was cut off when the store was cloned."""
    return (git_dir / "shallow").exists()


def _line_of(git_dir: Path, head: CommitId) -> list[_Seen]:
    output = run_git(
        git_dir,
        None,
        "rev-list",
        "--first-parent",
        "--reverse",
        str(head),
        "--",
        timeout_s=_TIMEOUT_S,
    )
    return list(_read(git_dir, output.decode("ascii").split(), LedgerLog(git_dir)))


def _read(git_dir: Path, ids: Sequence[str], log: LedgerLog) -> Iterator[_Seen]:
    if not ids:
        return
    output = run_git(
        git_dir,
        None,
        "cat-file",
        "--batch",
        input="".join(f"{oid}\n" for oid in ids).encode("ascii"),
        timeout_s=_TIMEOUT_S,
    )
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        oid, _, size = output[position:end].split(b" ")
        content = output[end + 1 : end + 1 + int(size)]
        position = end + 2 + int(size)
        commit = parse_commit(oid.decode("ascii"), content)
        yield _Seen(
            commit=log.confirm(commit),
            tree=tree_of(content),
            trailers=trailers_of(content),
        )


def _differences(
    git_dir: Path, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[TreeChange, ...]]:
    """Compares many pairs of trees in one process."""
    lines = "".join(f"{old} {new}\n" for old, new in dict.fromkeys(pairs) if old != new)
    options = ("diff-tree", "--stdin", "-r", "--raw", "-z", "--no-renames", "--no-abbrev")
    output = run_git(git_dir, None, *options, input=lines.encode("ascii"), timeout_s=_TIMEOUT_S)
    found: dict[tuple[str, str], list[TreeChange]] = {}
    current: list[TreeChange] = []
    position = 0
    while position < len(output):
        if output[position : position + 1] != b":":
            end = output.index(b"\n", position)
            old, new = output[position:end].decode("ascii").split(" ")[:2]
            current = found.setdefault((old, new), [])
            position = end + 1
            continue
        end = output.index(b"\0", position)
        stop = output.index(b"\0", end + 1)
        change = _change(output[position + 1 : end], output[end + 1 : stop])
        if change is not None:
            current.append(change)
        position = stop + 1
    return {pair: tuple(changes) for pair, changes in found.items()}


def _change(meta: bytes, path: bytes) -> TreeChange | None:
    """Returns a change between regular files; what is none counts as absent."""
    old_mode, new_mode, old, new, _ = meta.split(b" ")
    before = old.decode("ascii") if old_mode in _REGULAR else None
    after = new.decode("ascii") if new_mode in _REGULAR else None
    if before == after:
        return None
    return TreeChange(path.decode("utf-8", "surrogateescape"), before, after)
