"""One submission as the promotion table sees it, and what a row of the table is."""

from __future__ import annotations

from enum import StrEnum

from memfs.model.decision import Reason, Verdict
from memfs.model.frozen import frozen
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
    TYPED = "typed"
    """A typed operation on role memory that was decided on brings it."""
    IDENTITY = "identity"
    """It says what a role is."""
    OF_PROJECT = "of-project"
    """It says that a claim about how a project is built, or what flows in it, is accepted."""
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
