"""A decision: what policy says to one operation, with stable reason codes (A43)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from memfs.model.authority import Authority
from memfs.model.frozen import frozen


class Verdict(StrEnum):
    """The five answers."""

    ACTIVATE = "activate"
    QUARANTINE = "quarantine"
    REJECT = "reject"
    DUPLICATE = "duplicate"
    NEEDS_ANSWER = "needs_answer"


@frozen(kw_only=False)
class Reason:
    """Why: a stable dotted code and one sentence that never quotes a secret."""

    code: str
    message: str


@frozen
class Decision:
    """The answer of policy to one submission or one administrative operation.

    Attributes:
        verdict: What happens.
        rule: Code of the row of the promotion table that decided (``preference.user-stated``),
            or of the pipeline step that ended it early (``screening.secret``).
        reasons: All reasons, most important first; never empty for anything but ``activate``.
        policy: Short digest of the settings that were in force.
        authority: What the result may be believed for.
        review_after: When a person should look again.
        duplicate_of: Id of the active record that already says it.
        supersedes: Ids that the result replaces.
        conflicts: Ids of active records that say otherwise.
    """

    verdict: Verdict
    rule: str
    reasons: tuple[Reason, ...] = ()
    policy: str = ""
    authority: Authority = Authority.NONE
    review_after: datetime | None = None
    duplicate_of: str = ""
    supersedes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def is_admitted(self) -> bool:
        """Whether the operation may enter the ledger."""
        return self.verdict is Verdict.ACTIVATE

    def __str__(self) -> str:
        word = "allow" if self.is_admitted else str(self.verdict)
        return f"{word} {self.rule}"
