"""Seeded histories of procedures: what happens to them, and what a plain reading makes of it.

No public data covers how procedures fare. A history is a list of happenings; :class:`Played` puts
them to policy as services do, without files; :func:`expected_stage` reads the same happenings
by counting alone, in another way.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from memfs.app.registry import REGISTRY
from memfs.model.decision import Reason
from memfs.model.digests import content_digest
from memfs.model.origin import SYSTEM_ACTOR, Actor
from memfs.model.outcome import UseResult
from memfs.model.procedure import Stage, conditions_digest, round_of, stage_of
from memfs.model.record import Record
from memfs.policy.procedure_stages import Cause, StageRow, check_stage_move, move_after, proof_of
from memfs.policy.procedure_uses import ProcedureUse, check_use
from memfs.policy.utility import OutcomeCase, check_outcome, is_known, standing_outcomes
from memfs.services.procedure_moves import Move, fields_after
from memfs.services.procedure_uses import same_runs, stage_fields, use_fields
from tests.support.policy import (
    AGENT,
    ANA,
    BEN,
    HOST,
    NOW,
    PROJECT,
    evidence,
    identifier,
    origin_of,
)

HISTORIES: Final = 200
LEARNED: Final = ("platform=linux", "task=v0")
_TASKS: Final = tuple(f"task=v{number}" for number in range(6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One thing that happens: ``use``, ``trial``, ``promote``, ``deprecate`` or ``change``.

    A use ends with ``result`` under ``task`` on ``platform``; ``run`` is what was observed of it,
    0 for nothing, and the same number is the same command on the same commit.
    """

    what: str
    result: UseResult = UseResult.SUCCESS
    teller: Actor = AGENT
    task: str = ""
    platform: str = "linux"
    run: int = 0
    is_harmful: bool = False
    control: UseResult | None = None

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions of the attempt."""
        return (f"platform={self.platform}", self.task)


def history(seed: int) -> list[Happening]:
    """Returns the happenings of one history, the same for the same seed."""
    dice = random.Random(seed)
    steps = [Happening(what="trial")] if dice.random() < 0.9 else []
    bad = dice.choice((0.0, 0.1, 0.3))
    for number in range(1, dice.randrange(4, 16)):
        roll = dice.random()
        if roll < 0.04:
            steps.append(Happening(what="promote"))
        elif roll < 0.07:
            steps.append(Happening(what="change"))
        elif roll < 0.12:
            steps.append(Happening(what="trial"))
        elif roll < 0.13:
            steps.append(Happening(what="deprecate"))
        else:
            steps.append(_use(dice, number, bad))
    return steps


def _use(dice: random.Random, number: int, bad: float) -> Happening:
    teller = dice.choices((AGENT, ANA, BEN), weights=(8, 1, 1))[0]
    is_bad = dice.random() < bad
    control = dice.choice((None, UseResult.SUCCESS, UseResult.FAILURE))
    return Happening(
        what="use",
        result=UseResult.FAILURE if is_bad else UseResult.SUCCESS,
        teller=teller,
        task=dice.choice(_TASKS),
        platform="darwin" if dice.random() < 0.08 else "linux",
        # Sometimes nothing was observed, and sometimes what was observed before.
        run=0 if dice.random() < 0.15 else dice.randrange(1, number + 1),
        is_harmful=dice.random() < (0.3 if is_bad else 0.03),
        control=control if dice.random() < 0.4 else None,
    )


def steps_record() -> Record:
    """Returns a procedure that a person accepted."""
    return Record(
        kind="procedure",
        id=identifier(1),
        title="Release",
        body="1. Tag.\n",
        scope=PROJECT,
        observed=NOW,
        origin=origin_of(ANA, "x"),
        fields={"applies_when": ["platform=linux"], "tools": ["make"]},
    )


@dataclass(slots=True)
class Played:
    """One procedure to which happenings happen, as policy has it."""

    record: Record = field(default_factory=steps_record)
    outcomes: list[Record] = field(default_factory=list)
    is_stale: bool = False
    moves: list[StageRow] = field(default_factory=list)

    @property
    def stage(self) -> Stage:
        """Where it stands."""
        return stage_of(self.record)

    def happen(self, thing: Happening, number: int) -> tuple[Reason, ...]:
        """Lets one thing happen; returns why it did not count, where it did not."""
        match thing.what:
            case "change":
                self.is_stale = True
                return ()
            case "use":
                return self._used(thing, number)
            case verb:
                return self._said(
                    {"trial": Cause.TRIAL, "promote": Cause.PROMOTED}.get(verb, Cause.DEPRECATED)
                )

    def _said(self, cause: Cause) -> tuple[Reason, ...]:
        stage = self.stage
        if cause is Cause.TRIAL and self.is_stale and stage is not Stage.DEPRECATED:
            stage = Stage.CANDIDATE
        if cause is Cause.PROMOTED and self.is_stale:
            return (Reason("procedure.stale", ""),)
        row = check_stage_move(stage, cause)
        if isinstance(row, Reason):
            return (row,)
        self._move(row, "")
        self.is_stale = self.is_stale and cause is not Cause.TRIAL
        return ()

    def _used(self, thing: Happening, number: int) -> tuple[Reason, ...]:
        use, seen = self._use(thing)
        case = OutcomeCase(
            record=self.record,
            kind=REGISTRY.get("procedure"),
            result=use.result,
            origin=origin_of(thing.teller, "x"),
            project=PROJECT,
            evidence=seen,
            known=standing_outcomes(self.outcomes),
            is_harmful=use.did_harm,
            is_use=True,
            round=round_of(self.record),
        )
        faults = check_use(use) or check_outcome(case)
        digests = () if case.is_word else same_runs(self.record, seen, use)
        grounds = () if case.is_word else tuple(item.id for item in seen)
        if faults or is_known(case, frozenset((*grounds, *digests))):
            return faults or (Reason("known", ""),)
        outcome = Record(
            kind="outcome",
            id=identifier(number, "out"),
            subject=self.record.id,
            observed=NOW + timedelta(seconds=number),
            origin=case.origin if case.is_word else origin_of(SYSTEM_ACTOR, "x"),
            evidence=grounds,
            fields={
                "about": self.record.reference,
                "result": str(use.result),
                "checks": list(digests),
                **stage_fields(self.record),
                **use_fields(use),
            },
        )
        self.outcomes.append(outcome)
        standing = standing_outcomes(self.outcomes)
        proof = proof_of(
            standing, self.record.reference, round_of(self.record), {conditions_digest(LEARNED)}
        )
        (own,) = standing_outcomes([outcome])
        row = move_after(self.stage, proof, own, is_stale=self.is_stale)
        if row is not None:
            self._move(row, outcome.id)
        return ()

    def _use(self, thing: Happening) -> tuple[ProcedureUse, tuple[Record, ...]]:
        ends = {"outcome": str(thing.result), "conditions": list(thing.conditions)}
        episode = Record(
            kind="episode",
            id=identifier(2),
            fields={**ends, "procedure": self.record.reference},
        )
        control = replace(episode, fields={**ends, "outcome": str(thing.control)})
        is_word_of_harm = thing.is_harmful and thing.teller.is_person
        use = ProcedureUse(
            procedure=self.record,
            result=UseResult.FAILURE if is_word_of_harm else thing.result,
            episode=episode,
            control=control if thing.control else None,
            is_harmful=thing.is_harmful,
            is_person=thing.teller.is_person,
            drift=("make",) if self.is_stale and self.stage in _TRIED else (),
        )
        if not thing.run or use.result is not thing.result:
            return use, ()
        passed = "passed" if thing.result is UseResult.SUCCESS else "failed"
        fields = {
            "outcome": passed,
            "command_digest": content_digest("command", b"make"),
            "commit": f"{thing.run:07x}",
        }
        # The same run under another id: somebody looked at it again.
        mark = 1000 + thing.run * 10 + thing.teller.is_person + 2 * (passed == "failed")
        return use, (evidence(mark, "make", HOST, observed=NOW, fields=fields),)

    def _move(self, row: StageRow, outcome: str) -> None:
        proof = proof_of((), self.record.reference, 0)
        move = Move(
            row=row, start=self.stage, proof=proof, by="x", outcome=outcome, pins=("make x",)
        )
        self.record = replace(self.record, fields=fields_after(self.record, move))
        self.moves.append(row)


_TRIED: Final = (Stage.TRIAL, Stage.HELD_OUT, Stage.CANARY, Stage.ACTIVE)


def expected_stage(happenings: Sequence[Happening]) -> Stage:
    """Reads a history by counting alone; shares no code with policy."""
    reader = _Counted()
    for thing in happenings:
        reader.read(thing)
    return Stage(reader.stage)


@dataclass(slots=True)
class _Counted:
    """The plain reading: what was told in this round, as a list; counted anew each time."""

    stage: str = "candidate"
    is_stale: bool = False
    told: list[tuple[str, str, str, str]] = field(default_factory=list)
    looks: set[tuple[int, bool, bool]] = field(default_factory=set)
    harms: set[tuple[int, bool, bool]] = field(default_factory=set)
    runs: set[tuple[int, bool, bool]] = field(default_factory=set)

    def read(self, thing: Happening) -> None:
        """Reads one happening."""
        if thing.what == "change":
            self.is_stale = True
        elif thing.what == "deprecate":
            self._go("deprecated")
        elif thing.what == "trial":
            if self.stage == "candidate" or (self.is_stale and self.stage != "deprecated"):
                self.is_stale = False
                self._go("trial")
        elif thing.what == "promote":
            steps = {"trial": "canary", "held_out": "canary", "canary": "active"}
            if not self.is_stale:
                self.stage = steps.get(self.stage, self.stage)
        else:
            self._use(thing)

    def _go(self, stage: str) -> None:
        """Goes down: another round, in which nothing was told yet."""
        self.stage = stage
        self.told, self.runs = [], set()

    def _use(self, thing: Happening) -> None:
        is_person = thing.teller.is_person
        is_word_of_harm = thing.is_harmful and is_person
        is_bad = is_word_of_harm or thing.result is UseResult.FAILURE
        is_harm = is_word_of_harm or (is_bad and thing.control is UseResult.SUCCESS)
        is_seen = bool(thing.run) and (thing.result is UseResult.FAILURE) == is_bad
        is_tried = self.stage not in ("candidate", "deprecated")
        refused = (
            (thing.is_harmful and not is_harm)
            or (not is_harm and thing.platform != "linux")
            or (not is_bad and self.is_stale and is_tried)
            or (not is_seen and not is_person)
        )
        if refused or self._is_old(thing, is_seen=is_seen, is_bad=is_bad, is_harm=is_harm):
            return
        end = "harm" if is_harm else "bad" if is_bad else "good"
        name = "" if is_seen else thing.teller.principal.name
        self.told = [item for item in self.told if not name or item[0] != name]
        self.told.append((name, end, self.stage, thing.task))
        if is_harm and self.stage != "deprecated":
            self._go("deprecated" if self.stage == "candidate" else "candidate")
        elif is_bad:
            self._fail()
        elif is_tried:
            self._succeed()

    def _is_old(self, thing: Happening, *, is_seen: bool, is_bad: bool, is_harm: bool) -> bool:
        """Tells whether the same was told before: the same word, the same look, the same run."""
        if not is_seen:
            end = "harm" if is_harm else "bad" if is_bad else "good"
            own = [item for item in self.told if item[0] == thing.teller.principal.name]
            return bool(own) and own[-1][1] == end
        run = (thing.run, is_bad, is_harm)
        look = (thing.run, thing.teller.is_person, is_bad)
        if run in self.runs or look in (self.harms if is_harm else self.looks):
            return True
        self.looks.add(look)
        self.runs.add(run)
        if is_harm:
            self.harms.add(look)
        return False

    def _good(self) -> dict[str, set[str]]:
        good: dict[str, set[str]] = {}
        for _, end, stage, task in self.told:
            old = {"task=v0"} | good.get("trial", set()) if stage == "held_out" else set()
            if end == "good" and task not in old:
                good.setdefault(stage, set()).add(task)
        return good

    def _fail(self) -> None:
        failures = sum(end == "bad" for _, end, _, _ in self.told)
        if self.stage == "trial":
            if failures >= 3 and failures > len(self._good().get("trial", ())):
                self._go("deprecated")
        elif self.stage in ("held_out", "canary"):
            self._go("trial")
        elif self.stage == "active":
            self._go("canary")

    def _succeed(self) -> None:
        failures = sum(end == "bad" for _, end, _, _ in self.told)
        asked = {"trial": 2 + failures, "held_out": 1, "canary": 2}
        if len(self._good().get(self.stage, ())) >= asked.get(self.stage, 99):
            self.stage = {"trial": "held_out", "held_out": "canary", "canary": "active"}[self.stage]


__all__ = ["HISTORIES", "Happening", "Played", "expected_stage", "history"]
