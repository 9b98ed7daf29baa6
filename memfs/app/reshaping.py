"""Two that are one and one that is two: merges, splits, and the pages of entities.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.services.modes import require_taking

if TYPE_CHECKING:
    from memfs.model.result import Result


class PartOptions(TypedDict, total=False):
    """What goes with the second record of a split (see ``memfs.domains.graph.splitting``)."""

    text: str
    section: str
    summary: str
    abstract: str
    entity_type: str
    aliases: tuple[str, ...]
    attributes: tuple[str, ...]
    edges: tuple[str, ...]


class Reshaping(Opened):
    """Two that are one and one that is two: merges, splits, and the pages of entities."""

    def merge(self, first: str, second: str, *, why: str = "") -> Result:
        """Makes two records one: ``second`` gives way to ``first``; a program only proposes it.

        Args:
            first: The entity or note that stays: id, end of an id, file or name.
            second: The one that gives way; its id and names lead to the first from then on.
            why: A word, kept in the commit.

        Raises:
            UnknownRecordError: One of them is none, or may not be seen.
            AmbiguousRecordError: A reference means several.
        """
        require_taking(self.workspace)
        self._take_in()
        if not self.actor.is_person:
            from memfs.domains.graph.proposing import propose_one

            return propose_one(self.workspace, first, second, self.actor)
        from memfs.domains.graph.reshaping import merge

        return merge(self.workspace, first, second, self.actor, why=why)

    def unmerge(self, reference: str) -> Result:
        """Takes a merge back; what was said of the one that stayed since then stays with it.

        Raises:
            UnknownRecordError: Nothing matches, or nothing that may be seen.
            AmbiguousRecordError: Several were merged into it; name the one.
        """
        from memfs.domains.graph.reshaped import MERGE
        from memfs.domains.graph.undoing import undo

        require_taking(self.workspace)
        self._take_in()
        return undo(self.workspace, reference, self.actor, operation=MERGE)

    def split(
        self, reference: str, title: str, *, why: str = "", **part: Unpack[PartOptions]
    ) -> Result:
        """Makes one record two, linked; the first keeps its id, every edge is drawn at both.

        Args:
            reference: The entity or note: id, end of an id, file or name.
            title: What the second is called.
            why: A word, kept in the commit.
            part: What goes with the second.

        Raises:
            UnknownRecordError: Nothing matches, or nothing that may be seen.
            AmbiguousRecordError: Several match.
        """
        from memfs.domains.graph.dividing import split
        from memfs.domains.graph.splitting import Part

        require_taking(self.workspace)
        self._take_in()
        wish = Part(title=title, **part)
        return split(self.workspace, reference, wish, self.actor, why=why)

    def unsplit(self, reference: str) -> Result:
        """Takes a split back, as long as nothing was said of the second since.

        Raises:
            UnknownRecordError: Nothing matches, or nothing that may be seen.
            AmbiguousRecordError: Several were split off it; name the one.
        """
        from memfs.domains.graph.reshaped import SPLIT
        from memfs.domains.graph.undoing import undo

        require_taking(self.workspace)
        self._take_in()
        return undo(self.workspace, reference, self.actor, operation=SPLIT)

    def _refresh_pages(self, *, is_anew: bool = False, is_brief: bool = False) -> None:
        """Brings the wiki pages beside the ledger up to it, where they are not."""
        from memfs.services.pages_view import are_pages_current

        if not is_anew and are_pages_current(self.workspace):
            return
        from memfs.domains.graph.page_views import refresh_pages

        refresh_pages(self.workspace, is_anew=is_anew, is_brief=is_brief)
