"""What it costs to read, check, write and change one record, beside the libraries' own ways.

Prints CPU microseconds a record (the best of several runs) and the ratio to python-frontmatter
as it comes, in the same process.

Usage: python benchmarks/record_formats.py [--records N]
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import frontmatter
from ruamel.yaml import YAML

from memfs.app.registry import REGISTRY
from memfs.formats.candidate_codec import decode_candidate, encode_candidate
from memfs.formats.record_codec import decode_record, encode_record, read_record, update_record
from memfs.formats.settings import decode_settings
from memfs.model.candidate import Candidate, CandidateAction
from memfs.model.status import Status

EXAMPLE = b"""---
id: mem_01kb8x3v6yq4m9t2r7w5z1c0de
kind: preference
title: FastAPI for every Python backend, never Flask
version: 2
scope: project:datasync
subject: python-backend-framework
observed: 2026-11-29T10:12:00Z
importance: 9
tags: [python, backend]
origin: {class: user_stated, principal: user:ana, channel: terminal}
evidence: [ev_01kb8x3v6yq4m9t2r7w5z1c0de]
supersedes: [mem_01kb8x3v6yq4m9t2r7w5z1c0df]
---
FastAPI for all Python backends. Never Flask. In use since 2022; extends to every new project.
"""
PATH = "records/preference/2026-11/fastapi-5z1c0de.md"
SETTINGS = (Path(__file__).parents[1] / "templates" / "store" / "memfs.yaml").read_text("utf-8")
RUNS = 9


def cpu_us(action: Callable[[], object], times: int) -> float:
    """Returns CPU microseconds a call, the best of several runs."""
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        for _ in range(times):
            action()
        best = min(best, (time.process_time() - start) / times)
    return best * 1e6


def ruamel_load() -> object:
    """Reads the frontmatter with ruamel's own round-trip loader."""
    matter = EXAMPLE.decode().split("---\n")[1]
    return YAML(typ="rt", pure=True).load(io.StringIO(matter))


def main() -> None:
    """Runs everything and prints one line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--records", type=int, default=2000, help="calls a run of the fast ones")
    many = parser.parse_args().records
    few = max(many // 20, 1)
    record = read_record(EXAMPLE, path=PATH, registry=REGISTRY)
    by_hand = EXAMPLE.replace(b"tags: [python, backend]", b"tags:\n  - python\n  - backend")
    changed = replace(record, status=Status.SUPERSEDED)
    assert record.origin is not None
    assert record.observed is not None
    candidate = Candidate(
        id="cand_01kb8x3v6yq4m9t2r7w5z1c0de",
        action=CandidateAction.ADD,
        path=PATH,
        content=EXAMPLE,
        origin=record.origin,
        created=record.observed,
    )
    page = encode_candidate(candidate, "")
    settings = (
        SETTINGS.replace("@STORE_ID@", "store_01kb8x3v6yq4m9t2r7w5z1c0de")
        .replace("@PROJECT@", "datasync")
        .replace("@SCRIPTED@", "[]")
        .encode()
    )
    floor = cpu_us(lambda: frontmatter.loads(EXAMPLE.decode()), few)
    rows: list[tuple[str, Callable[[], object], int]] = [
        ("ruamel round-trip load", ruamel_load, few),
        ("read a ledger record", lambda: read_record(EXAMPLE, path=PATH, registry=REGISTRY), many),
        (
            "read a hand-written one",
            lambda: read_record(by_hand, path=PATH, registry=REGISTRY),
            few,
        ),
        (
            "check with all problems",
            lambda: decode_record(EXAMPLE, path=PATH, registry=REGISTRY),
            many,
        ),
        ("write, read back", lambda: encode_record(record, REGISTRY), many),
        (
            "change two fields, verified",
            lambda: update_record(EXAMPLE, changed, path=PATH, registry=REGISTRY),
            few,
        ),
        ("write a candidate", lambda: encode_candidate(candidate, ""), many),
        ("read a candidate", lambda: decode_candidate(page, "inbox/a.md"), many),
        ("read the settings", lambda: decode_settings(settings), many),
    ]
    print(f"{'what':32}{'us':>9}{'x frontmatter':>16}")
    print(f"{'python-frontmatter load':32}{floor:9.1f}{1.0:16.2f}")
    for name, action, times in rows:
        cost = cpu_us(action, times)
        print(f"{name:32}{cost:9.1f}{cost / floor:16.2f}")


if __name__ == "__main__":
    main()
