"""``memfs watch``: one pass a burst, the projections kept in step, put-off work, questions asked.

Nothing depends on it running. What it misses, the next command finds. A pass that fails
for a passing reason (another writer holds the lock, an editor is half way through a save)
is reported and made again at the next burst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from memfs.domains.graph.page_views import refresh_pages
from memfs.errors import MemfsError
from memfs.model.result import Result, ResultStatus
from memfs.reconcile.projecting import refresh_core, refresh_projections
from memfs.reconcile.reconciler import pass_result, run_pass
from memfs.reconcile.watcher import Watcher
from memfs.services.ports import Workspace
from memfs.services.projection_source import watched_folders
from memfs.services.upkeep import keep_up


def watch(
    current: Callable[[], Workspace],
    work: Callable[[], None],
    news: Callable[[], Iterable[Result]] = tuple,
    *,
    once: bool = False,
) -> Iterator[Result]:
    """Yields a result for each pass that found something; the first pass always answers.

    Args:
        current: Returns the workspace with the settings that are in force now.
        work: Does some of the work that was put off; called about once a second.
        news: Returns what else a person is to be told, such as an intention that became due;
            called as often.
        once: Make one pass and end.
    """
    workspace = current()
    if once:
        yield _pass(workspace)
        work()
        yield from news()
        return
    folders = watched_folders(workspace)
    watcher = Watcher(workspace.store.root, folders=folders, between=work, is_ticking=True)
    last, number = "", 0
    bursts = watcher.bursts()
    try:
        for burst in bursts:
            if burst.is_tick:
                # What was edited meanwhile is taken in first.
                yield from news() if number else ()
                continue
            result = _pass(current())
            # The same finding is not told again at every save of another file.
            told = f"{result.status} {result.message} {result.data.get('waiting')}"
            if number == 0 or (told != last and result.status is not ResultStatus.NOTHING):
                yield result
            last, number = told, number + 1
    finally:
        bursts.close()


def _pass(workspace: Workspace) -> Result:
    try:
        found = run_pass(workspace)
        refresh_projections(workspace)
        refresh_core(workspace)
        refresh_pages(workspace)
        keep_up(workspace)
    except MemfsError as error:
        return Result(
            action="reconcile",
            target=workspace.settings.project,
            status=ResultStatus.PROBLEMS,
            message=f"{error}; it is tried again at the next change",
            store=str(workspace.store.root),
            data={"code": error.code},
        )
    return pass_result(workspace, found)
