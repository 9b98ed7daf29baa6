"""The ten gates, in the order in which they are tried."""

from __future__ import annotations

from typing import Final

from benchmarks.gates.acting import nothing_stored_permits_or_acts
from benchmarks.gates.keeping import no_acknowledged_write_is_lost, no_failed_branch_is_current
from benchmarks.gates.reading import what_is_closed_comes_out_of_no_surface
from benchmarks.gates.taking_in import (
    no_secret_is_kept_or_repeated,
    nothing_of_a_program_counts_unreviewed,
    nothing_said_raises_authority,
)
from benchmarks.gates.trial import Gate
from benchmarks.gates.withdrawing import (
    off_is_off,
    withdrawn_comes_back_by_no_door,
    withdrawn_is_served_nowhere,
)

GATES: Final = (
    Gate(
        name="withdrawn",
        promise="what was taken back, and all that rests on it, is served nowhere",
        rows="A13 A14",
        attempt=withdrawn_is_served_nowhere,
    ),
    Gate(
        name="scope",
        promise="what a reader may not see comes out of no surface",
        rows="A7 A8 A9 A20",
        attempt=what_is_closed_comes_out_of_no_surface,
    ),
    Gate(
        name="authority",
        promise="no words, no forged origin and no derivation raise authority",
        rows="A1 A3 A4 A5 A10",
        attempt=nothing_said_raises_authority,
    ),
    Gate(
        name="review",
        promise="nothing that a program says counts before a person accepted it",
        rows="A18 A23",
        attempt=nothing_of_a_program_counts_unreviewed,
    ),
    Gate(
        name="secrets",
        promise="no secret is kept in any place or repeated in any answer",
        rows="A19",
        attempt=no_secret_is_kept_or_repeated,
    ),
    Gate(
        name="durability",
        promise="no acknowledged write is lost, wherever its process is killed",
        rows="A22 A50",
        attempt=no_acknowledged_write_is_lost,
    ),
    Gate(
        name="resurrection",
        promise="what was forgotten comes back by no import, copy, commit or rebuild",
        rows="A26",
        attempt=withdrawn_comes_back_by_no_door,
    ),
    Gate(
        name="branch",
        promise="no failed branch of a task is ever current",
        rows="A64 A66",
        attempt=no_failed_branch_is_current,
    ),
    Gate(
        name="action",
        promise="nothing stored permits an action, and memory takes none by itself",
        rows="A2 A58",
        attempt=nothing_stored_permits_or_acts,
    ),
    Gate(
        name="off",
        promise="memory that is off says and takes nothing, and tombstones hold in every mode",
        rows="A73 A75",
        attempt=off_is_off,
    ),
)
