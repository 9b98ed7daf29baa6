"""One node opened: its abstract always, its content page by page, what it is linked to (M13, M14).

Only here does a node tell the session that it was saved in (M33): in a list or an answer that
would be noise.
"""

from __future__ import annotations

from memfs.domains.nodes.changing import require_node
from memfs.domains.nodes.node import Page, abstract_of, content_of, page_of, pages_of, summary_of
from memfs.errors import UsageError
from memfs.model.frozen import frozen
from memfs.model.record import StoredRecord
from memfs.model.text import normalise_text


@frozen
class OpenedNode:
    """A node as it is read.

    Attributes:
        stored: The node as its reader may see it.
        summary: One line.
        abstract: A few sentences; never empty where the node says anything.
        page: One page of its content; ``None`` where it has no content.
        session: Session that it was saved in; empty for none.
        session_name: What that was called.
    """

    stored: StoredRecord
    summary: str
    abstract: str
    page: Page | None = None
    session: str = ""
    session_name: str = ""

    @property
    def next_page(self) -> int:
        """Number of the page after this one; 0 at the end."""
        return 0 if self.page is None or self.page.is_last else self.page.number + 1

    @property
    def resume_hint(self) -> str:
        """How the session is opened again; empty where it is not known."""
        return f"memfs session open {self.session}" if self.session else ""


def opened_node(stored: StoredRecord, page: int = 1) -> OpenedNode:
    """Opens a node at one page of its content.

    Raises:
        NotANodeError: It is a record of another kind.
        UsageError: There is no such page.
    """
    record = stored.record
    require_node(record)
    content = content_of(record)
    shown = page_of(content, page) if content else None
    if shown is None and page != 1:
        total = len(pages_of(content)) if content else 1
        raise UsageError(f"expected a page from 1 to {total}, got {page}")
    return OpenedNode(
        stored=stored,
        summary=summary_of(record),
        abstract=abstract_of(record),
        page=shown,
        session=_text(record.fields.get("session")),
        session_name=_text(record.fields.get("session_name")),
    )


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) and normalise_text(value) else ""
