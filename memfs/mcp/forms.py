"""Forms: the person is asked through their client, once for each act, in both eras.

Up to protocol 2025-11-25 the server sends the form in the middle of the call. From 2026-07-28
on the call is answered with the form, and the client repeats it with the person's answer and
the sealed state that came with the form. An answer counts only for the very question that was
shown, once, and within ten minutes. Anything but a plain yes changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

ANSWER: Final = "answer"
"""Under which a form and its answer go in the newer era."""
DECISION: Final = "decision"
TYPED: Final = "type_to_confirm"
WHY: Final = "why"
WAIT_S: Final = 600.0
MOST_IN_VAIN: Final = 10
"""Forms within ten minutes that one caller may have shown without a single agreement."""
_MOST_USED: Final = 1_000
_MOST_CALLERS: Final = 200
_WHY_CHARS: Final = 200


class Outcome(StrEnum):
    """What came of a form."""

    AGREED = "agreed"
    DECLINED = "declined"
    UNCLEAR = "unclear"
    NOT_SHOWN = "not-shown"
    TOO_MANY = "too-many"
    TOO_LATE = "too-late"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One question to the person.

    Attributes:
        message: What is asked, in words; nothing in it comes from whoever called.
        subject: What the act is about, by its version.
        typed: What the person has to type; empty where a yes is enough.
        takes_why: The person may say why.
    """

    message: str
    subject: str
    typed: str = ""
    takes_why: bool = False

    def schema(self) -> dict[str, JsonValue]:
        """Returns the form's fields; nothing in it is filled in beforehand."""
        if self.typed:
            asked: dict[str, JsonValue] = {
                TYPED: {
                    "type": "string",
                    "title": f"Type {self.typed} to confirm",
                    "maxLength": 40,
                }
            }
        else:
            asked = {DECISION: {"type": "string", "title": "Do it?", "enum": ["no", "yes"]}}
        required: list[JsonValue] = list(asked)
        if self.takes_why:
            asked[WHY] = {"type": "string", "title": "Why, if you like", "maxLength": _WHY_CHARS}
        return {"type": "object", "properties": asked, "required": required}

    @property
    def digest(self) -> str:
        """What an answer has to be an answer to."""
        text = json.dumps([self.message, self.subject, self.schema()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the person answered."""

    outcome: Outcome
    why: str = ""


@dataclass(frozen=True, slots=True)
class Forms:
    """Asks, and remembers which answers were used."""

    _used: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _in_vain: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)

    async def ask(
        self,
        context: ServerRequestContext[Any, Any],
        params: CallToolRequestParams,
        form: Form,
        *,
        caller: str,
    ) -> Reply | InputRequiredResult:
        """Asks the person, or returns what makes the client ask them.

        Who asks again and again and gets no agreement asks no more for a while: a person who
        is worn out agrees to anything.
        """
        if not _shows_forms(context):
            return Reply(Outcome.NOT_SHOWN)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            reply = self._returned(params, form, caller)
        elif not self._may_ask(caller):
            return Reply(Outcome.TOO_MANY)
        else:
            reply = await _sent(context, form)
        if isinstance(reply, Reply) and reply.outcome is Outcome.AGREED:
            self._in_vain.pop(caller, None)
        return reply

    def _may_ask(self, caller: str) -> bool:
        """Tells whether a caller may ask once more, and counts it."""
        now = anyio.current_time()
        asked = [at for at in self._in_vain.pop(caller, ()) if now - at < WAIT_S]
        is_free = len(asked) < MOST_IN_VAIN
        self._in_vain[caller] = [*asked, now] if is_free else asked
        while len(self._in_vain) > _MOST_CALLERS:
            self._in_vain.popitem(last=False)
        return is_free

    def _returned(
        self, params: CallToolRequestParams, form: Form, caller: str
    ) -> Reply | InputRequiredResult:
        given = (params.input_responses or {}).get(ANSWER)
        nonce = self._unused_nonce(params.request_state, form)
        if given is None or not nonce:
            return _asking(form) if self._may_ask(caller) else Reply(Outcome.TOO_MANY)
        self._used[nonce] = None
        while len(self._used) > _MOST_USED:
            self._used.popitem(last=False)
        return _read(form, given) if isinstance(given, ElicitResult) else Reply(Outcome.UNCLEAR)

    def _unused_nonce(self, state: str | None, form: Form) -> str:
        """Returns the mark of a question that this server asked in just these words; or nothing.

        The state has passed the seal of this process, which also binds it to these arguments.
        """
        try:
            nonce, digest = json.loads(state or "")
        except (ValueError, TypeError, RecursionError):
            return ""
        is_same = isinstance(nonce, str) and digest == form.digest
        return nonce if is_same and nonce not in self._used else ""


def _asking(form: Form) -> InputRequiredResult:
    request = ElicitRequest(
        params=ElicitRequestFormParams(message=form.message, requested_schema=dict(form.schema()))
    )
    state = json.dumps([secrets.token_hex(16), form.digest])
    return InputRequiredResult(input_requests={ANSWER: request}, request_state=state)


async def _sent(context: ServerRequestContext[Any, Any], form: Form) -> Reply:
    """Sends a form within the call and waits for its answer."""
    try:
        with anyio.fail_after(WAIT_S):
            given = await context.session.elicit_form(
                form.message, dict(form.schema()), related_request_id=context.request_id
            )
    except TimeoutError:
        return Reply(Outcome.TOO_LATE)
    except ValidationError:
        return Reply(Outcome.UNCLEAR)
    except MCPError:
        # The client said that it shows forms, and refused this one.
        return Reply(Outcome.NOT_SHOWN)
    return _read(form, given)


def _read(form: Form, given: ElicitResult) -> Reply:
    if given.action != "accept":
        return Reply(Outcome.DECLINED)
    content: Mapping[str, object] = given.content or {}
    why = content.get(WHY)
    if form.typed:
        typed = content.get(TYPED)
        is_agreed = isinstance(typed, str) and typed.strip().lower() == form.typed
        is_declined = typed in (None, "")
    else:
        is_agreed = content.get(DECISION) == "yes"
        is_declined = content.get(DECISION) == "no"
    if is_agreed:
        is_why = form.takes_why and isinstance(why, str)
        return Reply(Outcome.AGREED, str(why)[:_WHY_CHARS] if is_why else "")
    return Reply(Outcome.DECLINED if is_declined else Outcome.UNCLEAR)


def _shows_forms(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client says that it shows forms; a bare capability is the older way to."""
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)
