"""Reads a project off its files for a role: how it is built, and what flows in it.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.app.role_names import role_named
from memfs.errors import UsageError
from memfs.model.result import Result, ResultStatus
from memfs.services.modes import require_taking

if TYPE_CHECKING:
    from memfs.domains.roles.survey.scanning import Scanned


class Surveying(Opened):
    """Reads a project off its files for a role: how it is built, and what flows in it."""

    def scan_project(
        self, role: str = "", *, propose: int | None = None, is_dry: bool = False
    ) -> Result:
        """Takes what the files of the project show into what a role remembers of it.

        Nothing of the project is run. What is new is observed; a few claims are put up for review,
        and a person alone accepts one.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.
            propose: How many claims may wait for review; ``None`` for as many as a packet holds.
            is_dry: Nothing is written; the answer says what would be.

        Raises:
            UsageError: The role is no plain name, none is named, the number is none of those
                that are allowed, or the store belongs to no project.
            MemoryModeError: The store takes nothing in.
        """
        from memfs.domains.roles.survey.scanning import scan_for
        from memfs.policy.role_survey import MOST_PROPOSED, PROPOSED

        require_taking(self.workspace)
        name = role_named(role, self.actor)
        most = PROPOSED if propose is None else propose
        if not 0 <= most <= MOST_PROPOSED:
            raise UsageError(f"expected 0 to {MOST_PROPOSED} claims for review, got {most}")
        self._take_in()
        scanned = scan_for(self.workspace, name, self.actor, propose=most, is_dry=is_dry)
        return self._scan_told(name, scanned, is_dry=is_dry)

    def _scan_told(self, role: str, scanned: Scanned, *, is_dry: bool) -> Result:
        commit = scanned.commit
        if scanned.reasons:
            status = ResultStatus.REFUSED
            words = f"scan refused: {scanned.reasons[0].message}"
        else:
            has_done = commit is not None and not is_dry
            status = ResultStatus.DONE if has_done else ResultStatus.NOTHING
            words = f"scan{' (nothing was written)' if is_dry else ''}: {_told(scanned)}"
        return Result(
            action="scan",
            target=role,
            status=status,
            message=words,
            operation=commit.transaction if commit is not None else "",
            store=str(self.workspace.store.root),
            reasons=scanned.reasons,
            data={
                "role": role,
                "counts": dict(scanned.counts),
                "left_out": dict(scanned.left_out),
                "refused": dict(scanned.refused),
                "candidates": list(scanned.candidates),
                "receipt": scanned.receipt,
                "is_dry": is_dry,
            },
        )


def _told(scanned: Scanned) -> str:
    """Returns a scan in one line: what was looked at, and what of the memory that changed."""
    counts = scanned.counts
    files = f"{counts.get('files', 0)} files looked at"
    shown = (
        "made", "refreshed", "restated", "stale", "unchanged", "put aside", "edges", "edges gone",
    )  # fmt: skip
    parts = [f"{counts[name]} {name}" for name in shown if counts.get(name)]
    if scanned.candidates:
        number = len(scanned.candidates)
        parts.append(f"{number} wait{'s' if number == 1 else ''} for review")
    for title, numbers in (("left out", scanned.left_out), ("not admitted", scanned.refused)):
        if numbers:
            told = ", ".join(f"{count} for {why}" for why, count in numbers.items())
            parts.append(f"{title}: {told}")
    if scanned.receipt:
        parts.append(f"receipt {scanned.receipt}")
    return "; ".join((files, *parts))
