"""Every way in which text leaves a store, and what each method and command is to them.

A new method of :class:`Memory` or a new command has to be put on one of these lists, or
``test_surfaces`` fails: nothing that reads can be added without being asked what it gives away.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from memfs.app.container import Memory
from memfs.app.exporting import FORMATS as EXPORT_FORMATS
from memfs.errors import MemfsError
from memfs.policy.role_cuts import PacketKind
from tests.support import protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What must not come out.

    Attributes:
        reference: Id of the record.
        path: Its store-relative path.
        words: Words that stand in it and nowhere else, one a field.
        question: Words that a reader may ask with; they match the record.
        candidate: Id of a candidate with the same words; empty for none.
    """

    reference: str
    path: str
    words: tuple[str, ...]
    question: str
    candidate: str = ""


Surface = Callable[[Memory, Target], str]


def shown(value: object) -> str:
    """Returns everything that an answer holds, as text."""
    return json.dumps(_plain(value), ensure_ascii=False, default=str)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(item) for name, item in _fields(value).items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, str | int | float | type(None)):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, tuple | list | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, Iterator):
        return [_plain(item) for item in value]
    return str(value)


def _fields(value: Any) -> Mapping[str, Any]:
    try:
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    except AttributeError:
        return asdict(value)


def answered(ask: Callable[[], object]) -> str:
    """Returns all that an answer says, or all that the error says that stands for it."""
    try:
        return shown(ask())
    except MemfsError as error:
        return f"{error.code} {error.message} {error.hint} {error.path}"


def _log_of(memory: Memory) -> str:
    """Returns what is written beside the store about questions; not the index."""
    folder = memory.workspace.cache_dir / "log"
    return files_of(folder) if folder.is_dir() else ""


def _core_of(memory: Memory) -> str:
    """Returns what any program may open as a file."""
    place = memory.workspace.store.root / "core.md"
    return place.read_text(encoding="utf-8") if place.is_file() else ""


def files_of(folder: Path) -> str:
    """Returns the text of every file below a folder."""
    parts = []
    for path in sorted(folder.rglob("*")):
        with contextlib.suppress(OSError):
            if path.is_file():
                parts.append(f"{path.name} {path.read_bytes().decode('utf-8', 'replace')}")
    return "\n".join(parts)


ROLES: Final = ("builder", "reviewer")
"""Roles that are asked for: that of the agent who asks, and another one."""


def _role_packets(memory: Memory) -> Iterator[object]:
    """Yields the largest packet of each kind, with all that was put aside; of another role one."""
    for kind in PacketKind:
        yield memory.role_context(ROLES[0], kind=kind, budget=64, include_retired=True)
    yield memory.role_context(ROLES[1], budget=64, include_retired=True)


SURFACES: Final[Mapping[str, Surface]] = MappingProxyType(
    {
        "search": lambda memory, target: answered(
            lambda: memory.search(target.question, limit=100)
        ),
        "search as of": lambda memory, target: answered(
            lambda: memory.search(target.question, limit=100, as_of="now")
        ),
        "packet": lambda memory, target: answered(
            lambda: memory.recall(target.question, limit=100, budget=100_000)
        ),
        "context": lambda memory, target: answered(
            lambda: memory.context(task=target.question, items=64, budget=100_000)
        ),
        "session start": lambda memory, target: answered(
            lambda: memory.context(is_session_start=True, items=64, budget=100_000)
        ),
        "replay": lambda memory, target: answered(memory.replay_context),
        "list": lambda memory, target: answered(memory.list_records),
        "show": lambda memory, target: answered(lambda: memory.show(target.reference)),
        "show by end of id": lambda memory, target: answered(
            lambda: memory.show(target.reference[-6:])
        ),
        "show by path": lambda memory, target: answered(lambda: memory.show(target.path)),
        "show a version": lambda memory, target: answered(
            lambda: memory.show(f"{target.reference}@1")
        ),
        "history": lambda memory, target: answered(lambda: memory.history(target.reference)),
        "diff": lambda memory, target: answered(lambda: memory.diff(target.reference)),
        "ledger in words": lambda memory, target: answered(memory.log),
        "inbox": lambda memory, target: answered(memory.candidates),
        "candidate": lambda memory, target: answered(
            lambda: memory.candidate(target.candidate or target.reference)
        ),
        "status": lambda memory, target: answered(memory.status),
        "check": lambda memory, target: answered(memory.check),
        "doctor": lambda memory, target: answered(memory.doctor),
        "grants": lambda memory, target: answered(memory.grants),
        "conflicts": lambda memory, target: answered(memory.conflicts),
        "reach of a withdrawal": lambda memory, target: answered(
            lambda: memory.reach([target.reference])
        ),
        "retract refused": lambda memory, target: answered(
            lambda: memory.retract(target.reference)
        ),
        "forget refused": lambda memory, target: answered(
            lambda: memory.forget([target.reference])
        ),
        "correct refused": lambda memory, target: answered(
            lambda: memory.correct(target.reference, "Something else")
        ),
        "publish refused": lambda memory, target: answered(
            lambda: memory.publish(target.reference, to="global")
        ),
        "log": lambda memory, target: _log_of(memory),
        "explain": lambda memory, target: answered(lambda: memory.explain(target.reference)),
        "last recall": lambda memory, target: answered(memory.last_recall),
        "audit": lambda memory, target: answered(memory.audit),
        "stats": lambda memory, target: answered(memory.stats),
        "jobs": lambda memory, target: answered(memory.jobs),
        "core": lambda memory, target: answered(memory.core) + _core_of(memory),
        "protocol": lambda memory, target: answered(
            lambda: protocol.asked_openly(memory, target.question)
        ),
        "protocol by name": lambda memory, target: answered(
            lambda: protocol.asked_by_name(memory, target.candidate or target.reference)
        ),
        "export": lambda memory, target: answered(
            lambda: [memory.export(name) for name in EXPORT_FORMATS]
        ),
        "timeline": lambda memory, target: answered(
            lambda: (memory.timeline(is_all=True), memory.timeline(entity=target.question))
        ),
        "issues": lambda memory, target: answered(lambda: memory.list_issues(is_all=True)),
        "runs": lambda memory, target: answered(memory.list_runs),
        "run": lambda memory, target: answered(lambda: memory.show_run(target.reference)),
        "run chain": lambda memory, target: answered(lambda: memory.run_chain(target.reference)),
        "issue": lambda memory, target: answered(lambda: memory.show_issue(target.reference)),
        "sessions": lambda memory, target: answered(memory.sessions),
        "session of a record": lambda memory, target: answered(
            lambda: memory.said_in(memory.show(target.reference))
        ),
        "session": lambda memory, target: answered(lambda: memory.session(target.reference)),
        "session runs": lambda memory, target: answered(
            lambda: memory.session_runs(target.reference)
        ),
        "opened session": lambda memory, target: answered(
            lambda: memory.open_session(target.reference)
        ),
        "session search": lambda memory, target: answered(
            lambda: memory.search_sessions(target.question)
        ),
        "idle sessions": lambda memory, target: answered(memory.idle_sessions),
        "neighbors": lambda memory, target: answered(lambda: memory.neighbors(target.reference)),
        "expansion": lambda memory, target: answered(lambda: memory.expand(target.reference)),
        "path": lambda memory, target: answered(
            lambda: memory.path(target.reference, target.reference)
        ),
        "similar": lambda memory, target: answered(lambda: memory.similar(target.reference)),
        "picture": lambda memory, target: answered(lambda: memory.graph_around(target.reference)),
        "nodes": lambda memory, target: answered(memory.list_nodes),
        "node query": lambda memory, target: answered(
            lambda: memory.query_nodes(target.question, limit=100)
        ),
        "opened node": lambda memory, target: answered(lambda: memory.open_node(target.reference)),
        "node counts": lambda memory, target: answered(memory.node_stats),
        "domain nodes": lambda memory, target: answered(
            lambda: memory.domain_preferences(
                target.question, domains=("html", "server", "python", "data", "cli")
            )
        ),
        "profile": lambda memory, target: answered(memory.profile),
        "node update refused": lambda memory, target: answered(
            lambda: memory.update_node(target.reference, importance=9)
        ),
        "node append refused": lambda memory, target: answered(
            lambda: memory.append_node(target.reference, "more")
        ),
        "node link refused": lambda memory, target: answered(
            lambda: memory.link_node(target.reference)
        ),
        "node delete refused": lambda memory, target: answered(
            lambda: memory.delete_node(target.reference)
        ),
        "node saved": lambda memory, target: answered(lambda: memory.save_node(target.question)),
        "project log": lambda memory, target: answered(memory.project_log),
        "project change": lambda memory, target: answered(lambda: memory.project_change("HEAD")),
        "entities": lambda memory, target: answered(memory.entities),
        "entity": lambda memory, target: answered(lambda: memory.entity(target.reference)),
        "procedures": lambda memory, target: answered(memory.procedures),
        "procedure": lambda memory, target: answered(lambda: memory.procedure(target.reference)),
        "use refused": lambda memory, target: answered(
            lambda: memory.use_outcome(target.reference, episode=target.reference)
        ),
        "procedure move refused": lambda memory, target: answered(
            lambda: memory.move_procedure(target.reference, "promote")
        ),
        "procedures checked": lambda memory, target: answered(memory.check_procedures),
        "intentions": lambda memory, target: answered(lambda: memory.list_intentions(is_all=True)),
        "intention": lambda memory, target: answered(
            lambda: memory.show_intention(target.reference)
        ),
        "due": lambda memory, target: answered(memory.intentions_due),
        "questions": lambda memory, target: answered(memory.ask_if_due),
        "intention done refused": lambda memory, target: answered(
            lambda: memory.intention_done(target.reference)
        ),
        "intention cancel refused": lambda memory, target: answered(
            lambda: memory.cancel_intention(target.reference)
        ),
        "intention snooze refused": lambda memory, target: answered(
            lambda: memory.snooze_intention(target.reference, "2h")
        ),
        "edge refused": lambda memory, target: answered(
            lambda: memory.relate(target.reference, target.reference[-6:])
        ),
        "role packet": lambda memory, target: answered(lambda: list(_role_packets(memory))),
        "role status": lambda memory, target: answered(
            lambda: [memory.role_status(role) for role in ROLES]
        ),
        "role view": lambda memory, target: answered(
            lambda: [memory.show_role(role, is_all=True) for role in ROLES]
        ),
        "tasks": lambda memory, target: answered(lambda: memory.list_tasks(is_all=True)),
        "task": lambda memory, target: answered(lambda: memory.show_task(target.reference)),
        "task context": lambda memory, target: answered(
            lambda: memory.task_context(target.reference, budget=100_000)
        ),
    }
)
"""Name to what an agent gets from it."""

READS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "recall": "packet",
        "search": "search",
        "context": "context",
        "replay_context": "replay",
        "show": "show",
        "list_records": "list",
        "history": "history",
        "diff": "diff",
        "log": "ledger in words",
        "candidates": "inbox",
        "candidate": "candidate",
        "status": "status",
        "conflicts": "conflicts",
        "grants": "grants",
        "check": "check",
        "doctor": "doctor",
        "reach": "reach of a withdrawal",
        "explain": "explain",
        "audit": "audit",
        "stats": "stats",
        "jobs": "jobs",
        "core": "core",
        "last_recall": "last recall",
        "sides_against": "conflict marks",
        "trouble_beside": "global store's state",
        "import_path": "import preview",
        "list_issues": "issues",
        "export": "export",
        "timeline": "timeline",
        "show_issue": "issue",
        "list_runs": "runs",
        "show_run": "run",
        "run_chain": "run chain",
        "sessions": "sessions",
        "session": "session",
        "said_in": "session of a record",
        "session_runs": "session runs",
        "open_session": "opened session",
        "search_sessions": "session search",
        "idle_sessions": "idle sessions",
        "list_nodes": "nodes",
        "query_nodes": "node query",
        "open_node": "opened node",
        "node_stats": "node counts",
        "domain_preferences": "domain nodes",
        "profile": "profile",
        "update_node": "node update refused",
        "append_node": "node append refused",
        "link_node": "node link refused",
        "delete_node": "node delete refused",
        "save_node": "node saved",
        "project_log": "project log",
        "project_change": "project change",
        "entities": "entities",
        "entity": "entity",
        "procedures": "procedures",
        "procedure": "procedure",
        "use_outcome": "use refused",
        "move_procedure": "procedure move refused",
        "check_procedures": "procedures checked",
        "relate": "edge refused",
        "list_intentions": "intentions",
        "show_intention": "intention",
        "intentions_due": "due",
        "ask_if_due": "questions",
        "intention_done": "intention done refused",
        "cancel_intention": "intention cancel refused",
        "snooze_intention": "intention snooze refused",
        "neighbors": "neighbors",
        "expand": "expansion",
        "path": "path",
        "similar": "similar",
        "graph_around": "picture",
        "role_context": "role packet",
        "role_status": "role status",
        "show_role": "role view",
        "list_tasks": "tasks",
        "show_task": "task",
        "task_context": "task context",
    }
)
"""Methods of ``Memory`` that hand out something of a store, with their surface."""

CHANGES: Final = frozenset(
    (
        "accept", "reject", "edit", "edit_candidate", "remember", "propose", "correct", "capture",
        "observe", "forget", "retract", "restore", "erase", "grant", "revoke", "resolve",
        "publish", "finish_publications", "pollute", "clear", "reconcile", "rebuild", "watch",
        "check_staged", "may_act_on", "run_jobs", "work_off_some",
        "sleep", "sleep_if_due",
        "set_profile", "import_profile",
        "cancel_job", "retry_job", "take_back",
        "open_issue", "resolve_issue", "reopen_issue", "wontfix_issue", "note_issue", "outcome",
        "add_intention",
        "add_entity", "alias", "set_entity", "unrelate",
        "migrate", "migrate_back", "migration_status",
        "start_run", "finish_run", "import_session", "flush_session", "keep_summary",
        "merge", "unmerge", "split", "unsplit",
        "distil_session", "forget_session", "distill", "sift_session", "distil_before_sleep",
        "record_event", "propose_procedure", "record_episode",
        "apply_operation", "apply_operations",
        "sleep_role", "nap_role", "rest_due_roles", "ruminate", "scan_project", "summarize_role",
        "start_task", "grow_task", "compress_task", "maintain_task", "revise_task", "finish_task",
        "forget_task",
    )
)  # fmt: skip
"""Methods that answer with what the caller gave them, or with ids of their own making."""

NOTHING: Final = frozenset({"close", "settings", "ledger", "root"})
"""Methods that say nothing of any record."""

_NAMESAKES: Final = (
    "remember", "propose", "correct", "capture", "edit", "forget", "retract", "restore", "erase",
    "grant", "revoke", "resolve", "outcome", "publish", "pollute", "clear", "reconcile",
    "rebuild", "watch", "merge", "split",
)  # fmt: skip
COMMANDS_OF: Final[Mapping[str, str]] = MappingProxyType(
    {
        "recall": "recall",
        "search": "search",
        "context": "context",
        "show": "show",
        "list": "list_records",
        "log": "log",
        "history": "history",
        "diff": "diff",
        "review": "candidates",
        "status": "status",
        "conflicts": "conflicts",
        "grants": "grants",
        "check": "check",
        "doctor": "doctor",
        "explain": "explain",
        "audit": "audit",
        "stats": "stats",
        "mcp": "recall",
        "import": "import_path",
        "migrate": "migrate",
        "issue": "list_issues",
        "run": "list_runs",
        "export": "export",
        **{name: name for name in _NAMESAKES},
        "init": "settings",
        "config": "settings",
        "schema": "settings",
        "strip": "settings",
        "install": "settings",
        "uninstall": "settings",
        "hook": "check_staged",
        "jobs": "jobs",
        "core": "core",
        "sleep": "sleep",
        "session": "sessions",
        "distill": "distill",
        "timeline": "timeline",
        "node": "query_nodes",
        "memory-apply-operation": "apply_operation",
        "memory-status": "role_status",
        "memory-context": "role_context",
        "role": "sleep_role",
        "profile": "profile",
        "git-log": "project_log",
        "entity": "entities",
        "procedure": "procedures",
        "relate": "relate",
        "unrelate": "unrelate",
        "intention": "list_intentions",
        "intentions": "intentions_due",
        "git-show": "project_change",
        "neighbors": "neighbors",
        "expand": "expand",
        "path": "path",
        "similar": "similar",
        "graph": "graph_around",
        "exec": "show_task",
    }
)
"""Commands with the method that they call, or ``settings`` where they read no record."""

UNBUILT: Final = frozenset({"web"})
"""Surfaces that do not exist; a command of that name has to be put on the lists first."""

UNTYPED: Final = frozenset(
    (
        "search", "search as of", "packet", "context", "session start", "replay", "list",
        "inbox", "status", "check", "doctor",
        "grants", "conflicts", "log", "ledger in words", "last recall", "audit", "stats",
        "sessions",
        "idle sessions", "entities", "procedures", "procedures checked",
        "project log", "project change", "session search", "jobs",
        "issues", "core", "intentions", "due", "questions",
        "export", "timeline", "tasks",
        "role packet", "role status", "role view",
        "runs",
        "protocol",
    )
)  # fmt: skip
"""Surfaces that are asked without a name of the record: an answer cannot be repeating one."""
