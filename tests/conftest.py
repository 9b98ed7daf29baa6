"""Keeps every test away from the real home, the real Git configuration and real agents.

Nothing here is a convenience for one room: what a single room shares lives in
``tests/support``.
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# Every variable that could reach memfs, Git or an agent detector from outside.
_FOREIGN_PREFIXES = (
    "MEMFS",
    "GIT_",
    "XDG_",
    "CLAUDE",
    "CODEX",
    "CURSOR",
    "GEMINI",
    "AGENT",
    "AI_AGENT",
    "OPENCODE",
    "AIDER",
    "COPILOT",
    "CLINE",
    "ANTIGRAVITY",
)
_FOREIGN_NAMES = ("EDITOR", "VISUAL", "PAGER", "NO_COLOR", "FORCE_COLOR", "CLICOLOR")

_GITCONFIG = """\
[user]
\tname = Test Person
\temail = person@example.invalid
[init]
\tdefaultBranch = main
[commit]
\tgpgsign = false
[advice]
\tdetachedHead = false
"""

_MEMORY_DISK = Path("/dev/shm")
_MEMORY_DISK_BYTES = 2**30


def _use_memory_disk() -> None:
    """Puts temporary folders where a flush to disk costs nothing, if there is room for them.

    The store flushes at each commit as it does for users; on a busy disk that, and nothing
    else, is what the suite would wait for. ``PYTEST_DEBUG_TEMPROOT`` overrides it.
    """
    if "PYTEST_DEBUG_TEMPROOT" in os.environ or not os.access(_MEMORY_DISK, os.W_OK):
        return
    if shutil.disk_usage(_MEMORY_DISK).free >= _MEMORY_DISK_BYTES:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(_MEMORY_DISK)


_use_memory_disk()


def _take_interrupts() -> None:
    """Lets programs that tests start be interrupted, however the tests themselves were started.

    A shell that starts something in the background has it ignore interrupts, and so does
    whatever that starts in its turn.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)


_take_interrupts()

# Ten thousand tests and what they import stand in memory for a whole run: going over all of it
# each time that some hundred objects were made is a tenth of what the suite does.
gc.set_threshold(50_000, 50, 100)


def pytest_collection_finish() -> None:
    """Lets what was collected stand as it is: it goes when the process does."""
    gc.collect()
    gc.freeze()


settings.register_profile(
    "memfs",
    deadline=None,
    max_examples=int(os.environ.get("MEMFS_EXAMPLES", "100")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    database=None,
)
settings.load_profile("memfs")


def clean_environment(home: Path) -> dict[str, str]:
    """Returns the environment of a fresh account whose home is ``home``.

    Args:
        home: Existing empty folder; a minimal Git configuration is written into it.

    Returns:
        The process environment without foreign variables; child processes take it as is.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_FOREIGN_PREFIXES) and name not in _FOREIGN_NAMES
    }
    (home / ".gitconfig").write_text(_GITCONFIG, encoding="utf-8")
    return kept | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "MEMFS_HOME": str(home / "memfs-home"),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names a new folder at each step; a count, since looking for a free name takes longer."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def guarded_environment(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives each test a home of its own and no variable from outside; returns the home."""
    home = next(homes)
    home.mkdir()
    clean = clean_environment(home)
    for name in set(os.environ) - set(clean):
        if not name.startswith("PYTEST_"):
            monkeypatch.delenv(name)
    for name, value in clean.items():
        monkeypatch.setenv(name, value)
    return home


@pytest.fixture
def home(guarded_environment: Path) -> Path:
    """The private home folder of this test."""
    return guarded_environment
