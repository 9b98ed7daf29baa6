"""The promotion table: what becomes active, what waits, what is refused (A47, A48, A49).

The table is data. A row fits when every condition that it names holds; the first fitting
row decides, and the last row fits everything, so that nothing is admitted by omission.
Settings can tighten any row, and loosen only those marked loosenable, by turning the trait
on that the row asks for. What memory may never hold (secrets, permissions, payments …) is
refused by earlier steps of the pipeline and has no row here: no setting reaches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Verdict
from memfs.model.intention import INTENTION_KIND
from memfs.model.origin import OriginClass
from memfs.model.role import ROLE_KINDS
from memfs.policy.promotion_case import Case, PromotionRow, ScopeRelation, Trait

__all__ = [
    "ROWS",
    "TABLE",
    "WORK_KINDS",
    "Case",
    "PromotionRow",
    "ScopeRelation",
    "Trait",
    "fitting_row",
    "tightened_verdict",
]

_OWN: Final = frozenset({ScopeRelation.OWN, ScopeRelation.PRIVATE})
_PERSONAL: Final = frozenset({"preference", "profile"})
_STATED: Final = frozenset({"fact", "decision", "reference", "warning", "note"})
_ACCOUNTS: Final = frozenset({"evidence", "receipt"})
_SOURCES: Final = frozenset({"evidence", "excerpt"})
WORK_KINDS: Final = frozenset({"run", "issue", "session", "task", "step"})
"""Records of what was done and of what is left to be done; they ask nothing of anybody."""
_HAPPENED: Final = frozenset({"event"})
_RELATED: Final = frozenset({"entity", "edge"})
_INTENDED: Final = frozenset({INTENTION_KIND})
_OF_ROLE: Final = ROLE_KINDS | {"edge"}
_SUPPORTED: Final = frozenset({"fact", "reference", "warning", "note"})
_USER: Final = frozenset({OriginClass.USER_STATED})


def _traits(*traits: Trait) -> frozenset[Trait]:
    return frozenset(traits)


TABLE: Final[tuple[PromotionRow, ...]] = (
    PromotionRow(
        code="review.confirmed",
        summary="a person accepted this text in review",
        verdict=Verdict.ACTIVATE,
        requires=_traits(Trait.CONFIRMED),
    ),
    PromotionRow(
        code="removal.review",
        summary="removals and changes of the settings wait for a person",
        verdict=Verdict.QUARANTINE,
        requires=_traits(Trait.REMOVES),
    ),
    PromotionRow(
        code="system.account",
        summary="memfs keeps its own accounts",
        verdict=Verdict.ACTIVATE,
        kinds=_ACCOUNTS,
        origins=frozenset({OriginClass.SYSTEM}),
    ),
    PromotionRow(
        code="role.by-person",
        summary="a person applies a typed operation to what a role remembers",
        verdict=Verdict.ACTIVATE,
        kinds=_OF_ROLE,
        origins=_USER,
        scopes=frozenset({ScopeRelation.OTHER, ScopeRelation.PRIVATE}),
        requires=_traits(Trait.PERSON, Trait.TYPED),
        forbids=_traits(Trait.NEEDS_PERSON, Trait.CONTRADICTS),
    ),
    PromotionRow(
        code="scope.review",
        summary="global, shared and cross-project claims wait for a person",
        verdict=Verdict.QUARANTINE,
        scopes=frozenset({ScopeRelation.GLOBAL, ScopeRelation.SHARED, ScopeRelation.OTHER}),
    ),
    PromotionRow(
        code="evidence.captured",
        summary="evidence is kept with its origin and is never a claim",
        verdict=Verdict.ACTIVATE,
        kinds=_SOURCES,
        origins=frozenset(
            {
                OriginClass.USER_STATED,
                OriginClass.HOST_OBSERVED,
                OriginClass.WORKSPACE,
                OriginClass.REMOTE,
                OriginClass.AGENT_STATED,
            }
        ),
    ),
    PromotionRow(
        code="content.review",
        summary="sensitive, policy-adjacent, prospective and suspicious claims wait for a person",
        verdict=Verdict.QUARANTINE,
        requires=_traits(Trait.NEEDS_PERSON),
    ),
    PromotionRow(
        code="conflict.review",
        summary="a claim that contradicts another waits for a person",
        verdict=Verdict.QUARANTINE,
        requires=_traits(Trait.CONTRADICTS),
    ),
    PromotionRow(
        code="role.identity-review",
        summary="what a role is waits for a person",
        verdict=Verdict.QUARANTINE,
        requires=_traits(Trait.IDENTITY),
    ),
    PromotionRow(
        code="role.repo-review",
        summary="that a claim about how a project is built holds is for a person to say",
        verdict=Verdict.QUARANTINE,
        requires=_traits(Trait.OF_PROJECT),
    ),
    PromotionRow(
        code="role.own-memory",
        summary="a role applies a typed operation to its own memory, worth what it is itself",
        verdict=Verdict.ACTIVATE,
        kinds=_OF_ROLE,
        origins=frozenset({OriginClass.AGENT_STATED}),
        scopes=frozenset({ScopeRelation.PRIVATE}),
        requires=_traits(Trait.TYPED),
    ),
    PromotionRow(
        code="procedure.review",
        summary="procedures wait for a person, and outcomes prove them after that",
        verdict=Verdict.QUARANTINE,
        kinds=frozenset({"procedure"}),
    ),
    PromotionRow(
        code="correction.own-claim",
        summary="a person corrects their own claim",
        verdict=Verdict.ACTIVATE,
        kinds=_PERSONAL | _STATED,
        origins=_USER,
        scopes=_OWN,
        requires=_traits(Trait.PERSON, Trait.OWN_CORRECTION),
    ),
    PromotionRow(
        code="preference.user-stated",
        summary="a person states a preference or something about themselves",
        verdict=Verdict.ACTIVATE,
        kinds=_PERSONAL,
        origins=_USER,
        scopes=_OWN,
        requires=_traits(Trait.PERSON),
    ),
    PromotionRow(
        code="claim.user-stated",
        summary="a person states a claim in their own project's scope",
        verdict=Verdict.ACTIVATE,
        kinds=_STATED,
        origins=_USER,
        scopes=_OWN,
        requires=_traits(Trait.PERSON),
    ),
    PromotionRow(
        code="proposal.quoted",
        summary="an agent proposes what a person said, word for word, in the same scope",
        verdict=Verdict.ACTIVATE,
        kinds=_PERSONAL | _STATED,
        origins=frozenset({OriginClass.AGENT_STATED}),
        scopes=_OWN,
        requires=_traits(Trait.QUOTED, Trait.QUOTES_COUNT),
        is_loosenable=True,
    ),
    PromotionRow(
        code="claim.corroborated",
        summary="two trusted principals say so independently, a person among them",
        verdict=Verdict.ACTIVATE,
        kinds=_SUPPORTED,
        origins=frozenset({OriginClass.AGENT_STATED, OriginClass.REMOTE, OriginClass.WORKSPACE}),
        scopes=_OWN,
        requires=_traits(Trait.CORROBORATED),
        forbids=_traits(Trait.HAND_EDIT),
    ),
    PromotionRow(
        code="episode.host-observed",
        summary="the host observed how a run ended",
        verdict=Verdict.ACTIVATE,
        kinds=frozenset({"episode"}),
        origins=frozenset({OriginClass.HOST_OBSERVED}),
        scopes=_OWN,
        requires=_traits(Trait.HAS_OUTCOME),
    ),
    PromotionRow(
        code="episode.user-stated",
        summary="a person tells how an attempt ended, in their own scope",
        verdict=Verdict.ACTIVATE,
        kinds=frozenset({"episode"}),
        origins=_USER,
        scopes=_OWN,
        requires=_traits(Trait.PERSON, Trait.HAS_OUTCOME),
    ),
    PromotionRow(
        code="work.recorded",
        summary="what was done and what is open is recorded, worth what its channel is",
        verdict=Verdict.ACTIVATE,
        kinds=WORK_KINDS,
        origins=frozenset(
            {
                OriginClass.USER_STATED,
                OriginClass.HOST_OBSERVED,
                OriginClass.REMOTE,
                OriginClass.AGENT_STATED,
            }
        ),
        scopes=_OWN,
    ),
    PromotionRow(
        code="abstract.user-stated",
        summary="a person says what happened, or what relates to what, in their own scope",
        verdict=Verdict.ACTIVATE,
        kinds=_HAPPENED | _RELATED,
        origins=_USER,
        scopes=_OWN,
        requires=_traits(Trait.PERSON),
    ),
    PromotionRow(
        code="abstract.observed",
        summary="what memfs saw itself happen, such as a commit or a run, is noted with what "
        "it touched; the words in it stay those of their writer",
        verdict=Verdict.ACTIVATE,
        kinds=_HAPPENED | _RELATED,
        origins=frozenset({OriginClass.HOST_OBSERVED}),
        scopes=_OWN,
    ),
    PromotionRow(
        code="abstract.quoted",
        summary="an agent tells of what happened in words that a person said, in the same scope",
        verdict=Verdict.ACTIVATE,
        kinds=_HAPPENED,
        origins=frozenset({OriginClass.AGENT_STATED}),
        scopes=_OWN,
        requires=_traits(Trait.QUOTED, Trait.QUOTES_COUNT),
        is_loosenable=True,
    ),
    PromotionRow(
        code="intention.user-stated",
        summary="a person who is there says what to be asked about, and when",
        verdict=Verdict.ACTIVATE,
        kinds=_INTENDED,
        origins=_USER,
        scopes=_OWN,
        requires=_traits(Trait.PERSON, Trait.LIVE),
    ),
    PromotionRow(
        code="intention.review",
        summary="an intention that no person states while they are there waits for one",
        verdict=Verdict.QUARANTINE,
        kinds=_INTENDED,
    ),
    PromotionRow(
        code="observation.update",
        summary="a host saw otherwise than a record says; both stand, marked, until resolved",
        verdict=Verdict.ACTIVATE,
        kinds=frozenset({"fact"}),
        origins=frozenset({OriginClass.HOST_OBSERVED}),
        scopes=_OWN,
        requires=_traits(Trait.OBSERVED_OTHERWISE),
    ),
    PromotionRow(
        code="fact.verified",
        summary="a deterministic verifier confirmed a fact",
        verdict=Verdict.ACTIVATE,
        kinds=frozenset({"fact"}),
        origins=frozenset(
            {OriginClass.HOST_OBSERVED, OriginClass.WORKSPACE, OriginClass.AGENT_STATED}
        ),
        scopes=_OWN,
        requires=_traits(Trait.VERIFIED),
    ),
    PromotionRow(
        code="hand-edit.adopted",
        summary="the settings adopt valid hand edits",
        verdict=Verdict.ACTIVATE,
        origins=frozenset({OriginClass.WORKSPACE}),
        scopes=_OWN,
        requires=_traits(Trait.HAND_EDIT, Trait.ADOPTED),
        is_loosenable=True,
    ),
    PromotionRow(
        code="hand-edit.review",
        summary="a hand edit waits for a person",
        verdict=Verdict.QUARANTINE,
        origins=frozenset({OriginClass.WORKSPACE}),
        requires=_traits(Trait.HAND_EDIT),
    ),
    PromotionRow(
        code="inferred.review",
        summary="what was inferred, imported or read elsewhere about a person waits",
        verdict=Verdict.QUARANTINE,
        kinds=_PERSONAL,
    ),
    PromotionRow(
        code="claim.review",
        summary="a claim that no person stated and nothing verified waits",
        verdict=Verdict.QUARANTINE,
    ),
)
"""The default policy, first fitting row first."""

ROWS: Final[Mapping[str, PromotionRow]] = MappingProxyType({row.code: row for row in TABLE})

_STRICTNESS: Final[Mapping[Verdict, int]] = MappingProxyType(
    {
        Verdict.ACTIVATE: 0,
        Verdict.DUPLICATE: 0,
        Verdict.NEEDS_ANSWER: 1,
        Verdict.QUARANTINE: 1,
        Verdict.REJECT: 2,
    }
)


def fitting_row(case: Case) -> PromotionRow:
    """Returns the first row that fits; there always is one."""
    return next(row for row in TABLE if row.is_fitting(case))


def tightened_verdict(row: PromotionRow, tightened: Mapping[str, str]) -> Verdict:
    """Returns the verdict of ``row`` under the settings, never milder than the table's.

    A setting that is no verdict, or a milder one, has no effect.
    """
    wanted = tightened.get(row.code, "")
    try:
        verdict = Verdict(wanted)
    except ValueError:
        return row.verdict
    return verdict if _STRICTNESS[verdict] > _STRICTNESS[row.verdict] else row.verdict
