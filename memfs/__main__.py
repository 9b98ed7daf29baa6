"""``python -m memfs`` is the command ``memfs``."""

from __future__ import annotations

import sys

from memfs.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
