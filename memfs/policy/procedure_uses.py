"""What counts as a use of a procedure, and whether it is handed out (A68, A69).

An episode says how one attempt ended and under which conditions. It is a person's account, or
what memfs found that the host observed; a program that only says so says nothing (A41). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.outcome import UseResult
from memfs.model.procedure import EPISODE_KIND, PROCEDURE_KIND, Stage, conditions_digest, stage_of
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.policy.applicability import fit_of, is_circumstance
from memfs.policy.reasons import reason
from memfs.policy.utility import is_observation

_SEEN: Final = {"passed": UseResult.SUCCESS, "failed": UseResult.FAILURE}


@frozen
class ProcedureUse:
    """A use of a procedure that asks to be counted.

    Attributes:
        procedure: What was used, as served.
        result: How it is said to have ended.
        episode: The attempt; ``None`` where a person's word is all.
        control: An attempt without memory to compare it with.
        is_harmful: Whether it is said to have done harm.
        is_person: Whether a person says so.
        drift: Which of its script and tools are not what was tried.
    """

    procedure: Record
    result: UseResult
    episode: Record | None = None
    control: Record | None = None
    is_harmful: bool = False
    is_person: bool = False
    drift: tuple[str, ...] = ()

    @property
    def did_harm(self) -> bool:
        """Whether it did harm: a person says so, or it failed where no memory succeeded."""
        if self.is_harmful and self.is_person:
            return True
        return self.result is UseResult.FAILURE and result_of(self.control) is UseResult.SUCCESS

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions of the attempt."""
        return texts_field(self.episode, "conditions") if self.episode else ()


def result_of(episode: Record | None) -> UseResult | None:
    """Returns how an attempt ended; ``None`` for what is no episode or says no end."""
    if episode is None or episode.kind != EPISODE_KIND:
        return None
    try:
        return UseResult(str(episode.fields.get("outcome", "")))
    except ValueError:
        return None


def check_use(use: ProcedureUse) -> tuple[Reason, ...]:
    """Returns why a use is not counted; empty where it is. What did harm always is."""
    if use.procedure.kind != PROCEDURE_KIND:
        return (reason("procedure.not-one"),)
    if use.is_harmful and not use.is_person and not use.did_harm:
        return (reason("procedure.harm-person"),)
    for named, attempt in (("episode", use.episode), ("control", use.control)):
        if attempt is not None and result_of(attempt) is None:
            return (reason("procedure.no-episode", named),)
    if use.episode is not None and text_field(use.episode, "procedure") != use.procedure.reference:
        return (reason("procedure.other-use"),)
    if use.control is not None and not _is_control(use):
        return (reason("procedure.other-control"),)
    if use.did_harm:
        return ()
    fit = fit_of(texts_field(use.procedure, "applies_when"), use.conditions)
    if use.episode is not None and not fit.is_met:
        return (reason("procedure.not-applicable", fit.names),)
    if use.drift and use.result is not UseResult.FAILURE:
        return (reason("procedure.stale", str(len(use.drift))),)
    return ()


def check_offer(
    record: Record, *, drift: Iterable[str], here: Iterable[str], is_harmed: bool = False
) -> Reason | None:
    """Returns why a procedure is not handed out in an answer, or ``None``.

    Args:
        record: The procedure.
        drift: Which of its script and tools are not what was tried.
        here: What is known of where the question is asked, as ``name=value``.
        is_harmed: Whether a use did harm in the round that it is in.
    """
    if stage_of(record) is Stage.DEPRECATED:
        return reason("procedure.deprecated")
    was_harmed = stage_of(record) is Stage.CANDIDATE and bool(record.fields.get("harmed_by"))
    if was_harmed or is_harmed:
        return reason("procedure.harmed")
    fit = fit_of(texts_field(record, "applies_when"), here)
    if fit.broken:
        return reason("procedure.not-applicable", replace(fit, unsaid=()).names)
    changed = tuple(drift)
    return reason("procedure.stale", str(len(changed))) if changed else None


def check_pins(missing: Iterable[str]) -> Reason | None:
    """Returns why a procedure cannot be tried here: something that it needs is not there."""
    count = sum(1 for _ in missing)
    return reason("procedure.unpinned", str(count)) if count else None


def check_episode(
    result: UseResult,
    conditions: Iterable[str],
    evidence: Iterable[Record],
    *,
    missing: Iterable[str] = (),
    is_person: bool,
) -> tuple[Reason, ...]:
    """Returns why an account of an attempt is not kept as what it says it is; empty where it is."""
    gone = tuple(reason("evidence.missing", name) for name in missing)
    if gone:
        return gone
    seen = {
        found
        for item in evidence
        if is_observation(item) and (found := _SEEN.get(str(item.fields.get("outcome"))))
    }
    if seen - {result}:
        return (reason("outcome.seen-otherwise"),)
    if is_person:
        return ()
    if result is UseResult.PARTIAL:
        return (reason("outcome.needs-person"),)
    if not seen:
        return (reason("outcome.not-verified"),)
    said = tuple(conditions)
    if not said or not all(map(is_circumstance, said)):
        return (reason("episode.no-conditions"),)
    return ()


def _is_control(use: ProcedureUse) -> bool:
    """Tells whether the control is another attempt, without memory, same conditions."""
    control, episode = use.control, use.episode
    if control is None or episode is None or text_field(control, "procedure"):
        return False
    if set(control.evidence) & set(episode.evidence):
        return False
    mark = conditions_digest(texts_field(control, "conditions"))
    return bool(mark) and mark == conditions_digest(use.conditions)
