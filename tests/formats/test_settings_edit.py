"""One line of the settings is changed and every other byte is left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.errors import DataError
from memfs.formats.settings import decode_settings
from memfs.formats.settings_edit import with_mode
from memfs.model.settings import Mode

HEAD = b"# ours: mode: off\nformat: 1\nstore_id: store_01hzzzzzzzzzzzzzzzzzzzzzzz\nproject: p\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"mode: enforced  # for now\nrecall:\n  items: 7\n", b"mode: shadow  # for now\n"),
        (b"mode:   off\n", b"mode:   shadow\n"),
        (b"mode: enforced\r\n", b"mode: shadow\r\n"),
        (b"recall:\n  items: 7\n", b"recall:\n  items: 7\nmode: shadow\n"),
        (b"", b"mode: shadow\n"),
    ],
)
def test_only_the_mode_is_another(before: bytes, after: bytes) -> None:
    changed = with_mode(HEAD + before, Mode.SHADOW, path="memfs.yaml")
    assert changed.startswith(HEAD + after)
    wanted = replace(decode_settings(HEAD + before), mode=Mode.SHADOW, digest="")
    assert replace(decode_settings(changed), digest="") == wanted


def test_a_mode_that_is_there_already_changes_no_byte() -> None:
    text = HEAD + b"mode: shadow"
    assert with_mode(text, Mode.SHADOW, path="memfs.yaml") is text


@pytest.mark.parametrize(
    "layout", [b"mode:\n  enforced\n", b'"mode": enforced\n', b"? mode\n: off\n"]
)
def test_a_layout_of_another_sort_is_left_to_its_owner(layout: bytes) -> None:
    with pytest.raises(DataError) as caught:
        with_mode(HEAD + layout, Mode.SHADOW, path="memfs.yaml")
    assert caught.value.path == "memfs.yaml"
