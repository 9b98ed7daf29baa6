"""The gate of who may read what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Final

from benchmarks.gates.surfaces import PROGRAMS, is_served, served
from benchmarks.gates.trial import Trial
from memfs.model.authority import Sensitivity, Sink
from memfs.model.candidate import Submission
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.model.scope import Scope
from memfs.policy.authority import capture_origin
from memfs.services.propose import submit
from tests.contract.surfaces import Target
from tests.support.memory import AGENT, ANA, SteppedClock, memory_of, store_root

QUESTION: Final = "heron quarterly ledger"
TASK: Final = Scope.parse("task:audit")
CLOSED: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "confidential": {"sensitivity": Sensitivity.CONFIDENTIAL},
        "secret": {"sensitivity": Sensitivity.SECRET},
        "another task": {"scope": TASK},
        "another agent": {"scope": Scope.parse("agent:reviewer")},
        "a session": {"scope": Scope.parse("session:s1")},
        "a team": {"scope": Scope.parse("team:core")},
        "a class": {"record_class": "clinical"},
        "people only": {"sinks": frozenset({Sink.PERSON})},
        "expired": {"expires": SteppedClock().now() - timedelta(days=1)},
        "not yet valid": {"valid_from": SteppedClock().now() + timedelta(days=900)},
    }
)
"""Ways in which a record is closed to programs."""


def what_is_closed_comes_out_of_no_surface(trial: Trial) -> None:
    """Stores records that are closed to programs in each way, and lets programs ask."""
    for _ in range(trial.cases):
        project = trial.project()
        open_word = trial.word()
        with memory_of(project) as memory:
            memory.remember(f"The heron quarterly ledger is kept by {open_word}", kind="note")
        hidden = {why: _stored(trial, project, why) for why in CLOSED}
        with memory_of(project) as memory:
            memory.sleep()
        targets = list(hidden.values())
        secret = [word for it in targets for word in (*it.words, it.reference, it.path)]
        for reader in PROGRAMS:
            asked = targets if reader == AGENT else trial.rng.sample(targets, k=1)
            told = _for_programs(project, asked, reader)
            trial.hidden(secret, told)
            if reader == AGENT:
                trial.control(is_served(open_word, told), "what is open is served")
        _granted_and_revoked(trial, project, hidden["another task"])


def _stored(trial: Trial, project: Path, why: str) -> Target:
    """Has the owner state a record that is closed, with a word of its own in each field."""
    words = tuple(trial.word() for _ in range(4))
    draft = Record(
        kind="note",
        title=f"Heron quarterly ledger {words[0]}",
        body=f"The heron quarterly ledger says {words[1]}.\n",
        tags=(words[2],),
        unknown={"remark": words[3]},
    )
    draft = replace(draft, **CLOSED[why])  # type: ignore[arg-type]
    with memory_of(project) as memory:
        origin = capture_origin(ANA, draft.body)
        result = submit(memory.workspace, Submission(draft=draft, origin=origin), ANA)
        if result.target.startswith("cand_"):
            (result,) = memory.accept([result.target])
        trial.control(result.status is ResultStatus.DONE, f"the ledger takes what is {why}")
        reference = result.target.partition("@")[0]
        path = next(
            path.relative_to(store_root(project)).as_posix()
            for path in (store_root(project) / "records").rglob("*.md")
            if reference in path.read_text("utf-8")
        )
    return Target(reference=reference, path=path, words=words, question=QUESTION)


def _for_programs(project: Path, asked: Sequence[Target], reader: Actor) -> Mapping[str, str]:
    """Returns what programs are told; the index and the views are files for people."""
    told = served(project, asked, reader)
    return {
        where: text for where, text in told.items() if not where.startswith(("MEMORY.md", "views/"))
    }


def _granted_and_revoked(trial: Trial, project: Path, target: Target) -> None:
    """Opens one scope to one agent, and closes it again."""
    with memory_of(project) as memory:
        grant = memory.grant(str(AGENT.principal), scopes=[str(TASK)], days=3).target
    with memory_of(project, AGENT) as memory:
        found = [hit.stored.record.id for hit in memory.search(QUESTION, limit=50)]
    trial.control(target.reference in found, "a grant opens what it names")
    with memory_of(project) as memory:
        memory.revoke(grant)
    told = dict(_for_programs(project, [target], AGENT))
    trial.hidden([*target.words, target.path], told, "after the grant was revoked ")
    # What was answered while it was open stays noted by its id, as the answer itself is known.
    del told[f"{AGENT.principal}: log"]
    trial.hidden([target.reference], told, "after the grant was revoked ")
