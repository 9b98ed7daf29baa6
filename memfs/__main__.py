"""``python -m memfs`` is the command ``memfs``."""

from __future__ import annotations

from memfs.cli.start import run

if __name__ == "__main__":
    run()
