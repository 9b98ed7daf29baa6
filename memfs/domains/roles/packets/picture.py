"""Reads all that there is of a role, as one reader may see it now: nothing of it is believed.

One pass over the folder of the role, through the read gate; then the edges that touch what was
read, and the receipts of the role. An edge is there with both its ends or not at all, and what was
withdrawn is not there. What is stale is found anew each time (E11, E12).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from memfs.domains.roles.loading import load_edges
from memfs.domains.roles.summaries.freshness import Freshness, freshness_of
from memfs.domains.roles.view import RoleView
from memfs.index.catalogue import Catalogue, CatalogueFilter
from memfs.model.origin import Actor, PrincipalKind
from memfs.model.record import Record
from memfs.model.role import ROLE_KIND, ROLES_FOLDER, SUMMARY_KIND, role_of
from memfs.model.scope import ScopeKind
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.role_cuts import MOST_NAMED
from memfs.services.catalogue import open_catalogue
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths, read_records, served_places
from memfs.store.layout import role_folder
from memfs.store.snapshot import Snapshot

_RECEIPT: Final = "receipt"
_MOST_RECEIPTS: Final = 64
"""So many receipts are looked at for those that may be read."""
_NOTHING_KNOWN: Final = Freshness()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """All of a role that a reader may see.

    Attributes:
        view: Its memories, in any state.
        roles: The roles that it is of.
        summaries: Its summaries, by id.
        edges: Edges between them and what stands elsewhere, by id.
        receipts: What was done to it, newest first, as far as the reader may know.
        freshness: What of all that is stale as found now, and why.
    """

    view: RoleView
    roles: tuple[str, ...]
    summaries: tuple[Record, ...] = ()
    edges: tuple[Record, ...] = ()
    receipts: tuple[Record, ...] = ()
    freshness: Freshness = _NOTHING_KNOWN

    @property
    def role(self) -> str:
        """Its name; empty for several roles."""
        return self.view.role

    @property
    def stale(self) -> frozenset[str]:
        """Ids of memories, edges and summaries whose source changed or is gone."""
        return self.freshness.stale


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """A reader before the ledger at one commit."""

    workspace: Workspace
    snapshot: Snapshot
    actor: Actor
    request: AccessRequest

    @classmethod
    def of(cls, workspace: Workspace, actor: Actor) -> Looking:
        """Looks at the ledger as it is now."""
        snapshot = workspace.store.snapshot()
        request = access_request(workspace, actor)
        return cls(workspace=workspace, snapshot=snapshot, actor=actor, request=request)

    def sees(self, record: Record) -> bool:
        """Tells whether the reader may see all of a record, and of all that it rests on."""
        return (
            may_read(record, self.request).is_whole
            and not has_hidden_end(self.workspace, self.snapshot, record, self.request)
            and not rests_on_off_source(self.workspace, self.snapshot, record, self.request)
        )

    def knows_all_of(self, role: str) -> bool:
        """Tells whether the reader is the role itself, or a person.

        Others know what was shared with them: not when the role rested, nor what ids it wrote down.
        """
        principal = self.actor.principal
        is_own = principal.kind is PrincipalKind.AGENT and principal.name == role
        return self.request.is_trusted_reader or is_own

    def found(self, names: Iterable[str]) -> Mapping[str, Record]:
        """Returns what of some ids the reader may see, whatever stands there."""
        asked = tuple(dict.fromkeys(names))
        if not asked:
            return {}
        with closing(open_catalogue(self.workspace, self.snapshot)) as catalogue:
            rows = catalogue.by_ids(asked)
        read = read_paths(self.workspace, self.snapshot, [row.path for row in rows])
        return {item.record.id: item.record for item in read if self.sees(item.record)}


def pictures(looking: Looking, role: str = "") -> tuple[Picture, ...]:
    """Reads one role, or with no name every role of which the reader may see anything, by name.

    A role that is named is in the answer in any case: of one that is not there, and of one that
    may not be seen, the picture is empty alike.
    """
    workspace, snapshot = looking.workspace, looking.snapshot
    folder = f"{ROLES_FOLDER}/{role_folder(role)}" if role else ROLES_FOLDER
    found: dict[str, list[Record]] = {role: []} if role else {}
    for item in read_records(workspace, snapshot, served_places(snapshot, folder)):
        name = role_of(item.record)
        if (
            name
            and (not role or name == role)
            and _is_kept(item.record)
            and looking.sees(item.record)
        ):
            found.setdefault(name, []).append(item.record)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        return tuple(_picture(looking, catalogue, name, found[name]) for name in sorted(found))


def all_of(looking: Looking, every: Sequence[Picture]) -> Picture:
    """Returns several roles as one picture, whose memories still say whose they are."""
    if len(every) == 1:
        return every[0]
    receipts = [receipt for picture in every for receipt in picture.receipts]
    receipts.sort(key=lambda record: record.id, reverse=True)
    fresh = Freshness(
        stale=frozenset(name for picture in every for name in picture.stale),
        unlooked=frozenset(item for picture in every for item in picture.freshness.unlooked),
    )
    memories = {name: item for one in every for name, item in one.view.memories.items()}
    return Picture(
        view=RoleView(role="", now=looking.request.now, memories=memories),
        roles=tuple(picture.role for picture in every),
        summaries=tuple(item for picture in every for item in picture.summaries),
        edges=tuple(item for picture in every for item in picture.edges),
        receipts=tuple(receipts),
        freshness=fresh,
    )


def _is_kept(record: Record) -> bool:
    return record.kind in (ROLE_KIND, SUMMARY_KIND)


def _picture(looking: Looking, catalogue: Catalogue, role: str, records: list[Record]) -> Picture:
    records.sort(key=lambda record: record.id)
    memories = {item.id: item for item in records if item.kind == ROLE_KIND}
    summaries = tuple(item for item in records if item.kind == SUMMARY_KIND)
    view = RoleView(role=role, now=looking.request.now, memories=memories)
    picture = Picture(
        view=view,
        roles=(role,),
        summaries=summaries,
        edges=tuple(
            load_edges(
                looking.workspace, looking.snapshot, catalogue, role, memories, looking.request
            ).values()
        ),
        receipts=tuple(_receipts(looking, catalogue, role)),
    )
    every = (*memories.values(), *summaries, *picture.edges)
    fresh = freshness_of(looking.workspace, looking.snapshot, every, looking.actor)
    return replace(picture, freshness=fresh)


def _receipts(looking: Looking, catalogue: Catalogue, role: str) -> Iterator[Record]:
    """Yields the newest receipts of a role that the reader may see: they give account of others."""
    scope = f"{ScopeKind.AGENT}:{role}"
    rows = catalogue.listing(CatalogueFilter(kinds=(_RECEIPT,)))
    paths = islice((row.path for row in rows if row.scope == scope), _MOST_RECEIPTS)
    read = read_paths(looking.workspace, looking.snapshot, list(paths))
    seen = (stored.record for stored in read if looking.sees(stored.record))
    yield from islice(seen, MOST_NAMED)
