"""Imports point down, and the checker that says so is seen to fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

_LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _LINT, "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_imports_point_down() -> None:
    outcome = _lint(ROOT)

    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "KEPT" in outcome.stdout


def test_an_import_that_points_up_breaks_the_build(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "memfs", tmp_path / "memfs", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "memfs" / "policy" / "upward.py").write_text("import memfs.store\nimport os\n")

    outcome = _lint(tmp_path)

    assert outcome.returncode != 0
    assert "memfs.policy.upward -> memfs.store" in outcome.stdout
    assert "memfs.policy.upward -> os" in outcome.stdout
