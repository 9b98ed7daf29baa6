"""Publishing: offers a record of this store to a namespace, here or in another store.

:class:`memfs.app.memory.Memory` inherits it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.services.ports import Workspace

OpenStore = Callable[[Path], Workspace]
"""Opens the store at a place, or the one of the project there."""
GLOBAL_STORE = str(GLOBAL_SCOPE)
"""Names the global store where a store is to be named."""


class Publishing(Opened):
    """The publications of one opened store."""

    open_other: OpenStore | None

    def publish(self, reference: str, to: str, *, into: str = "") -> Result:
        """Offers a record to another namespace; its store decides, and a person accepts there.

        Args:
            reference: Names the record.
            to: The namespace, such as ``global`` or ``project:NAME``.
            into: The store that owns it: ``global``, or a place; by default the global store
                for ``global`` and this one for everything else.

        Raises:
            UsageError: ``to`` is no namespace, or no other store can be opened here.
            NoGlobalStoreError: There is no global store.
        """
        from memfs.services.publish import publish

        self._take_in()
        scope = _namespace(to)
        with self._destination(scope, into) as destination:
            return publish(self.workspace, destination, reference, scope, self.actor)

    def finish_publications(self, *, into: str = "") -> Result:
        """Delivers what was offered and stopped on its way to a store.

        Args:
            into: The store: ``global``, or a place; this one by default.
        """
        from memfs.services.publish import finish

        self._take_in()
        with self._destination(self.workspace.scope, into) as destination:
            arrived = finish(self.workspace, destination, self.actor)
            return Result(
                action="publish",
                target=str(destination.scope),
                status=ResultStatus.DONE if arrived else ResultStatus.NOTHING,
                message=f"{len(arrived)} delivered" if arrived else "nothing was on its way",
                store=str(self.workspace.store.root),
                data={"publications": list(arrived)},
            )

    @contextmanager
    def _destination(self, scope: Scope, into: str) -> Iterator[Workspace]:
        """Opens the store that takes an offer, and closes it where it is not known here."""
        is_global = into == GLOBAL_STORE or (not into and scope == GLOBAL_SCOPE)
        if is_global and self.workspace.scope != GLOBAL_SCOPE:
            yield self.beside.workspace()
            return
        if is_global or not into:
            yield self.workspace
            return
        if self.open_other is None:
            raise UsageError("expected a store that can be opened here, got a place")
        other = self.open_other(Path(into))
        try:
            is_this = other.store.root == self.workspace.store.root
            yield self.workspace if is_this else other
        finally:
            other.store.close()


def _namespace(text: str) -> Scope:
    try:
        return Scope.parse(text)
    except ValueError as error:
        raise UsageError(str(error), hint="for instance --to global") from error
