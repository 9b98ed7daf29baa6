"""The tools by which an agent adds: it proposes, and policy decides what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memfs.mcp.answers import Answer, told
from memfs.mcp.arguments import ArgumentError, Arguments, Field, FieldType
from memfs.mcp.tools import Call, Tool

if TYPE_CHECKING:
    from memfs.app.container import Memory
    from memfs.app.drafts import ClaimOptions

_LINE: Final = 200


def propose(memory: Memory, call: Call) -> Answer:
    """Proposes a claim, or another wording of a record; most of it waits for a person."""
    arguments = call.arguments
    text = arguments.text("text")
    corrected = arguments.text("corrects")
    if corrected:
        _check_correction(arguments)
        return told(memory.correct(corrected, text, **_times(arguments)))
    evidence, quote = arguments.text("evidence"), arguments.text("quote")
    if bool(evidence) != bool(quote):
        raise ArgumentError(
            "expected quote and evidence together, got one of them",
            hint="evidence is the ev_… id of the source that the quote stands in, word for word",
        )
    return told(memory.propose(text, quote=quote, evidence=evidence, **_options(arguments)))


def _check_correction(arguments: Arguments) -> None:
    taken = {"text", "corrects", *_TIMES}
    other = next((name for name in arguments.values if name not in taken), "")
    if other:
        raise ArgumentError(
            f"{other}: a correction keeps what else the record says",
            hint="give text, corrects and the times alone",
        )


_TIMES: Final = ("valid_from", "valid_until", "event_time")


def _times(arguments: Arguments) -> ClaimOptions:
    return {
        "valid_from": arguments.text("valid_from"),
        "valid_until": arguments.text("valid_until"),
        "event_time": arguments.text("event_time"),
    }


def _options(arguments: Arguments) -> ClaimOptions:
    options = _times(arguments)
    options["kind"] = arguments.text("kind")
    options["title"] = arguments.text("title")
    options["subject"] = arguments.text("subject")
    options["scope"] = arguments.text("scope")
    options["tags"] = arguments.texts("tags")
    options["derived_from"] = arguments.texts("derived_from")
    options["key"] = arguments.text("key")
    if "importance" in arguments.values:
        options["importance"] = arguments.number("importance", 0)
    return options


WRITING: Final = (
    Tool(
        name="memory_propose",
        title="Propose a memory",
        help=(
            "Propose one lasting claim that code and Git do not already say: a preference, "
            "decision, fact or warning, one a call. Most turns propose nothing. Policy decides: "
            "it becomes active, waits for a person, or is refused with the reason. Secrets, "
            "permissions and approvals are never kept. With corrects, proposes a new wording."
        ),
        fields=(
            Field(name="text", is_required=True, help="names its subject, stands on its own"),
            Field(
                name="kind", help="preference, fact, decision, warning, reference; note", most=60
            ),
            Field(name="title", most=_LINE),
            Field(name="subject", help="stable key, such as python-web-framework", most=_LINE),
            Field(name="tags", type=FieldType.TEXTS),
            Field(name="scope", help="project by default, or global", most=_LINE),
            Field(name="importance", type=FieldType.NUMBER, least=1, most=10),
            Field(name="quote", help="what the user said, word for word, in evidence"),
            Field(name="evidence", help="ev_… id", most=_LINE),
            Field(name="derived_from", type=FieldType.TEXTS, help="ids"),
            *(Field(name=name, most=100) for name in _TIMES),
            Field(name="corrects", help="id of the record to reword", most=_LINE),
            Field(name="key", help="makes a repetition harmless", most=_LINE),
        ),
        carry=propose,
    ),
)
