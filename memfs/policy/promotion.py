"""The promotion table: what becomes active, what waits, what is refused (A47, A48, A49).

The table is data. A row fits when every condition that it names holds; the first fitting
row decides, and the last row fits everything, so that nothing is admitted by omission.
Settings can tighten any row, and loosen only those marked loosenable, by turning the trait
on that the row asks for. What memory may never hold (secrets, permissions, payments …) is
refused by earlier steps of the pipeline and has no row here: no setting reaches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason, Verdict
from memfs.model.frozen import frozen
from memfs.model.intention import INTENTION_KIND
from memfs.model.origin import OriginClass


class ScopeRelation(StrEnum):
    """How the scope of a claim relates to the store and to who states it."""

    OWN = "own"
    """The scope of the store."""
    PRIVATE = "private"
    """A task, session or thread, or the speaker's own agent scope."""
    GLOBAL = "global"
    SHARED = "shared"
    OTHER = "other"
    """Another project, or another agent's scope."""


class Trait(StrEnum):
    """What the pipeline has found out about a submission."""

    CONFIRMED = "confirmed"
    """A person accepted this very text in review."""
    PERSON = "person"
    """A person stated it on a channel where people decide."""
    HAND_EDIT = "hand-edit"
    """The reconciler found it in the working tree."""
    ADOPTED = "adopted"
    """The settings adopt valid hand edits."""
    OWN_CORRECTION = "own-correction"
    """The same person replaces their own claim, subject unambiguous."""
    CONTRADICTS = "contradicts"
    """Something active says otherwise, and whoever says this may not stand against it."""
    OBSERVED_OTHERWISE = "observed-otherwise"
    """A host saw something else than an active record says."""
    QUOTED = "quoted"
    """The claim is whole sentences of evidence that a person stated in the same scope."""
    QUOTES_COUNT = "quotes-count"
    """The settings let quotes carry an agent's proposal."""
    VERIFIED = "verified"
    """A deterministic verifier confirmed all that it says."""
    CORROBORATED = "corroborated"
    """Two trusted principals, a person among them, say so independently of each other."""
    HAS_OUTCOME = "has-outcome"
    """It carries an outcome."""
    NEEDS_PERSON = "needs-person"
    """Screening, sensitivity or its target ask for a person."""
    LIVE = "live"
    """A person who is there while it is said; a script that acts for one is not."""
    REMOVES = "removes"
    """It would remove a record or change the settings."""


@frozen
class Case:
    """One submission as the table sees it."""

    kind: str
    origin: OriginClass
    scope: ScopeRelation
    traits: frozenset[Trait]


@frozen
class PromotionRow:
    """One row: conditions that must all hold, and a verdict. An empty set is no condition.

    Attributes:
        code: Stable code, the rule of the decision.
        summary: The row in words.
        verdict: What happens.
        kinds: Kinds it is about.
        origins: Origin classes it is about.
        scopes: Scope relations it is about.
        requires: Traits that must be present.
        forbids: Traits that must be absent.
        is_loosenable: Whether a setting can turn the row from waiting to admitting.
    """

    code: str
    summary: str
    verdict: Verdict
    kinds: frozenset[str] = frozenset()
    origins: frozenset[OriginClass] = frozenset()
    scopes: frozenset[ScopeRelation] = frozenset()
    requires: frozenset[Trait] = frozenset()
    forbids: frozenset[Trait] = frozenset()
    is_loosenable: bool = False

    @property
    def reason(self) -> Reason:
        """The row as a reason."""
        return Reason(self.code, self.summary)

    def is_fitting(self, case: Case) -> bool:
        """Tells whether every condition of the row holds for ``case``."""
        return (
            (not self.kinds or case.kind in self.kinds)
            and (not self.origins or case.origin in self.origins)
            and (not self.scopes or case.scope in self.scopes)
            and self.requires <= case.traits
            and not self.forbids & case.traits
        )


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
        code="procedure.review",
        summary="procedures wait for a person and start as trials",
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
