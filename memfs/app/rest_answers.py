"""Words what a rest of a role did, or why it did nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memfs.domains.roles.rest.rest_state import RoleRestingError
from memfs.domains.roles.rest.sleeping import Rested, account_value
from memfs.errors import MemfsError
from memfs.model.decision import Reason
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.model.role_sleep import Rest
from memfs.services.ports import Workspace


def rest_result(workspace: Workspace, role: str, rested: Rested, asker: Actor) -> Result:
    """Returns the answer to whoever asked for a rest: the account, as the receipt has it."""
    fault, commit = rested.ended.fault, rested.commit
    reasons = rested.ended.why
    if fault is not None:
        status = ResultStatus.REFUSED
        words = f"{rested.rest} failed: {fault.message}"
        reasons = tuple(dict.fromkeys((fault, *reasons)))
    elif commit is not None and commit.is_replay:
        status = ResultStatus.NOTHING
        words = f"{rested.rest}: this key was used before; nothing new was written"
    elif commit is None:
        status = ResultStatus.WAITING if rested.candidates else ResultStatus.NOTHING
        words = f"{rested.rest}: {'; '.join(_parts(rested)) or 'there was nothing to do'}"
    else:
        status = ResultStatus.DONE
        done = "; ".join(_parts(rested)) or "summaries were brought up to date"
        words = f"{rested.rest}: {done}; receipt {rested.receipt}"
        words += rested.aftermath.words
    return Result(
        action=str(rested.rest),
        target=role,
        status=status,
        message=words,
        operation=commit.transaction if commit is not None else "",
        store=str(workspace.store.root),
        reasons=reasons,
        data={
            **account_value(rested, role, asker),
            "made": list(rested.made),
            "candidates": list(rested.candidates),
            "receipt": rested.receipt,
        },
    )


def with_silence(result: Result, codes: Sequence[str]) -> Result:
    """Returns an answer that says how often the model did not answer, and that rules stood in.

    Args:
        result: What the rest did.
        codes: Why, once for each question without an answer.
    """
    if not codes:
        return result
    why = Counter(codes)
    told = ", ".join(sorted(why))
    words = f"{result.message}; the model gave no answer ({told}), the rules decided in its place"
    return replace(result, message=words, data={**result.data, "unanswered": dict(why)})


def _parts(rested: Rested) -> Iterator[str]:
    tally, account = rested.ended.tally, rested.ended.account
    told = {
        "distilled": len(account.distilled),
        "incubated": len(account.incubated),
        "taken in by another": len(account.clustered),
        "let go": len(account.pruned),
        "kept": len(account.kept),
    }
    settled = ", ".join(f"{count} {what}" for what, count in told.items() if count)
    if settled:
        yield f"{len(account.opened)} open: {settled}"
    if rested.ended.moved:
        yield f"moved: {', '.join(sorted(rested.ended.moved))}"
    if tally.waiting:
        yield f"{tally.waiting} wait for a person"
    if tally.rejected:
        yield f"{len(tally.rejected)} of {tally.proposed} proposals rejected"
    if rested.ended.later:
        yield f"{rested.ended.later} came later"
    if rested.ended.held:
        yield f"{rested.ended.held} left alone, decide first: memfs review"


def already_resting(workspace: Workspace, role: str, rest: Rest, error: RoleRestingError) -> Result:
    """Returns the answer to a second rest of a role: the first goes on, and is enough."""
    return Result(
        action=str(rest),
        target=role,
        status=ResultStatus.NOTHING,
        message=error.message,
        store=str(workspace.store.root),
        data={"code": error.code},
    )


def rest_failed(workspace: Workspace, role: str, error: MemfsError | OSError) -> Result:
    """Returns the answer of a role that was due and could not rest; it is due still."""
    code, words = "io", str(error)
    if isinstance(error, MemfsError):
        code, words = error.code, error.message
    return Result(
        action="rest",
        target=role,
        status=ResultStatus.PROBLEMS,
        message=f"could not rest: {words}",
        store=str(workspace.store.root),
        data={"code": code},
    )


def stranger(workspace: Workspace, role: str, rest: Rest, reasons: tuple[Reason, ...]) -> Result:
    """Returns the answer to one who may not have a role rest."""
    return Result(
        action=str(rest),
        target=role,
        status=ResultStatus.REFUSED,
        message=f"{rest} refused: {reasons[0].message}",
        store=str(workspace.store.root),
        reasons=reasons,
    )
