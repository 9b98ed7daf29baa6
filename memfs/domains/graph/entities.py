"""Entities: what a thing is called, and what is known of it (O8, O10).

One name in one namespace is one entity. Its id follows from the name that it had first and stays;
other names are added, and a name that it gives up stays one of them. What may be said of it is
decided at the door, like any statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from memfs.domains.graph.entity_views import entity_named
from memfs.domains.graph.relating import name_of
from memfs.domains.graph.seen_graph import SeenGraph
from memfs.errors import UsageError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.naming import entity_key
from memfs.model.origin import Actor
from memfs.model.record import DEFAULT_IMPORTANCE, Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin
from memfs.policy.edges import check_name
from memfs.policy.graph_links import names_of_entity
from memfs.policy.reasons import reason
from memfs.services.correct import SeenInPartError, revise
from memfs.services.graph_drafts import entity_draft, name_from, other_names
from memfs.services.judgement import StaleBaseError
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.services.served_records import read_path

NOTHING_SAID: Final[Mapping[str, JsonValue]] = MappingProxyType({})
_ATTEMPTS: Final = 8
_ADD_TO: Final = "add to it with: memfs entity alias, memfs entity set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What somebody says of a thing; empty for what is not said.

    Attributes:
        name: What it is called.
        entity_type: What sort of thing it is.
        aliases: Other names.
        attributes: What is known of it by name.
        about: Words about it.
        scope: Namespace; ``None`` for the store's own.
        sensitivity: How closely it is kept.
        importance: 1 to 10.
        key: Makes a repetition harmless; empty for none.
    """

    name: str
    entity_type: str = ""
    aliases: Sequence[str] = ()
    attributes: Mapping[str, JsonValue] = field(default_factory=lambda: NOTHING_SAID)
    about: str = ""
    scope: Scope | None = None
    sensitivity: Sensitivity = Sensitivity.NORMAL
    importance: int = DEFAULT_IMPORTANCE
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is to be otherwise of an entity; ``None`` and empty for what stays.

    Attributes:
        name: What it is called from now on; the old name stays one of its names.
        entity_type: What sort of thing it is.
        attributes: What is known of it by name, besides or instead of what was.
        unset: Names of what is not known of it any longer.
        aliases: Names that are added.
        dropped: Names that are not its own any longer.
        about: Words about it.
    """

    name: str | None = None
    entity_type: str | None = None
    attributes: Mapping[str, JsonValue] = field(default_factory=lambda: NOTHING_SAID)
    unset: Sequence[str] = ()
    aliases: Sequence[str] = ()
    dropped: Sequence[str] = ()
    about: str | None = None


def add_entity(workspace: Workspace, thing: Thing, actor: Actor) -> Result:
    """Makes a page for a thing; one that has a page under this name has none added.

    Raises:
        UsageError: A name or type is none, or too long.
    """
    scope = thing.scope or workspace.scope
    draft = entity_draft(
        scope,
        thing.name,
        entity_type=thing.entity_type,
        aliases=thing.aliases,
        attributes=thing.attributes,
        body=thing.about,
    )
    draft = replace(draft, sensitivity=thing.sensitivity, importance=thing.importance)
    taken = _bearer(workspace, names_of_entity(draft), actor, scope)
    if taken is not None:
        bearer, name = taken
        return _taken(workspace, bearer, name, is_same=name == draft.title)
    submission = Submission(
        draft=draft, origin=capture_origin(actor, f"{draft.title}\n{draft.body}"), key=thing.key
    )
    result = submit(workspace, submission, actor, action="add entity")
    if result.status is ResultStatus.DUPLICATE:
        return replace(result, message=f"{result.message}; {_ADD_TO}")
    if result.status is ResultStatus.WAITING:
        return replace(result, data={**result.data, "entity": draft.id})
    return result


def _taken(workspace: Workspace, bearer: StoredRecord, name: str, *, is_same: bool) -> Result:
    known = bearer.record.id
    answer = Result(
        action="add entity",
        target=known,
        status=ResultStatus.DUPLICATE,
        message=f"{name} is already known as {known} ({name_of(bearer)}); {_ADD_TO}",
        store=str(workspace.store.root),
        reasons=(reason("duplicate.same-id", known),),
    )
    if is_same:
        return answer
    why = check_name(known)
    told = (why,) if why is not None else ()
    message = "; ".join(item.message for item in told)
    return replace(answer, status=ResultStatus.REFUSED, message=message, reasons=told)


def _bearer(
    workspace: Workspace, names: Iterable[str], actor: Actor, scope: Scope, *, but: str = ""
) -> tuple[StoredRecord, str] | None:
    """Returns an entity of a namespace that bears one of some names, and which.

    Only one that the actor may see whole: of any other, the door alone knows.
    """
    with SeenGraph(workspace, actor) as graph:
        for name in names:
            for stored in graph.bearers(name):
                own = stored.record.scope or workspace.scope
                if stored.path and own == scope and stored.record.id != but:
                    return stored, name
    return None


def change_entity(
    workspace: Workspace, reference: str, changes: Changes, actor: Actor, *, action: str
) -> Result:
    """Says something more, or something else, of an entity; its id and its past stay.

    Raises:
        UnknownRecordError: Nothing matches, or nothing that may be seen.
        AmbiguousRecordError: Several match.
        SeenInPartError: The actor sees a part of it.
        UsageError: A name is none, or is no name of it.
    """
    for _ in range(_ATTEMPTS):
        try:
            return _changed_once(workspace, reference, changes, actor, action=action)
        except StaleBaseError:
            # Somebody said something else of it meanwhile: the change is made to that.
            continue
    return _changed_once(workspace, reference, changes, actor, action=action)


def _changed_once(
    workspace: Workspace, reference: str, changes: Changes, actor: Actor, *, action: str
) -> Result:
    stored = _own_page(workspace, reference, actor)
    record = _changed(stored.record, changes)
    if record == stored.record:
        return Result(
            action=action,
            target=stored.record.id,
            status=ResultStatus.NOTHING,
            message="nothing was changed",
            store=str(workspace.store.root),
        )
    scope = record.scope or workspace.scope
    known = {entity_key(name) for name in names_of_entity(stored.record)}
    new = [name for name in names_of_entity(record) if entity_key(name) not in known]
    taken = _bearer(workspace, new, actor, scope, but=record.id)
    if taken is not None:
        return replace(_taken(workspace, *taken, is_same=False), action=action)
    said = "\n".join((*names_of_entity(record), record.field_text, record.body))
    result = revise(workspace, stored, record, actor, capture_origin(actor, said))
    return replace(result, action=action)


def _own_page(workspace: Workspace, reference: str, actor: Actor) -> StoredRecord:
    """Returns an entity as the ledger has it, for one who sees it whole."""
    with SeenGraph(workspace, actor) as graph:
        seen = entity_named(graph, reference)
        whole = read_path(workspace, graph.head, seen.path) if seen.path else None
    if whole is None:
        raise SeenInPartError(
            f"expected an entity that is seen whole, got a part of {seen.record.id}",
            hint="propose a claim of its own",
        )
    return whole


def _changed(record: Record, changes: Changes) -> Record:
    fields = dict(record.fields)
    title = record.title if changes.name is None else name_from(changes.name)
    names = [*_listed(record), *changes.aliases]
    if entity_key(title) != entity_key(record.title):
        # Whoever knows it by its old name still finds it.
        names.insert(0, record.title)
    kept = _without(record, title, other_names(title, names), changes.dropped)
    _set(fields, "aliases", list(kept))
    if changes.entity_type is not None:
        _set(fields, "entity_type", " ".join(changes.entity_type.split()))
    attributes = {**_attributes(record), **changes.attributes}
    missing = [name for name in changes.unset if name not in attributes]
    if missing:
        raise UsageError(f"expected an attribute of it, got {missing[0]!r}")
    _set(
        fields,
        "attributes",
        {name: value for name, value in attributes.items() if name not in changes.unset},
    )
    body = record.body
    if changes.about is not None:
        body = (
            changes.about
            if not changes.about or changes.about.endswith("\n")
            else f"{changes.about}\n"
        )
    return replace(record, title=title, body=body, fields=fields)


def _without(
    record: Record, title: str, names: Sequence[str], dropped: Sequence[str]
) -> tuple[str, ...]:
    gone = {entity_key(name) for name in dropped}
    own = {entity_key(title), entity_key(record.subject)}
    known = {entity_key(name) for name in names}
    for name in dropped:
        if entity_key(name) in own:
            raise UsageError(
                f"expected another name of it, got {name!r}, which it is called by",
                hint="its id follows from its first name, which it keeps",
            )
        if entity_key(name) not in known:
            raise UsageError(f"expected a name of it, got {name!r}")
    return tuple(name for name in names if entity_key(name) not in gone)


def _set(fields: dict[str, JsonValue], name: str, value: JsonValue) -> None:
    if value:
        fields[name] = value
    else:
        fields.pop(name, None)


def _listed(record: Record) -> list[str]:
    value = record.fields.get("aliases")
    return [str(name) for name in value] if isinstance(value, list | tuple) else []


def _attributes(record: Record) -> Mapping[str, JsonValue]:
    value = record.fields.get("attributes")
    return value if isinstance(value, Mapping) else NOTHING_SAID
