"""What a caller types, turned into drafts and questions; refused with the choices listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypedDict

from memfs.errors import UsageError
from memfs.model.authority import Sensitivity, Sink
from memfs.model.evidence import Check, CheckKind
from memfs.model.origin import Actor
from memfs.model.outcome import UseResult
from memfs.model.query import Query
from memfs.model.record import DEFAULT_IMPORTANCE, Record
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace

DEFAULT_KIND: Final = "note"


class ClaimOptions(TypedDict, total=False):
    """What may be said of a claim besides its words; empty strings stand for nothing said.

    ``importance`` is 1 to 10; ``scope`` is written ``project:NAME``; ``key`` makes a
    repetition harmless. ``record_class`` is what sort of information it is, such as
    ``clinical``; ``fields`` holds what it says by name, each of which a grant can show alone.
    ``valid_from``, ``valid_until`` and ``event_time`` are typed as ``memfs.formats.when`` reads
    them; ``cites`` names evidence, ``entities`` what the claim is about, ``derived_from`` the
    records that it was made from;
    ``checks`` names what can be looked up, such as ``("path", "src/app.py")``, and nothing of
    it is ever run.
    """

    kind: str
    title: str
    tags: Sequence[str]
    subject: str
    scope: str
    importance: int | None
    sensitivity: str
    key: str
    record_class: str
    fields: Mapping[str, JsonValue]
    cites: Sequence[str]
    entities: Sequence[str]
    derived_from: Sequence[str]
    checks: Sequence[tuple[str, str]]
    valid_from: str
    valid_until: str
    event_time: str


class QuestionOptions(TypedDict, total=False):
    """What narrows a question; instants are typed as ``memfs.formats.when`` reads them."""

    limit: int | None
    kinds: Sequence[str]
    tags: Sequence[str]
    scopes: Sequence[str]
    subject: str
    since: str
    until: str
    valid_at: str
    as_of: str
    purpose: str


def draft_from(workspace: Workspace, text: str, options: ClaimOptions) -> Record:
    """Makes the draft of a claim.

    Raises:
        UsageError: Nothing is said, or a kind, scope or sensitivity does not exist.
    """
    fields = options.get("fields", {})
    if not text.strip() and not fields:
        raise UsageError("expected something to remember, got nothing")
    kind = options.get("kind") or DEFAULT_KIND
    spec = workspace.registry.get(kind)
    if spec is None or not spec.is_claim:
        choices = ", ".join(spec.name for spec in workspace.registry if spec.is_claim)
        raise UsageError(f"expected a kind of {choices}, got {kind!r}")
    importance = options.get("importance")
    scope = options.get("scope", "")
    _check_names(fields)
    own = {item.name for item in spec.fields}
    return Record(
        kind=kind,
        title=options.get("title", "") or _title_without_words(text, options),
        body=text if text.endswith("\n") or not text.strip() else f"{text}\n",
        record_class=options.get("record_class", ""),
        fields={name: value for name, value in fields.items() if name in own},
        unknown={name: value for name, value in fields.items() if name not in own},
        tags=tuple(dict.fromkeys(options.get("tags", ()))),
        subject=options.get("subject", ""),
        scope=_scope(scope) if scope else None,
        importance=DEFAULT_IMPORTANCE if importance is None else importance,
        entities=tuple(dict.fromkeys(options.get("entities", ()))),
        sensitivity=sensitivity_from(options.get("sensitivity", "")),
        evidence=tuple(dict.fromkeys(options.get("cites", ()))),
        derived_from=tuple(dict.fromkeys(options.get("derived_from", ()))),
        **times_from(workspace, options),
    )


class Times(TypedDict, total=False):
    """When a claim holds and when what it tells of happened."""

    valid_from: datetime
    valid_until: datetime
    event_time: datetime


def times_from(workspace: Workspace, options: ClaimOptions) -> Times:
    """Returns the times that are said of a claim, without those that are not.

    Raises:
        UsageError: One of them is no instant.
    """
    now = workspace.clock.now()
    times = Times()
    if (start := when_from(options.get("valid_from", ""), now)) is not None:
        times["valid_from"] = start
    if (end := when_from(options.get("valid_until", ""), now)) is not None:
        times["valid_until"] = end
    if (happened := when_from(options.get("event_time", ""), now)) is not None:
        times["event_time"] = happened
    return times


def checks_from(options: ClaimOptions) -> tuple[Check, ...]:
    """Returns what a claim names to be looked up.

    Raises:
        UsageError: There is no such kind of check.
    """
    try:
        return tuple(Check(CheckKind(kind), value) for kind, value in options.get("checks", ()))
    except ValueError as error:
        choices = ", ".join(CheckKind)
        raise UsageError(f"expected a check of {choices}: {error}") from error


def check_from(text: str) -> Check:
    """Reads a check as people type it, such as ``path=src/app.py``.

    Raises:
        UsageError: There is no such kind of check.
    """
    kind, _, value = text.partition("=")
    return checks_from(ClaimOptions(checks=((kind, value),)))[0]


def use_result_from(text: str) -> UseResult:
    """Reads how using a record turned out.

    Raises:
        UsageError: There is no such result.
    """
    try:
        return UseResult(text)
    except ValueError:
        raise UsageError(f"expected one of {', '.join(UseResult)}, got {text!r}") from None


def _check_names(fields: Mapping[str, JsonValue]) -> None:
    if fields:
        from memfs.formats.envelope import FIELD_ORDER  # most claims have words and no fields

        taken = sorted({"body", *FIELD_ORDER} & fields.keys())
        if taken:
            raise UsageError(f"expected a field of its own, got {taken[0]!r} of every record")


def _title_without_words(text: str, options: ClaimOptions) -> str:
    """Names a record of fields alone by its class or kind: its fields may be hidden."""
    return "" if text.strip() else options.get("record_class") or options.get("kind") or ""


def known_kinds(workspace: Workspace, kinds: Sequence[str]) -> tuple[str, ...]:
    """Returns the kinds that are asked for.

    Raises:
        UsageError: One of them does not exist.
    """
    unknown = [kind for kind in kinds if kind not in workspace.registry]
    if unknown:
        choices = ", ".join(workspace.registry.names)
        raise UsageError(f"expected a kind of {choices}, got {unknown[0]!r}")
    return tuple(kinds)


def scope_from(text: str) -> Scope | None:
    """Returns the scope that is written so; ``None`` for nothing.

    Raises:
        UsageError: It is no scope.
    """
    return _scope(text) if text else None


def _scope(text: str) -> Scope:
    try:
        return Scope.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def sensitivity_from(text: str) -> Sensitivity:
    """Returns how sensitive something is said to be; normal where nothing is said.

    Raises:
        UsageError: There is no such label.
    """
    if not text:
        return Sensitivity.NORMAL
    try:
        return Sensitivity.from_label(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def query_from(
    workspace: Workspace,
    actor: Actor,
    text: str,
    options: QuestionOptions,
    *,
    budget: int | None = None,
) -> Query:
    """Makes the typed query of a question.

    Raises:
        UsageError: A kind, scope or instant does not exist.
    """
    kinds = known_kinds(workspace, options.get("kinds", ()))
    recall = workspace.settings.recall
    now = workspace.clock.now()
    limit = options.get("limit")
    return Query(
        text=text,
        actor=actor,
        sink=Sink.PERSON if actor.is_person else Sink.AGENT,
        purpose=options.get("purpose", ""),
        scopes=tuple(_scope(item) for item in options.get("scopes", ())),
        kinds=kinds,
        tags=tuple(options.get("tags", ())),
        subject=options.get("subject", ""),
        since=when_from(options.get("since", ""), now),
        until=when_from(options.get("until", ""), now),
        valid_at=when_from(options.get("valid_at", ""), now),
        as_of=when_from(options.get("as_of", ""), now),
        branch=workspace.project_branch,
        limit=recall.items if limit is None else limit,
        budget_tokens=recall.budget_tokens if budget is None else budget,
    )


def when_from(text: str, now: datetime) -> datetime | None:
    """Reads an instant as people type it; ``None`` for nothing.

    Raises:
        UsageError: It is no instant.
    """
    if not text:
        return None
    from memfs.formats.when import parse_when  # most questions name no instant

    return parse_when(text, now)
