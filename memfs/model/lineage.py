"""Lineage: which run, started by which, in which session a process works."""

from __future__ import annotations

from memfs.model.frozen import frozen


@frozen
class Lineage:
    """Where a process stands among runs, as its environment says; empty where it says nothing.

    Attributes:
        run: ``run_…`` of the run that the process belongs to.
        parent: ``run_…`` of the run that started that one.
        session: Session of the host that dispatched it, as the host names it.
        agent: Plain name of the agent.
    """

    run: str = ""
    parent: str = ""
    session: str = ""
    agent: str = ""


NO_LINEAGE = Lineage()
