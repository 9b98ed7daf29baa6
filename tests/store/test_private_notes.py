"""Notes that are no history: made once, whole, private, and held by whoever works on them."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from memfs.errors import UsageError
from memfs.store.effects import WriteFailedError
from memfs.store.files import FileTooLargeError
from memfs.store.private_notes import NOTE_BYTES, PrivateNotes


@pytest.fixture
def notes(tmp_path: Path) -> PrivateNotes:
    return PrivateNotes(tmp_path, "dispatches")


def test_a_note_is_made_once_and_for_its_owner_alone(notes: PrivateNotes, tmp_path: Path) -> None:
    assert notes.names() == ()
    assert notes.create("run_a", b"first")
    assert not notes.create("run_a", b"second")

    place = tmp_path / "memfs" / "dispatches" / "run_a.json"
    assert (notes.read("run_a"), notes.names()) == (b"first", ("run_a",))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert [item.name for item in place.parent.iterdir()] == ["run_a.json"]


def test_a_note_can_be_written_anew_and_taken_away(notes: PrivateNotes) -> None:
    notes.create("run_a", b"first")
    notes.replace("run_a", b"second")
    assert notes.read("run_a") == b"second"

    notes.remove("run_a")
    notes.remove("run_a")
    assert notes.read("run_a") is None


def test_what_is_no_plain_name_is_nobody_s_note(notes: PrivateNotes, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    notes.create("run_a", b"x")
    (tmp_path / "memfs" / "dispatches" / "Odd Name.json").write_text("{}")

    assert notes.read("../../secret") is None
    assert notes.names() == ("run_a",)
    with pytest.raises(UsageError):
        notes.create("../../secret", b"x")
    with pytest.raises(FileTooLargeError):
        notes.create("run_b", b"x" * (NOTE_BYTES + 1))


def test_a_link_is_not_followed(notes: PrivateNotes, tmp_path: Path) -> None:
    notes.create("run_a", b"x")
    (tmp_path / "elsewhere").write_text("{}")
    (tmp_path / "memfs" / "dispatches" / "run_b.json").symlink_to(tmp_path / "elsewhere")

    assert notes.read("run_b") is None


def test_a_name_is_held_until_its_process_lets_go(notes: PrivateNotes) -> None:
    assert not notes.is_held("run_a")
    with notes.held("run_a"):
        assert notes.is_held("run_a")
        with pytest.raises(WriteFailedError), notes.held("run_a"):
            pass
    assert not notes.is_held("run_a")


def test_a_hold_ends_with_its_process_however_that_dies(notes: PrivateNotes) -> None:
    ready, done = os.pipe()
    child = os.fork()
    if not child:
        with notes.held("run_a"):
            os.write(done, b"1")
            signal.pause()
        os._exit(0)
    os.read(ready, 1)
    assert notes.is_held("run_a")

    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not notes.is_held("run_a")
