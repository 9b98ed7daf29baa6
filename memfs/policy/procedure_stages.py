"""The stages of a procedure as data: what moves it, and what it takes (A68).

Only outcomes from people and verifiers are looked at (A41). One success never promotes: each
step up takes several that share neither conditions nor what was observed, or a person. One
harmful use takes everything back at once. What was earned counts for the round that it was
earned in; every step down begins another. Pure: nothing is read, nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.outcome import UseOutcome, UseResult
from memfs.model.procedure import PROVEN, TRIED, Stage
from memfs.model.values import JsonValue
from memfs.policy.authority import is_person_origin
from memfs.policy.reasons import reason


class Cause(StrEnum):
    """What moves a procedure."""

    TRIAL = "trial"
    """A person lets it be tried."""
    EARNED = "earned"
    """It succeeded often enough."""
    PROMOTED = "promoted"
    """A person vouches for it."""
    HARM = "harm"
    """A use did harm."""
    FAILED = "failed"
    """A use failed, or too many did."""
    STALE = "stale"
    """A script or a tool is not what was tried."""
    UNSUPPORTED = "unsupported"
    """What it was promoted for does not stand any more."""
    DEPRECATED = "deprecated"
    """A person sets it aside."""


@frozen
class StageRow:
    """One move: from which stages, by what, to which one."""

    code: str
    summary: str
    starts: frozenset[Stage]
    cause: Cause
    end: Stage
    is_new_round: bool = False


STAGES: Final[tuple[StageRow, ...]] = (
    StageRow(
        code="stage.begin-trial",
        summary="a person lets it be tried; its script and tools are pinned",
        starts=frozenset({Stage.CANDIDATE}),
        cause=Cause.TRIAL,
        end=Stage.TRIAL,
        is_new_round=True,
    ),
    StageRow(
        code="stage.pass-trial",
        summary="two independent successes, and one more for each failure",
        starts=frozenset({Stage.TRIAL}),
        cause=Cause.EARNED,
        end=Stage.HELD_OUT,
    ),
    StageRow(
        code="stage.pass-held-out",
        summary="a success under conditions that it was neither made from nor tried under",
        starts=frozenset({Stage.HELD_OUT}),
        cause=Cause.EARNED,
        end=Stage.CANARY,
    ),
    StageRow(
        code="stage.pass-canary",
        summary="two more independent successes in use",
        starts=frozenset({Stage.CANARY}),
        cause=Cause.EARNED,
        end=Stage.ACTIVE,
    ),
    StageRow(
        code="stage.promote",
        summary="a person vouches for what is being tried",
        starts=frozenset({Stage.TRIAL, Stage.HELD_OUT}),
        cause=Cause.PROMOTED,
        end=Stage.CANARY,
    ),
    StageRow(
        code="stage.activate",
        summary="a person vouches for what is in use",
        starts=frozenset({Stage.CANARY}),
        cause=Cause.PROMOTED,
        end=Stage.ACTIVE,
    ),
    StageRow(
        code="stage.harm",
        summary="one harmful use takes everything back",
        starts=TRIED,
        cause=Cause.HARM,
        end=Stage.CANDIDATE,
        is_new_round=True,
    ),
    StageRow(
        code="stage.harm-again",
        summary="what does harm without being tried is set aside",
        starts=frozenset({Stage.CANDIDATE}),
        cause=Cause.HARM,
        end=Stage.DEPRECATED,
        is_new_round=True,
    ),
    StageRow(
        code="stage.fail-trial",
        summary="three failures, and more than successes",
        starts=frozenset({Stage.TRIAL}),
        cause=Cause.FAILED,
        end=Stage.DEPRECATED,
        is_new_round=True,
    ),
    StageRow(
        code="stage.fail-proving",
        summary="a failure where it was to be proved; it is tried again",
        starts=frozenset({Stage.HELD_OUT, Stage.CANARY}),
        cause=Cause.FAILED,
        end=Stage.TRIAL,
        is_new_round=True,
    ),
    StageRow(
        code="stage.fail-active",
        summary="a failure in use; it has to prove itself in use again",
        starts=frozenset({Stage.ACTIVE}),
        cause=Cause.FAILED,
        end=Stage.CANARY,
        is_new_round=True,
    ),
    StageRow(
        code="stage.stale",
        summary="a script or a tool is not what was tried",
        starts=TRIED,
        cause=Cause.STALE,
        end=Stage.CANDIDATE,
        is_new_round=True,
    ),
    StageRow(
        code="stage.unsupported",
        summary="what it was promoted for was taken back; it is tried again",
        starts=PROVEN,
        cause=Cause.UNSUPPORTED,
        end=Stage.TRIAL,
        is_new_round=True,
    ),
    StageRow(
        code="stage.deprecate",
        summary="a person sets it aside; a new wording may be tried",
        starts=frozenset(Stage) - {Stage.DEPRECATED},
        cause=Cause.DEPRECATED,
        end=Stage.DEPRECATED,
        is_new_round=True,
    ),
)
"""Every legal move; what is not listed is refused."""

TRIAL_SUCCESSES: Final = 2
HELD_OUT_SUCCESSES: Final = 1
CANARY_SUCCESSES: Final = 2
TRIAL_FAILURES: Final = 3


@frozen
class Comparison:
    """How uses ended beside attempts under the same conditions without memory."""

    better: int = 0
    same: int = 0
    worse: int = 0

    @property
    def pairs(self) -> int:
        """How many uses have such a control."""
        return self.better + self.same + self.worse


@frozen
class Proof:
    """What a procedure has to show in the round that it is in.

    Attributes:
        success: Uses that succeeded, whatever they count for.
        partial: Uses that helped in part.
        failure: Uses that failed, the harmful ones among them.
        harmful: Uses that did harm.
        in_trial: Independent successes while it was tried.
        in_held_out: Those under conditions that were new to it.
        in_canary: Those in use.
        compared: How uses ended beside attempts without memory.
    """

    success: int = 0
    partial: int = 0
    failure: int = 0
    harmful: int = 0
    in_trial: int = 0
    in_held_out: int = 0
    in_canary: int = 0
    compared: Comparison = Comparison()

    @property
    def independent(self) -> int:
        """All independent successes of the round."""
        return self.in_trial + self.in_held_out + self.in_canary

    def counts(self) -> dict[str, JsonValue]:
        """Returns the numbers by name, as answers and receipts tell them."""
        return {
            "success": self.success,
            "partial": self.partial,
            "failure": self.failure,
            "harmful": self.harmful,
            "independent": self.independent,
            "without_memory": {
                "pairs": self.compared.pairs,
                "better": self.compared.better,
                "same": self.compared.same,
                "worse": self.compared.worse,
            },
        }


def check_stage_move(stage: Stage, cause: Cause) -> StageRow | Reason:
    """Returns the row of a move, or why it is refused with the row that it would take."""
    rows = [row for row in STAGES if row.cause is cause]
    for row in rows:
        if stage in row.starts:
            return row
    wanted = "; ".join(f"{row.code} from {_named(row.starts)}" for row in rows)
    return reason("procedure.illegal-move", f"{stage}; {wanted}")


def proof_of(
    uses: Sequence[UseOutcome], reference: str, round_number: int, learned: Iterable[str] = ()
) -> Proof:
    """Counts what stands for one version in one round, oldest first.

    Args:
        uses: Outcomes that count: of people and of verifiers.
        reference: The version, ``mem_…@2``.
        round_number: The round that it is in.
        learned: Digests of the conditions that it was made from.
    """
    own = [item for item in uses if item.about == reference and item.round == round_number]
    counts = {result: sum(item.result is result for item in own) for result in UseResult}
    seen: dict[Stage, set[str]] = {stage: set() for stage in TRIED}
    people: set[str] = set()
    grounds: set[str] = set()
    for item in own:
        stage = _tried_stage(item)
        if item.result is not UseResult.SUCCESS or item.is_harmful or stage is None:
            continue
        if not item.conditions or item.conditions in _spent(seen, stage, frozenset(learned)):
            continue
        if is_person_origin(item.origin):
            if str(item.origin.principal) in people:
                continue
            people.add(str(item.origin.principal))
        elif item.grounds & grounds:
            continue
        grounds |= item.grounds
        seen[stage].add(item.conditions)
    return Proof(
        success=counts[UseResult.SUCCESS],
        partial=counts[UseResult.PARTIAL],
        failure=counts[UseResult.FAILURE],
        harmful=sum(item.is_harmful for item in own),
        in_trial=len(seen[Stage.TRIAL]),
        in_held_out=len(seen[Stage.HELD_OUT]),
        in_canary=len(seen[Stage.CANARY]) + len(seen[Stage.ACTIVE]),
        compared=compared(own),
    )


def compared(uses: Iterable[UseOutcome]) -> Comparison:
    """Compares uses with their attempts without memory, where there are some."""
    worth = {UseResult.FAILURE: 0, UseResult.PARTIAL: 1, UseResult.SUCCESS: 2}
    signs = [worth[item.result] - worth[item.control] for item in uses if item.control]
    return Comparison(
        better=sum(sign > 0 for sign in signs),
        same=signs.count(0),
        worse=sum(sign < 0 for sign in signs),
    )


def move_after(stage: Stage, proof: Proof, use: UseOutcome, *, is_stale: bool) -> StageRow | None:
    """Returns what a use that was just recorded moves a procedure by; ``None`` for nothing.

    Args:
        stage: The stage before.
        proof: What it has to show, this use included.
        use: The use.
        is_stale: A script or a tool is not what was tried; nothing is earned then.
    """
    if use.is_harmful:
        return row_for(stage, Cause.HARM)
    if use.result is UseResult.FAILURE:
        is_too_often = proof.failure >= TRIAL_FAILURES and proof.failure > proof.in_trial
        return row_for(stage, Cause.FAILED) if stage is not Stage.TRIAL or is_too_often else None
    if use.result is UseResult.PARTIAL or is_stale or not has_earned(stage, proof):
        return None
    return row_for(stage, Cause.EARNED)


def has_earned(stage: Stage, proof: Proof) -> bool:
    """Tells whether a procedure has done what the step up from ``stage`` takes."""
    match stage:
        case Stage.TRIAL:
            return proof.in_trial >= TRIAL_SUCCESSES + proof.failure
        case Stage.HELD_OUT:
            return proof.in_held_out >= HELD_OUT_SUCCESSES
        case Stage.CANARY:
            return proof.in_canary >= CANARY_SUCCESSES
        case _:
            return False


def is_supported(stage: Stage, floor: Stage | None, proof: Proof) -> bool:
    """Tells whether what stands still carries a stage.

    Args:
        stage: The stage.
        floor: The stage that the round began with, or that a person gave it since.
        proof: What stands.
    """
    ladder = (Stage.HELD_OUT, Stage.CANARY, Stage.ACTIVE)
    if stage not in ladder:
        return True
    done = (proof.in_trial, proof.in_held_out, proof.in_canary)
    asked = (TRIAL_SUCCESSES, HELD_OUT_SUCCESSES, CANARY_SUCCESSES)
    begin = ladder.index(floor) + 1 if floor in ladder else 0
    end = ladder.index(stage) + 1
    return all(done[step] >= asked[step] for step in range(begin, end))


def _spent(
    seen: dict[Stage, set[str]], stage: Stage, learned: frozenset[str]
) -> set[str] | frozenset[str]:
    """Returns the conditions under which another success in ``stage`` shows nothing new."""
    if stage is Stage.HELD_OUT:
        return seen[Stage.TRIAL] | seen[Stage.HELD_OUT] | learned
    return seen[stage]


def _tried_stage(use: UseOutcome) -> Stage | None:
    try:
        stage = Stage(use.stage)
    except ValueError:
        return None
    return stage if stage in TRIED else None


def row_for(stage: Stage, cause: Cause) -> StageRow | None:
    """Returns the row by which a cause moves a stage; ``None`` where it moves nothing."""
    found = check_stage_move(stage, cause)
    return found if isinstance(found, StageRow) else None


def _named(stages: frozenset[Stage]) -> str:
    return " or ".join(stage for stage in Stage if stage in stages)
