"""What a session's repository has: its turns, by their commits' trailers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from memfs.domains.sessions.assembly import ROOT, Opening, Placed
from memfs.domains.sessions.commit_text import TurnFacts, facts_of
from memfs.domains.sessions.nodes import id_in
from memfs.store.session_repository import SessionCommit, SessionRepository

_KEPT: Final = 256
"""Sessions whose turns a long-lived process remembers; they are read again when one grew."""


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """One commit of a session and what it says of itself."""

    commit: SessionCommit
    facts: TurnFacts


@dataclass(frozen=True, slots=True)
class KeptLog:
    """The turns of a session, each behind what it follows.

    Attributes:
        turns: Every commit that is a turn's.
        heads: Branch to the index of its newest turn.
        branch: The branch of the newest turn.
    """

    turns: tuple[KeptTurn, ...]
    heads: dict[str, int]
    branch: str

    @property
    def newest(self) -> int:
        """Index of the newest turn; ROOT for none."""
        return self.heads.get(self.branch, len(self.turns) - 1)

    def index_of(self, commit: str) -> int:
        """Returns the index of a commit; ROOT for one that is not here."""
        return next((at for at, turn in enumerate(self.turns) if turn.commit.id == commit), ROOT)

    def line(self, index: int) -> tuple[int, ...]:
        """Returns the turns from the beginning up to one of them."""
        by_commit = {turn.commit.id: at for at, turn in enumerate(self.turns)}
        found: list[int] = []
        while index != ROOT:
            found.append(index)
            parents = self.turns[index].commit.parents
            index = by_commit.get(parents[0], ROOT) if parents else ROOT
        return tuple(reversed(found))

    def placed(self) -> list[Placed]:
        """Returns the turns as the assembly places new ones behind them."""
        by_commit: dict[str, int] = {}
        found: list[Placed] = []
        for at, turn in enumerate(self.turns):
            parents = turn.commit.parents
            base = by_commit.get(parents[0], ROOT) if parents else ROOT
            by_commit[turn.commit.id] = at
            is_more = turn.facts.opening is Opening.CONTINUED and base != ROOT
            before = found[base] if is_more else None
            if before is not None:
                before.has_answer = before.has_answer or turn.facts.has_answer
            found.append(
                Placed(
                    number=turn.facts.number,
                    parent=base,
                    prompt=before.prompt if before else turn.facts.prompt_id,
                    has_answer=turn.facts.has_answer or (before is not None and before.has_answer),
                )
            )
        return found

    def nodes(self) -> dict[str, int]:
        """Returns the id of each message with the index of the turn that brought it."""
        found: dict[str, int] = {}
        for at, turn in enumerate(self.turns):
            for name in turn.facts.nodes:
                found.setdefault(id_in(name), at)
        return found


def read_log(repository: SessionRepository) -> KeptLog:
    """Returns the turns of a repository; commits that are none of ours are left out."""
    heads = repository.heads()
    return _log_at(repository.root, tuple(heads.items()), repository.head_branch())


@lru_cache(maxsize=_KEPT)
def _log_at(root: Path, heads: tuple[tuple[str, str], ...], branch: str) -> KeptLog:
    """Reads what the heads reach; another head is another question, so none is ever old."""
    turns: list[KeptTurn] = []
    with SessionRepository(root) as repository:
        for commit in repository.log():
            facts = facts_of(commit.message)
            if facts is not None:
                turns.append(KeptTurn(commit, facts))
    index = {turn.commit.id: at for at, turn in enumerate(turns)}
    return KeptLog(
        turns=tuple(turns),
        heads={name: index[oid] for name, oid in heads if oid in index},
        branch=branch,
    )
