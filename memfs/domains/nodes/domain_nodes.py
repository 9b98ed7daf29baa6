"""One node a domain: what is wanted of one kind of work, collected in one place (M29).

A request may be about several domains; each is looked up by its key, never by likeness, and
each answers with its one node. A further wish is added to the node that is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from memfs.domains.nodes.changing import append_node
from memfs.domains.nodes.node import NODE_KIND, content_of, one_line
from memfs.domains.nodes.routing import DOMAINS, domain_subject, domain_tags, domains_in
from memfs.domains.nodes.saving import NodeWish, Saved, save_node
from memfs.errors import UsageError
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.text import normalise_text
from memfs.services.beside import Beside
from memfs.services.catalogue import open_catalogue, same_subject_entries
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import served_from


@frozen
class DomainNode:
    """The node of one domain, as its reader may see it."""

    domain: str
    stored: StoredRecord


def preferences_for(
    workspace: Workspace, actor: Actor, text: str, *, domains: Sequence[str] = ()
) -> tuple[DomainNode, ...]:
    """Returns the nodes of every domain that a request is about, one question a domain.

    Args:
        workspace: The store.
        actor: Who reads.
        text: The request.
        domains: Domains that are meant whatever the text says.

    Raises:
        UsageError: There is no such domain.
    """
    named = dict.fromkeys((*map(known_domain, domains), *domains_in(text)))
    found = ((name, domain_node(workspace, name, actor)) for name in named)
    return tuple(DomainNode(domain=name, stored=node) for name, node in found if node is not None)


def domain_node(workspace: Workspace, domain: str, actor: Actor) -> StoredRecord | None:
    """Returns the one node of a domain; the first one made where there are more."""
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = same_subject_entries(
            workspace, catalogue, domain_subject(domain), str(workspace.scope)
        )
        nodes = [row for row in rows if row.kind == NODE_KIND]
        seen = [*served_from(workspace, snapshot, nodes, request)]
    return min(seen, key=lambda stored: stored.record.id, default=None)


def keep_preference(
    workspace: Workspace, beside: Beside, domain: str, wish: NodeWish, actor: Actor
) -> Saved:
    """Adds a wish to the node of a domain, which is made where there is none yet.

    Raises:
        UsageError: There is no such domain, or nothing is wished.
        StaleBaseError: The node is changed at every attempt.
    """
    domain = known_domain(domain)
    said = one_line(wish.summary)
    if not said:
        raise UsageError("expected a preference, got nothing")
    more = "".join(f"  {line}\n" for line in wish.content.splitlines())
    entry = f"- {said}\n{more}"
    node = domain_node(workspace, domain, actor)
    if node is None:
        made = NodeWish(
            summary=f"What is wanted of {domain} work",
            abstract=wish.abstract,
            content=entry,
            importance=wish.importance,
            tags=(*domain_tags(domain), *wish.tags),
            subject=domain_subject(domain),
            is_forced=True,
            session=wish.session,
            session_name=wish.session_name,
            sensitivity=wish.sensitivity,
            key=wish.key,
        )
        return save_node(workspace, beside, made, actor)
    if normalise_text(entry) in map(normalise_text, _entries(content_of(node.record))):
        result = Result(
            action="node save",
            target=node.record.id,
            status=ResultStatus.NOTHING,
            message=f"{node.record.id} says so already",
            store=str(workspace.store.root),
        )
        return Saved(result=result)
    return Saved(result=append_node(workspace, node.record.id, entry, actor))


def known_domain(domain: str) -> str:
    """Returns the name of a domain.

    Raises:
        UsageError: There is no such domain.
    """
    name = domain.strip().lower()
    if name not in DOMAINS:
        raise UsageError(f"expected a domain of {', '.join(DOMAINS)}, got {domain!r}")
    return name


def _entries(content: str) -> Sequence[str]:
    return [f"- {part}" for part in f"\n{content}".split("\n- ")[1:]]
