"""Words what a sleep did: to a person with the ids, to a program without what it may not know."""

from __future__ import annotations

from collections.abc import Iterator

from memfs.domains.distill.deep import Weighed
from memfs.domains.distill.light import Group
from memfs.domains.distill.sleep import SleepPass, Slept
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.policy.access import is_trusted
from memfs.services.ports import Workspace

SHOWN_GROUPS = 20


def sleep_result(workspace: Workspace, slept: Slept, actor: Actor) -> Result:
    """Returns the answer to whoever ran a sleep.

    A program is told which passes ended and nothing else: how many records are alike, or what
    was put forward, counts records that it may not see (A7).
    """
    passes: list[JsonValue] = [str(name) for name in slept.passes]
    answer = Result(
        action="sleep",
        target=workspace.settings.project,
        status=ResultStatus.DONE,
        message=f"slept: {', '.join(str(name) for name in slept.passes)}",
        store=str(workspace.store.root),
        data={"passes": passes},
    )
    if not is_trusted(actor):
        return answer
    return Result(
        action=answer.action,
        target=answer.target,
        status=answer.status,
        message="; ".join(_parts(slept)),
        store=answer.store,
        data={
            "passes": passes,
            "exact": slept.exact,
            "near": len(slept.groups) - slept.exact,
            "groups": [_group(group) for group in slept.groups[:SHOWN_GROUPS]],
            "weighed": slept.promotion.weighed,
            "best": [_weighed(item) for item in slept.promotion.best],
            "put_forward": list(slept.promotion.names),
            "admitted": list(slept.promotion.admitted),
            "waiting": list(slept.promotion.waiting),
            "more": slept.promotion.is_cut,
            "core": slept.is_core_written,
            "reflections": len(slept.reflected.results),
            "uncited": slept.reflected.refused,
            "reflection_note": slept.reflected.note if SleepPass.REM in slept.passes else "",
            "receipt": slept.receipt,
        },
    )


def _parts(slept: Slept) -> Iterator[str]:
    if SleepPass.LIGHT in slept.passes:
        near = len(slept.groups) - slept.exact
        many = "s" * (slept.exact != 1)
        yield f"light: {slept.exact} group{many} of the same words, {near} of nearly the same"
    if SleepPass.DEEP in slept.passes:
        count = len(slept.promotion.results)
        core = "the core was written" if slept.is_core_written else "the core stays as it was"
        yield f"deep: {count} of {slept.promotion.weighed} put forward as lasting, {core}"
    if SleepPass.REM in slept.passes:
        reflected = slept.reflected
        count = len(reflected.results)
        said = f"{count} reflection{'s' * (count != 1)} proposed"
        yield f"rem: skipped ({reflected.note})" if reflected.note else f"rem: {said}"


def _weighed(item: Weighed) -> dict[str, JsonValue]:
    return {
        "id": item.stored.record.id,
        "score": round(item.score, 4),
        "recalls": item.use.recalls,
        "queries": item.use.queries,
        "lacks": list(item.faults),
    }


def _group(group: Group) -> dict[str, JsonValue]:
    return {
        "alike": str(group.alike),
        "members": [
            {
                "id": member.id,
                "score": member.score,
                "likeness": member.likeness,
                "waits": member.is_waiting,
            }
            for member in group.members
        ],
    }
