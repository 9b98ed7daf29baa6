"""What one asks of a store to keep an eye on it: marks on namespaces, accounts, the audit.

:class:`memfs.app.memory.Memory` inherits it. None of these verbs changes a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.result import Result
from memfs.model.scope import Scope

if TYPE_CHECKING:
    from memfs.services.audit import AuditReport
    from memfs.services.explain import Explanation
    from memfs.services.retrieval_log import LoggedRecall


class Overseeing(Opened):
    """The verbs by which a person oversees one opened store."""

    # What is not to be relied on ------------------------------------------------------

    def pollute(self, scope: str, *, cause: str) -> Result:
        """Withholds everything in a namespace until a person clears it (A74).

        Raises:
            UsageError: It is no namespace, or the cause says nothing.
        """
        from memfs.services.pollution import pollute

        self._take_in()
        return pollute(self.workspace, _scope_from(scope), cause, self.actor)

    def clear(self, scope: str) -> Result:
        """Serves a namespace again that was marked as polluted.

        Raises:
            UsageError: It is no namespace.
        """
        from memfs.services.pollution import clear

        self._take_in()
        return clear(self.workspace, _scope_from(scope), self.actor)

    # What memory never does -----------------------------------------------------------

    def may_act_on(self, reference: str, action: str, *, approval: str = "") -> Result:
        """Tells whether a consequential call may use arguments that come from a record (A58).

        Refused unless a person approved just that just now; memory itself permits nothing.

        Args:
            reference: The record.
            action: The call in words, as a person would be asked about it.
            approval: Id of the evidence of what the person said.
        """
        from memfs.services.act import may_act_on

        return may_act_on(self.workspace, reference, action, self.actor, approval=approval)

    # What gives account ---------------------------------------------------------------

    def explain(self, reference: str) -> Explanation:
        """Explains a record: rules, lineage, who is served it, and the last answer (A84)."""
        from memfs.services.explain import explain

        return explain(self.workspace, reference, self.actor)

    def last_recall(self) -> LoggedRecall:
        """Returns what the last answer considered, packed and left out; a program's own last one.

        Raises:
            NothingRecalledError: There was none.
        """
        from memfs.services.explain import last_recall

        return last_recall(self.workspace, self.actor)

    def stats(self) -> Result:
        """Counts what there is and how it was used; a program counts what it may see."""
        from memfs.services.stats import stats

        return stats(self.workspace, self.actor)

    def audit(self, *, mark: bool = True) -> AuditReport:
        """Audits the ledger by its own trailers; looks at it as it is, before any settling.

        Args:
            mark: Withhold the namespaces in which something is served that nobody admitted,
                until a person clears them; only where a person runs the audit.
        """
        from memfs.services.audit import audit, mark_found

        report = audit(self.workspace, self.actor)
        is_marking = mark and self.actor.is_person and not self.workspace.is_switched_off
        return mark_found(self.workspace, report) if is_marking else report


def _scope_from(text: str) -> Scope:
    try:
        return Scope.parse(text)
    except ValueError as error:
        raise UsageError(str(error), hint="for instance project:datasync") from error
