"""Whether a node is worth saving and new, before it is decided on like any other claim.

What is against one that is there is told before what is alike: a contradiction must not be
answered with "already known" (A15). Similarity alone refuses nothing: whoever saves is told of
what is alike, and may save in spite of it (C11). Pure.
"""

from __future__ import annotations

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.settings import NodeSettings
from memfs.policy.reasons import reason


@frozen
class KeepingCase:
    """What is known of a node that is to be saved.

    Attributes:
        score: What it is worth, 1 to 10.
        opposed: Id of a node that says the opposite in the same words; empty for none.
        alike: Id of the node that is most like it; empty for none.
        likeness: How much, 0 to 1.
    """

    score: int
    opposed: str = ""
    alike: str = ""
    likeness: float = 0.0


def check_keeping(case: KeepingCase, settings: NodeSettings) -> tuple[Reason, ...]:
    """Returns everything that speaks against saving a node, the most important first."""
    found = []
    if case.score < settings.save_score:
        found.append(reason("node.below-score", f"{case.score} of {settings.save_score}"))
    if case.opposed:
        found.append(reason("node.opposed", case.opposed))
    if case.alike and case.alike != case.opposed and case.likeness >= settings.duplicate:
        found.append(reason("node.alike", case.alike))
    return tuple(found)


def check_profile_line(*, is_domain: bool, is_place: bool) -> Reason | None:
    """Returns why a line does not belong to the profile, or ``None`` where it may.

    Args:
        is_domain: Its key is the name of a domain.
        is_place: It names a place within a project.
    """
    if is_domain:
        return reason("profile.domain")
    return reason("profile.place") if is_place else None
