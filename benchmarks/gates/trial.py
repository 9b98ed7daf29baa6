"""What a gate is, the ground that it is tried on, and what counts as failed."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.corpus import environment
from tests.support.memory import new_project

_MEMORY_DISK: Final = Path("/dev/shm")
_GIT: Final = (
    "[user]\n\tname = Ana\n\temail = ana@example.invalid\n[init]\n\tdefaultBranch = main\n"
)


class Trial:
    """One run of a gate: a folder of its own, chance from a seed, and what was found.

    Attributes:
        folder: Empty folder; gone afterwards.
        rng: The only source of chance.
        cases: How many made-up cases to try, at least one.
        checks: Number of questions that were asked so far.
        breaches: What was found that must not be, in words for a person.
        doubts: Why the trial would not have found anything, or not all of it.
    """

    def __init__(self, folder: Path, *, seed: int, cases: int) -> None:
        self.folder = folder
        self.rng = random.Random(seed)
        self.cases = cases
        self.checks = 0
        self.breaches: list[str] = []
        self.doubts: list[str] = []
        self._projects = 0

    def expect(self, holds: bool, promise: str) -> None:
        """Asks one question; ``promise`` says what should have held."""
        self.checks += 1
        if not holds:
            self.breaches.append(f"expected that {promise}")

    def hidden(self, words: Sequence[str], told: Mapping[str, str], when: str = "") -> None:
        """Asks that none of the words stands in what was told, by place."""
        for where, text in told.items():
            for word in words:
                self.expect(word not in text, f"{when}{where} does not say {word}")

    def control(self, holds: bool, what: str) -> None:
        """Asks whether a breach would have been seen: silence proves nothing of the dumb."""
        self.checks += 1
        if not holds:
            self.doubts.append(f"control: expected that {what}")

    def project(self) -> Path:
        """Makes a new project with a store; returns the project."""
        self._projects += 1
        return new_project(self.folder, f"project{self._projects}")

    def word(self) -> str:
        """Returns a word that stands nowhere else."""
        return "".join(self.rng.choices("bcdfghklmnprstvz", k=5)) + "".join(
            self.rng.choices("aeiou0123456789", k=7)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A promise and what tries to break it.

    Attributes:
        name: Short and stable, for ``--only``.
        promise: One line.
        rows: Ids of the requirements that it stands for.
        attempt: Tries; tells the trial what it finds.
    """

    name: str
    promise: str
    rows: str
    attempt: Callable[[Trial], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a gate."""

    gate: Gate
    checks: int
    breaches: tuple[str, ...]
    doubts: tuple[str, ...]
    cpu_s: float

    @property
    def has_failed(self) -> bool:
        """Whether anything got through, or it is not shown that nothing did."""
        return bool(self.breaches or self.doubts) or not self.checks


def tried(gate: Gate, *, seed: int, cases: int) -> Outcome:
    """Tries a gate on new ground; one that ends with an error has failed."""
    start = _cpu()
    with _ground() as folder:
        trial = Trial(folder, seed=seed, cases=cases)
        try:
            gate.attempt(trial)
        except Exception as error:  # noqa: BLE001  the next gate has to be tried whatever this one met
            trial.doubts.append(f"ended with {type(error).__name__}: {error}")
    return Outcome(
        gate=gate,
        checks=trial.checks,
        breaches=tuple(trial.breaches),
        doubts=tuple(trial.doubts),
        cpu_s=_cpu() - start,
    )


@contextmanager
def _ground() -> Iterator[Path]:
    """Gives a folder for projects and, until it is left, a home of which nobody knows."""
    place = _MEMORY_DISK if os.access(_MEMORY_DISK, os.W_OK) else None
    before, zone = dict(os.environ), os.getcwd()
    with tempfile.TemporaryDirectory(prefix="memfs-gate-", dir=place) as name:
        home = Path(name) / "home"
        ground = Path(name) / "ground"
        home.mkdir()
        ground.mkdir()
        (home / ".gitconfig").write_text(_GIT, "utf-8")
        os.environ.clear()
        os.environ.update(environment(home))
        os.environ.update(
            MEMFS_HOME=str(home / "memfs"),
            XDG_STATE_HOME=str(home / ".state"),
            GIT_CONFIG_NOSYSTEM="1",
            GIT_TERMINAL_PROMPT="0",
            LC_ALL="C.UTF-8",
            TZ="UTC",
        )
        os.chdir(ground)
        try:
            yield ground
        finally:
            os.chdir(zone)
            os.environ.clear()
            os.environ.update(before)


def _cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
