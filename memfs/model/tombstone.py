"""A tombstone: what must never come back, and the marks by which it is recognised (A62, A63).

It holds no words. A mark is a digest keyed by the store, so that it can be compared with what
is offered and tells nobody outside what was forgotten. Marks are exact: nothing is kept out
because it looks alike.
"""

from __future__ import annotations

from datetime import datetime

from memfs.model.frozen import frozen


@frozen
class Tombstone:
    """One record that was forgotten, or one source that was deleted.

    Attributes:
        id: Id of what is gone.
        kind: Its kind; ``evidence`` for a source.
        at: When it was forgotten.
        fingerprint: Mark of the very claim: kind, scope, subject and words.
        marks: Further marks, sorted: the words under any kind, and each source that said
            something about the subject, or the source itself when it was deleted.
    """

    id: str
    kind: str
    at: datetime
    fingerprint: str
    marks: tuple[str, ...] = ()

    @property
    def all_marks(self) -> tuple[str, ...]:
        """Everything that it is recognised by, the id among them."""
        found = (self.id, self.fingerprint, *self.marks)
        return tuple(mark for mark in dict.fromkeys(found) if mark)
