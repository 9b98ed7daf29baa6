"""What travels through the admission pipeline: the case, and what was found so far.

Both are values. A step looks at the case and returns the findings with more in them; a
step that sets a verdict ends the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Final

from memfs.model.authority import Authority
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.decision import Reason, Verdict
from memfs.model.frozen import frozen
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.origin import Principal
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.settings import Settings
from memfs.policy.authority import is_person_origin
from memfs.policy.content import text_of
from memfs.policy.hidden import visible_text
from memfs.policy.logs import new_in
from memfs.policy.promotion import Trait
from memfs.policy.verification import QuoteCheck, Verification, check_quotes

_NO_EVIDENCE: Final[Mapping[str, Record]] = MappingProxyType({})
_NO_SUPPORT: Final[Mapping[str, tuple[Record, ...]]] = MappingProxyType({})


@frozen
class AdmissionView:
    """What the ledger has to say about one submission, read at its head.

    Attributes:
        project: Scope of the store; drafts and records without a scope belong to it.
        same_subject: Records with the same subject, at least the active ones.
        same_content: Records with the same fingerprint, at least the active ones.
        target: The record that is revised or removed.
        evidence: Every record that the draft cites as evidence, quotes or was derived from,
            by id; what is not here counts as missing.
        ends: What an edge would join, by id; what is not here is not there for its proposer.
        bearers: Other entities of the namespace that bear a name of the draft.
        excerpts: The words of cited sources that still stand, by the id of their envelope.
        polluted: Namespaces that are not to be relied on until they are repaired.
        support: Evidence of the active records that say the same, by the id of the record.
        captured: What this principal had kept as evidence within the last day; of a record of
            work, how many of its kind.
        tombstoned: Fingerprints of what must never come back.
        waiting: Candidates of this principal in the inbox.
        verifications: Answers of deterministic verifiers about this draft.
        reviewer: The person who accepted it, for a confirmed submission.
        can_seal: A sealed record could be encrypted here, and its key kept.
    """

    project: Scope
    same_subject: tuple[StoredRecord, ...] = ()
    same_content: tuple[StoredRecord, ...] = ()
    target: StoredRecord | None = None
    evidence: Mapping[str, Record] = field(default_factory=lambda: _NO_EVIDENCE)
    ends: Mapping[str, Record] = field(default_factory=lambda: _NO_EVIDENCE)
    bearers: tuple[Record, ...] = ()
    excerpts: Mapping[str, Record] = field(default_factory=lambda: _NO_EVIDENCE)
    polluted: frozenset[Scope] = frozenset()
    support: Mapping[str, tuple[Record, ...]] = field(default_factory=lambda: _NO_SUPPORT)
    captured: int = 0
    tombstoned: frozenset[str] = frozenset()
    waiting: int = 0
    verifications: tuple[Verification, ...] = ()
    reviewer: Principal | None = None
    can_seal: bool = False


@dataclass(frozen=True, kw_only=True)
class Context:
    """Everything that a step may look at; it never changes on the way."""

    submission: Submission
    view: AdmissionView
    settings: Settings
    registry: KindRegistry
    now: datetime

    @property
    def draft(self) -> Record:
        """The proposed record."""
        return self.submission.draft

    @property
    def scope(self) -> Scope:
        """Scope of the draft, the store's when it names none."""
        return self.draft.scope or self.view.project

    @property
    def kind(self) -> KindSpec | None:
        """Kind of the draft, ``None`` when this build does not know it."""
        return self.registry.get(self.draft.kind)

    @property
    def is_removal(self) -> bool:
        """Whether accepting would remove a record instead of stating something."""
        return self.submission.action is CandidateAction.FORGET

    @property
    def is_person(self) -> bool:
        """Whether a person stated it on a channel where people decide."""
        return is_person_origin(self.submission.origin)

    @cached_property
    def asked(self) -> Record:
        """What asks to enter: the draft, and of a longer log what is new in it.

        Others' lines in a log were admitted as theirs; who adds one more does not answer for them.
        """
        target = self.view.target
        if target is None or self.submission.action is CandidateAction.ADD:
            return self.draft
        return new_in(target.record, self.draft)

    @cached_property
    def text(self) -> str:
        """All words that the submission would bring in."""
        asked = self.asked
        if asked is self.draft:
            return text_of(self.submission)
        return text_of(replace(self.submission, draft=asked))

    @cached_property
    def quotes(self) -> QuoteCheck:
        """Whether the quotes of the submission hold."""
        view = self.view
        return check_quotes(self.submission, view.evidence, view.excerpts, project=view.project)

    @property
    def is_in_own_words(self) -> bool:
        """Whether the words are a person's own: stated by them, or quoted word for word."""
        is_quoted = self.settings.trust.agent_quotes and bool(self.submission.quotes)
        return self.is_person or (is_quoted and self.quotes.is_stated)

    @cached_property
    def visible(self) -> str:
        """The same words as a person sees them: a hidden character must not split a word."""
        return visible_text(self.text)


@frozen
class Findings:
    """What the steps have found so far.

    Attributes:
        verdict: Set by the step that ends the pipeline.
        rule: Code of the row or of the reason that decided.
        reasons: In the order in which they were found.
        traits: For the promotion table.
        authority: What the result may be believed for.
        supersedes: Ids that the result replaces.
        conflicts: Ids of active records that say otherwise.
        duplicate_of: Id of the record that already says it.
    """

    verdict: Verdict | None = None
    rule: str = ""
    reasons: tuple[Reason, ...] = ()
    traits: frozenset[Trait] = frozenset()
    authority: Authority = Authority.NONE
    supersedes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    duplicate_of: str = ""

    def with_traits(self, *traits: Trait) -> Findings:
        """Returns the findings with more traits."""
        return replace(self, traits=self.traits.union(traits))

    def held(self, reasons: Iterable[Reason]) -> Findings:
        """Returns the findings with reasons for a person to look, unchanged for none."""
        added = tuple(reasons)
        if not added:
            return self
        noted = replace(self, reasons=(*self.reasons, *added))
        return noted.with_traits(Trait.NEEDS_PERSON)

    def noted(self, *reasons: Reason) -> Findings:
        """Returns the findings with reasons that change nothing by themselves."""
        return replace(self, reasons=(*self.reasons, *reasons))

    def ended(self, verdict: Verdict, reasons: Iterable[Reason]) -> Findings:
        """Returns the findings with a verdict, the new reasons first, unchanged for none."""
        added = tuple(reasons)
        if not added:
            return self
        return replace(self, verdict=verdict, rule=added[0].code, reasons=(*added, *self.reasons))


Check = Callable[[Context, Findings], Findings]


@frozen(kw_only=False)
class Step:
    """One named step of the pipeline and the actions that it has nothing to say about."""

    name: str
    check: Check
    skipped: frozenset[CandidateAction] = frozenset()
