"""Long-term memory for coding agents and people, kept as plain files in Git."""

from __future__ import annotations

__version__ = "0.1.0"
