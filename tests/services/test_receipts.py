"""A receipt is written however many an operation concerned: nothing fails behind a barrier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from memfs.app.memory import Memory
from memfs.domains.graph.redrawing import MOST_EDGES
from memfs.domains.roles.survey.scanning import MOST_TOLD
from memfs.formats.record_codec import encode_record
from memfs.model.limits import MATTER_BYTES
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.model.values import JsonValue
from memfs.policy import receipt_parts
from memfs.policy.role_operations import MOST_ENTRIES, MOST_WORDS
from memfs.services.receipts import receipt_record, write_receipt
from memfs.services.served_records import read_records, served_places
from tests.support.memory import memory_of, new_project
from tests.support.review import is_clean
from tests.support.withdrawal import derive

MANY = 1_100
SMALL = 1_500
"""Bytes of a part, where a few records are to be as many as a thousand."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with memory_of(new_project(tmp_path)) as opened:
        yield opened


def chain(memory: Memory, first: object) -> list[Record]:
    """Returns the receipts of one account, each named by the one before."""
    snapshot = memory.workspace.store.snapshot()
    stored = read_records(memory.workspace, snapshot, served_places(snapshot, "receipts"))
    found = {item.record.id: item.record for item in stored}
    records, name = list[Record](), str(first)
    while name:
        records.append(found[name])
        name = str(details_of(records[-1]).get("next", ""))
    return records


def details_of(record: Record) -> dict[str, object]:
    details = record.fields["details"]
    assert isinstance(details, dict)
    return dict(details)


def told(records: list[Record], field: str = "") -> list[str]:
    """Returns what a list of an account says, over all its receipts."""
    found: list[str] = []
    for record in records:
        part = details_of(record).get(field, []) if field else record.fields.get("targets", [])
        assert isinstance(part, list)
        found += map(str, part)
    return found


def test_an_account_of_thousands_is_several_receipts_of_one_commit(memory: Memory) -> None:
    names = [f"mem_{number:026d}@1" for number in range(MANY)]
    workspace = memory.workspace
    before = len(workspace.store.commits())

    def written() -> str:
        details: dict[str, JsonValue] = {"removed": MANY, "withheld": [name[:-2] for name in names]}
        return write_receipt(
            workspace, operation="forget", transaction="tx_1", targets=names, details=details
        ).id

    first = written()
    assert written() == first
    assert len(workspace.store.commits()) == before + 1
    records = chain(memory, first)
    assert len(records) > MANY / 1_000
    assert told(records) == names
    assert told(records, "withheld") == [name[:-2] for name in names]
    assert [details_of(record)["part"] for record in records] == [
        number + 1 for number in range(len(records))
    ]
    assert {record.fields["transaction"] for record in records} == {"tx_1"}
    assert details_of(records[0])["removed"] == MANY


def test_forgetting_more_than_one_receipt_can_name_ends_whole(
    memory: Memory, tmp_path: Path
) -> None:
    with patch.object(receipt_parts, "PART_BYTES", SMALL):
        root = memory.remember("The staging host is kestrel", kind="note").target
        rest = [derive(memory, f"Summary {number} of it", root) for number in range(3)]
        more = [memory.remember(f"Bay {number} is free", kind="note").target for number in range(3)]
        done = memory.forget([root, *more])
        records = chain(memory, done.data["receipt"])
        erased = memory.erase(rest)
        bytes_gone = chain(memory, erased.data["receipt"])
    assert done.status is ResultStatus.DONE
    assert done.data["withheld"] == sorted(rest)
    assert len(records) > 1
    assert told(records) == done.data["targets"]
    assert told(records, "withheld") == sorted(rest)
    assert erased.status is ResultStatus.DONE
    assert len(bytes_gone) > 1
    assert told(bytes_gone) == sorted(rest)
    assert memory.audit(mark=False).problems == ()
    assert list(memory.check()) == []
    assert is_clean(tmp_path / "datasync")


def test_accounts_that_are_bounded_by_their_operation_are_one_receipt(memory: Memory) -> None:
    edge, record = f"edge_{0:026d}", f"role_{0:026d}@999999999"
    moved = MOST_EDGES // 2
    bounded: list[tuple[int, dict[str, JsonValue]]] = [
        (2, {"made": [edge] * MOST_EDGES, "before": "0" * 64, "after": "0" * 64}),
        (2, {"made": [edge] * moved, "gone": [f"{edge} {edge}"] * moved}),
        (MOST_ENTRIES, {"changed": [record] * MOST_ENTRIES, "because": "x" * MOST_WORDS}),
        (MOST_TOLD, {"refused": {f"some.reason-{number}": 1 for number in range(300)}}),
    ]
    for targets, details in bounded:
        receipt = receipt_record(
            memory.workspace,
            operation="merge",
            transaction=f"tx_{0:026d}",
            targets=[record] * targets,
            details=details,
            subject=edge,
        )
        whole = replace(receipt, id=f"rcp_{0:026d}")
        assert len(encode_record(whole, memory.workspace.registry)) < MATTER_BYTES
