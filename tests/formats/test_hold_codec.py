from __future__ import annotations

import pytest

from memfs.errors import DataError
from memfs.formats.hold_codec import decode_hold, encode_hold
from memfs.model.hold import Hold
from tests.support.records import ULID

HOLD = Hold(
    path="records/note/2026-11/a.md", admitted="a" * 40, found="", candidate=f"cand_{ULID}e"
)


def test_a_hold_is_four_members_in_order() -> None:
    data = encode_hold(HOLD)
    assert data.decode() == (
        '{\n  "path": "records/note/2026-11/a.md",\n'
        f'  "admitted": "{"a" * 40}",\n  "found": "",\n  "candidate": "cand_{ULID}e"\n}}\n'
    )
    assert decode_hold(data, "holds/a.json") == HOLD


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b'"found": ""', b'"found": "zz"', "hold.unreadable"),
        (b'"found": "",', b"", "hold.unreadable"),
        (b'"found": ""', b'"found": null', "hold.unreadable"),
        (b'"found": ""', b'"found": "", "more": 1', "hold.unreadable"),
        (b"cand_", b"mem_", "hold.unreadable"),
        (b'"found": ""', b'"found": "", "found": ""', "json.duplicate-key"),
        (b"}", b"", "json.syntax"),
    ],
)
def test_a_broken_hold_is_refused(old: bytes, new: bytes, code: str) -> None:
    with pytest.raises(DataError) as caught:
        decode_hold(encode_hold(HOLD).replace(old, new), "holds/a.json")
    assert caught.value.code == code
