"""What waits for a decision, and who decides it.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.model.result import Result
from memfs.services.modes import require_taking
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from memfs.model.candidate import Candidate
    from memfs.reconcile.reconciler import Pass

EditText = Callable[[bytes, str], bytes]
"""Lets a person edit a text; takes the bytes and a file suffix, returns what was saved."""


class Deciding(Opened):
    """What waits for a decision, and who decides it."""

    @abstractmethod
    def _pass(self) -> Pass:
        """Looks at what changed outside memfs and files it."""

    @abstractmethod
    def _current(self) -> Workspace:
        """Returns the workspace with the settings that are admitted now."""

    def candidates(self) -> tuple[Candidate, ...]:
        """Returns what waits for a decision, oldest first; an agent sees its own proposals."""
        from memfs.services.review import waiting

        self._take_in()
        return waiting(self.workspace, self.actor)

    def candidate(self, reference: str) -> tuple[Candidate, str]:
        """Returns one candidate and its difference from the ledger."""
        from memfs.services.candidate_view import seen_candidate, seen_difference
        from memfs.services.edge_words import with_edges_in_words
        from memfs.services.inbox import find_candidate

        self._take_in()
        candidate = find_candidate(self.workspace, reference, self.actor)
        shown = seen_candidate(self.workspace, candidate, self.actor)
        (shown,) = with_edges_in_words(self.workspace, (shown,), self.actor)
        return shown, seen_difference(self.workspace, candidate, self.actor)

    def accept(
        self, references: Sequence[str] | None, *, shown: str | None = None
    ) -> tuple[Result, ...]:
        """Accepts candidates; ``None`` for all that wait, batches in one commit each.

        Args:
            references: Which.
            shown: Blob id of the text that the person was shown, where it is one candidate.
        """
        from memfs.app.reviewing import accept_all
        from memfs.services.review import accept

        self._take_in()
        try:
            if references is None:
                return accept_all(self.workspace, self.actor)
            return tuple(
                accept(self.workspace, item, self.actor, shown=shown) for item in references
            )
        finally:
            # Settings may be among them: what follows, such as projections, is under these.
            self._current()

    def reject(
        self, references: Sequence[str] | None, *, restore: bool = False
    ) -> tuple[Result, ...]:
        """Rejects candidates; ``None`` for all that wait."""
        from memfs.services.review import reject, waiting

        self._take_in()
        chosen = references
        if chosen is None:
            chosen = [item.id for item in waiting(self.workspace, self.actor)]
        return tuple(reject(self.workspace, item, self.actor, restore=restore) for item in chosen)

    def take_back(self, reference: str) -> Result:
        """Takes a proposal of the actor's own out of the inbox, before anybody decided on it."""
        from memfs.services.take_back import take_back

        require_taking(self.workspace)
        return take_back(self.workspace, reference, self.actor)

    def edit_candidate(self, reference: str, edit_text: EditText) -> Result:
        """Opens what a candidate proposes in the person's editor."""
        from memfs.app.reviewing import edit_candidate

        self._take_in()
        result = edit_candidate(self.workspace, reference, self.actor, edit_text)
        self._pass()
        return result

    def import_path(
        self, path: Path, *, format_name: str = "auto", accept: bool = False, dry_run: bool = False
    ) -> Result:
        """Imports what another system kept, as candidates or, accepted, as one commit."""
        from memfs.app.importing import import_path

        self._take_in()
        return import_path(
            self.workspace,
            path,
            self.actor,
            format_name=format_name,
            accept=accept,
            dry_run=dry_run,
        )
