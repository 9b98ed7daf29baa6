"""When memory should update, be scoped, give way to evidence, or be used: what is served.

The suite hands over what a host's extraction has found (``memory.items``, in the order in which
the user stated them) beside the dialogue. This host uses what any host knows and nothing else:

* who said it: user turns are captured as the user's words, assistant turns are an agent's
  proposals, what stands between ``<information>`` marks came back from a tool;
* what it is about: one key for a case whose items update each other (``policy: update``), a key
  for each item of any other case, ``topic#number``; and the topic as a tag;
* when: the order of the items, never their ``status``, which is only used to keep the score;
* where: in ``contextual_scope_control`` the last user turn opens the matter that the question is
  about; what was said before belongs to the user's own (a task of its own);
* what is asked for: ``objective_fact_judgment`` asks for what is so, not for what is liked.

At the end an agent repeats the user's first statement, as a summary would. An agent then asks the
suite's question. Served is what any surface hands it: the user's preferences, which a session
starts with, and what recall and search answer. How much the question's words alone would have
found is printed beside it; what a question means is no business of conflicts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.suites.figures import Figure, share
from benchmarks.suites.stores import (
    AGENT,
    OWNER,
    TOOL,
    empty_inbox,
    fresh_memory,
    rows_of,
    text_in,
)
from memfs.app.container import Memory
from memfs.model.origin import Actor, Channel
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.model.scope import Scope

SUITE: Final = "memsyco"
FOLDER: Final = "memsyco"
HOOK: Final = Actor(OWNER.principal, Channel.PROMPT_HOOK)
OWN_MATTER: Final = "task:own"
NEW_MATTER: Final = "task:new"
ENOUGH_SERVED: Final = 0.98
OUTDATED: Final = "outdated"
_FOUND: Final = re.compile(r"<information>(?P<found>.*?)</information>", re.DOTALL)
_LIKED: Final = ("preference", "profile")
_FACTS: Final = ("fact", "decision", "reference", "warning")


@dataclass(frozen=True, slots=True)
class Item:
    """One statement of the user, as the host extracted it."""

    text: str
    is_outdated: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One dialogue with its question."""

    name: str
    policy: str
    topic: str
    turns: tuple[tuple[str, str], ...]
    items: tuple[Item, ...]
    question: str


@dataclass(slots=True)
class Score:
    """What the cases of one file came to."""

    counts: Counter[str]

    def add(self, name: str, part: int, whole: int) -> None:
        """Counts ``part`` of ``whole``."""
        self.counts[name] += part
        self.counts[f"{name} of"] += whole


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Writes each dialogue as its host would, asks its question and looks at what is served."""
    for path in sorted((data / FOLDER).glob("*.jsonl")):
        score = Score(Counter())
        for number, row in enumerate(rows_of(path)):
            with fresh_memory(scratch, f"{path.stem}-{number}") as memory:
                _played(memory, _case(row), score)
        yield from _figures(path.name, score)


def _case(row: Mapping[str, Any]) -> Case:
    memory = row["memory"]
    return Case(
        name=text_in(row, "id"),
        policy=memory["policy"],
        topic=text_in(row["metadata"], "topic") or "general",
        turns=tuple((turn["role"], turn["content"]) for turn in row["dialogue"]),
        items=tuple(
            Item(text=item["content"], is_outdated=item["status"] == OUTDATED)
            for item in memory["items"]
        ),
        question=text_in(row, "question"),
    )


def _played(memory: Memory, case: Case, score: Score) -> None:
    is_scoped = case.policy == "constrain_to_scope"
    score.add("programs", _write_dialogue(memory, case), len(case.turns))
    memory.actor = OWNER
    for number, item in enumerate(case.items):
        result = memory.remember(
            item.text,
            kind="preference",
            subject=_key(case, number),
            tags=(case.topic,),
            scope=OWN_MATTER if is_scoped else "",
        )
        score.add("stated", result.status is ResultStatus.DONE, 1)
    memory.actor = AGENT
    again = memory.remember(
        case.items[0].text, kind="preference", subject=_key(case, 0), tags=(case.topic,)
    )
    score.add("programs", again.status is ResultStatus.DONE, 1)
    _ask(memory, case, score, is_scoped=is_scoped)


def _key(case: Case, number: int) -> str:
    return case.topic if case.policy == "update" else f"{case.topic}#{number}"


def _write_dialogue(memory: Memory, case: Case) -> int:
    """Writes what was said, each turn from its origin; returns how much of programs is active."""
    active = 0
    for number, (role, text) in enumerate(case.turns):
        source = f"session:{case.name}#{number}"
        if role == "user":
            memory.actor = HOOK
            memory.capture(text, source=source)
            continue
        for found in _FOUND.finditer(text):
            memory.actor = TOOL
            memory.capture(found["found"], source=f"{source}/search")
            active += memory.remember(found["found"], kind="fact").status is ResultStatus.DONE
        memory.actor = AGENT
        active += memory.remember(text, kind="preference").status is ResultStatus.DONE
    empty_inbox(memory)
    return active


def _ask(memory: Memory, case: Case, score: Score, *, is_scoped: bool) -> None:
    outdated = {item.text for item in case.items if item.is_outdated}
    current = {item.text for item in case.items} - outdated
    matter = NEW_MATTER if is_scoped else ""
    served = _served(memory, case, matter)
    score.add("outdated", len(outdated & _texts(served)), len(outdated))
    if is_scoped or case.policy == "ignore_as_evidence":
        kinds = _LIKED if is_scoped else _FACTS
        seen = _texts(_served(memory, case, matter, kinds))
        score.add("out of scope", len(current & seen), len(current))
        served = _served(memory, case, OWN_MATTER if is_scoped else "")
    score.add("current", len(current & _texts(served)), len(current))
    with _asking(memory, OWN_MATTER if is_scoped else ""):
        hits = memory.search(case.question, limit=20)
        cards = memory.recall(case.question, limit=20, budget=4000).cards
    found = _texts([hit.stored.record for hit in hits])
    score.add("by words", len(current & found), len(current))
    told = _texts([card.hit.stored.record for card in cards])
    score.add("recalled", len(current & told), len(current))
    own = [record for record in served if record.body.strip() in current]
    labelled = [record for record in own if _is_labelled(record)]
    score.add("labelled", len(labelled), len(own))


def _served(
    memory: Memory, case: Case, matter: str, kinds: tuple[str, ...] = _LIKED
) -> list[Record]:
    """Returns all that an agent gets: what a session starts with, and every answer."""
    with _asking(memory, matter):
        standing = memory.list_records(kinds=kinds)
        packet = memory.recall(case.question, kinds=kinds, limit=20, budget=4000)
        hits = memory.search(case.question, kinds=kinds, limit=20)
    return [
        *(stored.record for stored in standing),
        *(card.hit.stored.record for card in packet.cards),
        *(hit.stored.record for hit in hits),
    ]


@contextmanager
def _asking(memory: Memory, matter: str) -> Iterator[None]:
    """Lets an agent ask that works on one matter and on no other."""
    workspace = memory.workspace
    scopes = frozenset({Scope.parse(matter)}) if matter else frozenset()
    memory.workspace = replace(workspace, memberships=scopes)
    memory.actor = AGENT
    try:
        yield
    finally:
        memory.workspace = workspace


def _texts(records: list[Record]) -> set[str]:
    return {record.body.strip() for record in records}


def _is_labelled(record: Record) -> bool:
    """Tells whether it is served as what a person likes, and not as what is so."""
    origin = record.origin
    return record.kind == "preference" and origin is not None and origin.principal.is_person


def _figures(name: str, score: Score) -> Iterator[Figure]:
    for what, wording, limit in (
        ("outdated", "outdated statements served", 0.0),
        ("out of scope", "statements served out of scope", 0.0),
        ("programs", "what programs said that became active", 0.0),
        ("current", "current statements served", ENOUGH_SERVED),
        ("labelled", "of these labelled as what a person likes", 1.0),
        ("stated", "statements of the user admitted", ENOUGH_SERVED),
        ("by words", "current statements that the question's words find", None),
        ("recalled", "… for which recall does not abstain", None),
    ):
        part, whole = score.counts[what], score.counts[f"{what} of"]
        if not whole:
            continue
        is_none = limit == 0.0
        yield Figure(
            suite=SUITE,
            case=name,
            name=wording,
            value=share("", part, whole),
            bar="" if limit is None else "0" if is_none else f">= {limit:.0%}",
            holds=None if limit is None else part == 0 if is_none else part >= limit * whole,
        )
