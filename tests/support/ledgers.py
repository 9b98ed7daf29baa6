"""Stores with a real ledger, and the plans that tests commit to them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from memfs.model.decision import Decision, Verdict
from memfs.model.digests import blob_id
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import Actor, Channel, Principal
from memfs.store.scaffold import prepare_store, template_files
from memfs.store.store import Store

STORE_ID = "store_01kb8x3v6yq4m9t2r7w5z1c0de"
ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
ADMITTED = Decision(verdict=Verdict.ACTIVATE, rule="test.admitted", policy="0badcafe")
START = 1_795_000_000
"""Seconds of the first operation; each plan says its own."""


def moment(seconds: int) -> datetime:
    """Returns the instant that many seconds after :data:`START`."""
    return datetime.fromtimestamp(START + seconds, UTC)


def plan_for(
    store: Store,
    files: Mapping[str, bytes | str | None],
    *,
    seconds: int = 0,
    actor: Actor = ANA,
    operation: OperationKind = OperationKind.ACTIVATE,
    settles: str = "",
) -> Plan:
    """Returns an admitted plan on the present head that writes these files."""
    tip = store.snapshot(store.main_head())
    changes = []
    for path, content in files.items():
        standing = tip.raw_entry(path)
        changes.append(
            FileChange(
                path=path,
                content=content.encode() if isinstance(content, str) else content,
                expected=standing.blob if standing is not None else None,
                decision=ADMITTED,
            )
        )
    return Plan(
        transaction=f"tx_{seconds:026d}",
        operation=operation,
        subject=", ".join(files)[:60],
        actor=actor,
        at=moment(seconds),
        changes=tuple(changes),
        base=store.ledger_head() or "",
        settles=settles,
    )


def init_plan(*, project: str = "demo", scripted: tuple[str, ...] = ()) -> Plan:
    """Returns the first plan of a store."""
    files = template_files(store_id=STORE_ID, project=project, scripted=scripted)
    changes = tuple(
        FileChange(path=path, content=content, expected=None, decision=ADMITTED)
        for path, content in files.items()
    )
    return Plan(
        transaction="tx_00000000000000000000000000",
        operation=OperationKind.INIT,
        subject="a new store",
        actor=ANA,
        at=moment(0),
        changes=changes,
        base="",
    )


def open_new_store(root: Path) -> Store:
    """Makes a store with its first commit and opens it; the caller closes it."""
    prepare_store(root)
    store = Store.open(root)
    store.commit(init_plan())
    return store


def blob_of(text: str) -> str:
    """Returns the blob id of a text."""
    return blob_id(text.encode())
