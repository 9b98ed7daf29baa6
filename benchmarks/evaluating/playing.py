"""Runs modes over histories: a home of its own for each, every question against the same state.

Nothing that a mode wrote for one history is there for the next, and a question changes nothing
for the one behind it: plain modes hold no state, and a store whose ledger moves while it is asked
ends the run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from benchmarks.evaluating.histories import History
from benchmarks.evaluating.memfs_modes import VARIANTS, Recalling, Store, Variant, askers_of
from benchmarks.evaluating.plain_modes import PLAIN, Asker, written_from
from benchmarks.evaluating.rows import Row, row_of


def rows_of(history: History, modes: Collection[str]) -> Iterator[Row]:
    """Yields a row for each mode and question; ablations that write alike share a store."""
    written = written_from(history)
    for name, make in PLAIN.items():
        if name in modes:
            yield from asked(history, name, make(written))
    wanted = {name: variant for name, variant in VARIANTS.items() if name in modes}
    for host, variants in askers_of(wanted).items():
        with tempfile.TemporaryDirectory(prefix="memfs-evaluation-") as home:
            store = Store(history, host, Path(home))
            try:
                yield from _variants(history, store, variants)
            finally:
                store.close()


def asked(history: History, name: str, asker: Asker) -> Iterator[Row]:
    """Yields a row for each question that a mode is asked, and lets go of the mode."""
    try:
        for question in history.questions:
            yield row_of(history.seed, name, question, asker.ask(question))
    finally:
        asker.close()


def _variants(history: History, store: Store, variants: Mapping[str, Variant]) -> Iterator[Row]:
    for name, variant in variants.items():
        yield from asked(history, name, Recalling(store, variant))
