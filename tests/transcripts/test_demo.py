"""The demo shows what it claims, on the fixtures alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.conftest import ROOT
from tests.support.processes import command_folder


def test_the_demo_shows_what_it_claims(tmp_path: Path) -> None:
    tools = command_folder(tmp_path / "bin")

    ended = subprocess.run(
        ["/bin/sh", str(ROOT / "fixtures" / "demo" / "demo.sh")],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "MEMFS_DEMO_DATA": "none"},
        capture_output=True,
        text=True,
        timeout=115,
    )

    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr
    assert ended.stdout.endswith("== The demo showed what it claims.\n")
