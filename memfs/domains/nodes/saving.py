"""Saves a node: what is against it, then what is like it, then the one door (M1 to M4, M25).

Before a node is handed to policy it is weighed, and compared with the nodes of its own scope
that its saver may see. A text that says the opposite of one of them, or nearly the same, is not
stored and not silently dropped either: the answer names the node and what can be done. Who saves
may save in spite of it, and the record then says so. What is admitted is decided like any claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memfs.domains.nodes.node import (
    NODE_KIND,
    SCORING_RULE,
    flags_of,
    one_line,
    summary_of,
)
from memfs.domains.nodes.opposition import masked, opposition
from memfs.domains.nodes.routing import DOMAIN_TAG, Route, route_of
from memfs.domains.nodes.rules import rules_in_force
from memfs.domains.nodes.scoring import (
    MOST,
    Score,
    clamped,
    is_rule_phrase,
    rule_words,
    score_value,
    scored,
)
from memfs.errors import UsageError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.preview import preview_of
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin
from memfs.policy.keeping import KeepingCase, check_keeping
from memfs.services.beside import Beside
from memfs.services.gate import access_request
from memfs.services.inbox import read_inbox
from memfs.services.owners import submit
from memfs.services.ports import Workspace
from memfs.services.proposals import title_from
from memfs.services.reindex import analyzer_of
from memfs.services.similarity import (
    Comparable,
    Near,
    Nearest,
    SimilarityMode,
    nearest,
    similarity_for,
)
from memfs.store.snapshot import Snapshot

ALIKE_LOOKED_AT: Final = 10
OPTIONS: Final = ("update", "append", "force")
"""What can be done about a node that is alike, in the order in which it is best tried."""
_ALIKE: Final = frozenset({"node.alike", "node.opposed"})


@frozen
class NodeWish:
    """What is to be saved.

    Attributes:
        summary: One line; what is searched and shown in lists.
        abstract: A few sentences; what is given when the node is opened.
        content: Everything else, given page by page.
        importance: 1 to 10, clamped; ``None`` for the default.
        tags: Labels.
        subject: Stable key; empty for none.
        is_rule: It says what is worth keeping from now on.
        is_forced: Save in spite of what is alike, is against it or scores too little.
        session: Session that it is saved in; that of the process where empty.
        session_name: What that session is called.
        scope: Where it belongs; ``None`` for the store's own.
        sensitivity: How closely it is kept.
        entities: What it is about.
        key: Makes a repetition harmless.
    """

    summary: str
    abstract: str = ""
    content: str = ""
    importance: int | None = None
    tags: tuple[str, ...] = ()
    subject: str = ""
    is_rule: bool = False
    is_forced: bool = False
    session: str = ""
    session_name: str = ""
    scope: Scope | None = None
    sensitivity: Sensitivity = Sensitivity.NORMAL
    entities: tuple[str, ...] = ()
    key: str = ""


@frozen
class Saved:
    """What became of a node that was to be saved.

    Attributes:
        result: As every service answers.
        near: Nodes that are like it, most alike first.
        mode: What that was measured by.
    """

    result: Result
    near: tuple[Near, ...] = ()
    mode: SimilarityMode = SimilarityMode.LEXICAL


@frozen
class Alike:
    """What is most like a node: one that is there, or a proposal of the saver's own that waits."""

    id: str = ""
    similarity: float = 0.0
    preview: str = ""


@frozen
class _Weighed:
    """A draft, what it is worth, and what speaks against it."""

    draft: Record
    score: Score
    nearest: Nearest
    opposed: str
    alike: Alike
    against: tuple[Reason, ...]


def save_node(workspace: Workspace, beside: Beside, wish: NodeWish, actor: Actor) -> Saved:
    """Saves a node, or answers why not.

    Raises:
        UsageError: There is no summary.
        IndexUnavailableError: There is no index and none can be made.
    """
    weighed = _weighed(workspace, wish, actor)
    if weighed.against and not wish.is_forced:
        return Saved(result=_refused(workspace, weighed), near=weighed.nearest.found)
    draft = weighed.draft
    if weighed.against:
        draft = replace(draft, fields={**draft.fields, "forced": list(_forced(weighed))})
    text = draft.body if not draft.summary else f"{draft.summary}\n{draft.body}"
    submission = Submission(draft=draft, origin=capture_origin(actor, text), key=wish.key)
    result = submit(workspace, beside, submission, actor, action="node save")
    if draft.sensitivity is Sensitivity.SEALED:
        from memfs.services import sealing  # hardly any record is

        result = sealing.told(result)
    return Saved(
        result=replace(result, data={**result.data, **_told(weighed)}),
        # A link would tell what a node is about whose words are kept closely.
        near=() if draft.sensitivity.is_opaque else weighed.nearest.found,
        mode=weighed.nearest.mode,
    )


def draft_of(wish: NodeWish, workspace: Workspace, score: Score) -> Record:
    """Returns the record of a node; a node without content has its summary for a body."""
    summary = one_line(wish.summary)
    content = wish.content
    if content.strip() and not content.endswith("\n"):
        content = f"{content}\n"
    has_content = bool(content.strip())
    # A sealed node says nothing in plain text, the name of its session included.
    is_open = wish.sensitivity is not Sensitivity.SEALED
    fields: dict[str, JsonValue] = {
        "session": wish.session or workspace.lineage.session,
        "session_name": one_line(wish.session_name),
    }
    tags = (*wish.tags, *((SCORING_RULE,) if wish.is_rule else ()))
    return Record(
        kind=NODE_KIND,
        title=title_from(summary),
        body=content if has_content else f"{summary}\n",
        summary=summary if has_content else "",
        abstract=wish.abstract.strip(),
        importance=score.total,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag.strip())),
        subject=wish.subject,
        scope=wish.scope,
        sensitivity=wish.sensitivity,
        entities=tuple(dict.fromkeys(wish.entities)),
        fields={name: value for name, value in fields.items() if value and is_open},
    )


def _weighed(workspace: Workspace, wish: NodeWish, actor: Actor) -> _Weighed:
    summary = one_line(wish.summary)
    if not summary:
        raise UsageError("expected a summary, got nothing", hint="one line that says it all")
    snapshot = workspace.store.snapshot()
    is_rule = wish.is_rule or is_rule_phrase(summary)
    wish = replace(wish, is_rule=is_rule)
    score = _score(workspace, snapshot, wish, actor)
    draft = draft_of(wish, workspace, score)
    query = Query(
        text=summary,
        actor=actor,
        kinds=(NODE_KIND,),
        scopes=(wish.scope or workspace.scope,),
        limit=ALIKE_LOOKED_AT,
    )
    found = nearest(workspace, snapshot, summary, query, words=summary_of)
    opposed = _opposed(workspace, snapshot, summary, query, found)
    alike = _most_alike(workspace, snapshot, summary, query, found)
    case = KeepingCase(
        score=score.total, opposed=opposed, alike=alike.id, likeness=alike.similarity
    )
    against = check_keeping(case, workspace.settings.nodes)
    return _Weighed(
        draft=draft, score=score, nearest=found, opposed=opposed, alike=alike, against=against
    )


def _score(workspace: Workspace, snapshot: Snapshot, wish: NodeWish, actor: Actor) -> Score:
    """Weighs a node; a rule is worth the most, and raises nothing of its own."""
    if wish.is_rule:
        return Score(importance=MOST)
    rules = rules_in_force(workspace, snapshot, access_request(workspace, actor))
    text = "\n".join((wish.summary, wish.abstract, wish.content, *wish.tags))
    words = ((rule.record.id, rule_words(rule.record)) for rule in rules)
    return scored(clamped(wish.importance), text, words, analyzer_of(workspace).terms)


def _most_alike(
    workspace: Workspace, snapshot: Snapshot, summary: str, query: Query, found: Nearest
) -> Alike:
    """Returns what is most like a node; for a program among its own proposals as well.

    A program that says the same thing in other words at every turn would fill the inbox.
    """
    best = Alike()
    if found.found:
        near = found.found[0]
        record = near.stored.record
        best = Alike(id=record.id, similarity=near.score, preview=preview_of(record))
    if query.actor.is_person or best.similarity >= workspace.settings.nodes.duplicate:
        return best
    waiting = {
        item.id: item.title
        for item in read_inbox(workspace).candidates
        if item.kind == NODE_KIND and item.origin.principal == query.actor.principal
    }
    candidates = (Comparable(id=name, text=title) for name, title in waiting.items())
    scores = (
        similarity_for(workspace, snapshot, query).scores(summary, candidates) if waiting else {}
    )
    for name, score in sorted(scores.items()):
        if score > best.similarity:
            best = Alike(id=name, similarity=score, preview=waiting[name])
    return best


def _opposed(
    workspace: Workspace, snapshot: Snapshot, summary: str, query: Query, found: Nearest
) -> str:
    """Returns the id of the most alike node that says the opposite in the same words."""
    others = {
        near.stored.record.id: masked(summary_of(near.stored.record))
        for near in found.found
        if opposition(summary, summary_of(near.stored.record)) is not None
    }
    if not others:
        return ""
    candidates = (Comparable(id=name, text=words) for name, words in others.items())
    alike = similarity_for(workspace, snapshot, query).scores(masked(summary), candidates)
    least = workspace.settings.nodes.duplicate
    return next((name for name in others if alike[name] >= least), "")


def _forced(weighed: _Weighed) -> Sequence[str]:
    """Returns what a node is saved in spite of: ids of nodes, and the code of a low score."""
    named = {
        "node.opposed": weighed.opposed,
        "node.alike": weighed.alike.id,
    }
    return tuple(dict.fromkeys(named.get(item.code, item.code) for item in weighed.against))


def _refused(workspace: Workspace, weighed: _Weighed) -> Result:
    first = weighed.against[0]
    match first.code:
        case "node.alike":
            status, target = ResultStatus.DUPLICATE, weighed.alike.id
            hint = "update it, append to it, or save with force"
        case "node.opposed":
            status, target = ResultStatus.NEEDS_ANSWER, weighed.opposed
            hint = "update it, or save with force to keep both"
        case _:
            status, target, hint = ResultStatus.REFUSED, "", "save with force to keep it"
    return Result(
        action="node save",
        target=target,
        status=status,
        message=f"{first.message}; {hint}",
        store=str(workspace.store.root),
        reasons=weighed.against,
        data=_told(weighed),
    )


def _told(weighed: _Weighed) -> dict[str, JsonValue]:
    """Returns what a save tells besides its result: the score, what is alike, what to mend."""
    told: dict[str, JsonValue] = {
        "score": dict(score_value(weighed.score)),
        "mode": str(weighed.nearest.mode),
    }
    flags = flags_of(weighed.draft)
    if flags:
        told["flags"] = list(flags)
    route = route_of(weighed.draft.body)
    if route is not Route.GRAPH and DOMAIN_TAG not in weighed.draft.tags:
        told["route"] = str(route)
    if _ALIKE & {item.code for item in weighed.against}:
        told["similar"] = [
            {
                "id": weighed.alike.id,
                "similarity": round(weighed.alike.similarity, 4),
                "preview": weighed.alike.preview,
            }
        ]
        told["options"] = list(OPTIONS)
    return told


def near_value(near: Near) -> dict[str, JsonValue]:
    """Returns a node that is alike as plain data."""
    return {
        "id": near.stored.record.id,
        "similarity": round(near.score, 4),
        "preview": preview_of(near.stored.record),
    }
