"""What only a person does: the agent asks for it, the person answers, memfs carries it out.

What may be asked for is what the caller may see: an id that it may not know is unknown here
too, before anybody is asked. The form names the act and quotes what it is about, and says
nothing that the caller made up for the occasion. What was shown is what is carried out: where
it has changed in between, nothing is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, assert_never

from memfs.errors import ConflictError
from memfs.mcp.answers import MOST_BYTES, Answer, no, told
from memfs.mcp.arguments import Field
from memfs.mcp.cards import entry, proposal_lines, quoted_lines
from memfs.mcp.forms import Form, Outcome, Reply
from memfs.mcp.tools import Call, Tool
from memfs.model.digests import blob_id
from memfs.model.ids import short_id
from memfs.model.role import told_text

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, InputRequiredResult

    from memfs.app.container import Memory
    from memfs.mcp.desk import Desk
    from memfs.mcp.forms import Forms
    from memfs.model.origin import Actor
    from memfs.model.record import StoredRecord

MOST_SHOWN: Final = MOST_BYTES // 4
"""Bytes of a form; a person does not decide on what they were not shown whole."""


class ShownOtherwiseError(ConflictError):
    """What the person was shown has changed since."""

    code = "conflict.proposal-changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One act that was asked for, laid out for the person.

    Attributes:
        form: What the person is asked.
        carry: Carries it out as the person, with what they said of why.
    """

    form: Form
    carry: Callable[[Memory, str], Answer]


Lay = Callable[["Memory", str], Wish | Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One act of a person.

    Attributes:
        lay: Lays it out with the rights of whoever called; an answer where it cannot be.
        command: What a person types for it at a terminal.
    """

    lay: Lay
    command: str


def _approve(memory: Memory, reference: str) -> Wish | Answer:
    candidate, difference = memory.candidate(reference)
    shown = blob_id(candidate.content)
    return Wish(
        form=_form(
            memory,
            "approve this proposal: it is kept, and served to programs",
            proposal_lines(candidate, difference),
            subject=f"{candidate.id} {shown}",
        ),
        carry=lambda store, _: told(store.accept([candidate.id], shown=shown)[0]),
    )


def _reject(memory: Memory, reference: str) -> Wish | Answer:
    candidate, difference = memory.candidate(reference)
    return Wish(
        form=_form(
            memory,
            "reject this proposal",
            proposal_lines(candidate, difference),
            subject=f"{candidate.id} {blob_id(candidate.content)}",
        ),
        carry=lambda store, _: told(store.reject([candidate.id])[0]),
    )


def _forget(memory: Memory, reference: str) -> Wish | Answer:
    target = _target(memory, reference)
    return Wish(
        form=_form(
            memory,
            "forget this record for good: it can not be brought back, and what rests on it is "
            "withheld",
            _record_lines(target),
            subject=target.record.reference,
            takes_why=True,
        ),
        carry=lambda store, why: told(store.forget([_same(store, target)], why=why)),
    )


def _retract(memory: Memory, reference: str) -> Wish | Answer:
    target = _target(memory, reference)
    return Wish(
        form=_form(
            memory,
            "take this record back as wrong: it is not served until it is restored, nor what "
            "rests on it",
            _record_lines(target),
            subject=target.record.reference,
            takes_why=True,
        ),
        carry=lambda store, why: told(store.retract(_same(store, target), why=why)),
    )


def _erase(memory: Memory, reference: str) -> Wish | Answer:
    target = _target(memory, reference)
    return Wish(
        form=_form(
            memory,
            "erase this record: its file and every copy that memfs manages, for good (the Git "
            f"history only with: memfs erase {target.record.id} --history)",
            _record_lines(target),
            subject=target.record.reference,
            typed=short_id(target.record.id),
        ),
        carry=lambda store, _: told(store.erase([_same(store, target)])),
    )


def _unseal(memory: Memory, reference: str) -> Wish | Answer:
    """A sealed record is opened for a person at a terminal: no client's log gets its words."""
    return no(
        "form.terminal-only",
        "a sealed record is opened for a person at a terminal, and never through a client",
        hint=f"ask the person to run: memfs show {reference}",
    )


ACTS: Final[Mapping[str, Act]] = MappingProxyType(
    {
        "approve": Act(lay=_approve, command="memfs review accept"),
        "reject": Act(lay=_reject, command="memfs review reject"),
        "forget": Act(lay=_forget, command="memfs forget"),
        "retract": Act(lay=_retract, command="memfs retract"),
        "erase": Act(lay=_erase, command="memfs erase"),
        "unseal": Act(lay=_unseal, command="memfs show"),
    }
)


async def decide(
    desk: Desk,
    forms: Forms,
    actor: Actor,
    call: Call,
    context: ServerRequestContext[Any, Any],
    params: CallToolRequestParams,
) -> Answer | InputRequiredResult:
    """Lays the act out as the caller, asks the person, and carries it out as them."""
    reference = call.arguments.text("reference").strip()
    act = ACTS[call.arguments.text("act")]
    wish = await desk.ask(actor, lambda memory: _laid(memory, act, reference))
    if isinstance(wish, Answer):
        return wish
    command = _command(act, wish)
    if len(wish.form.message.encode("utf-8")) > MOST_SHOWN:
        return no(
            "form.too-long",
            "that is too long for a form: a person decides on what they see whole",
            hint=f"ask the person to run in a terminal: {command}",
        )
    reply = await forms.ask(context, params, wish.form, caller=str(actor.principal))
    match reply:
        case Reply(outcome=Outcome.AGREED, why=why):
            return await desk.ask(desk.person(), lambda memory: wish.carry(memory, why))
        case Reply(outcome=outcome):
            return not_done(outcome, command)
        case _:
            return reply


def _laid(memory: Memory, act: Act, reference: str) -> Wish | Answer:
    """Lays an act out, where an answer in a form counts at all."""
    wish = act.lay(memory, reference)
    if memory.settings.trust.forms or isinstance(wish, Answer):
        return wish
    return no(
        "access.no-forms",
        "this store takes no decision from a form (forms: false under trust in memfs.yaml)",
        hint=f"ask the person to run in a terminal: {_command(act, wish)}",
    )


def _command(act: Act, wish: Wish) -> str:
    """Returns what a person types for the act at a terminal."""
    return f"{act.command} {wish.form.subject.split()[0].split('@')[0]}"


def not_done(outcome: Outcome, command: str) -> Answer:
    """Returns what is said where a person did not agree; ``command`` is theirs to type."""
    terminal = f"ask the person to run in a terminal: {command}"
    match outcome:
        case Outcome.DECLINED:
            return no("form.declined", "the person did not agree; nothing was changed")
        case Outcome.UNCLEAR:
            message = "the form came back without a clear answer; nothing was changed"
            return no("form.unclear", message, hint=terminal)
        case Outcome.TOO_LATE:
            message = "nobody answered the form in time; nothing was changed"
            return no("form.too-late", message, hint=terminal)
        case Outcome.TOO_MANY:
            message = "the person was asked too often without agreeing; wait ten minutes"
            return no("form.too-many", message, hint=terminal)
        case Outcome.NOT_SHOWN:
            message = "only a person decides that, and this client shows them no form"
            return no("form.not-shown", message, hint=terminal)
        case Outcome.AGREED:
            raise AssertionError("an agreement is carried out")
        case _:
            assert_never(outcome)


def _form(
    memory: Memory,
    what: str,
    lines: list[str],
    *,
    subject: str,
    typed: str = "",
    takes_why: bool = False,
) -> Form:
    words = "\n".join(lines)
    return Form(
        message=(
            f"{memory.actor.principal} asks you, through memfs, to {what}.\n\n{words}\n\n"
            f"Store: {memory.root}"
        ),
        subject=subject,
        typed=typed,
        takes_why=takes_why,
    )


def _target(memory: Memory, reference: str) -> StoredRecord:
    """Finds the record with the rights of whoever called: another is unknown."""
    return memory.reach([reference]).targets[0]


def _record_lines(target: StoredRecord) -> list[str]:
    head = entry(target).partition("\n")[0]
    words = [target.record.title, told_text(target.record), target.record.body]
    return [head, *(line for text in words if text.strip() for line in quoted_lines(text))]


def _same(memory: Memory, target: StoredRecord) -> str:
    """Returns the id of what was shown, where it still is that.

    Raises:
        ShownOtherwiseError: It has another version by now.
    """
    now = memory.reach([target.record.id]).targets[0]
    if now.blob != target.blob:
        raise ShownOtherwiseError(
            f"{target.record.id} is not what was shown any more", hint="ask again"
        )
    return target.record.id


DECIDING: Final = (
    Tool(
        name="memory_decide",
        title="Ask the person to decide",
        help=(
            "Ask the person, in a form, to approve or reject a proposal, or to retract (it was "
            "wrong), forget or erase a record, or to unseal one. Only on the user's wish. Nothing "
            "happens unless they agree there."
        ),
        fields=(
            Field(name="act", choices=tuple(ACTS), is_required=True),
            Field(
                name="reference", help="id of the proposal or record", is_required=True, most=300
            ),
        ),
        is_destructive=True,
        asks_person=True,
    ),
)
